"""Switching as people do it: cases M5 to M9, with the reference's defects mended, and every token of a list.

The reference turns through three states in a project; here a thing is on or off, and switching it back
leaves the file as it was.

Touches: files.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.package_cli import PackageCli

A = "extensions/a.py"


@pytest.fixture
def world(pi: PackageCli) -> PackageCli:
    """A package of two extensions and a prompt, prompts of the user, a trusted project."""
    pi.package("pk", "a", "b")
    pi.write(
        {
            "pk/prompts/p.md": "x\n",
            "agent/prompts/a.md": "x\n",
            "agent/prompts/b.md": "x\n",
            "agent/settings.toml": 'packages = ["../pk"]\n',
            "proj/.pi/prompts/q.md": "x\n",
        }
    )
    pi.run("trust", "allow", "--folder")
    return pi


def document(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text()) if path.exists() else {}


def states(pi: PackageCli, *words: str) -> dict[str, bool]:
    observed = pi.run("config", "--json", *words).document["observed"]
    return {f"{item['kind']}:{Path(item['path']).name}": item["enabled"] for item in observed}


def test_a_found_prompt_is_switched_and_back(world: PackageCli) -> None:
    """M5: a mark in the list of its kind, and no trace of it when it is on again."""
    before = world.user_settings.read_text()
    for _ in range(2):
        assert 0 == world.run("config", "--disable", "prompts/a.md").code
        assert ["-prompts/a.md"] == document(world.user_settings)["prompts"]
        assert 0 == world.run("config", "--enable", "prompts/a.md").code
        assert before == world.user_settings.read_text()


def test_a_file_of_a_package_is_switched_and_back(world: PackageCli) -> None:
    """M6: the string becomes a table with one mark, and a string again."""
    before = world.user_settings.read_text()
    world.run("config", "--disable", A)
    assert [{"source": "../pk", "extensions": [f"-{A}"]}] == document(world.user_settings)["packages"]
    world.run("config", "--enable", A)
    assert before == world.user_settings.read_text()


def test_a_prompt_of_the_user_is_switched_in_the_project(world: PackageCli) -> None:
    """M7: the path and its mark bring it into the project's scope; the user's file is not touched."""
    before = world.user_settings.read_text()
    path = str(world.locations.agent_dir / "prompts" / "a.md")
    world.run("config", "-l", "--disable", f"prompts:{path}")
    assert {"prompts": [path, f"-{path}"]} == document(world.project_settings)
    assert not states(world)["prompts:a.md"]
    world.run("config", "-l", "--enable", f"prompts:{path}")
    assert ({}, before) == (document(world.project_settings), world.user_settings.read_text())


def test_what_the_user_switched_off_is_on_in_the_project(world: PackageCli) -> None:
    """I9, M7: a mark is enough to bring it back, and goes again."""
    path = str(world.locations.agent_dir / "prompts" / "a.md")
    world.run("config", "--disable", "prompts/a.md")
    world.run("config", "-l", "--enable", f"prompts:{path}")
    assert {"prompts": [f"+{path}"]} == document(world.project_settings)
    assert states(world)["prompts:a.md"]
    world.run("config", "-l", "--disable", f"prompts:{path}")
    assert {} == document(world.project_settings)


def test_a_path_below_the_home_folder_is_written_with_a_tilde(tmp_path: Path) -> None:
    """SCOPE 45: a project's file does not hold one developer's absolute path where it can be helped."""
    from pi_pkg.locations import Locations
    from pi_pkg.provenance import Provenance
    from pi_pkg.resources.model import Resource
    from pi_pkg.toggle.model import Place
    from pi_pkg.toggle.proposals import proposals

    home = tmp_path / "home"
    place = Place(Locations(home / ".pi" / "agent", tmp_path / "proj", home), "project")
    path = str(home / ".pi" / "agent" / "prompts" / "a.md")
    provenance = Provenance(path, "auto", "user", "top-level", str(home / ".pi" / "agent"))
    ((edit,), *_) = proposals(Resource("prompts", path, True, provenance), {}, place, on=False)
    assert ("~/.pi/agent/prompts/a.md", "-~/.pi/agent/prompts/a.md") == getattr(edit, "items", None)


def test_a_package_of_the_user_is_switched_by_a_delta(world: PackageCli) -> None:
    """M8: an entry that says nothing else, relative to the project's file; gone when switched back."""
    world.run("config", "-l", "--disable", A)
    entry = {"source": "../../pk", "autoload": False, "extensions": [f"-{A}"]}
    assert {"packages": [entry]} == document(world.project_settings)
    world.run("config", "-l", "--disable", "extensions/b.py")
    assert [f"-{A}", "-extensions/b.py"] == document(world.project_settings)["packages"][0]["extensions"]
    world.run("config", "-l", "--enable", A, "extensions/b.py")
    assert {} == document(world.project_settings)


