"""What went wrong elsewhere in discovery and filtering: field reports DISC, each with its case."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.resources.model import PackageRoot
from tests.pkg.resources.world import World, identified

STRING = 'packages = ["../pk"]'


def test_an_ignore_file_hides_nothing_in_silence(world: World) -> None:
    """DISC 51: what a `.gitignore` hides names file and line; what a list or manifest names is not hidden."""
    world.files("agent/skills/seen/SKILL.md", "agent/skills/lost/SKILL.md", "pk/skills/lost/SKILL.md")
    for folder in ("agent", "pk"):
        world.write(f"{folder}/skills/.gitignore", "seen2\nlost\n")
    world.manifest("pk", 'skills = ["skills/lost/SKILL.md"]')
    world.user(f'{STRING}\nskills = ["../agent/skills/lost"]')
    resolved = world.resolve()
    assert [
        "agent/skills/lost/SKILL.md on",
        "agent/skills/seen/SKILL.md on",
        "pk/skills/lost/SKILL.md on",
    ] == (world.listing("S", resolved))
    (finding,) = resolved.diagnostics
    assert ("info", "resource-ignored") == (finding.severity, finding.code)
    assert f"left out by {world.root}/agent/skills/.gitignore:2, which says 'lost'." in finding.message


EXCLUDING = ["ext/*.py", "!ext/test_*.py"]


@pytest.mark.parametrize("route", ["package", "nested", "filter", "list"])
def test_one_rule_for_every_list_of_patterns(world: World, route: str) -> None:
    """DISC 52: globs and exclusions mean the same in a manifest, in a folder's own one and in settings."""
    place = {"nested": "agent/extensions/pk", "list": "agent"}.get(route, "pk")
    world.files(f"{place}/ext/a.py", f"{place}/ext/test_a.py")
    patterns = str(EXCLUDING)
    if route in ("package", "nested"):
        world.manifest(place, f"extensions = {patterns}")
    if route == "filter":
        world.manifest(place, 'extensions = ["ext"]')
    entry = f'{{ source = "../pk", extensions = {patterns} }}' if route == "filter" else '"../pk"'
    listed = f'extensions = ["ext", {patterns[1:]}' if route == "list" else ""
    world.user(f"packages = [{entry if place == 'pk' else ''}]\n{listed}")
    on = [item for item in world.resolve().extensions if item.enabled]
    assert ["a.py"] == [Path(item.path).name for item in on]


MINUS = [("vue", '["-vue*"]', "react on; vue off; vuex off"),
         ("folder", '["-skills/vue*"]', "react on; vue off; vuex off"),
         ("plus", '["!**", "+*x"]', "react off; vue off; vuex on"),
         ("exact", '["-vue"]', "react on; vue on; vuex on")]  # fmt: skip


@pytest.mark.parametrize(("patterns", "expected"), identified(MINUS))
@pytest.mark.parametrize("route", ["filter", "list"])
def test_every_mark_takes_a_glob(world: World, route: str, patterns: str, expected: str) -> None:
    """DISC 53: `-vue*` and `+*x` reach what a glob reaches; without a star a mark is an exact path."""
    place = "pk" if route == "filter" else "agent"
    world.files(*(f"{place}/skills/{name}/SKILL.md" for name in ("react", "vue", "vuex")))
    world.user(
        f'packages = [{{ source = "../pk", skills = {patterns} }}]'
        if route == "filter"
        else f"skills = {patterns}"
    )
    found = [
        f"{Path(item.path).parent.name} {'on' if item.enabled else 'off'}" for item in world.resolve().skills
    ]
    assert expected == "; ".join(found)


@pytest.mark.parametrize("route", ["filter", "list"])
def test_a_pattern_for_nothing_is_told_once(world: World, route: str) -> None:
    """DISC 53, 54: one warning that names the settings file and the pattern, and the nearest name."""
    place = "pk" if route == "filter" else "agent"
    world.files(f"{place}/skills/vuetify/SKILL.md")
    world.user(
        'packages = [{ source = "../pk", skills = ["!vuetifi", "-nope*"] }]'
        if route == "filter"
        else 'skills = ["!vuetifi", "-nope*"]'
    )
    near, far = world.resolve().diagnostics
    for finding, pattern in ((near, "'!vuetifi'"), (far, "'-nope*'")):
        assert ("warning", "pattern-unmatched", str(world.locations.user_settings)) == (
            finding.severity, finding.code, finding.path,
        )  # fmt: skip
        assert pattern in finding.message
    assert "'!vuetify'" in str(near.hint)


