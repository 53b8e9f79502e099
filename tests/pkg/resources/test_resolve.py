"""The whole order: cases J1 to J7, the command line, the environment, and what a run may leave out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.resources.model import EntryPoint, PackageRoot
from tests.pkg.resources.world import World

ROOT = Path(__file__).resolve().parents[3]


def beside(world: World, name: str) -> PackageRoot:
    """A distribution of pi's own environment with one extension."""
    world.files(f"site/{name}.py")
    points = (EntryPoint("pi.extensions", name, f"{name}:extension"),)
    site = world.root / "site"
    return PackageRoot(
        f"env:{name}",
        f"env:{name}",
        "environment",
        "environment",
        site,
        "1",
        entry_points=points,
        import_root=site,
    )


def everywhere(world: World) -> PackageRoot:
    world.files("cli.py", "ps.py", "us.py", "proj/.pi/extensions/pa.py", "agent/extensions/ua.py")
    world.files("pp/extensions/p.py", "up/extensions/u.py")
    world.user('packages = ["../up"]\nextensions = ["../us.py"]')
    world.project('packages = ["../../pp"]\nextensions = ["../../ps.py"]')
    return beside(world, "env")


def test_j1_the_rank_of_every_origin(world: World) -> None:
    """J1: command line, project settings and folders, the user's, packages of both, environment."""
    root = everywhere(world)
    resolved = world.resolve(packages=(root,), cli=("../cli.py",))
    assert [
        "cli.py", "ps.py", "proj/.pi/extensions/pa.py", "us.py", "agent/extensions/ua.py",
        "pp/extensions/p.py", "up/extensions/u.py", "site/env.py",
    ] == [world.relative(item.path) for item in resolved.extensions]  # fmt: skip
    scopes = ["temporary", "project", "project", "user", "user", "project", "user", "environment"]
    assert scopes == [item.provenance.scope for item in resolved.extensions]


def test_j3_a_command_line_package_comes_first(world: World) -> None:
    """J3: code and skills of a `-e` package stand alone as `cli`; prompts and themes keep their package."""
    world.files("pk/skills/s/SKILL.md", "pk/prompts/p.md", "proj/.pi/skills/s/SKILL.md")
    resolved = world.resolve(cli=("../pk",))
    skill, prompt = resolved.skills[0].provenance, resolved.prompts[0].provenance
    assert ("cli", "temporary", "top-level", None) == (
        skill.source,
        skill.scope,
        skill.origin,
        skill.base_dir,
    )
    assert ("../pk", "temporary", "package") == (prompt.source, prompt.scope, prompt.origin)


def test_j4_explicit_paths_come_last(world: World) -> None:
    """J4: `--skill` and its like rank below everything that was found."""
    world.files("x/s/SKILL.md", "agent/skills/s/SKILL.md")
    resolved = world.resolve(explicit={"skills": ("../x",)})
    assert ["agent/skills/s/SKILL.md on", "x/s/SKILL.md on"] == world.listing("S", resolved)


def test_j6_without_discovery_only_what_was_asked_for(world: World) -> None:
    """J6: with a type switched off, `-e` sources and explicit paths of it still count, nothing else."""
    root = everywhere(world)
    resolved = world.resolve(packages=(root,), cli=("../cli.py",), discover=frozenset())
    assert ["cli.py on"] == world.listing("E", resolved)
    world.files("x.md", "agent/skills/s/SKILL.md", "agent/prompts/p.md")
    only = frozenset(RESOURCE_TYPES) - {"skills"}
    resolved = world.resolve(explicit={"skills": ("../x.md",)}, discover=only)
    assert (["x.md on"], ["agent/prompts/p.md on"]) == (
        world.listing("S", resolved),
        world.listing("P", resolved),
    )


def test_j7_what_was_asked_for_and_is_missing(world: World) -> None:
    """J7: a missing `-e` is an error, a missing skill a warning, a missing prompt or theme an error."""
    explicit = {"skills": ("s",), "prompts": ("p",), "themes": ("t",)}
    findings = world.resolve(cli=("./gone.py",), explicit=explicit).diagnostics  # type: ignore[arg-type] # literals
    expected = [
        "package-missing error",
        "explicit-missing warning",
        "explicit-missing error",
        "explicit-missing error",
    ]
    assert expected == [f"{finding.code} {finding.severity}" for finding in findings]


def test_h10_a_delta_reads_the_users_installation(world: World) -> None:
    """H10: the project's own version of a delta's source is ignored; nothing of its own is looked for."""
    for name in ("m", "n"):
        world.files(f"site/foo/extensions/{name}.py", "site/foo/__init__.py")
    site, points = world.root / "site", (EntryPoint("pi", "foo", "foo"),)
    root = PackageRoot(
        "pypi:foo", "pypi:foo", "pypi", "user", site, "2", entry_points=points, import_root=site
    )
    world.user('packages = ["pypi:foo@^2"]')
    world.project(
        'packages = [{ source = "pypi:foo@1.0.0", autoload = false, extensions = ["-extensions/m.py"] }]'
    )
    resolved = world.resolve(packages=(root,))
    assert [("m.py", False, "project"), ("n.py", True, "user")] == [
        (Path(item.path).name, item.enabled, item.provenance.scope) for item in resolved.extensions
    ]
    assert () == resolved.diagnostics


