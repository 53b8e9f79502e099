"""What a package offers: cases E1 to E22, wheels and trees alike, and nothing outside of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.resources.model import EntryPoint, PackageRoot
from tests.pkg.resources.world import World, identified

STRING = 'packages = ["../pk"]'
OBJECT = 'packages = [{ source = "../pk" }]'
SKILLED = ("pk/extensions/a.py", "pk/skills/s/SKILL.md")
CHOOSY = 'packages = [{ source = "../pk", extensions = ["a.py"] }]'
MANIFEST_CASES = [
    ("E1", STRING, 'extensions = ["./extensions"]', "E a.py on", *SKILLED),
    ("E2", OBJECT, 'extensions = ["./extensions"]', "E a.py on", *SKILLED),
    ("E3", STRING, "", "E a.py on; S s on", *SKILLED),
    ("E4", STRING, "extensions = []", "", "pk/extensions/a.py"),
    ("E5", CHOOSY, "extensions = []", "", "pk/extensions/a.py"),
    ("E6", STRING, 'extensions = "./a.py"', "E b.py on", "pk/a.py", "pk/extensions/b.py"),
    ("E8", STRING, 'extensions = ["./x/gone.py", "./x/a.py"]', "E a.py on", "pk/x/a.py"),
    ("E9", STRING, 'extensions = ["src/*.py"]', "E a.py on; E b.py on",
     "pk/src/a.py", "pk/src/b.py", "pk/src/.h.py"),
    ("E10", STRING, 'extensions = ["**/*.py"]', "E q/z.py on", "pk/node_modules/q/z.py", "pk/.git/h.py"),
    ("E11", STRING, 'extensions = ["ext", "!**/b.py", "+ext/b.py", "-ext/a.py"]', "E b.py on; E c.py on",
     "pk/ext/a.py", "pk/ext/b.py", "pk/ext/c.py"),
    ("E12", STRING, 'extensions = ["!b.py"]', "", "pk/extensions/b.py"),
    ("E13", STRING, 'extensions = ["ext", "+other/z.py"]', "E a.py on", "pk/ext/a.py", "pk/other/z.py"),
    ("E15", STRING, None, "E a.py on; E d1/__init__.py on",
     "pk/extensions/a.py", "pk/extensions/d1/__init__.py", "pk/extensions/d1/helper.py",
     "pk/extensions/d3/helper.py", "pk/extensions/d7/sub/__init__.py"),
    ("E16", STRING, None, "E __init__.py on", "pk/extensions/__init__.py", "pk/extensions/a.py"),
    ("E20", STRING, None, "", "pk/extensions/", "pk/__init__.py"),
    ("E21", STRING, None, "P sub/b.md on", "pk/prompts/sub/b.md"),
    ("E22", STRING, None, ""),
    ("braces", STRING, 'prompts = ["prompts/{a,b}*.md"]', "P a.md on; P b.md on",
     "pk/prompts/a.md", "pk/prompts/b.md", "pk/prompts/c.md"),
    ("folders-only", STRING, 'skills = ["skills/*/"]', "S a on",
     "pk/skills/a/SKILL.md", "pk/skills/loose.md"),
    ("dot-segment", STRING, 'extensions = [".cfg/*.py"]', "", "pk/.cfg/a.py"),
]  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(case[1:], id=case[0]) for case in MANIFEST_CASES])
def test_what_a_tree_offers(world: World, case: tuple[str, ...]) -> None:
    """E1–E22: the manifest's types only, its globs and marks; else the conventional folders."""
    settings, manifest, expected, *files = case
    world.files(*files)
    if manifest is not None:
        world.manifest("pk", manifest)
    world.user(settings)
    assert expected == world.states()


def test_e7_a_broken_manifest_leaves_the_folders(world: World) -> None:
    """E7: an unreadable pyproject.toml is told, and the conventional folders count."""
    world.files("pk/extensions/a.py")
    world.write("pk/pyproject.toml", "[tool.pi\n")
    world.user(STRING)
    resolved = world.resolve()
    assert ("E a.py on", ["manifest-unreadable"]) == (world.states("E", resolved), world.codes(resolved))


@pytest.mark.parametrize("entry", ["../outside.py", "../*.py", "ROOT/outside.py", "lnk.py", "lnk*"])
def test_e14_no_entry_leaves_its_package(world: World, entry: str) -> None:
    """E14: paths, globs and links that lead out of the package are refused with a finding."""
    world.files("outside.py", "pk/in.py")
    world.link("pk/lnk.py", "outside.py")
    world.manifest("pk", f'extensions = ["{entry.replace("ROOT", str(world.root))}", "in.py"]')
    world.user(STRING)
    resolved = world.resolve()
    assert ["pk/in.py on"] == world.listing("E", resolved)
    assert ["entry-outside-package"] == world.codes(resolved)