def test_a_forgotten_prefix_is_proposed(world: World) -> None:
    """DISC 54: an entry whose source lacks its kind is a warning that proposes the whole one."""
    world.user('packages = [{ source = "name", extensions = [] }]')
    (finding,) = world.resolve().diagnostics
    assert ("source-invalid", True) == (finding.code, "pypi:name" in str(finding.hint))


def test_an_empty_list_is_not_an_absent_one(world: World) -> None:
    """DISC 55: `extensions = []` takes every extension of the package away, and nothing else."""
    world.files("pk/extensions/a.py", "pk/extensions/b/__init__.py", "pk/skills/s/SKILL.md")
    world.user('packages = [{ source = "../pk", extensions = [] }]')
    assert "E a.py off; E b/__init__.py off; S s on" == world.states()


def test_a_helper_is_no_extension(world: World) -> None:
    """DISC 56: of a folder with an `__init__.py` only that loads, in packages as in the user's folders."""
    for place in ("pk/extensions", "agent/extensions", "ex"):
        world.files(f"{place}/foo/__init__.py", f"{place}/foo/helper.py", f"{place}/foo/sub/deep.py")
    world.user(f'{STRING}\nextensions = ["../ex"]')
    found = [world.relative(item.path) for item in world.resolve().extensions]
    assert [f"{place}/foo/__init__.py" for place in ("ex", "agent/extensions", "pk/extensions")] == found


