"""The extension system alone: two folders and given paths, found one level deep and loaded in order."""

from __future__ import annotations

import marshal
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pi_core.extensions.standalone import Loaded, discover_and_load
from tests.core.extensions.support import COUNTING, HELLO, private_modules, write


async def found(tmp_path: Path, *paths: Any, **how: Any) -> Loaded:
    """What stands in the trusted project at `tmp_path`, in its agent folder, and at the given paths."""
    given = {"home": tmp_path / "home", "trust": "always", **how}
    return await discover_and_load(tmp_path, tmp_path / "agent", paths, **given)


def names(loaded: Loaded, below: Path) -> list[str]:
    return [Path(extension.path).relative_to(below).as_posix() for extension in loaded.extensions]


async def test_a_folder_is_scanned_one_level_deep(tmp_path: Path) -> None:
    """F01: files, hidden ones too, and folders by their manifest or their `__init__.py`; nothing deeper."""
    folder = tmp_path / "agent" / "extensions"
    for path in (
        "b.py", "a.py", ".hid.py", "d/__init__.py", "e/src/__init__.py", "f/x.py", "f/__init__.py",
        "g/__init__.py", "h/__init__.py",
    ):  # fmt: skip
        write(folder / path, HELLO)
    write(folder / "c.txt", "no extension")
    write(folder / "f" / "pi.toml", 'extensions = ["x.py", "gone.py"]')
    write(folder / "g" / "pyproject.toml", '[tool.pi]\nextensions = ["gone.py"]')
    write(folder / "h" / "pi.toml", "extensions = [broken")
    loaded = await found(tmp_path)
    assert [".hid.py", "a.py", "b.py", "d", "f/x.py", "g", "h"] == names(loaded, folder)
    assert ((), ()) == (loaded.errors, loaded.notes)


async def test_the_order_is_project_agent_folder_paths(tmp_path: Path) -> None:
    """And that is their rank."""
    write(tmp_path / ".pi" / "extensions" / "p.py", HELLO)
    write(tmp_path / "agent" / "extensions" / "u.py", HELLO)
    write(tmp_path / "named.py", HELLO)
    loaded = await found(tmp_path, "./named.py", lambda pi: None)
    assert ["p.py", "u.py", "named.py", "<inline:2>"] == [Path(e.path).name for e in loaded.extensions]
    assert ["project", "user", "temporary", "temporary"] == [e.provenance.scope for e in loaded.extensions]


async def test_a_project_is_left_out_unless_somebody_trusts_it(tmp_path: Path) -> None:
    """TRUST 67: by default nothing of it runs, and what would have is told."""
    marker = tmp_path / "marker"
    write(tmp_path / ".pi" / "extensions" / "p.py", f"open({str(marker)!r}, 'w')")
    write(tmp_path / "agent" / "extensions" / "u.py", HELLO)
    loaded = await discover_and_load(tmp_path, tmp_path / "agent")
    assert ([tmp_path / "agent/extensions/u.py"], (), False) == (
        [Path(extension.path) for extension in loaded.extensions], loaded.errors, marker.exists(),
    )  # fmt: skip
    (told,) = loaded.diagnostics
    assert ("project-not-trusted", True) == (told.code, "p.py" in told.message)


async def test_compiled_code_of_a_project_is_not_used(tmp_path: Path) -> None:
    """Who trusts a project has looked at its sources, never at its `__pycache__`."""
    path = write(tmp_path / ".pi" / "extensions" / "p.py", "raise SystemExit('the source')")
    forged = write(tmp_path / "forged.py", HELLO)
    cache = Path(cache_from_source(str(path)))
    cache.parent.mkdir()
    code = compile(dedent(HELLO), str(forged), "exec")
    stat = path.stat()
    stamp = int(stat.st_mtime).to_bytes(4, "little") + stat.st_size.to_bytes(4, "little")
    cache.write_bytes(MAGIC_NUMBER + bytes(4) + stamp + marshal.dumps(code))
    loaded = await found(tmp_path)
    assert ["Failed to load extension: the source"] == [error.error for error in loaded.errors]


async def test_missing_folders_are_empty(tmp_path: Path) -> None:
    """Neither folder needs to be there."""
    assert () == (await found(tmp_path)).extensions


