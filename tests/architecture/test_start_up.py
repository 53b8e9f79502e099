"""What the fast commands may import, and what the wheel may bring."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

HEAVY = {
    "asyncio", "filelock", "importlib_metadata", "jsonschema_rs", "packaging", "pathspec", "pip_api",
    "pluggy", "pydantic", "rich", "textual", "tomlkit", "wcmatch", "yaml", "hookspecs",
}  # fmt: skip
VERSION_MAY_IMPORT = {"pi_core", "pi_core.cli", "pi_core.cli.main", "pi_core.version"}


def imported_by(tmp_path: Path, *arguments: str) -> set[str]:
    """Names in sys.modules after the command line ran in a fresh interpreter."""
    script = (
        "import sys\n"
        "from pi_core.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "print('\\n'.join(['MODULES', *sys.modules]))\n"
        "raise SystemExit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.partition("MODULES\n")[2].split())


def test_version_imports_next_to_nothing(tmp_path: Path) -> None:
    """`pi --version` imports its own entry point and none of the heavy libraries."""
    found = imported_by(tmp_path, "--version")
    ours = {name for name in found if name.partition(".")[0] in {"hookspecs", "pi_pkg", "pi_core"}}
    assert ours <= VERSION_MAY_IMPORT
    assert not found & (HEAVY | {"argparse", "tomllib", "json"})


def test_list_imports_no_heavy_library(tmp_path: Path) -> None:
    """`pi list` reads settings and indexes without any library but the standard one."""
    assert not imported_by(tmp_path, "list") & HEAVY


@pytest.mark.slow
def test_the_wheel_has_three_top_levels(tmp_path: Path) -> None:
    """The wheel's top levels are exactly hookspecs, pi_core and pi_pkg, each marked as typed."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    files = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in files if ".dist-info/" not in name}
    assert {"hookspecs", "pi_core", "pi_pkg"} == tops
    assert {f"{top}/py.typed" for top in tops} <= set(files)
    assert {"pi_pkg/settings/settings.schema.json", "pi_core/docs/extensions.md"} <= set(files)
