"""How a package entry narrows its package: cases G1 to G15, and H1 to H12 for a project's delta."""

from __future__ import annotations

import pytest

from tests.pkg.resources.world import World, identified

TREE = (
    "pk/extensions/a.py", "pk/extensions/b.py", "pk/extensions/sub/__init__.py", "pk/skills/foo/SKILL.md",
    "pk/skills/bar/SKILL.md", "pk/prompts/p.md", "pk/prompts/q.md", "pk/themes/t.json",
)  # fmt: skip
E_ALL = "E a.py on; E b.py on; E sub/__init__.py on"
S_ALL = "S bar on; S foo on"
ALL = f"{E_ALL}; {S_ALL}; P p.md on; P q.md on; T t.json on"


E_NONE = E_ALL.replace(" on", " off")
E_ONLY_A = "E a.py on; E b.py off; E sub/__init__.py off"
E_NOT_A = E_ALL.replace("a.py on", "a.py off")
E_NOT_B = E_ALL.replace("b.py on", "b.py off")
CASES = [
    ("G1", "E", "extensions = []", E_NONE),
    ("G1-rest-on", "ESPT", "themes = []", ALL.replace("t.json on", "t.json off")),
    ("G2", "E", 'extensions = ["a.py"]', E_ONLY_A),
    ("G3", "E", 'extensions = ["./extensions/a.py"]', E_NONE),
    ("G4", "S", 'skills = ["foo"]', "S bar off; S foo on"),
    ("G5", "T", 'themes = ["t"]', "T t.json off"),
    ("G6", "E", 'extensions = ["!**/b.py"]', E_NOT_B),
    ("G7", "E", 'extensions = ["+extensions/a.py"]', E_ALL),
    ("G8", "E", 'extensions = ["!**", "+extensions/a.py"]', E_ONLY_A),
    ("G9", "E", 'extensions = ["+extensions/a.py", "-extensions/a.py"]', E_NOT_A),
    ("G9-reversed", "E", 'extensions = ["-extensions/a.py", "+extensions/a.py"]', E_NOT_A),
    ("G10", "E", 'extensions = ["extensions/*.py", "!extensions/b.py", "+extensions/sub/__init__.py"]',
     E_NOT_B),
    ("G11", "E", 'extensions = ["-extensions/sub"]', E_ALL),
    ("G11-skill", "S", 'skills = ["-skills/foo"]', "S bar on; S foo off"),
    ("G13", "E", 'autoload = "false"', E_ALL),
    ("G14", "ESPT", "autoload = false", ""),
    ("G15", "E", 'autoload = false, extensions = ["a.py", "-extensions/sub/__init__.py"]',
     "E a.py on; E sub/__init__.py off"),
    ("object-form-is-string-form", "ESPT", "", ALL),
]  # fmt: skip


@pytest.mark.parametrize(("letter", "entry", "expected"), identified(CASES))
def test_an_entry_filters_its_package(world: World, letter: str, entry: str, expected: str) -> None:
    """Absent is all, empty is none, patterns choose; a sparse entry lists only what it speaks of."""
    world.files(*TREE)
    world.user(f'packages = [{{ source = "../pk"{", " + entry if entry else ""} }}]')
    assert expected == world.states(letter)


def test_g12_a_filter_cannot_reach_what_the_manifest_hides(world: World) -> None:
    """G12: `+path` of a file that the manifest excludes lists nothing and is reported."""
    world.files(*TREE)
    world.manifest("pk", 'extensions = ["extensions", "!extensions/b.py"]')
    world.user('packages = [{ source = "../pk", extensions = ["+extensions/b.py"] }]')
    resolved = world.resolve()
    assert "E a.py on; E sub/__init__.py on" == world.states("E", resolved)
    assert ["pattern-unmatched"] == world.codes(resolved)


DELTA_CASES = [
    ("H1", "", 'extensions = ["-extensions/a.py"]',
     "a.py off project; b.py on user; sub/__init__.py on user"),
    ("H2", ', extensions = ["-extensions/a.py"]', 'extensions = ["+extensions/a.py"]',
     "a.py on project; b.py on user; sub/__init__.py on user"),
    ("H3", "", 'extensions = ["-extensions/a.py", "+extensions/a.py", "!extensions/*", "b.py"]',
     "a.py off project; b.py on project; sub/__init__.py on user"),
    ("H4", "", "extensions = []", "a.py on user; b.py on user; sub/__init__.py on user"),
    ("H5", ", extensions = []", 'extensions = ["extensions/*.py"]',
     "a.py on project; b.py on project; sub/__init__.py off user"),
]  # fmt: skip


