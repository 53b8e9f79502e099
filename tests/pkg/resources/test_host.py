"""What a package asks of its host is judged before anything of it could load, and both sides are named."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from pi_pkg.resources.host import BadSpecifier, allows, difference
from pi_pkg.resources.model import HOST_VERSION, EntryPoint, PackageRoot
from tests.pkg.resources.world import World

ROOT = Path(__file__).resolve().parents[3]
TREE = ("pk/extensions/a.py", "pk/skills/s/SKILL.md", "pk/prompts/p.md", "pk/themes/t.json")


def test_the_host_has_one_version() -> None:
    """The number that packages are held against is the one that `pi --version` prints."""
    assert f'VERSION = "{HOST_VERSION}"' in (ROOT / "pi_core" / "version.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["pyproject.toml", "pi.toml"])
def test_a_package_for_another_host_is_left_out(world: World, path: str) -> None:
    """Nothing of it is on, whatever its kind; one error names the package, what it asks and this host."""
    world.files(*TREE)
    world.write(
        f"pk/{path}", ("[tool.pi]\n" if path == "pyproject.toml" else "") + 'requires-host = ">=2,<3"\n'
    )
    world.user('packages = ["../pk"]')
    resolved = world.resolve(host_version="1.6.4")
    assert "E a.py off; S s off; P p.md off; T t.json off" == world.states(resolved=resolved)
    (finding,) = resolved.diagnostics
    assert ("error", "host-incompatible", "../pk", "user", f"{world.root}/pk/{path}") == (
        finding.severity, finding.code, finding.source, finding.scope, finding.path,
    )  # fmt: skip
    assert "requires pi >=2,<3, this is pi 1.6.4" in finding.message
    for item in (*resolved.extensions, *resolved.skills):
        assert item.blocked
        assert "this is pi 1.6.4" in str(item.rule)


def test_a_filter_cannot_switch_it_on(world: World) -> None:
    """Neither a `+` of the entry nor one of the project lifts what the host cannot carry."""
    world.files(*TREE)
    world.manifest("pk", 'requires-host = "<1"')
    world.user('packages = [{ source = "../pk", extensions = ["+extensions/a.py"] }]')
    world.project('extensions = ["+../../pk/extensions/a.py"]')
    assert ["pk/extensions/a.py off"] == world.listing("E")


def test_a_wheel_is_judged_by_its_import_package(world: World) -> None:
    """`pi.toml` inside the import package counts; a second import package of the distribution is its own."""
    world.files("site/old/__init__.py", "site/old/skills/s/SKILL.md", "site/new/__init__.py")
    world.write("site/old/pi.toml", 'requires-host = "~=0.9"\n')
    points = (EntryPoint("pi", "old", "old"), EntryPoint("pi", "new", "new"))
    site = world.root / "site"
    root = PackageRoot("pypi:x", "pypi:x", "pypi", "user", site, "1", entry_points=points, import_root=site)
    world.user('packages = ["pypi:x"]')
    resolved = world.resolve(packages=(root,))
    assert ["site/new/__init__.py on"] == world.listing("E", resolved)
    assert ["site/old/skills/s/SKILL.md off"] == world.listing("S", resolved)
    assert ["host-incompatible"] == world.codes(resolved)


def test_a_folder_among_extensions_is_judged_alone(world: World) -> None:
    """A discovered extension folder for another host is off, and its neighbours are on."""
    world.files("agent/extensions/tool/__init__.py", "agent/extensions/other.py")
    world.manifest("agent/extensions/tool", 'requires-host = ">=9"')
    assert ["agent/extensions/other.py on", "agent/extensions/tool/__init__.py off"] == world.listing("E")


def test_a_source_of_the_command_line_is_refused(world: World) -> None:
    """For `-e` it is an error of the command line, which ends the run."""
    world.files(*TREE)
    world.manifest("pk", 'requires-host = ">=9"')
    (finding,) = world.resolve(cli=("../pk",)).diagnostics
    assert ("error", "temporary") == (finding.severity, finding.scope)


@pytest.mark.parametrize("tested", ["1.6", "1.6.4", "1"])
def test_the_tested_host_is_no_news(world: World, tested: str) -> None:
    """A package that was tested with this version says nothing, compared as far as it was written."""
    world.files(*TREE)
    world.manifest("pk", f'tested-host = "{tested}"')
    world.user('packages = ["../pk"]')
    assert () == world.resolve(host_version="1.6.4").diagnostics


@pytest.mark.parametrize(("tested", "word"), [("1.5", "newer"), ("1.7", "older"), ("1.6.5", "older")])
def test_an_untested_host_is_mentioned(world: World, tested: str, word: str) -> None:
    """QUIET 89: a newer or older host is an info that names both versions; the package is on."""
    world.files(*TREE)
    world.manifest("pk", f'tested-host = "{tested}"')
    world.user('packages = ["../pk"]')
    resolved = world.resolve(host_version="1.6.4")
    (finding,) = resolved.diagnostics
    assert ("info", "host-untested") == (finding.severity, finding.code)
    assert f"tested with pi {tested}; this is pi 1.6.4, which is {word}" in finding.message
    assert ["pk/extensions/a.py on"] == world.listing("E", resolved)


@pytest.mark.parametrize("line", ['requires-host = "new"', 'tested-host = "today"', "requires-host = 2"])
def test_a_requirement_that_says_nothing_keeps_nothing_out(world: World, line: str) -> None:
    """What cannot be understood is a warning, and the package is on."""
    world.files(*TREE)
    world.manifest("pk", line)
    world.user('packages = ["../pk"]')
    resolved = world.resolve()
    assert (["manifest-invalid"], ["pk/extensions/a.py on"]) == (
        world.codes(resolved),
        world.listing("E", resolved),
    )


NUMBERS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
CLAUSES = st.builds(
    lambda operator, version, rest: f"{operator}{version}{rest if operator in ('==', '!=') else ''}",
    st.sampled_from(["==", "!=", "<=", ">=", "<", ">", "~="]), NUMBERS, st.sampled_from(["", "", ".*"]),
)  # fmt: skip
SPECIFIERS = st.lists(CLAUSES, max_size=3).map(",".join)
VERSIONS = st.builds(str.__add__, NUMBERS, st.sampled_from(["", "", "", "rc1", ".dev2", ".post1"]))


@given(specifier=SPECIFIERS, version=VERSIONS)
def test_the_same_as_the_library(specifier: str, version: str) -> None:
    """For every specifier and version the comparison made here is the packaging library's."""
    try:
        expected = SpecifierSet(specifier).contains(version, prereleases=True)
    except InvalidSpecifier:
        with pytest.raises(BadSpecifier):
            allows(specifier, version)
    else:
        assert expected == allows(specifier, version)


