"""What is released is complete: one version, all needs declared, and it runs where nothing else is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from pi_core.version import VERSION
from tests.support.wheelhouse import ROOT, closure, own_wheel, wheelhouse

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FLOORS = ("hookspecs", "pi_pkg", "pi_core")


def run(*words: str | Path, environ: Mapping[str, str] | None = None, cwd: Path = ROOT) -> str:
    """What a program prints on both streams; it has to succeed."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd, env={**os.environ, **(environ or {})}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_version_stands_in_one_place() -> None:
    """The project reads it from pi_core/version.py; the package manager, which knows no host, has it too."""
    assert (["version"], "pi_core/version.py") == (
        PROJECT["project"]["dynamic"],
        PROJECT["tool"]["hatch"]["version"]["path"],
    )
    assert re.fullmatch(r"1\.6\.\d+", VERSION)
    sources = [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]
    spelled = [path for path in sources if f'"{VERSION}"' in path.read_text(encoding="utf-8")]
    assert {ROOT / "pi_core/version.py", ROOT / "pi_pkg/resources/model.py"} == set(spelled)


def test_the_changelog_has_a_place_for_what_comes() -> None:
    """The newest section is Unreleased, and it is not empty."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = text.partition("\n## ")[2].partition("\n## ")[0]
    assert newest.startswith("Unreleased\n")
    assert "\n- " in newest


@pytest.mark.parametrize("floor", FLOORS)
def test_every_top_level_is_typed(floor: str) -> None:
    """PEP 561: the marker lies beside the code."""
    assert (ROOT / floor / "py.typed").is_file()


def test_nothing_undeclared_is_imported() -> None:
    """deptry: every import is a dependency, every dependency is imported."""
    words = [sys.executable, "-m", "deptry", "--no-ansi", *FLOORS]
    assert "Success" in run(*words)


@pytest.mark.slow
def test_the_source_archive_makes_the_same_wheel_and_it_runs(tmp_path: Path) -> None:
    """sdist → wheel → a new environment that holds nothing but what the wheel declares: pi works there."""
    sdist = own_wheel(tmp_path / "out", kind="sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "tree", filter="data")
    (tree,) = (tmp_path / "tree").iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "out", cwd=tree)
    (wheel,) = (tmp_path / "out").glob("*.whl")
    assert zipfile.ZipFile(wheel).namelist() == zipfile.ZipFile(own_wheel(tmp_path / "again")).namelist()
    others = [name for name in closure(["pi-pluggy"]) if name != "pi-pluggy"]
    house = wheelhouse(tmp_path / "house", others)
    venv = tmp_path / "venv"
    bin_folder = venv / ("Scripts" if os.name == "nt" else "bin")
    run(sys.executable, "-m", "uv", "venv", "--quiet", "--no-config", "--python", sys.executable, venv)
    python = bin_folder / "python"
    offline = ("--no-config", "--offline", "--no-index", "--find-links", house)
    run(sys.executable, "-m", "uv", "pip", "install", "-q", *offline, "--python", python, wheel)
    environ = {"HOME": str(tmp_path / "home"), "PI_CODING_AGENT_DIR": str(tmp_path / "agent")}
    assert f"{VERSION}\n" == run(bin_folder / "pi", "--version", environ=environ, cwd=tmp_path)
    answer = run(bin_folder / "pi", "-p", "run: echo hi", environ=environ, cwd=tmp_path)
    assert "bash answered:\nhi\n" in answer


@pytest.mark.parametrize("name", ["LICENSE", "SECURITY.md", "CONTRIBUTING.md", "README.md", "CHANGELOG.md"])
def test_what_people_look_for_is_there(name: str) -> None:
    """The files that a stranger opens first exist, say something, and come with the source archive."""
    assert len((ROOT / name).read_text(encoding="utf-8")) > 500
    assert f"/{name}" in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
