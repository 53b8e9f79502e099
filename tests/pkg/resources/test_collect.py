"""Which files of a folder count: cases F1 to F14, and the conventional places of both scopes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pkg.resources.world import World, identified


def skills(world: World) -> list[str]:
    return [line.removesuffix(" on").removesuffix("/SKILL.md") for line in world.listing("S")]


def test_f1_skills_of_the_users_folder(world: World) -> None:
    """F1: a folder with SKILL.md is one skill; loose files count at the top only; hidden ones never."""
    world.files(*(f"agent/skills/{name}" for name in (
        "root.md", "a/SKILL.md", "a/sub/SKILL.md", "a/extra.md", "g/b/c/SKILL.md", "g/loose.md",
        ".hid/SKILL.md", "node_modules/m/SKILL.md", "z/skill.md",
    )))  # fmt: skip
    assert ["agent/skills/a", "agent/skills/g/b/c", "agent/skills/root.md"] == skills(world)


def test_f2_skills_shared_with_other_agents(world: World) -> None:
    """F2: in `.agents/skills` loose files count below the top, not at it."""
    world.files(*(f"home/.agents/skills/{name}" for name in ("root.md", "q/SKILL.md", "grp/loose.md")))
    assert ["home/.agents/skills/grp/loose.md", "home/.agents/skills/q"] == skills(world)


def test_f3_a_skill_at_the_root_is_the_only_one(world: World) -> None:
    """F3: SKILL.md in the scanned folder stops the scan."""
    world.files("agent/skills/SKILL.md", "agent/skills/a/SKILL.md", "agent/skills/other.md")
    assert ["agent/skills"] == skills(world)


LEVELS = (
    ".agents/skills/top/SKILL.md",
    "a/.agents/skills/up/SKILL.md",
    "a/b/proj/.agents/skills/me/SKILL.md",
)


@pytest.mark.parametrize(
    ("git", "expected"),
    [
        pytest.param(
            None, ["a/b/proj/.agents/skills/me", "a/.agents/skills/up", ".agents/skills/top"], id="F4"
        ),
        pytest.param("a/.git", ["a/b/proj/.agents/skills/me", "a/.agents/skills/up"], id="F5"),
        pytest.param("a/b/proj/.git/", ["a/b/proj/.agents/skills/me"], id="F5-own"),
    ],
)
def test_the_walk_ends_at_the_repository(tmp_path: Path, git: str | None, expected: list[str]) -> None:
    """F4, F5: `.agents` of the project and above, the nearest first, up to the repository's root."""
    world = World(tmp_path, cwd="a/b/proj")
    world.files(*LEVELS, *([git] if git else []))
    assert expected == skills(world)
    assert {"project"} == {item.provenance.scope for item in world.resolve().skills}


def test_f6_the_users_shared_skills_are_the_users(tmp_path: Path) -> None:
    """F6: with the home folder as project, `~/.agents` counts for the user alone."""
    world = World(tmp_path, cwd="home")
    world.files("home/.agents/skills/u/SKILL.md")
    assert ["user"] == [item.provenance.scope for item in world.resolve().skills]


IGNORE_CASES = [
    ("F7", "agent/skills/.gitignore", "venv", "keep d/deep d/e/deep f deep"),
    ("F8", "agent/.gitignore", "*", "keep venv d/deep d/e/deep f deep"),
    ("F10", "agent/skills/d/.ignore", "deep", "keep venv f deep"),
    ("F10-anchored", "agent/skills/d/.ignore", "/deep", "keep venv d/e/deep f deep"),
    ("F11", "agent/skills/f/.fdignore", "/SKILL.md", "keep venv d/deep d/e/deep f/in deep"),
    ("F11-at-any-depth", "agent/skills/f/.fdignore", "SKILL.md", "keep venv d/deep d/e/deep deep"),
]


@pytest.mark.parametrize(("ignore", "text", "expected"), identified(IGNORE_CASES))
def test_ignore_files_of_the_scan(world: World, ignore: str, text: str, expected: str) -> None:
    """F7–F11: ignore files at or below the scanned folder count, as git reads them."""
    names = ("keep", "venv", "d/deep", "d/e/deep", "f", "f/in", "deep")
    world.files(*(f"agent/skills/{name}/SKILL.md" for name in names))
    world.write(ignore, text + "\n")
    assert sorted(f"agent/skills/{name}" for name in expected.split()) == sorted(skills(world))


