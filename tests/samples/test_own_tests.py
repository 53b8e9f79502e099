"""Every sample package passes its own tests and is typed, as its author would check it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.agent_cli import python_environ
from tests.support.type_checkers import mypy

SAMPLES = sorted(
    path.parent for path in (Path(__file__).parents[2] / "sample-packages").glob("*/pyproject.toml")
)
ROOT = Path(__file__).parents[2]
SOURCES = [str(package / "src") for package in SAMPLES]
"""A sample may depend on another, so all of them can be imported."""
GROUPS = [SAMPLES[start::2] for start in range(2)]
PLUGINS = ("-p", "pi_core.testing.plugin", "-p", "pytest_asyncio.plugin", "-p", "_hypothesis_pytestplugin")
"""What authors' tests use; what else happens to be installed here would only take time to load."""


@pytest.mark.slow
@pytest.mark.parametrize("packages", GROUPS, ids=lambda group: "+".join(path.name for path in group))
def test_samples_pass_their_own_tests(packages: list[Path]) -> None:
    """The tests that a package ships run green against its source tree, with the fixtures that authors have.

    Several packages share a process, whose start would cost more than most of their tests.
    """
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull,
            "--rootdir", ".", "--import-mode=importlib", *PLUGINS, "--hypothesis-profile=ci",
            *(f"{path.name}/tests" for path in packages),
        ],
        cwd=ROOT / "sample-packages",
        env={
            **python_environ(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": os.pathsep.join([*SOURCES, str(ROOT)]),
        },
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.xdist_group("type-checkers")
def test_samples_are_typed() -> None:
    """mypy in strict mode has nothing to say about the sample packages."""
    files = [path for package in SAMPLES for path in (package / "src").iterdir()]
    said = mypy(files, search=map(Path, SOURCES))
    assert said.startswith("Success: no issues found"), said


@pytest.mark.slow
def test_the_demo_keeps_its_promises() -> None:
    """`make demo` installs three kinds of package, blocks a command, runs others, and cleans up."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.demo"],
        cwd=ROOT, env=python_environ(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
