"""A generation and the settings that name its packages turn over at one instant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_pkg.install.errors import DiskError, NoSuchGeneration
from pi_pkg.install.generation import collect_garbage, generations, scope_lock, sweep, turning_over
from pi_pkg.install.index import current_generation
from tests.pkg.install.conftest import Scope, local, write_tree
from tests.pkg.install.test_atomic import FullDisk


@pytest.fixture
def two(uv_scope: Scope, tmp_path: Path) -> tuple[Path, str, str]:
    """A scope folder, its generation in force, and a newer one that is only built."""
    (tmp_path / "settings.toml").write_text("old", "utf-8")
    old = uv_scope.install()
    new = uv_scope.build(local(write_tree(tmp_path / "t")))
    return uv_scope.folder, old.generation, new.generation


def settled(folder: Path) -> bool:
    """Whether the pointer names one generation and no condition."""
    return ["generation"] == list(json.loads((folder / "current.json").read_bytes()))


def test_the_settings_decide_while_a_change_is_open(two: tuple[Path, str, str], tmp_path: Path) -> None:
    """The old generation counts until the settings are replaced, the new one from then on."""
    folder, old, new = two
    settings = tmp_path / "settings.toml"
    with turning_over(folder, new, settings):
        assert (old, False) == (current_generation(folder), settled(folder))
        settings.write_text("new", "utf-8")
        assert new == current_generation(folder)
    assert (new, True) == (current_generation(folder), settled(folder))


def test_the_first_settings_count_as_a_change(two: tuple[Path, str, str], tmp_path: Path) -> None:
    """Where there was no settings file, its appearance is the instant."""
    folder, old, new = two
    with turning_over(folder, new, tmp_path / "fresh.toml"):
        assert old == current_generation(folder)
        (tmp_path / "fresh.toml").write_text("", "utf-8")
        assert new == current_generation(folder)


@pytest.mark.parametrize(("written", "counts"), [(False, "old"), (True, "new")])
def test_an_interrupt_leaves_what_the_settings_say(
    two: tuple[Path, str, str], tmp_path: Path, written: bool, counts: str
) -> None:
    """Ctrl-C before the settings were replaced leaves the old generation, right after it the new one."""
    folder, old, new = two

    def change() -> None:
        with turning_over(folder, new, tmp_path / "settings.toml"):
            if written:
                (tmp_path / "settings.toml").write_text("new", "utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        change()
    assert ({"old": old, "new": new}[counts], True) == (current_generation(folder), settled(folder))


def test_settings_that_stay_as_they_are_agree(two: tuple[Path, str, str], tmp_path: Path) -> None:
    """A change that needs no other settings puts the generation in force at its end."""
    folder, _, new = two
    with turning_over(folder, new, tmp_path / "settings.toml"):
        pass
    assert (new, True) == (current_generation(folder), settled(folder))


def killed(folder: Path, new: str, settings: Path, *, written: bool) -> None:
    """The state that a process leaves that ended amid a change, before or after the settings."""
    opened = turning_over(folder, new, settings)
    opened.__enter__()
    pointer = (folder / "current.json").read_bytes()
    if written:
        settings.write_text("new", "utf-8")
    opened.__exit__(None, None, None)
    (folder / "current.json").write_bytes(pointer)


@pytest.mark.parametrize("written", [False, True])
def test_the_next_change_settles_what_a_dead_one_left(
    two: tuple[Path, str, str], tmp_path: Path, written: bool
) -> None:
    """Whoever takes the lock next decides as every reader did before: nothing moves."""
    folder, old, new = two
    killed(folder, new, tmp_path / "settings.toml", written=written)
    expected = new if written else old
    assert (expected, False) == (current_generation(folder), settled(folder))
    with scope_lock(folder):
        assert (expected, True) == (current_generation(folder), settled(folder))


def test_neither_side_of_an_open_change_is_collected(two: tuple[Path, str, str], tmp_path: Path) -> None:
    """As long as both may come in force, both stay."""
    folder, old, new = two
    with turning_over(folder, old, tmp_path / "settings.toml"):
        pass
    with turning_over(folder, new, tmp_path / "settings.toml"):
        sweep(folder)
        assert () == collect_garbage(folder, keep=0)
        assert (old, new) == generations(folder)


def test_a_side_that_is_gone_never_counts(two: tuple[Path, str, str], tmp_path: Path) -> None:
    """If the generation that the settings ask for was deleted, the other one is better than none."""
    folder, old, new = two
    killed(folder, new, tmp_path / "settings.toml", written=True)
    (folder / new / "pi-index.json").unlink()
    assert old == current_generation(folder)


@pytest.mark.parametrize("after", [0, 1])
def test_a_full_disk_never_parts_the_two(two: tuple[Path, str, str], tmp_path: Path, after: int) -> None:
    """If the pointer cannot be written, nothing changed; if it cannot be settled, the settings decide."""
    folder, old, new = two
    settings = tmp_path / "settings.toml"

    def change(write: Callable[[], object]) -> None:
        with turning_over(folder, new, settings, disk=FullDisk(after)):
            write()

    with pytest.raises(DiskError):
        change(lambda: None)
    assert old == current_generation(folder)
    if after:
        change(lambda: settings.write_text("new", "utf-8"))
        assert new == current_generation(folder)


def test_only_what_is_there_can_come_in_force(two: tuple[Path, str, str], tmp_path: Path) -> None:
    """A name that is no generation is refused before anything is written."""
    folder, old, _ = two
    with pytest.raises(NoSuchGeneration), turning_over(folder, "000009-00000000", tmp_path / "s"):
        raise AssertionError("the body ran")
    assert (old, True) == (current_generation(folder), settled(folder))


def test_no_generation_can_be_turned_to(two: tuple[Path, str, str], tmp_path: Path) -> None:
    """A scope that loses its last package turns to none, under the same rule."""
    folder, old, _ = two
    with turning_over(folder, None, tmp_path / "settings.toml"):
        assert old == current_generation(folder)
        (tmp_path / "settings.toml").unlink()
        assert current_generation(folder) is None
    assert not (folder / "current.json").exists()