def test_an_environment_entry_filters_and_never_adds(world: World) -> None:
    """`env:NAME` switches off what stands beside pi; its scope stays the environment."""
    root = beside(world, "tool")
    world.user('packages = [{ source = "env:tool", extensions = ["!tool"] }]')
    (extension,) = world.resolve(packages=(root,)).extensions
    assert (False, "environment") == (extension.enabled, extension.provenance.scope)


def test_checkouts_are_trees(world: World) -> None:
    """A git package is read from its checkout by the rules of a source tree."""
    world.files("co/extensions/a.py", "co/prompts/sub/p.md")
    identity = "git:host.example/u/r"
    root = PackageRoot("git:host.example/u/r@v1", identity, "git", "user", world.root / "co", commit="c" * 40)
    world.user('packages = ["git:host.example/u/r@v1"]')
    assert "E a.py on; P sub/p.md on" == world.states(resolved=world.resolve(packages=(root,)))


def test_import_roots_are_those_of_enabled_extensions(world: World) -> None:
    """Only folders that something switched on is imported from are handed on, each once, in rank order."""
    first, second = beside(world, "one"), beside(world, "two")
    world.user('packages = [{ source = "env:one", extensions = [] }]')
    assert (str(world.root / "site"),) == world.resolve(packages=(first, second)).import_roots
    world.user(
        'packages = [{ source = "env:one", extensions = [] }, { source = "env:two", extensions = [] }]'
    )
    assert () == world.resolve(packages=(first, second)).import_roots


def test_blanks_and_homes_in_paths(world: World) -> None:
    """Blanks around a path do not count, Unicode blanks inside are plain ones, `~` is the home folder."""
    world.files("home/my tool.py", "a b.py")
    world.user('extensions = ["  ~/my\\u00a0tool.py "]')
    assert ["home/my tool.py on"] == world.listing("E")


PLAIN = """
import pathlib, sys
from tests.pkg.resources.world import World
world = World(pathlib.Path(sys.argv[1]))
world.files("pk/skills/s/SKILL.md", "agent/prompts/p.md")
world.manifest("pk", 'skills = ["skills/*"]')
world.user('packages = [{ source = "../pk", skills = ["**/*.md"] }]')
assert world.resolve().skills[0].enabled
print(*{name.partition(".")[0] for name in sys.modules} & {"wcmatch", "pathspec", "bracex"})
"""


def test_a_plain_setup_imports_no_matcher(tmp_path: Path) -> None:
    """Without braces, classes and ignore files neither wcmatch nor pathspec is loaded."""
    command = [sys.executable, "-c", PLAIN, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "" == done.stdout.strip()


@pytest.mark.parametrize(
    "name", ["gate", "ROOT/pk/extensions/gate.py", "extensions:ROOT/pk/extensions/gate.py", "../pk"]
)
def test_a_run_leaves_out_what_is_named(world: World, name: str) -> None:
    """Report 64: an excluded extension is off by any of its names, over everything else; the others stay."""
    world.files("pk/extensions/gate.py", "agent/extensions/tool/__init__.py", "agent/extensions/other.py")
    world.write("pk/pyproject.toml", '[project]\nname = "pk"\n')
    world.user('packages = ["../pk"]\nextensions = ["+../pk/extensions/gate.py"]')
    asked = name.replace("ROOT", str(world.root))
    resolved = world.resolve(exclude=(asked,))
    off = [item for item in resolved.extensions if not item.enabled]
    assert [f"--exclude {asked}"] == [item.rule for item in off]
    assert ["pk/extensions/gate.py"] == [world.relative(item.path) for item in off]
    assert () == resolved.diagnostics


def test_a_run_leaves_out_what_the_command_line_brought(world: World) -> None:
    """Report 64: `--exclude` beats `-e`, and a folder goes by its own name."""
    world.files("tool/__init__.py", "one.py")
    resolved = world.resolve(cli=("../tool", "../one.py"), exclude=("tool", "one"))
    assert ["tool off", "one.py off"] == world.listing("E", resolved)


def test_an_exclusion_of_nothing_is_told(world: World) -> None:
    """Report 64: a name that no extension has is a warning with the nearest one."""
    world.files("agent/extensions/permission.py")
    (finding,) = world.resolve(exclude=("permision",)).diagnostics
    assert ("warning", "exclude-unmatched") == (finding.severity, finding.code)
    assert "'permission'" in str(finding.hint)
