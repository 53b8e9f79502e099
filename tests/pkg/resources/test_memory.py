"""A source tree that did not change is not read again, and one that did always is."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_pkg.resources import witness
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.memory import MAX_KEPT, WORTH_KEEPING, TreeMemory
from pi_pkg.resources.model import HOST_VERSION, ResolvedResources
from tests.pkg.resources.world import World
from tests.support.package_cli import PackageCli

TICK_S = 0.02
"""Longer than the clock of any file system that tests run on."""


def in_a_while() -> int:
    return time.time_ns() + 60 * 10**9


def memory_of(world: World, now_ns: Callable[[], int] = in_a_while) -> TreeMemory:
    return TreeMemory(world.locations.tree_memory, HOST_VERSION, now_ns=now_ns)


def many(world: World, count: int = WORTH_KEEPING) -> None:
    """A user with so many packages that they are worth remembering."""
    for number in range(count):
        world.files(
            f"pk{number}/extensions/e.py", f"pk{number}/skills/s/SKILL.md", f"pk{number}/prompts/p.md"
        )
        world.write(f"pk{number}/pyproject.toml", f'[project]\nname = "pk{number}"\n')
    sources = ", ".join(f'"../pk{number}"' for number in range(count))
    world.user(f"packages = [{sources}]")


def remembered(world: World) -> None:
    memory = memory_of(world)
    world.resolve(memory=memory)
    assert memory.save()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are scanned from now on."""
    seen: list[str] = []
    scan = Collector.scan

    def noted(self: Collector, kind: object, folder: str, *rest: object) -> object:
        seen.append(folder)
        return scan(self, kind, folder, *rest)  # type: ignore[arg-type] # handed on as it came

    monkeypatch.setattr(Collector, "scan", noted)
    return seen


def test_what_did_not_change_is_not_read(world: World, reads: list[str]) -> None:
    """The second run gives the same, field by field, and scans no folder of a package."""
    many(world)
    first = world.resolve()
    remembered(world)
    reads.clear()
    assert first == world.resolve(memory=memory_of(world))
    assert [] == [folder for folder in reads if "/pk" in folder]


def becomes_a_link(world: World) -> None:
    (world.root / "pk3/skills").rename(world.root / "away")
    world.link("pk3/skills", "away")