LAYOUTS = {
    "init": (("__init__.py", "helper.py"), None),
    "manifest": (("main.py", "helper.py"), 'extensions = ["main.py"]'),
    "glob": (("ext/a.py", "ext/_b.py"), 'extensions = ["ext/[a-z]*.py"]'),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_one_folder_by_three_routes(world: World, layout: tuple[tuple[str, ...], str | None]) -> None:
    """DISC 57, 61: named in a list, discovered and as a package, a folder is the same extension, once."""
    files, manifest = layout
    place = "agent/extensions/tool"
    world.files(*(f"{place}/{name}" for name in files))
    if manifest is not None:
        world.manifest(place, manifest)
    routes = ('extensions = ["./extensions/tool"]', 'packages = ["./extensions/tool"]')
    for chosen in ((), routes[:1], routes[1:], routes):
        world.user("\n".join(chosen))
        (extension,) = world.resolve().extensions
        path = Path(extension.path)
        assert world.root / place / files[0] == (path / "__init__.py" if path.is_dir() else path)
        assert extension.enabled


def test_the_second_route_is_noted(world: World) -> None:
    """DISC 61: what comes in again says by which way it is there already; it is no warning."""
    world.files("agent/extensions/tool/__init__.py")
    world.user('packages = ["./extensions/tool"]')
    (finding,) = world.resolve().diagnostics
    assert ("info", "resource-duplicate", "./extensions/tool") == (
        finding.severity, finding.code, finding.source,
    )  # fmt: skip
    assert "'auto'" in finding.message


def test_a_package_that_provides_nothing_says_so(world: World) -> None:
    """DISC 58: by path and as an installed distribution alike."""
    world.files("pk/notes.txt", "site/data/notes.txt")
    site = world.root / "site"
    root = PackageRoot("pypi:data", "pypi:data", "pypi", "user", site, "1", import_root=site)
    world.user('packages = ["../pk", "pypi:data"]')
    found = world.resolve(packages=(root,)).diagnostics
    assert [("package-empty", "../pk"), ("package-empty", "pypi:data")] == [
        (finding.code, finding.source) for finding in found
    ]


LINKS = {
    "the folder itself": (("agent/extensions", "real"), "agent/extensions/tool/__init__.py"),
    "a folder in it": (("agent/extensions/tool", "real/tool"), "agent/extensions/tool/__init__.py"),
    "a file": (("agent/extensions/tool.py", "real/tool/__init__.py"), "agent/extensions/tool.py"),
    "above": (("agent", "real-agent"), "agent/extensions/tool/__init__.py"),
}


@pytest.mark.parametrize(("link", "expected"), LINKS.values(), ids=LINKS)
def test_links_are_followed(world: World, link: tuple[str, str], expected: str) -> None:
    """DISC 59: a link in the place of a folder, a folder below or a file counts as what it leads to."""
    world.files("real/tool/__init__.py", "real/tool/helper.py", "real-agent/extensions/tool/__init__.py")
    if link[0] == "agent":
        world.locations.agent_dir.rmdir()
    world.link(*link)
    assert [f"{expected} on"] == world.listing("E")


def test_links_in_a_circle_end(world: World) -> None:
    """DISC 59: links to themselves, to a folder above and to each other load nothing twice and end."""
    world.files("agent/skills/s/SKILL.md", "agent/extensions/tool/__init__.py")
    for folder in ("skills", "extensions"):
        world.link(f"agent/{folder}/self", f"agent/{folder}/self")
        world.link(f"agent/{folder}/up", f"agent/{folder}")
        world.link(f"agent/{folder}/one", f"agent/{folder}/two")
        world.link(f"agent/{folder}/two", f"agent/{folder}/one")
    resolved = world.resolve()
    assert ["agent/skills/s/SKILL.md on"] == world.listing("S", resolved)
    assert ["agent/extensions/tool/__init__.py on"] == world.listing("E", resolved)


def test_two_links_to_one_file_are_one_resource(world: World) -> None:
    """DISC 60: by whatever names and layers, loaded once, the highest rank first, and no warning."""
    world.files("real/p.md")
    for place in ("agent/prompts/a.md", "agent/prompts/b.md", "proj/.pi/prompts/c.md", "pk/prompts/d.md"):
        world.link(place, "real/p.md")
    world.user(STRING)
    resolved = world.resolve()
    assert ["proj/.pi/prompts/c.md on"] == world.listing("P", resolved)
    assert {"info"} >= {finding.severity for finding in resolved.diagnostics}


LAYERS = {
    "command line": "cli/prompts/x.md",
    "project settings": "ps/x.md", "project folder": "proj/.pi/prompts/x.md",
    "user settings": "us/x.md", "user folder": "agent/prompts/x.md",
    "project package": "pp/prompts/x.md", "user package": "up/prompts/x.md",
}  # fmt: skip


@pytest.mark.parametrize("gone", range(len(LAYERS)))
def test_who_wins_is_one_order(world: World, gone: int) -> None:
    """DISC 62, J1, J2: with one prompt name in every layer, the first layer that is left wins."""
    places = list(LAYERS.values())[gone:]
    world.files(*places)
    listed = {name: f'prompts = ["{way}"]' for name, way in (("ps", "../../ps/x.md"), ("us", "../us/x.md"))}
    for name, write, source in (("us", world.user, "../up"), ("ps", world.project, "../../pp")):
        package = "up" if name == "us" else "pp"
        lines = [f'packages = ["{source}"]'] if f"{package}/prompts/x.md" in places else []
        write("\n".join([listed[name] if f"{name}/x.md" in places else "", *lines]))
    resolved = world.resolve(cli=("../cli",) if gone == 0 else ())
    assert places == [world.relative(item.path) for item in resolved.prompts]


def test_without_extensions_none_is_looked_for(world: World) -> None:
    """DISC 63: with the type switched off nothing of it is there, wherever it would come from."""
    world.files(
        "pk/extensions/a.py", "agent/extensions/b.py", "proj/.pi/extensions/c.py", "pk/skills/s/SKILL.md"
    )
    world.user(f'{STRING}\nextensions = ["../pk/extensions"]')
    resolved = world.resolve(discover=frozenset(RESOURCE_TYPES) - {"extensions"})
    assert ((), ["pk/skills/s/SKILL.md on"]) == (resolved.extensions, world.listing("S", resolved))


@pytest.mark.parametrize("names", [("one", "two"), ("one", "three"), ("two", "three")])
def test_some_extensions_are_left_out_of_one_run(world: World, names: tuple[str, ...]) -> None:
    """DISC 64: several are excluded by name, the others load, and a name of nothing warns."""
    world.files(*(f"agent/extensions/{name}.py" for name in ("one", "two", "three")))
    resolved = world.resolve(exclude=(*names, "four"))
    assert {"one", "two", "three"} - {*names} == {
        Path(item.path).stem for item in resolved.extensions if item.enabled
    }
    assert ["exclude-unmatched"] == world.codes(resolved)