@pytest.mark.parametrize(("user", "delta", "expected"), identified(DELTA_CASES))
def test_a_delta_speaks_about_the_users_package(world: World, user: str, delta: str, expected: str) -> None:
    """H1–H5: what a project's sparse entry matches is the project's, the rest stays the user's."""
    world.files(*TREE)
    world.user(f'packages = [{{ source = "../pk"{user} }}]')
    world.project(f'packages = [{{ source = "../../pk", autoload = false, {delta} }}]')
    found = [
        f"{world.relative(item.path).removeprefix('pk/extensions/')} "
        f"{'on' if item.enabled else 'off'} {item.provenance.scope}"
        for item in world.resolve().extensions
    ]
    assert expected == "; ".join(found)


ALONE_CASES = [
    ("H6", 'extensions = ["+extensions/a.py", "-extensions/b.py"]', "E a.py on; E b.py off"),
    ("H7", "prompts = []", ""),
]


@pytest.mark.parametrize(("delta", "expected"), identified(ALONE_CASES))
def test_a_delta_without_a_users_entry_is_an_allow_list(world: World, delta: str, expected: str) -> None:
    """H6, H7: alone, a sparse project entry lists exactly what its patterns match."""
    world.files(*TREE)
    world.project(f'packages = [{{ source = "../../pk", autoload = false, {delta} }}]')
    assert expected == world.states()


def test_h8_an_untrusted_project_has_no_delta(world: World) -> None:
    """H8: without trust the user's entry stands alone."""
    world.files(*TREE)
    world.user('packages = ["../pk"]')
    world.project('packages = [{ source = "../../pk", autoload = false, extensions = ["!**"] }]')
    assert ALL == world.states(resolved=world.resolve(trusted=False))


def test_h9_a_full_project_entry_replaces_the_users(world: World) -> None:
    """H9: a project's string entry brings back what the user's entry switched off."""
    world.files(*TREE)
    world.user('packages = [{ source = "../pk", extensions = [] }]')
    world.project('packages = ["../../pk"]')
    assert E_ALL == world.states("E")


def test_h12_a_link_to_a_package_is_the_same_package(world: World) -> None:
    """H12: by its real path a link is the user's package, so the project's entry replaces it."""
    world.files(*TREE)
    world.link("lnk", "pk")
    world.user('packages = ["../pk"]')
    world.project('packages = ["../../lnk"]')
    scopes = [(world.relative(item.path), item.provenance.scope) for item in world.resolve().themes]
    assert [("lnk/themes/t.json", "project")] == scopes


def test_a_rule_names_the_file_and_the_pattern(world: World) -> None:
    """What is off says which settings file and which pattern of which list decided."""
    world.files(*TREE)
    world.user('packages = [{ source = "../pk", extensions = ["!**/b.py"], skills = ["foo"], themes = [] }]')
    resolved = world.resolve()
    place = f"{world.root}/agent/settings.toml"
    assert [f"{place}: extensions of '../pk': '!**/b.py'"] == [
        item.rule for item in resolved.extensions if item.rule
    ]
    assert [f"{place}: skills of '../pk': no pattern includes it"] == [
        item.rule for item in resolved.skills if item.rule
    ]
    assert [f"{place}: themes of '../pk' = []"] == [item.rule for item in resolved.themes]


def test_what_a_pattern_never_matches_is_reported(world: World) -> None:
    """A pattern that matches nothing is a warning that names file, list and pattern, not a silent no."""
    world.files(*TREE)
    world.user('packages = [{ source = "../pk", extensions = ["!legacy"] }]')
    (finding,) = world.resolve().diagnostics
    assert ("warning", "pattern-unmatched", f"{world.root}/agent/settings.toml") == (
        finding.severity, finding.code, finding.path,
    )  # fmt: skip
    assert "'!legacy'" in finding.message


def test_a_file_package_ignores_filters(world: World) -> None:
    """E18: a package that is one file is one extension, whatever the filters say and whatever its suffix."""
    world.files("pk/one.md")
    world.user('packages = [{ source = "../pk/one.md", extensions = [], autoload = false }]')
    assert ["pk/one.md on"] == world.listing("E")