def test_f9_what_is_hidden_says_by_which_line(world: World) -> None:
    """F9: negation reopens a file, and each hidden candidate is a finding that names file and line."""
    world.files("agent/prompts/a.tmp.md", "agent/prompts/keep.tmp.md", "agent/prompts/notes.txt")
    world.write("agent/prompts/.gitignore", "*.tmp.md\n!keep.tmp.md\nnotes.txt\n")
    resolved = world.resolve()
    assert ["agent/prompts/keep.tmp.md on"] == world.listing("P", resolved)
    (finding,) = resolved.diagnostics
    assert ("info", "resource-ignored") == (finding.severity, finding.code)
    assert f"{world.root}/agent/prompts/.gitignore:1" in finding.message


def test_f12_a_named_file_is_never_ignored(world: World) -> None:
    """F12: ignore files hide what a scan finds, not what a list names."""
    world.files("ex/a.md")
    world.write("ex/.gitignore", "*\n")
    world.user('prompts = ["../ex/a.md"]')
    assert ["ex/a.md on"] == world.listing("P")


def test_f13_links_are_followed_and_broken_ones_passed_over(world: World) -> None:
    """F13: a linked skill counts; a link that leads nowhere or in a circle does not."""
    world.files("real/s/SKILL.md", "agent/skills/own/SKILL.md")
    world.link("agent/skills/linked", "real/s")
    world.link("agent/skills/gone", "real/none")
    world.link("agent/skills/round", "agent/skills/round")
    world.link("agent/skills/up", "agent/skills")
    assert ["agent/skills/linked", "agent/skills/own"] == skills(world)


def test_f14_two_links_to_one_skill_are_one(world: World) -> None:
    """F14: of two names of one real folder the first by name is kept."""
    world.files("real/s/SKILL.md")
    world.link("agent/skills/m", "real/s")
    world.link("agent/skills/b", "real/s")
    assert ["agent/skills/b"] == skills(world)


def test_e17_a_folders_manifest_decides(world: World) -> None:
    """E17: a folder's existing manifest entries, else its `__init__.py`; they may not leave the folder."""
    world.files(*(f"agent/extensions/{name}/__init__.py" for name in ("d4", "d5", "d6")))
    world.files("agent/extensions/d4/m.py", "agent/out.py")
    world.manifest("agent/extensions/d4", 'extensions = ["./m.py", "./gone.py"]')
    world.manifest("agent/extensions/d5", 'extensions = ["./gone.py"]')
    world.manifest("agent/extensions/d6", 'extensions = ["../../out.py"]')
    resolved = world.resolve()
    assert "E d4/m.py on; E d5/__init__.py on; E d6/__init__.py on" == world.states("E", resolved)
    assert ["manifest-entry-missing"] * 2 + ["entry-outside-package"] == world.codes(resolved)


def test_e17_globs_and_marks_count_in_every_manifest(world: World) -> None:
    """Report 52: an extension folder's own manifest is read like a package's, so tests are not loaded."""
    world.files(*(f"agent/extensions/tool/ext/{name}.py" for name in ("a", "b", "test_a")))
    world.manifest("agent/extensions/tool", 'extensions = ["ext/*.py", "!ext/test_*.py"]')
    assert "E tool/ext/a.py on; E tool/ext/b.py on" == world.states("E")


def test_a_manifest_may_name_its_own_folder(world: World) -> None:
    """A manifest whose entry is the folder that it stands in does not go round in circles."""
    world.files("pk/a.py", "agent/extensions/tool/__init__.py")
    world.manifest("pk", 'extensions = ["."]')
    world.manifest("agent/extensions/tool", 'extensions = [".", "./"]')
    world.user('packages = ["../pk"]')
    assert ["agent/extensions/tool/__init__.py on", "pk/a.py on"] == world.listing("E")


def test_a_found_source_tree_is_read_by_its_entry_points(world: World) -> None:
    """A checkout in `extensions/` that declares entry points is read as a package would be."""
    world.files("agent/extensions/co/src/my_ext/__init__.py")
    world.write(
        "agent/extensions/co/pyproject.toml",
        '[project]\nname = "co"\n[project.entry-points.pi]\nco = "my_ext"\n',
    )
    (extension,) = world.resolve().extensions
    assert "my_ext" == extension.module
    assert str(world.root / "agent/extensions/co/src") == extension.import_root


def test_prompts_and_themes_of_a_scope_are_direct_children(world: World) -> None:
    """E21: the conventional folders of a scope are not searched in depth for prompts and themes."""
    world.files(
        "agent/prompts/a.md", "agent/prompts/sub/b.md", "agent/themes/t.json", "agent/themes/sub/u.json"
    )
    assert (["agent/prompts/a.md on"], ["agent/themes/t.json on"]) == (world.listing("P"), world.listing("T"))
