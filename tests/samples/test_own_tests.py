"""Every sample package passes its own tests and is typed, as its author would check it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = sorted(
    path.parent for path in (Path(__file__).parents[2] / "sample-packages").glob("*/pyproject.toml")
)
ROOT = Path(__file__).parents[2]
SOURCES = [str(package / "src") for package in SAMPLES]
"""A sample may depend on another, so all of them can be imported."""
GROUPS = [SAMPLES[start::4] for start in range(4)]


@pytest.mark.slow
@pytest.mark.parametrize("packages", GROUPS, ids=lambda group: "+".join(path.name for path in group))
def test_samples_pass_their_own_tests(packages: list[Path]) -> None:
    """The tests that a package ships run green against its source tree, with the fixtures that authors have.

    Several packages share a process, whose start would cost more than most of their tests.
    """
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull,
            "--rootdir", ".", "--import-mode=importlib", "--hypothesis-profile=ci",
            *(f"{path.name}/tests" for path in packages),
        ],
        cwd=ROOT / "sample-packages",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*SOURCES, str(ROOT)])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_samples_are_typed(tmp_path: Path) -> None:
    """mypy in strict mode has nothing to say about the sample packages."""
    sources = [str(path) for package in SAMPLES for path in (package / "src").iterdir()]
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull,
            "--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent", *sources,
        ],
        env={**os.environ, "MYPYPATH": os.pathsep.join([str(ROOT), *SOURCES])},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_demo_keeps_its_promises() -> None:
    """`make demo` installs three kinds of package, blocks a command, runs others, and cleans up."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.demo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