def test_links_inside_a_folder_may_lead_out(world: World) -> None:
    """A checkout under development, linked into `extensions/`, is found through the link."""
    world.files("dev/tool/__init__.py", "pk/extensions/a.py")
    world.link("pk/extensions/tool", "dev/tool")
    world.user(STRING)
    assert ["pk/extensions/a.py on", "pk/extensions/tool/__init__.py on"] == world.listing("E")


@pytest.mark.parametrize("settings", [STRING, OBJECT], ids=["string", "object"])
def test_e19_a_folder_with_an_init_is_the_extension(world: World, settings: str) -> None:
    """E19: without manifest and folders the package itself is the extension, for either form of entry."""
    world.files("pk/__init__.py", "pk/util.py")
    world.user(settings)
    assert ["pk on"] == world.listing("E")


def test_a_folder_that_holds_nothing_is_told(world: World) -> None:
    """A package without any resource is a finding, not an extension that fails to load."""
    world.files("pk/notes.txt")
    world.user(STRING)
    resolved = world.resolve()
    assert ([], ["package-empty"]) == (world.listing("E", resolved), world.codes(resolved))


def test_the_same_extension_by_two_routes_is_one(world: World) -> None:
    """A folder that is found and also listed as package is one extension, the found one by rank."""
    world.files("agent/extensions/tool/__init__.py")
    world.user('packages = ["./extensions/tool"]')
    assert ["agent/extensions/tool/__init__.py on"] == world.listing("E")


BUNDLE = """
[project]
name = "bundle"
version = "1"
[project.entry-points.pi]
bundle = "my_bundle"
[project.entry-points."pi.extensions"]
gate = "my_bundle.gate:guard"
"""
FILES = (
    "my_bundle/__init__.py", "my_bundle/gate.py", "my_bundle/extensions/a.py", "my_bundle/skills/s/SKILL.md",
    "my_bundle/prompts/p.md",
)  # fmt: skip


def installed(site: Path, *entry_points: EntryPoint) -> PackageRoot:
    return PackageRoot(
        "pypi:bundle", "pypi:bundle", "pypi", "user", site, "1", entry_points=entry_points, import_root=site
    )


