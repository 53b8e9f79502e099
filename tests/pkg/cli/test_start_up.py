"""What `pi list` may import: each library costs every user a piece of every start.

Touches: files, processes.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.bench.measure import peak_memory_mb
from tests.support.package_cli import PackageCli

SCRIPT = """
import io, sys
from pathlib import Path
from pi_pkg.cli import main
from pi_pkg.locations import Locations
folder = Path(sys.argv[1])
places = Locations(folder / "agent", folder / "proj", folder / "home")
code = main(["list"], locations=places, environ={}, stdout=io.StringIO(), stderr=sys.stderr)
print(" ".join(sys.modules))
raise SystemExit(code)
"""
NEVER = {
    "argparse", "asyncio", "concurrent", "dataclasses", "filelock", "importlib_metadata", "inspect",
    "logging", "packaging", "pathspec", "pluggy", "pydantic", "shutil", "socket", "subprocess", "tempfile",
    "tomlkit", "wcmatch",
}  # fmt: skip


def imported(pi: PackageCli) -> set[str]:
    command = [sys.executable, "-c", SCRIPT, str(pi.folder)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("packages", ['"../proj/a"', '"pypi:x@^1", "git:h.example/o/r@v1", "./gone"'])
def test_pi_list_imports_little(pi: PackageCli, packages: str) -> None:
    """Nothing that solves, installs, locks, edits or talks; not even the standard argument parser."""
    pi.package("proj/a")
    pi.write({"agent/settings.toml": f"packages = [{packages}]\n"})
    assert not imported(pi) & NEVER


def test_a_project_costs_no_more_libraries(pi: PackageCli) -> None:
    """Trust is decided and a project's record read without them too."""
    pi.package("proj/a")
    pi.run("install", "-l", "./a")
    assert not imported(pi) & NEVER


def test_fifty_packages_fit_in_little_memory(pi: PackageCli) -> None:
    """`pi list` stays below 40 MB, the interpreter included."""
    names = [f"proj/p{number}" for number in range(50)]
    for name in names:
        pi.package(name, "one", "two")
    entries = ", ".join(f'"../{name}"' for name in names)
    pi.write({"agent/settings.toml": f"packages = [{entries}]\n"})
    command = [sys.executable, "-c", SCRIPT, str(pi.folder)]
    assert peak_memory_mb(command, cwd=pi.folder, environ=pi.full_environ) < 40