EDITS: dict[str, Callable[[World], object]] = {
    "new file": lambda world: world.files("pk3/prompts/new.md"),
    "file gone": lambda world: (world.root / "pk3/prompts/p.md").unlink(),
    "file renamed": lambda world: (world.root / "pk3/prompts/p.md").rename(world.root / "pk3/prompts/q.md"),
    "new skill folder": lambda world: world.files("pk3/skills/t/SKILL.md"),
    "new conventional folder": lambda world: world.files("pk3/themes/t.json"),
    "manifest written": lambda world: world.write("pk3/pi.toml", "prompts = []\n"),
    "manifest edited": lambda world: world.manifest("pk3", "extensions = []"),
    "ignore file": lambda world: world.write("pk3/prompts/.gitignore", "p.md\n"),
    "package of the top": lambda world: world.files("pk3/extensions/__init__.py"),
    "package gone": lambda world: shutil.rmtree(world.root / "pk3"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_any_change_is_seen(world: World, edit: Callable[[World], object]) -> None:
    """After each kind of change the memory gives what a fresh reading gives."""
    many(world)
    before = world.resolve()
    remembered(world)
    time.sleep(TICK_S)
    edit(world)
    fresh = world.resolve()
    assert fresh == world.resolve(memory=memory_of(world))
    assert fresh != before


def test_a_link_in_the_place_of_a_folder_is_seen(world: World, reads: list[str]) -> None:
    """A folder that became a link gives the same resources, and is read from then on."""
    many(world)
    remembered(world)
    time.sleep(TICK_S)
    becomes_a_link(world)
    fresh = world.resolve()
    reads.clear()
    assert fresh == world.resolve(memory=memory_of(world))
    assert any(f"{world.root}/pk3/" in folder for folder in reads)


def test_random_changes_are_seen(world: World) -> None:
    """Fifty random edits of the trees, each followed by a run that remembers: never another answer."""
    many(world)
    remembered(world)
    chance = random.Random(7)
    for _ in range(50):
        time.sleep(TICK_S)
        folder = world.root / f"pk{chance.randrange(WORTH_KEEPING)}"
        target = (
            folder / chance.choice(["skills", "prompts", "extensions", "lib"]) / chance.choice(["a", "b"])
        )
        match chance.randrange(5):
            case 0:
                shutil.rmtree(target, ignore_errors=True)
            case 1:
                world.files(
                    f"{world.relative(str(target))}/{chance.choice(['SKILL.md', '__init__.py', 'x.md'])}"
                )
            case 2:
                world.manifest(
                    folder.name, chance.choice(["", "skills = ['skills/a']", "extensions = ['lib']"])
                )
            case 3:
                (folder / "pyproject.toml").unlink(missing_ok=True)
            case 4 if not target.parent.is_symlink() and target.parent.is_dir():
                shutil.rmtree(target.parent)
                target.parent.symlink_to(world.root / "pk0/prompts")
        memory = memory_of(world)
        assert world.resolve() == world.resolve(memory=memory)
        memory.save()


def test_what_has_just_changed_is_not_remembered(world: World) -> None:
    """A tree that changed in the last two seconds could change again unseen."""
    many(world)
    memory = memory_of(world, time.time_ns)
    world.resolve(memory=memory)
    assert not memory.save()


@pytest.mark.parametrize(
    "edit",
    [
        lambda world: world.link("pk0/prompts/l.md", "pk1/prompts/p.md"),
        lambda world: world.link("pk0/extensions/broken.py", "nowhere"),
        lambda world: world.link("pk0/themes", "pk1/prompts"),
        lambda world: world.manifest("pk0", 'prompts = ["prompts/*.md"]\nskills = ["skills"]'),
        lambda world: world.manifest("pk0", 'prompts = ["gone.md", "prompts"]'),
    ],
    ids=["link", "broken-link", "linked-folder", "glob", "finding"],
)
def test_what_depends_on_more_is_read_each_time(
    world: World, reads: list[str], edit: Callable[[World], object]
) -> None:
    """A tree with a link, a glob or a finding is never remembered."""
    many(world, WORTH_KEEPING + 1)
    edit(world)
    remembered(world)
    reads.clear()
    assert world.resolve().diagnostics == world.resolve(memory=memory_of(world)).diagnostics
    assert any(f"{world.root}/pk0/" in folder for folder in reads)


def test_few_trees_write_nothing(world: World) -> None:
    """A file is written for many newly read trees only."""
    many(world, WORTH_KEEPING - 1)
    memory = memory_of(world)
    world.resolve(memory=memory)
    assert (False, False) == (memory.save(), world.locations.tree_memory.exists())


DAMAGED = ["", "{", "[]", '{"format": 1}', '{"format": 9, "host": "1.6.0", "trees": {}}', "null"]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_memory_is_no_memory(world: World, text: str) -> None:
    """Whatever the file holds, the answer is that of a fresh reading."""
    many(world)
    world.write("agent/cache/trees.json", text)
    assert world.resolve() == world.resolve(memory=memory_of(world))


def test_damaged_rows_are_no_memory(world: World) -> None:
    """Rows of any other shape are passed over, one by one."""
    many(world)
    remembered(world)
    document = json.loads(world.locations.tree_memory.read_text(encoding="utf-8"))
    rows = document["trees"]
    odd: list[object] = [None, 1, "x", [], [1, 2, 3, 4, 5, 6], {}, [[], [], 0, "", False, {}]]
    for tree, row in zip(rows, odd, strict=False):
        rows[tree] = row
    for row in list(rows.values())[len(odd) :]:
        row[5] = {"extensions": [1], "skills": None}
    world.write("agent/cache/trees.json", json.dumps(document))
    assert world.resolve() == world.resolve(memory=memory_of(world))


def test_another_host_remembers_nothing(world: World, reads: list[str]) -> None:
    """What was judged for one version of pi is not taken over by another."""
    many(world)
    remembered(world)
    reads.clear()
    world.resolve(memory=TreeMemory(world.locations.tree_memory, "9.9.9"))
    assert any("/pk" in folder for folder in reads)


def test_a_folder_that_takes_no_files_is_no_error(world: World) -> None:
    """Where the memory cannot be written, everything else goes on."""
    many(world)
    world.write("agent/cache", "a file")
    memory = memory_of(world)
    found: ResolvedResources = world.resolve(memory=memory)
    assert (WORTH_KEEPING, False) == (len(found.extensions), memory.save())
    assert ["cache", "settings.toml"] == sorted(os.listdir(world.locations.agent_dir))


def test_trees_of_other_projects_are_kept_for_a_while(world: World) -> None:
    """What this run did not ask for stays, the longest unused going first beyond the limit."""
    many(world)
    rows = {f"/old/{number}": [[], [], 0, "", False, {}] for number in range(MAX_KEPT)}
    world.write("agent/cache/trees.json", json.dumps({"format": 1, "host": HOST_VERSION, "trees": rows}))
    remembered(world)
    trees = json.loads(world.locations.tree_memory.read_text(encoding="utf-8"))["trees"]
    assert (MAX_KEPT, f"/old/{WORTH_KEEPING}") == (len(trees), next(iter(trees)))
    assert str(Path(world.root, "pk0")) in trees


def test_pi_list_remembers_many_packages(pi: PackageCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing many packages writes the memory, uses it the next time, and says the same either way."""
    monkeypatch.setattr(witness, "SETTLED_NS", -1)
    for number in range(WORTH_KEEPING):
        pi.package(f"pk{number}")
    sources = ", ".join(f'"../pk{number}"' for number in range(WORTH_KEEPING))
    pi.write({"agent/settings.toml": f"packages = [{sources}]\n"})
    first = pi.run("list", "--json").out
    written = pi.locations.tree_memory.read_bytes()
    assert first == pi.run("list", "--json").out
    assert written == pi.locations.tree_memory.read_bytes()
    pi.write({"pk0/prompts/p.md": "text\n"})
    assert "prompts/p.md" in pi.run("list", "--json").out


def test_pi_list_of_few_packages_writes_nothing(pi: PackageCli) -> None:
    """A user with a handful of packages gets no file for them."""
    pi.package("pk")
    pi.write({"agent/settings.toml": 'packages = ["../pk"]\n'})
    pi.run("list")
    assert not pi.locations.tree_memory.parent.exists()


def test_what_changes_while_it_is_read_is_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest that is written just after it was read is not taken for the one that was read."""
    many(world)
    parse = tomllib.loads

    def slow(text: str) -> dict[str, object]:
        if 'name = "pk0"' in text:
            monkeypatch.setattr(tomllib, "loads", parse)
            time.sleep(TICK_S)
            world.manifest("pk0", 'skills = ["skills"]')
        return parse(text)

    monkeypatch.setattr(tomllib, "loads", slow)
    remembered(world)
    assert world.resolve() == world.resolve(memory=memory_of(world))
    assert [] == [item for item in world.resolve().prompts if "/pk0/" in item.path]
