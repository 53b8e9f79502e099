"""Top-level lists of the settings: cases I1 to I11, and exclusions that bind their scope."""

from __future__ import annotations

import pytest

from tests.pkg.resources.world import World, identified

PROMPTS = ("agent/prompts/a.md", "agent/prompts/b.md", "agent/prompts/c.md")
AUTO = "agent/prompts/a.md on; agent/prompts/b.md on; agent/prompts/c.md on"
USER_CASES = [
    ("I1", '["!a.md"]', AUTO.replace("a.md on", "a.md off")),
    ("I2", '["-a.md"]', AUTO),
    ("I2-path", '["-prompts/a.md"]', AUTO.replace("a.md on", "a.md off")),
    ("I3", '["-prompts/c.md", "+prompts/a.md", "+prompts/c.md", "!**"]',
     "agent/prompts/a.md on; agent/prompts/b.md off; agent/prompts/c.md off"),
    ("I4", '["../ex", "*x.md"]', f"ex/x.md on; ex/y.md off; {AUTO}"),
    ("I5", '["prompts/a*"]', AUTO),
    ("I11", '["prompts/a.md"]', AUTO),
    ("home", '["~/../ex", "-~/../ex/x.md"]', f"ex/x.md off; ex/y.md on; {AUTO}"),
    ("file-url", '["file://ROOT/ex/x.md"]', f"ex/x.md on; {AUTO}"),
    ("missing", '["../gone", "../ex/x.md"]', f"ex/x.md on; {AUTO}"),
]  # fmt: skip


@pytest.mark.parametrize(("entries", "expected"), identified(USER_CASES))
def test_a_users_list(world: World, entries: str, expected: str) -> None:
    """I1–I5: paths bring files in, marks switch discovered files, bare globs filter only named paths."""
    world.files(*PROMPTS, "ex/x.md", "ex/y.md")
    world.user(f"prompts = {entries}")
    assert expected == "; ".join(world.listing("P"))


def test_i6_skills_are_named_by_their_folder(world: World) -> None:
    """I6, I10: a skill is excluded by its folder's name or path, in `.agents` too; `-name` is no path."""
    world.files("agent/skills/foo/SKILL.md", "agent/skills/bar/SKILL.md", "home/.agents/skills/bar/SKILL.md")
    world.user('skills = ["!foo", "-skills/bar"]')
    assert "S bar off; S foo off; S bar off" == world.states("S")
    world.user('skills = ["-bar"]')
    assert "S bar on; S foo on; S bar on" == world.states("S")


BOTH = ("agent/prompts/a.md", "proj/.pi/prompts/a.md")
ABS = "ROOT/agent/prompts/a.md"
PROJECT_CASES = [
    ("I7", "[]", '["-prompts/a.md"]', "proj/.pi/prompts/a.md off; agent/prompts/a.md on"),
    ("I8", "[]", f'["{ABS}", "-{ABS}"]', "agent/prompts/a.md off; proj/.pi/prompts/a.md on"),
    ("I8-alone", "[]", f'["-{ABS}"]', "proj/.pi/prompts/a.md on; agent/prompts/a.md on"),
    ("I9", '["-prompts/a.md"]', f'["{ABS}", "+{ABS}"]', "agent/prompts/a.md on; proj/.pi/prompts/a.md on"),
    ("I9-alone", '["-prompts/a.md"]', f'["+{ABS}"]', "proj/.pi/prompts/a.md on; agent/prompts/a.md on"),
    ("own-path-only", '["-prompts/a.md"]', '["+prompts/a.md"]',
     "proj/.pi/prompts/a.md on; agent/prompts/a.md off"),
]  # fmt: skip


@pytest.mark.parametrize(("user", "project", "expected"), identified(PROJECT_CASES))
def test_a_projects_list(world: World, user: str, project: str, expected: str) -> None:
    """I7–I9: an exclusion binds its own scope; a project's `+path` lifts what the user switched off."""
    world.files(*BOTH)
    world.user(f"prompts = {user}")
    world.project(f"prompts = {project}")
    assert expected == "; ".join(world.listing("P"))


def test_an_untrusted_project_lifts_nothing(world: World) -> None:
    """Without trust neither the project's marks nor its files exist."""
    world.files(*BOTH)
    world.user('prompts = ["-prompts/a.md"]')
    world.project(f'prompts = ["+{ABS}"]')
    assert ["agent/prompts/a.md off"] == world.listing("P", world.resolve(trusted=False))


def test_an_exclusion_reaches_packages_of_its_scope(world: World) -> None:
    """An exclusion is applied last in its scope, over packages too, and over no other scope."""
    world.files("pk/prompts/a.md", "other/prompts/a.md", "agent/prompts/a.md")
    world.user('packages = ["../pk"]\nprompts = ["!a.md"]')
    world.project('packages = ["../../other"]')
    resolved = world.resolve()
    expected = ["agent/prompts/a.md off", "other/prompts/a.md on", "pk/prompts/a.md off"]
    assert expected == world.listing("P", resolved)
    assert f"{world.root}/agent/settings.toml: prompts: '!a.md'" == resolved.prompts[-1].rule


def test_a_plus_of_the_list_spares_a_packages_resource(world: World) -> None:
    """Within one list `+path` lifts the exclusion for the path it names, in a package as elsewhere."""
    world.files("pk/prompts/a.md", "pk/prompts/b.md")
    world.user('packages = ["../pk"]\nprompts = ["!**", "+../pk/prompts/a.md"]')
    assert ["pk/prompts/a.md on", "pk/prompts/b.md off"] == world.listing("P")


def test_a_project_lifts_what_a_users_filter_hid(world: World) -> None:
    """A project's `+path` reaches the user's package resources too."""
    world.files("pk/prompts/a.md", "pk/prompts/b.md")
    world.user('packages = [{ source = "../pk", prompts = [] }]')
    world.project('prompts = ["+../../pk/prompts/a.md"]')
    assert ["pk/prompts/a.md on", "pk/prompts/b.md off"] == world.listing("P")


def test_i11_a_package_keeps_its_record(world: World) -> None:
    """I11: a file in a package and in a settings list keeps the package's record and rank."""
    world.files("pk/prompts/a.md", "agent/prompts/z.md")
    world.user('packages = ["../pk"]\nprompts = ["../pk/prompts/a.md"]')
    (first, second) = world.resolve().prompts
    assert (("auto", "top-level"), ("../pk", "package")) == (
        (first.provenance.source, first.provenance.origin),
        (second.provenance.source, second.provenance.origin),
    )


def test_a_path_that_is_not_there_is_told(world: World) -> None:
    """A listed path that leads nowhere is a warning that names the file and the entry."""
    world.user('prompts = ["../gone.md"]')
    (finding,) = world.resolve().diagnostics
    assert ("warning", "path-missing", "user") == (finding.severity, finding.code, finding.scope)
    assert "'../gone.md'" in finding.message


def test_a_listed_folder_is_read_like_a_package_folder(world: World) -> None:
    """The same extension folder by list, by discovery and in a package gives the same single entry."""
    for place in ("ex", "agent/extensions", "pk/extensions"):
        world.files(f"{place}/tool/__init__.py", f"{place}/tool/helper.py")
    world.user('packages = ["../pk"]\nextensions = ["../ex"]')
    expected = [
        "ex/tool/__init__.py on",
        "agent/extensions/tool/__init__.py on",
        "pk/extensions/tool/__init__.py on",
    ]
    assert expected == world.listing("E")
