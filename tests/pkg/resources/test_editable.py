"""Editable distributions of three build backends are found, unimported, by the files that these leave."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from pi_pkg.resources.editable import editable_roots
from pi_pkg.resources.environment import environment_packages
from tests.pkg.resources.world import World

ADVERTISED = "[pi]\nmy-ext = {module}\n"
FINDER = """\
raise AssertionError('run')
import sys

MAPPING: dict[str, str] = {mapping!r}
NAMESPACES: dict[str, list[str]] = {{}}
"""


@dataclass(frozen=True)
class Backend:
    """What a backend writes into the site folder for a project; `{project}` is the project's folder."""

    path_file: str
    line: str
    module: str = "my_ext"
    folder: str = "."
    finder: Mapping[str, str] | None = None


BACKENDS = {
    "flit": Backend("my_ext.pth", "{project}"),
    "hatchling": Backend("_editable_impl_my_ext.pth", "{project}"),
    "setuptools-src": Backend("__editable__.my_ext-1.0.pth", "{project}/src", folder="src"),
    "setuptools-flat": Backend(
        "__editable__.my_ext-1.0.pth", "import __editable___my_ext_1_0_finder; 1/0",
        finder={"my_ext": "my_ext"},
    ),
    "setuptools-namespace": Backend(
        "__editable__.my_ext-1.0.pth", "import __editable___my_ext_1_0_finder; 1/0", "acme.my_ext",
        finder={"acme": "acme"},
    ),
    "setuptools-old-namespace": Backend(
        "__editable__.my_ext-1.0.pth", "import __editable___my_ext_1_0_finder; 1/0", "acme.my_ext",
        finder={"acme.my_ext": "acme/my_ext"},
    ),
}  # fmt: skip


def install(world: World, backend: Backend, *, editable: bool = True) -> Path:
    """A project and its editable installation, as the backend leaves it; the site folder."""
    project, site = world.root / "project", world.root / "site"
    package = f"project/{backend.folder}/{backend.module.replace('.', '/')}"
    world.write(f"{package}/__init__.py", "raise AssertionError('imported')\n")
    world.files(f"{package}/skills/s/SKILL.md", f"{package}/extensions/gate.py")
    info = "my_ext-1.0.dist-info"
    files = {
        backend.path_file: backend.line.format(project=project) + "\n",
        f"{info}/entry_points.txt": ADVERTISED.format(module=backend.module),
        f"{info}/direct_url.json": json.dumps({"dir_info": {"editable": editable}, "url": project.as_uri()}),
    }
    if backend.finder is not None:
        mapping = {name: str(project / path) for name, path in backend.finder.items()}
        files["__editable___my_ext_1_0_finder.py"] = FINDER.format(mapping=mapping)
    files[f"{info}/RECORD"] = "".join(f"{name},sha256=x,1\n" for name in files)
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    return site


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_an_editable_distribution_leads_to_its_source(world: World, backend: Backend) -> None:
    """The resources stand in the project, the modules keep their names, and nothing was imported."""
    site = install(world, backend)
    (root,) = environment_packages([str(site)], outside=world.locations.agent_dir)
    resolved = world.resolve(packages=(root,))
    import_root = str((world.root / "project" / backend.folder).resolve())
    assert (f"{backend.module}.extensions.gate", import_root) == (
        resolved.extensions[0].module,
        resolved.extensions[0].import_root,
    )
    assert ["s"] == [Path(item.path).parent.name for item in resolved.skills]
    assert ((), set()) == (resolved.diagnostics, {"my_ext", "acme"} & set(sys.modules))


def test_only_editables_lead_anywhere(world: World) -> None:
    """A path file of a distribution that was not installed as editable is not followed."""
    site = install(world, BACKENDS["flit"], editable=False)
    assert [] == list(editable_roots(str(site), "my_ext-1.0.dist-info"))


def test_only_recorded_files_are_read(world: World) -> None:
    """A path file that the distribution does not record is somebody else's."""
    site = install(world, BACKENDS["flit"])
    (site / "other.pth").write_text("/elsewhere\n", encoding="utf-8")
    roots = list(editable_roots(str(site), "my_ext-1.0.dist-info"))
    assert [str(world.root / "project")] == roots


@pytest.mark.parametrize(
    "text",
    ["MAPPING = {'my_ext': ", "MAPPING = {'my_ext': 1}", "MAPPING = {'my_ext': '/elsewhere/other'}",
     "MAPPING = {" + "(" * 2000 + "}", "", "MAPPING = {**x}"],
    ids=["torn", "number", "renamed", "deep", "empty", "program"],
)  # fmt: skip
def test_an_odd_finder_leads_nowhere(world: World, text: str) -> None:
    """A table that cannot be read as a literal, or maps a name to another one, gives no folder."""
    site = install(world, BACKENDS["setuptools-flat"])
    (site / "__editable___my_ext_1_0_finder.py").write_text(text, encoding="utf-8")
    assert [] == list(editable_roots(str(site), "my_ext-1.0.dist-info"))


HATCHLING = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "my-ext"
version = "1.0"
[project.entry-points.pi]
my-ext = "my_ext"
"""


def test_what_a_real_backend_builds(world: World) -> None:
    """hatchling's own editable wheel, unpacked as an installer would, is found."""
    world.files("project/src/my_ext/__init__.py", "project/src/my_ext/skills/s/SKILL.md", "wheels/")
    world.write("project/pyproject.toml", HATCHLING)
    program = "import sys, hatchling.build as build; print(build.build_editable(sys.argv[1]))"
    command = [sys.executable, "-c", program, str(world.root / "wheels")]
    subprocess.run(command, cwd=world.root / "project", check=True, capture_output=True)
    (wheel,) = (world.root / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(world.root / "site")
    direct_url = '{"dir_info": {"editable": true}, "url": "file:///x"}'
    world.write("site/my_ext-1.0.dist-info/direct_url.json", direct_url)
    (root,) = environment_packages([str(world.root / "site")], outside=world.locations.agent_dir)
    assert world.root / "project/src" == root.import_root
    assert ["s"] == [Path(item.path).parent.name for item in world.resolve(packages=(root,)).skills]