@given(text=st.text(max_size=12), version=VERSIONS)
def test_any_text_is_judged_or_refused(text: str, version: str) -> None:
    """No text makes the judgement stumble."""
    for judge in (allows, difference):
        with contextlib.suppress(BadSpecifier):
            assert judge(text, version) in (True, False, None, "newer", "older")


GUARDS = {
    "package": ("pk/extensions/g.py", "pk", 'packages = ["../pk"]'),
    "found": ("agent/extensions/gate/__init__.py", "agent/extensions/gate", ""),
    "listed": ("ex/gate/__init__.py", "ex/gate", 'extensions = ["../ex/gate"]'),
}


@pytest.mark.parametrize(("file", "folder", "settings"), GUARDS.values(), ids=GUARDS)
def test_a_guard_that_the_host_cannot_carry_is_still_a_guard(
    world: World, file: str, folder: str, settings: str
) -> None:
    """It is blocked and marked as guard, wherever its manifest stands, so that its absence is noticed."""
    world.files(file)
    world.manifest(folder, 'guard = true\nrequires-host = ">=9"')
    world.user(settings)
    (extension,) = world.resolve().extensions
    assert (False, True, True) == (extension.enabled, extension.blocked, extension.guard)


def test_what_the_user_switched_off_is_off_and_not_blocked(world: World) -> None:
    """Whoever does without a package does without its guard, whether it could load or not."""
    world.files("pk/extensions/g.py", "agent/extensions/h/__init__.py")
    for folder in ("pk", "agent/extensions/h"):
        world.manifest(folder, 'guard = true\nrequires-host = ">=9"')
    world.user(
        'packages = [{ source = "../pk", extensions = [] }]\nextensions = ["-extensions/h/__init__.py"]'
    )
    for extension in world.resolve().extensions:
        assert (False, False) == (extension.enabled, extension.blocked)
        assert "settings.toml" in str(extension.rule)