def test_a_tree_offers_what_its_wheel_offers(world: World) -> None:
    """With entry points the import package is read, in a tree as in a wheel: same files, names and bases."""
    world.files(*(f"tree/src/{name}" for name in FILES), *(f"site/{name}" for name in FILES))
    world.write("tree/pyproject.toml", BUNDLE)
    points = (
        EntryPoint("pi", "bundle", "my_bundle"),
        EntryPoint("pi.extensions", "gate", "my_bundle.gate:guard"),
    )
    world.user('packages = ["../tree", "pypi:bundle"]')
    resolved = world.resolve(packages=(installed(world.root / "site", *points),))
    for items in (resolved.extensions, resolved.skills, resolved.prompts):
        seen = [
            (world.relative(item.path).partition("my_bundle")[2], item.module, item.attribute, item.name,
             world.relative(str(item.provenance.base_dir)).rpartition("/")[2])
            for item in items
        ]  # fmt: skip
        assert seen[: len(seen) // 2] == seen[len(seen) // 2 :]
        assert seen


def test_modules_of_packages_keep_their_import_names(world: World) -> None:
    """An advertised module, and a file below the import package, are loaded by name from the import root."""
    world.files(*(f"tree/src/{name}" for name in FILES))
    world.write("tree/pyproject.toml", BUNDLE)
    world.user('packages = ["../tree"]')
    resolved = world.resolve()
    root = str(world.root / "tree/src")
    found = [(item.module, item.attribute, item.import_root) for item in resolved.extensions]
    assert [("my_bundle.extensions.a", None, root), ("my_bundle.gate", "guard", root)] == found
    assert (root,) == resolved.import_roots


def test_an_import_package_may_be_the_extension(world: World) -> None:
    """A `pi` entry point whose package holds no `pi.toml` and no folders is the extension itself."""
    world.files("site/solo/__init__.py", "site/one.py")
    points = (EntryPoint("pi", "solo", "solo"), EntryPoint("pi", "one", "one"))
    world.user('packages = ["pypi:bundle"]')
    resolved = world.resolve(packages=(installed(world.root / "site", *points),))
    assert ["site/solo/__init__.py on", "site/one.py on"] == world.listing("E", resolved)
    assert ["solo", "one"] == [item.module for item in resolved.extensions]


def test_pi_toml_inside_an_import_package(world: World) -> None:
    """The table of `pi.toml` is relative to the import package, and its guard is handed on."""
    world.files(
        "site/my_bundle/__init__.py", "site/my_bundle/ext/gate.py", "site/my_bundle/skills/s/SKILL.md"
    )
    world.write("site/my_bundle/pi.toml", 'extensions = ["ext/*.py"]\nguard = true\n')
    world.user('packages = ["pypi:bundle"]')
    root = installed(world.root / "site", EntryPoint("pi", "b", "my_bundle"))
    (extension,) = world.resolve(packages=(root,)).extensions
    assert ("my_bundle.ext.gate", True) == (extension.module, extension.guard)


def test_a_shadowed_table_is_told(world: World) -> None:
    """`[tool.pi]` beside `pi` entry points does not travel in a wheel: it is not read, and that is said."""
    world.files(*(f"tree/src/{name}" for name in FILES), "tree/other/x.py")
    world.write("tree/pyproject.toml", BUNDLE + '[tool.pi]\nextensions = ["other"]\n')
    world.user('packages = ["../tree"]')
    resolved = world.resolve()
    assert "tree/other/x.py on" not in world.listing("E", resolved)
    assert ["manifest-shadowed"] == world.codes(resolved)


def test_a_missing_module_is_told(world: World) -> None:
    """An entry point that leads nowhere is an error that names it; the rest of the package stands."""
    world.files(*(f"site/{name}" for name in FILES))
    points = (EntryPoint("pi.extensions", "gone", "my_bundle.gone:x"), EntryPoint("pi", "b", "my_bundle"))
    world.user('packages = ["pypi:bundle"]')
    resolved = world.resolve(packages=(installed(world.root / "site", *points),))
    assert ["site/my_bundle/extensions/a.py on"] == world.listing("E", resolved)
    assert ["entry-point-missing"] == world.codes(resolved)


def test_a_finding_inside_a_package_names_it(world: World) -> None:
    """What is wrong inside a package says which source of which scope it is about."""
    world.files("pk/in.py")
    world.manifest("pk", 'extensions = ["../out.py", "in.py", "gone.py"]')
    world.user(STRING)
    findings = world.resolve().diagnostics
    assert ["manifest-entry-missing", "manifest-entry-missing"] == [finding.code for finding in findings]
    assert {("../pk", "user")} == {(finding.source, finding.scope) for finding in findings}


def test_a_bare_folder_is_no_extension(world: World) -> None:
    """A `pi` entry point that names a folder without code or resources offers nothing."""
    world.files("site/data/notes.txt")
    world.user('packages = ["pypi:bundle"]')
    root = installed(world.root / "site", EntryPoint("pi", "data", "data"))
    resolved = world.resolve(packages=(root,))
    assert ([], ["package-empty"]) == (world.listing("E", resolved), world.codes(resolved))


@pytest.mark.parametrize(
    ("source", "code"),
    [("../gone", "package-missing"), ("pypi:gone", "package-missing"), ("./gone.whl", "package-missing"),
     ("env:gone", "package-missing"), ("github.com/u/r", "source-invalid")],
)  # fmt: skip
def test_a_missing_package_keeps_nothing_else_out(world: World, source: str, code: str) -> None:
    """What is not there is a finding with a way out, and the other packages are resolved."""
    world.files("pk/themes/t.json")
    world.user(f'packages = ["{source}", "../pk"]')
    resolved = world.resolve()
    (finding,) = resolved.diagnostics
    assert ("warning", code, source) == (finding.severity, finding.code, finding.source)
    assert finding.hint
    assert ["pk/themes/t.json on"] == world.listing("T", resolved)


DEPENDENT = '[project]\nname = "x"\nversion = "1"\ndependencies = ["rich"]\n'


@pytest.mark.parametrize(("path", "settings"), identified([
    ("package", "pk", STRING), ("found", "agent/extensions/tool", ""),
]))  # fmt: skip
def test_a_tree_waits_for_its_dependencies(world: World, path: str, settings: str) -> None:
    """Code of a tree that declares dependencies is blocked until a generation holds it; data is not."""
    world.files(
        f"{path}/__init__.py" if "tool" in path else f"{path}/extensions/a.py", f"{path}/themes/t.json"
    )
    world.write(f"{path}/pyproject.toml", DEPENDENT)
    world.user(settings)
    resolved = world.resolve()
    (extension,) = resolved.extensions
    assert (False, True, ["dependencies-missing"]) == (
        extension.enabled,
        extension.blocked,
        world.codes(resolved),
    )
    root = PackageRoot("x", "local:x", "local", "user", world.root / path)
    assert world.resolve(packages=(root,)).extensions[0].enabled
