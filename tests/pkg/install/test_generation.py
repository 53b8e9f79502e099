"""Generations: pointing, going back, holding, collecting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pi_pkg.install.errors import NoSuchGeneration
from pi_pkg.install.generation import (
    collect_garbage,
    commit_generation,
    discard_generation,
    generations,
    hold_generation,
    rollback,
    withdraw,
)
from pi_pkg.install.index import current_generation, read_index
from tests.pkg.install.conftest import Scope, local, write_tree


@pytest.fixture
def five(uv_scope: Scope, tmp_path: Path) -> tuple[Path, list[str]]:
    """A scope folder with five generations, the newest in force; generation N holds N trees."""
    trees = [local(write_tree(tmp_path / f"t{number}")) for number in range(5)]
    names = [uv_scope.install(*trees[: number + 1]).generation for number in range(5)]
    return uv_scope.folder, names


def test_names_sort_in_the_order_of_building(five: tuple[Path, list[str]]) -> None:
    """The order of names is the order of building."""
    folder, names = five
    assert names == sorted(names)
    assert tuple(names) == generations(folder)


def test_rollback_goes_back_step_by_step(five: tuple[Path, list[str]]) -> None:
    """Without a name the generation built before the current one comes in force, again and again."""
    folder, names = five
    assert [names[3], names[2]] == [rollback(folder), rollback(folder)]
    found = read_index(folder)
    assert found is not None
    assert 3 == len(found.packages)


def test_rollback_goes_to_a_name_forth_too(five: tuple[Path, list[str]]) -> None:
    """With a name that generation comes in force, older or newer."""
    folder, names = five
    assert names[0] == rollback(folder, names[0])
    assert names[4] == rollback(folder, names[4])
    assert names[4] == current_generation(folder)


@pytest.mark.parametrize("asked", ["999999-00000000", "../envs", ""])
def test_rollback_to_nothing_is_refused(five: tuple[Path, list[str]], asked: str) -> None:
    """A name that is no generation is refused, those that are get listed, and nothing changes."""
    folder, names = five
    with pytest.raises(NoSuchGeneration, match=names[0]):
        rollback(folder, asked)
    assert names[4] == current_generation(folder)


def test_there_is_nothing_before_the_first(uv_scope: Scope) -> None:
    """The first generation has none to go back to, and an empty scope has none at all."""
    with pytest.raises(NoSuchGeneration):
        rollback(uv_scope.folder)
    first = uv_scope.install()
    with pytest.raises(NoSuchGeneration, match=r"no older generation"):
        rollback(uv_scope.folder)
    assert first.generation == current_generation(uv_scope.folder)


def test_a_build_after_a_rollback_gets_a_new_name(five: tuple[Path, list[str]], uv_scope: Scope) -> None:
    """No name is ever given twice while its generation stands."""
    folder, names = five
    rollback(folder)
    new = uv_scope.install()
    assert new.generation > names[4]


def test_the_newest_stay(five: tuple[Path, list[str]]) -> None:
    """Collecting keeps the newest generations, and says what went."""
    folder, names = five
    assert tuple(names[:2]) == collect_garbage(folder, keep=3)
    assert tuple(names[2:]) == generations(folder)
    assert () == collect_garbage(folder, keep=3)


def test_the_one_in_force_stays(five: tuple[Path, list[str]]) -> None:
    """The generation in force is never collected, old as it may be."""
    folder, names = five
    rollback(folder, names[0])
    collect_garbage(folder, keep=1)
    assert (names[0], names[4]) == generations(folder)


def test_a_held_generation_stays(five: tuple[Path, list[str]]) -> None:
    """What a process imports from is not collected until it lets go."""
    folder, names = five
    rollback(folder, names[1])
    with hold_generation(folder) or pytest.fail("not held") as held:
        assert names[1] == held.generation
        rollback(folder, names[4])
        collect_garbage(folder, keep=1)
        assert (names[1], names[4]) == generations(folder)
    collect_garbage(folder, keep=1)
    assert (names[4],) == generations(folder)


def test_another_process_holds_as_well(five: tuple[Path, list[str]]) -> None:
    """Several processes may hold one generation; the last one counts."""
    folder, names = five
    script = Path(__file__).with_name("worker.py")
    first = hold_generation(folder)
    child = subprocess.Popen(
        [sys.executable, str(script), str(folder), "use"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert f"{names[4]}\n" == child.stdout.readline()
    assert first is not None
    first.close()
    rollback(folder, names[0])
    collect_garbage(folder, keep=0)
    assert (names[0], names[4]) == generations(folder)
    child.communicate("")
    collect_garbage(folder, keep=0)
    assert (names[0],) == generations(folder)


def test_nothing_to_hold_is_none(tmp_path: Path) -> None:
    """A scope without a generation has nothing to hold."""
    assert hold_generation(tmp_path / "absent") is None


def test_rubbish_is_swept(five: tuple[Path, list[str]]) -> None:
    """Half-made generations and earlier trash go; what is not ours stays."""
    folder, names = five
    for name in ("000009-00000000", ".trash-1234", "someone's"):
        (folder / name).mkdir()
    collect_garbage(folder, keep=9)
    assert {*names, "someone's"} == {path.name for path in folder.iterdir() if path.is_dir()}


def test_a_generation_can_be_thrown_away(five: tuple[Path, list[str]], uv_scope: Scope) -> None:
    """A built generation that shall not come in force goes; the one in force never does."""
    folder, names = five
    built = uv_scope.build()
    discard_generation(folder, built.generation)
    discard_generation(folder, names[4])
    assert tuple(names) == generations(folder)


def test_a_scope_can_hold_nothing_again(five: tuple[Path, list[str]]) -> None:
    """Withdrawing leaves the scope without a generation in force; what was can be put in force again."""
    folder, names = five
    withdraw(folder)
    assert read_index(folder) is None
    assert commit_generation(folder, names[4]) is None
    assert names[4] == current_generation(folder)