def test_a_package_of_the_project_is_switched_in_its_own_entry(world: PackageCli) -> None:
    """M9: like the user's, in the project's file."""
    world.package("own", "c", "d")
    world.write({"proj/.pi/settings.toml": 'packages = ["../../own"]\n'})
    before = world.project_settings.read_text()
    world.run("config", "-l", "--disable", "extensions/c.py")
    assert [{"source": "../../own", "extensions": ["-extensions/c.py"]}] == document(world.project_settings)[
        "packages"
    ]
    world.run("config", "-l", "--enable", "extensions/c.py")
    assert before == world.project_settings.read_text()


def test_a_listed_path_stays_listed(world: PackageCli) -> None:
    """Defect (a): switching off a path that the list names does not lose it for ever."""
    world.write({"ex/e.py": "", "agent/settings.toml": 'extensions = ["../ex/e.py"]\n'})
    before = world.user_settings.read_text()
    world.run("config", "--disable", "e.py")
    assert ["../ex/e.py", "-../ex/e.py"] == document(world.user_settings)["extensions"]
    world.run("config", "--enable", "e.py")
    assert before == world.user_settings.read_text()


def test_switching_on_one_of_none_switches_on_one(world: PackageCli) -> None:
    """Defect (b): an empty filter that gets one name does not become everything."""
    world.write({"agent/settings.toml": 'packages = [{source = "../pk", extensions = []}]\n'})
    before = world.user_settings.read_text()
    world.run("config", "--enable", A)
    found = states(world)
    assert (True, False) == (found["extensions:a.py"], found["extensions:b.py"])
    world.run("config", "--disable", A)
    assert before == world.user_settings.read_text()


def test_switching_off_the_only_one_switches_on_no_other(world: PackageCli) -> None:
    """Defect (c): a filter that includes one file does not become everything when that one goes."""
    world.write({"agent/settings.toml": f'packages = [{{source = "../pk", extensions = ["{A}"]}}]\n'})
    before = world.user_settings.read_text()
    world.run("config", "--disable", A)
    found = states(world)
    assert (False, False) == (found["extensions:a.py"], found["extensions:b.py"])
    world.run("config", "--enable", A)
    assert before == world.user_settings.read_text()


@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_whole_package_is_switched_and_back(world: PackageCli, scope: str) -> None:
    """Its source is a token, too; what it will bring later is off as well."""
    local = [] if scope == "user" else ["-l"]
    path = world.user_settings if scope == "user" else world.project_settings
    before = document(path)
    world.run("config", *local, "--disable", "../pk")
    world.write({"pk/extensions/new.py": ""})
    found = states(world)
    assert not any(found[f"extensions:{name}.py"] for name in ("a", "b", "new"))
    assert not found["prompts:p.md"]
    world.run("config", *local, "--enable", "../pk")
    assert before == document(path)
    assert all(states(world).values())


def test_a_package_with_a_filter_keeps_it(world: PackageCli) -> None:
    """What the filter says survives switching the package off and on."""
    entry = '{source = "../pk", extensions = ["*", "!**/x.py"]}'
    world.write({"agent/settings.toml": f"packages = [{entry}]\n"})
    before = world.user_settings.read_text()
    world.run("config", "--disable", "../pk")
    assert not any(on for name, on in states(world).items() if name.startswith("extensions:"))
    world.run("config", "--enable", "../pk")
    assert before == world.user_settings.read_text()


def test_an_exclusion_of_the_list_is_lifted(world: PackageCli) -> None:
    """A list of the top level reaches into packages; switching on takes that into account."""
    world.write({"agent/settings.toml": 'packages = ["../pk"]\nextensions = ["!**/a.py"]\n'})
    before = world.user_settings.read_text()
    assert 0 == world.run("config", "--enable", A).code
    assert all(states(world).values())
    world.run("config", "--disable", A)
    assert before == world.user_settings.read_text()


def test_every_printed_token_is_accepted(world: PackageCli) -> None:
    """What `pi list` prints, as text and in its document, names the thing to `pi config`."""
    items = world.run("list", "--json").document["observed"]
    tokens = [found["token"] for item in items for found in item["resources"]["extensions"]]
    printed = [item["source"] for item in items] + [item["identity"] for item in items]
    short = ["extensions/a.py", "prompts/p.md"]
    assert all(f": {name}" in world.run("list").out or f", {name}" in world.run("list").out for name in short)
    for token in (*tokens, *printed, *short):
        assert 0 == world.run("config", "--disable", token).code
        assert 0 == world.run("config", "--enable", token).code
    assert {"packages": ["../pk"]} == document(world.user_settings)


def test_every_shown_token_is_accepted(world: PackageCli) -> None:
    """The same holds for what `pi config` shows, in the scope that it is shown in."""
    for item in world.run("config", "--json").document["observed"]:
        local = ["-l"] if item["scope"] == "project" else []
        for flag, did in (("--disable", "disabled"), ("--enable", "enabled")):
            (done,) = world.run("config", *local, flag, item["token"], "--json").document["observed"]
            assert (did, [item["token"]]) == (done["did"], done["resources"])
