"""Whatever a package or a list holds is resolved or told with its place, soon, and is never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from pi_pkg.resources.documents import MAX_BYTES
from pi_pkg.resources.model import EntryPoint, PackageRoot, ResolvedResources
from tests.pkg.resources.world import World

SOON_S = 5.0
"""Far above what any of these takes, far below what a runaway would."""
STRING = 'packages = ["../pk"]'


def soon(world: World) -> ResolvedResources:
    started = time.process_time()
    found = world.resolve()
    assert time.process_time() - started < SOON_S
    return found


WRONG = [
    ("pyproject.toml", "[tool.pi]\nskills = []\nextensions = 1\n", ":3:1: 'extensions' has to be a list"),
    (
        "pyproject.toml",
        "[tool.pi]\nextensions = [\n  'a',\n  2,\n]\n",
        ":4:3: item 2 of 'extensions' has to be",
    ),
    ("pyproject.toml", "[tool.pi]\nextensions = {a = 1}\n", ":2:1: 'extensions' has to be a list"),
    ("pyproject.toml", "[tool.pi]\nskills = ['']\n", ":2:11: item 1 of 'skills' is empty"),
    ("pyproject.toml", '[tool.pi]\nskills = ["a\\u0000b"]\n', ":2:11: item 1 of 'skills' holds a control"),
    ("pyproject.toml", '[tool.pi]\nskills = ["a\\nb", 1]\n', ":2:11: item 1 of 'skills' holds a control"),
    ("pyproject.toml", f"[tool.pi]\nskills = ['{'x' * 5000}']\n", ":2:11: item 1 of 'skills' has 5000"),
    ("pyproject.toml", "[tool.pi]\nguard = 'no'\n", ":2:1: 'guard' has to be true or false"),
    ("pyproject.toml", "[tool.pi]\nrequires-host = 1.6\n", ":2:1: 'requires-host' has to be a string"),
    ("pyproject.toml", "[tool.pi]\nchangelog = 1979-05-27\n", ":2:1: 'changelog' has to be a string"),
    ("pyproject.toml", "[tool]\npi = ['x']\n", ":2:1: 'pi' has to be a table, not a list"),
    ("pyproject.toml", "project = 'x'\n", ":1:1: 'project' has to be a table"),
    ("pyproject.toml", "[project]\ndependencies = 'rich'\n", ":2:1: 'dependencies' has to be a list"),
    ("pyproject.toml", "[project]\ndependencies = ['a', 1]\n", ":2:22: item 2 of 'dependencies'"),
    ("pyproject.toml", "[project]\nentry-points = 1\n", ":2:1: 'entry-points' has to be a table"),
    ("pyproject.toml", "[project.entry-points]\npi = 'x'\n", ":2:1: 'pi' has to be a table"),
    ("pyproject.toml", "[project.entry-points.pi]\na = 1\n", ":2:1: 'a' has to be a string"),
    ("pyproject.toml", "[tool.pi]\nextension = []\n", ":2:1: 'extension' means nothing"),
    ("pyproject.toml", "[tool.pi]\nskills = [\n", "line 3"),
    ("pyproject.toml", "x = 1\nx = 2\n", "line 2"),
    ("pi.toml", "prompts = true\n", ":1:1: 'prompts' has to be a list of strings, not true"),
    ("pi.toml", "themes = ['a', 0.5]\n", ":1:16: item 2 of 'themes'"),
    ("package.json", '{\n "pi": {"skills": 1}}', ":2:9: 'skills' has to be a list"),
    ("package.json", '{"pi":\n {"skills": [null]}}', ":2:3: item 1 of 'skills' has to be a string, not null"),
]


@pytest.mark.parametrize(("name", "text", "said"), WRONG)
def test_a_wrong_value_is_told_with_its_place(world: World, name: str, text: str, said: str) -> None:
    """The finding names file, line and column, and what has to stand there; the folders still count."""
    world.files("pk/prompts/p.md")
    (world.root / "pk" / name).write_text(text, encoding="utf-8")
    world.user(STRING)
    resolved = world.resolve()
    messages = [finding.message for finding in resolved.diagnostics]
    assert [True] == [f"{world.root}/pk/{name}" in text and said in text for text in messages if said in text]


def test_a_byte_that_is_no_text_is_told_with_its_place(world: World) -> None:
    """A manifest in another encoding names the byte."""
    world.files("pk/prompts/p.md")
    (world.root / "pk/pyproject.toml").write_bytes(b"[tool.pi]\nskills = ['\xff']\n")
    world.user(STRING)
    (finding,) = world.resolve().diagnostics
    assert "0xff is not UTF-8 (at line 2, column 12)" in finding.message


DEEP = 5000
BOMBS = [
    ("pyproject.toml", "[tool.pi]\nskills = " + "[" * DEEP + "]" * DEEP),
    ("pyproject.toml", "[tool.pi]\nx = " + "{a=" * DEEP + "1" + "}" * DEEP),
    ("pyproject.toml", "[tool.pi]\n" + ".".join("a" * DEEP) + " = 1\nskills = 1\n"),
    ("pyproject.toml", "[tool.pi]\n[" + ".".join("a" * DEEP) + "]\n"),
    ("pyproject.toml", "[tool.pi]\n" + ".".join("a" * 400_000) + " = 1\n"),
    ("pyproject.toml", "x = {" + " . ".join(['"a"'] * 100_000) + " = 1}\n"),
    ("pyproject.toml", "x = '" + "a" * 900_000 + "'\n"),
    ("pi.toml", "".join(f"k{number} = {number}\n" for number in range(60_000))),
    ("pyproject.toml", "x = 1" + "0" * 6000 + "\n[tool.pi]\nskills = 1\n"),
    ("pi.toml", "#" * (MAX_BYTES + 1)),
    ("package.json", '{"pi": ' + "[" * DEEP + "]" * DEEP + "}"),
    ("package.json", '{"pi": {"skills": [' + "9" * 6000 + "]}}"),
    ("package.json", '{"pi": {"skills": ["\\ud800", "a\\u0000"]}}'),
]


@pytest.mark.parametrize(("name", "text"), BOMBS, ids=range(len(BOMBS)))
def test_a_bomb_is_a_finding(world: World, name: str, text: str) -> None:
    """Nesting, numbers and files beyond reason end as findings or as nothing, and soon."""
    world.files("pk/prompts/p.md")
    (world.root / "pk" / name).write_text(text, encoding="utf-8")
    world.user(STRING)
    for finding in soon(world).diagnostics:
        assert len(finding.message) < 2000
        finding.message.encode("utf-8")


@pytest.mark.parametrize("name", ["pyproject.toml", "pi.toml", "package.json", "prompts/.gitignore"])
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_not_waited_for(world: World, name: str, kind: str) -> None:
    """A named pipe or a folder in the place of a manifest or ignore file stops nobody."""
    world.files("pk/prompts/p.md")
    place = world.root / "pk" / name
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    world.user(STRING)
    assert ["pk/prompts/p.md on"] == world.listing("P", soon(world))


MANY = 10_000
LONG_LISTS = {
    "names": [f"gone{number}.md" for number in range(MANY)],
    "outside": [f"../out{number}.md" for number in range(MANY)],
    "numbers": list(range(MANY)),
    "exact marks": [f"-prompts/gone{number}.md" for number in range(MANY)],
    "one name": ["prompts"] * MANY,
    "marked globs": [f"!gone{number}*" for number in range(MANY // 10)],
}


@pytest.mark.parametrize("entries", LONG_LISTS.values(), ids=LONG_LISTS)
@pytest.mark.parametrize("place", ["manifest", "filter", "list"])
def test_a_long_list_is_read_soon(world: World, entries: list[object], place: str) -> None:
    """Ten thousand entries take no time to speak of, and not as many findings."""
    world.files("pk/prompts/p.md", "pk/prompts/q.md")
    text = json.dumps(entries)
    if place == "manifest":
        world.manifest("pk", f"prompts = {text}")
    table = f'{{ source = "../pk", prompts = {text} }}' if place == "filter" else '"../pk"'
    world.user((f"prompts = {text}\n" if place == "list" else "") + f"packages = [{table}]")
    started = time.process_time()
    found = world.resolve().diagnostics
    assert time.process_time() - started < SOON_S
    assert len(found) <= MANY if place == "list" or entries is LONG_LISTS["numbers"] else len(found) < 50


def test_folders_without_end_are_told(world: World) -> None:
    """More folders below each other than anybody makes are a finding, not a recursion error."""
    for kind in ("skills", "prompts"):
        deep = world.root / "pk" / kind
        deep.mkdir(parents=True)
        descend(deep, 1200)
    world.user(STRING)
    try:
        assert ["folder-too-deep"] * 2 + ["package-empty"] == world.codes(soon(world))
    finally:  # who clears temporary folders later walks them by recursion
        subprocess.run(["rm", "-rf", str(world.root / "pk")], check=True)


def descend(folder: Path, levels: int) -> None:
    """Folders below each other, by relative steps, since their path is too long to be named."""
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)


@pytest.mark.parametrize("kind", ["skills", "prompts"])
def test_links_that_double_at_each_step_are_entered_once(world: World, kind: str) -> None:
    """Thirty folders, each with two links to the next, are thirty folders and not a billion."""
    for number in range(30):
        world.files(f"maze/{number}/")
        for name in "ab":
            world.link(f"maze/{number}/{name}", f"maze/{number + 1}")
    world.files("maze/30/SKILL.md", "pk/")
    world.link(f"pk/{kind}", "maze/0")
    world.user(STRING)
    found = soon(world)
    assert 1 == len(found.of("skills" if kind == "skills" else "prompts"))


TRAPS = [
    "*a" * 60 + "b", "?*" * 60 + "b", "**/a/" * 60 + "b", "{a,b}" * 60, "[a*" * 30, "@(a|*)" * 30 + "b",
    "*(a|aa)*(a|aa)*(a|aa)*(a|aa)*(a|aa)*(a|aa)*(a|aa)*(a|aa)b", "{1..999999}*", "\\", "[", "{", "!(",
    "!" * 500 + "*a",
]  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("place", ["manifest", "filter", "list", "ignore"])
def test_a_pattern_made_to_take_for_ever(world: World, trap: str, place: str) -> None:
    """Patterns that a matcher could spend its life on are matched or refused, in every list."""
    world.files(f"pk/prompts/{'a' * 60}.md", "pk/prompts/" + "a/" * 40 + "x.md")
    text = json.dumps([f"!{trap}", "prompts"] if place == "manifest" else [trap])
    if place == "manifest":
        world.manifest("pk", f"prompts = {text}")
    if place == "ignore":
        world.write("pk/prompts/.gitignore", f"{trap}\n")
    table = f'{{ source = "../pk", prompts = {text} }}' if place == "filter" else '"../pk"'
    world.user((f"prompts = {text}\n" if place == "list" else "") + f"packages = [{table}]")
    soon(world)


VALUES = [
    "",
    "..",
    "a..b",
    "a\0b:c",
    "../x",
    "/etc",
    "a" * 100_000,
    "a." * 50_000 + "a",
    "é:é",
    "a:b:c",
    "a\nb",
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_an_odd_entry_point_is_told(world: World, value: str) -> None:
    """An entry point that names no module is an error that says so, in short."""
    world.files("site/")
    site = world.root / "site"
    points = (EntryPoint("pi", "x\0\n", value), EntryPoint("pi.extensions", "", value))
    root = PackageRoot("pypi:x", "pypi:x", "pypi", "user", site, "1", entry_points=points, import_root=site)
    world.user('packages = ["pypi:x"]')
    found = world.resolve(packages=(root,)).diagnostics
    assert ["entry-point-missing"] * 2 + ["package-empty"] == [finding.code for finding in found]
    assert max(len(finding.message) for finding in found) < 1000


SOURCES = [
    "", "\0", "a\nb", "..", "../" * 2000 + "x", "x" * 100_000, "pypi:" + "a" * 100_000, "file:///%00",
    "git:h.example/" + "a/" * 50_000, "git:" + "@" * 10_000, "pypi:x>=" + "1." * 10_000, "env:", "~", "./",
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES, ids=range(len(SOURCES)))
def test_an_odd_source_keeps_nothing_out(world: World, source: str) -> None:
    """A source that names nothing is a finding in one sentence; its neighbour is resolved."""
    world.files("pk/prompts/p.md")
    world.user(f'packages = [{json.dumps(source)}, "../pk"]')
    found = soon(world)
    assert "pk/prompts/p.md on" in world.listing("P", found)
    assert max((len(finding.message) for finding in found.diagnostics), default=0) < 6000
