"""Reading, resolving and listing packages runs none of their code, whatever they are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pkg.resources.test_editable import BACKENDS, install
from tests.pkg.resources.world import World

RUN = "open({marker!r}, 'a').write(__file__ + '\\n')\n"
BUNDLE = """\
[build-system]
requires = ["setuptools"]
build-backend = "backend"
backend-path = ["."]
[project]
name = "bundle"
dynamic = ["version"]
[project.entry-points.pi]
bundle = "acme.bundle"
[project.entry-points."pi.extensions"]
gate = "acme.bundle.gate:extension"
"""
PROGRAMS = {
    "tree": ("setup.py", "conftest.py", "__init__.py", "extensions/a.py", "extensions/b/__init__.py",
             "extensions/b/helper.py", "extensions/__main__.py", "skills/s/tool.py"),
    "bundle": ("backend.py", "setup.py", "src/acme/bundle/__init__.py", "src/acme/bundle/gate.py",
               "src/acme/bundle/extensions/x.py"),
    "solo": ("__init__.py", "setup.py"),
    "agent/extensions/found": ("__init__.py", "setup.py"),
    "proj/.pi/extensions": ("mine.py",),
}  # fmt: skip
SETTINGS = 'packages = ["../tree", "../bundle", "../solo", "../one.py", { source = "env:my-ext" }]\n'
LIST = """
import io, sys
from pathlib import Path
from pi_pkg.cli import main
from pi_pkg.locations import Locations
folder = Path(sys.argv[1])
places = Locations(folder / "agent", folder / "proj", folder / "home")
out = io.StringIO()
code = main(["list", "--all", "--json", "--approve"][:int(sys.argv[2])], locations=places, environ={},
            stdout=out, stderr=sys.stderr)
print(out.getvalue())
raise SystemExit(code)
"""


@pytest.fixture
def marker(world: World) -> Path:
    """Packages of every kind, each of whose modules writes its name into the marker file when it runs."""
    marker = world.root / "ran.txt"
    code = RUN.format(marker=str(marker))
    for folder, names in PROGRAMS.items():
        for name in names:
            world.write(f"{folder}/{name}", code)
    world.write("one.py", code)
    world.write("bundle/pyproject.toml", BUNDLE)
    site = install(world, BACKENDS["setuptools-flat"])
    for path in (*(world.root / "project").rglob("*.py"), *site.glob("*.py")):
        path.write_text(
            code + path.read_text(encoding="utf-8").replace("raise ", "# raise "), encoding="utf-8"
        )
    (site / "zz.pth").write_text(f"import sys; {code}", encoding="utf-8")
    world.user(SETTINGS)
    return marker


def test_the_marker_works(world: World, marker: Path) -> None:
    """What is imported does leave a trace, so that its absence says something."""
    subprocess.run([sys.executable, str(world.root / "tree/extensions/a.py")], check=True)
    assert "tree/extensions/a.py" in marker.read_text(encoding="utf-8")


def listed(world: World, words: int) -> str:
    command = [sys.executable, "-c", LIST, str(world.root), str(words)]
    environ = {"PYTHONPATH": f"{Path(__file__).parents[3]}:{world.root / 'site'}", "HOME": str(world.root)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    return done.stdout


def test_pi_list_runs_nothing(world: World, marker: Path) -> None:
    """`pi list` shows every package with its resources, and no module of any of them ran."""
    document = json.loads(listed(world, 4))
    found = {item["source"]: item["resources"]["extensions"] for item in document["observed"]}
    assert {"../tree": 3, "../bundle": 2, "../solo": 1, "../one.py": 1, "env:my-ext": 1} == {
        source: len(extensions) for source, extensions in found.items()
    }
    assert not marker.exists()
    listed(world, 1)
    assert not marker.exists()


def test_resolution_runs_nothing(world: World, marker: Path) -> None:
    """Nor does resolution in this process, of trusted projects and command-line sources too."""
    before = set(sys.modules)
    resolved = world.resolve(cli=("../solo", "../tree"))
    assert 9 == len(resolved.extensions)
    assert not marker.exists()
    own = {"acme", "backend", "setup", "conftest", "one", "my_ext"}
    assert not own & (set(sys.modules) - before)