async def test_a_scanned_file_without_a_factory_is_a_note(tmp_path: Path) -> None:
    """ISO 73: a helper beside an extension; named, the same file is an error."""
    helper = write(tmp_path / "agent" / "extensions" / "helper.py", "X = 1")
    write(helper.parent / "good.py", HELLO)
    scanned = await found(tmp_path)
    assert ([], [str(helper)]) == ([e.path for e in scanned.errors], [note.path for note in scanned.notes])
    named = await found(tmp_path, helper)
    assert ([str(helper)], []) == ([e.path for e in named.errors], [note.path for note in named.notes])
    assert 1 == len(named.extensions)


async def test_an_error_is_a_path_and_a_sentence(tmp_path: Path) -> None:
    """F02, F03: each with its path; the others load, and diagnostics have the traceback."""
    bad = write(tmp_path / "bad.py", "def extension(pi): raise ValueError('out of tea')")
    empty, gone = write(tmp_path / "empty.py", ""), tmp_path / "gone.py"
    loaded = await found(tmp_path, bad, empty, gone, write(tmp_path / "good.py", HELLO))
    assert (
        (str(bad), "Failed to load extension: out of tea"),
        (str(empty), f"Extension does not export a valid factory function: {empty}"),
        (str(gone), f"Extension path does not exist: {gone}"),
    ) == loaded.errors
    assert [str(tmp_path / "good.py")] == [extension.path for extension in loaded.extensions]
    assert "out of tea" in (loaded.diagnostics[0].detail or "")


@pytest.mark.parametrize("text", ["~/mine.py", "./sub/../mine.py", "mine.py", "my\u00a0file.py"])
async def test_paths_are_read_as_people_write_them(tmp_path: Path, text: str) -> None:
    """Relative to the project, below the home folder, with blanks that only look like blanks."""
    for path in (tmp_path / "home" / "mine.py", tmp_path / "mine.py", tmp_path / "my file.py"):
        write(path, HELLO)
    (tmp_path / "sub").mkdir()
    loaded = await found(tmp_path, text)
    assert () == loaded.errors
    expected = "home/mine.py" if text[0] == "~" else "my file.py" if "my\u00a0" in text else "mine.py"
    assert [expected] == names(loaded, tmp_path)


async def test_a_named_folder_is_entered_or_scanned(tmp_path: Path) -> None:
    """A package is one extension; a folder of files is as many; an empty one is an error."""
    write(tmp_path / "package" / "__init__.py", HELLO)
    write(tmp_path / "many" / "a.py", HELLO)
    write(tmp_path / "many" / "b.py", HELLO)
    (tmp_path / "none").mkdir()
    loaded = await found(tmp_path, "package", "many", "none")
    assert ["package", "many/a.py", "many/b.py"] == names(loaded, tmp_path)
    assert [str(tmp_path / "none")] == [error.path for error in loaded.errors]


async def test_a_manifest_may_name_globs_and_folders(tmp_path: Path) -> None:
    """Entries that leave the folder are not followed."""
    folder = tmp_path / "agent" / "extensions" / "pack"
    write(tmp_path / "agent" / "outside.py", "raise AssertionError")
    for name in ("ext/b.py", "ext/a.py", "more/c.py"):
        write(folder / name, HELLO)
    write(folder / "pi.toml", 'extensions = ["more", "ext/*.py", "../../outside.py"]')
    loaded = await found(tmp_path)
    assert ["more/c.py", "ext/a.py", "ext/b.py"] == names(loaded, folder)
    assert () == loaded.errors


async def test_what_comes_twice_is_loaded_once(tmp_path: Path) -> None:
    """At its first place."""
    path = write(tmp_path / "agent" / "extensions" / "a.py", HELLO)
    other = write(tmp_path / "other.py", HELLO)
    loaded = await found(tmp_path, other, path, str(path))
    assert [str(path), str(other)] == [extension.path for extension in loaded.extensions]


async def test_modules_handed_on_keep_their_state(tmp_path: Path) -> None:
    """F04: the module is evaluated once, the factory runs twice; without them everything is anew."""
    path = write(tmp_path / "c.py", COUNTING)
    first = await found(tmp_path, path)
    second = await found(tmp_path, path, modules=first.modules)
    third = await found(tmp_path, path)
    assert [["n1"], ["n2"], ["n1"]] == [list(x.extensions[0].flags) for x in (first, second, third)]


async def test_ending_it_leaves_no_module(tmp_path: Path) -> None:
    """`modules.clear()` is all that an embedder does."""
    before, path = private_modules(), write(tmp_path / "c.py", COUNTING)
    loaded = await found(tmp_path, path)
    loaded.modules.clear()
    assert before == private_modules()
    assert str(tmp_path) not in sys.path
