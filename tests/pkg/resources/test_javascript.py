"""Packages of the JavaScript world: skills, prompts and themes load, scripts are shown as not loadable."""

from __future__ import annotations

import json

import pytest

from tests.pkg.resources.world import World
from tests.support.package_cli import PackageCli

DATA = ("pk/skills/s/SKILL.md", "pk/prompts/p.md", "pk/themes/t.json")
SCRIPTS = (
    "pk/extensions/a.ts",
    "pk/extensions/b/index.js",
    "pk/extensions/b/helper.ts",
    "pk/extensions/types.md",
)
ALL_DATA = {"skills": ["./skills"], "prompts": ["./prompts/*.md"], "themes": ["themes/t.json"]}


def package(world: World, table: object, *files: str) -> None:
    world.files(*DATA, *SCRIPTS, *files)
    world.write("pk/package.json", json.dumps({"name": "@scope/pk", "pi": table}))
    world.user('packages = ["../pk"]')


@pytest.mark.parametrize(
    ("extensions", "expected"),
    [
        (["./extensions"], "E a.ts off; E b/index.js off"),
        (["./extensions/a.ts"], "E a.ts off"),
        (["extensions/*.ts", "!extensions/a.ts"], ""),
        (["extensions/*.ts", "extensions/b"], "E a.ts off; E b/index.js off"),
        (["./gone.ts"], ""),
        ([], ""),
    ],
)
def test_scripts_are_shown_and_never_load(world: World, extensions: list[str], expected: str) -> None:
    """Each script that the manifest names is listed as blocked with the reason; the data is on."""
    package(world, {"extensions": extensions, **ALL_DATA})
    resolved = world.resolve()
    assert expected == world.states("E", resolved)
    assert "S s on; P p.md on; T t.json on" == world.states("SPT", resolved)
    for item in resolved.extensions:
        assert item.blocked
        assert "written in JavaScript" in str(item.rule)
    assert (["javascript-extensions"] if extensions else []) == world.codes(resolved)


def test_a_table_without_lists_means_the_conventional_folders(world: World) -> None:
    """Metadata alone leaves the folders in force; Python extensions among them load, scripts do not."""
    package(world, {"image": "x.png"}, "pk/extensions/c.py")
    assert "E c.py on; E a.ts off; E b/index.js off" == world.states("E")
    assert "S s on; P p.md on; T t.json on" == world.states("SPT")


def test_a_python_manifest_beside_it_counts(world: World) -> None:
    """A package that says `[tool.pi]` is read by that; its `package.json` is another tool's."""
    package(world, {"extensions": ["./extensions/a.ts"]}, "pk/extensions/c.py")
    world.manifest("pk", 'extensions = ["extensions"]')
    assert "E c.py on" == world.states()


def test_scripts_that_leave_the_package_are_not_shown(world: World) -> None:
    """A path or link out of the package is left out for scripts, too."""
    package(world, {"extensions": ["../out.ts", "./l.ts"]}, "out.ts")
    world.link("pk/l.ts", "out.ts")
    assert [] == world.listing("E")


def test_pi_list_shows_them_as_not_loadable(pi: PackageCli) -> None:
    """The package is of use and `ok`; the script is among its resources, off, with the reason."""
    pi.write({
        "pk/package.json": json.dumps({"pi": {"extensions": ["./a.ts"], "skills": ["skills"]}}),
        "pk/a.ts": "export default 1\n",
        "pk/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\n",
        "agent/settings.toml": 'packages = ["../pk"]\n',
    })  # fmt: skip
    (item,) = pi.run("list", "--json").document["observed"]
    (script,) = item["resources"]["extensions"]
    assert ("ok", False) == (item["state"], script["enabled"])
    assert script["path"].endswith("/pk/a.ts")
    assert "JavaScript" in script["rule"]


def test_scripts_in_a_shared_folder_are_no_finding(world: World) -> None:
    """A user's folder of extensions may serve the TypeScript pi as well: its scripts are passed over."""
    world.files("agent/extensions/tool/index.ts", "agent/extensions/a.ts", "agent/extensions/b.py")
    world.write("agent/extensions/tool/package.json", '{"pi": {"extensions": ["./index.ts"]}}')
    resolved = world.resolve()
    assert (["agent/extensions/b.py on"], ()) == (world.listing("E", resolved), resolved.diagnostics)
