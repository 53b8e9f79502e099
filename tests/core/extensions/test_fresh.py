"""Sources are read as they are now: bytecode counts only if it is younger, whole and of this very text."""

from __future__ import annotations

import os
import py_compile
import shutil
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from pi_core.extensions.fresh import FreshFinder, FreshLoader, bytecode_of, execute, new_module
from tests.core.extensions.support import HELLO, ask, load, write


@pytest.fixture(autouse=True)
def bytecode_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment of the tests says."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)


def run(path: Path) -> ModuleType:
    """A new module of the file, as the next process would have it."""
    module = new_module("acme_fresh", str(path), package=False)
    execute(module)
    return module


def bytecode(path: Path) -> Path:
    return Path(bytecode_of(str(path)) or "")


def settle(path: Path, seconds: int = 1_700_000_000) -> None:
    """Put the source well before its bytecode, as after a pause."""
    os.utime(path, (seconds, seconds))


def test_bytecode_is_written_and_used(tmp_path: Path) -> None:
    """The second run reads the bytecode: the source is not even compiled."""
    path = write(tmp_path / "m.py", "X = 1")
    settle(path)
    run(path)
    other = write(tmp_path / "other.py", "X = 2")
    settle(other)
    forged = py_compile.compile(str(other), str(tmp_path / "forged.pyc"), dfile=str(path))
    shutil.copy(forged or "", bytecode(path))
    assert 2 == run(path).X


def test_an_edit_in_the_same_second_and_of_the_same_size_is_seen(tmp_path: Path) -> None:
    """LIFE 107: Python's own check, by whole seconds and sizes, would run the old code in a new process."""
    path = write(tmp_path / "m.py", "X = 1")
    run(path)
    before = path.stat()
    write(path, "X = 2")
    os.utime(path, ns=(before.st_atime_ns, max(path.stat().st_mtime_ns, before.st_mtime_ns)))
    assert 2 == run(path).X


def test_bytecode_as_old_as_its_source_does_not_count(tmp_path: Path) -> None:
    """Where the clock ticks coarsely the two may look equally old, and then nobody knows."""
    path = write(tmp_path / "m.py", "X = 1")
    settle(path)
    run(path)
    same = path.stat().st_mtime_ns
    write(path, "X = 2")
    os.utime(path, ns=(same, same))
    os.utime(bytecode(path), ns=(same, same))
    assert 2 == run(path).X


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 40])
def test_damaged_bytecode_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    """A file that is no bytecode, or a part of one, is passed over."""
    path = write(tmp_path / "m.py", "X = 1")
    settle(path)
    run(path)
    whole = bytecode(path).read_bytes()
    bytecode(path).write_bytes(damage or whole[:20])
    assert 1 == run(path).X
    assert whole == bytecode(path).read_bytes()


def test_bytecode_judged_by_content_is_judged_by_content(tmp_path: Path) -> None:
    """What a reproducible build brings counts while the text is the same, whatever the times say."""
    path = write(tmp_path / "m.py", "X = 1")
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    py_compile.compile(str(path), invalidation_mode=checked)
    kept = bytecode(path).read_bytes()
    assert 1 == run(path).X
    assert kept == bytecode(path).read_bytes()
    write(path, "X = 2")
    assert 2 == run(path).X


def test_a_copied_folder_names_its_own_files(tmp_path: Path) -> None:
    """Bytecode that came along from another place is not used: tracebacks would name that place."""
    path = write(tmp_path / "a" / "m.py", "def f(): pass")
    settle(path)
    run(path)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    copied = tmp_path / "b" / "m.py"
    assert str(copied) == run(copied).f.__code__.co_filename


def test_an_edit_while_it_is_compiled_leaves_no_bytecode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written then may be of the older text, under the time of the newer one."""
    path = write(tmp_path / "m.py", "X = 1")
    settle(path)
    plain = FreshLoader.source_to_code

    def edited_meanwhile(self: FreshLoader, *given: object, **more: object) -> object:
        write(path, "X = 2")
        return plain(self, *given, **more)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(FreshLoader, "source_to_code", edited_meanwhile)
    assert 1 == run(path).X
    assert not bytecode(path).exists()


def test_without_a_place_for_bytecode_the_source_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be written, or an interpreter that keeps none, costs time only."""
    path = write(tmp_path / "m.py", "X = 1")
    monkeypatch.setattr(sys, "pycache_prefix", str(path))
    assert 1 == run(path).X
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    assert 1 == run(path).X


async def test_helpers_are_fresh_too(tmp_path: Path) -> None:
    """The files that an extension imports relatively are loaded the same way, packages among them."""
    write(tmp_path / "ext" / "__init__.py", "from . import part\nfrom .deep import name\n" + dedent(HELLO))
    write(tmp_path / "ext" / "part.py", "")
    write(tmp_path / "ext" / "deep" / "__init__.py", "from .name import NAME")
    write(tmp_path / "ext" / "deep" / "name.py", "NAME = 1")
    assert () == (await load(tmp_path / "ext")).errors
    ours = [module for name, module in sys.modules.items() if name.startswith("pi_ext_ext_")]
    assert [FreshLoader] * 4 == [type(module.__loader__) for module in ours]


async def test_a_package_with_a_name_of_its_own_is_fresh_too(tmp_path: Path) -> None:
    """An edit of a source tree counts in the next process, too, whatever second it falls into."""
    root = tmp_path / "src"
    write(root / "acme_fresh_package" / "__init__.py", "from . import part\n" + dedent(HELLO))
    write(root / "acme_fresh_package" / "part.py", "")
    try:
        loaded = await load(ask("acme", module="acme_fresh_package", import_root=str(root)))
        assert () == loaded.errors
        names = ("acme_fresh_package", "acme_fresh_package.part")
        assert [FreshLoader, FreshLoader] == [type(sys.modules[name].__loader__) for name in names]
    finally:
        loaded.modules.clear()
        sys.path.remove(str(root))


async def test_there_is_one_finder(tmp_path: Path) -> None:
    """However many loads there were, sys.meta_path grew by one."""
    for name in ("a.py", "b.py"):
        await load(write(tmp_path / name, HELLO))
    assert 1 == len([found for found in sys.meta_path if isinstance(found, FreshFinder)])


async def test_other_modules_are_none_of_our_business(tmp_path: Path) -> None:
    """A library that an extension imports is found and loaded as ever."""
    write(tmp_path / "acme_plain_library.py", "X = 1")
    sys.path.append(str(tmp_path))
    try:
        await load(write(tmp_path / "ext" / "e.py", "import acme_plain_library\n" + dedent(HELLO)))
        assert type(sys.modules["acme_plain_library"].__loader__) is not FreshLoader
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("acme_plain_library", None)
