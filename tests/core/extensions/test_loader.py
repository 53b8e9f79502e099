"""A request becomes an extension, or a diagnostic; the others go on either way."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pi_core.extensions.actions import Runtime
from pi_core.extensions.loader import load_extensions
from pi_core.extensions.module_cache import ModuleCache
from tests.core.extensions.support import COUNTING, HELLO, ask, inline, load, load_source, refusal, write


async def test_a_file_is_an_extension(tmp_path: Path) -> None:
    """A `.py` file with a callable `extension` is one."""
    loaded = await load_source(tmp_path / "hello.py", HELLO)
    assert ["hello"] == list(loaded.extensions[0].commands)


async def test_a_folder_is_an_extension(tmp_path: Path) -> None:
    """A folder is entered by its `__init__.py`, and its modules import each other relatively."""
    write(
        tmp_path / "ext" / "__init__.py",
        "from .names import NAME\ndef extension(pi): pi.register_command(NAME, print)",
    )
    write(tmp_path / "ext" / "names.py", "NAME = 'deep'")
    loaded = await load(tmp_path / "ext")
    assert ["deep"] == list(loaded.extensions[0].commands)


async def test_an_async_factory_is_awaited(tmp_path: Path) -> None:
    """What an async factory registers after an await counts."""
    loaded = await load_source(
        tmp_path / "slow.py",
        """
        import asyncio
        async def extension(pi):
            await asyncio.sleep(0)
            pi.register_command("late", print)
        """,
    )
    assert ["late"] == list(loaded.extensions[0].commands)


async def test_factories_run_one_after_another(tmp_path: Path) -> None:
    """The second factory begins when the first, async one, has returned."""
    order: list[str] = []

    async def first(pi: object) -> None:
        import asyncio

        await asyncio.sleep(0.01)
        order.append("first")

    await load(inline(first, 1), inline(lambda pi: order.append("second"), 2))
    assert ["first", "second"] == order


async def test_relative_paths_count_from_the_working_folder(tmp_path: Path) -> None:
    """A relative path is resolved against `cwd` and kept as it was given."""
    write(tmp_path / "e.py", HELLO)
    loaded = await load_extensions([ask("./e.py")], Runtime(), cwd=str(tmp_path))
    assert ["./e.py"] == [extension.path for extension in loaded.extensions]


@pytest.mark.parametrize(
    "body",
    [
        "raise RuntimeError('no')",
        "raise SystemExit(3)",
        "raise KeyboardInterrupt",
        "import asyncio; raise asyncio.CancelledError",
    ],
)
@pytest.mark.parametrize("form", ["def", "async def"])
async def test_whatever_a_factory_raises_is_a_diagnostic(tmp_path: Path, form: str, body: str) -> None:
    """F03: SystemExit and KeyboardInterrupt of a factory end nothing, and the next extension loads."""
    bad = write(tmp_path / "bad.py", f"{form} extension(pi):\n    {body}\n")
    good = write(tmp_path / "good.py", HELLO)
    loaded = await load(bad, good)
    assert [str(good)] == [extension.path for extension in loaded.extensions]
    (error,) = loaded.errors
    assert ("error", "extension-factory-failed", "factory", str(bad)) == (
        error.severity, error.code, error.stage, error.path,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import sys; sys.exit(3)", "sys.exit(3) was called"),
        ("import sys; sys.exit()", "sys.exit() was called"),
        ("import sys; sys.exit('not on this system')", "not on this system"),
    ],
)
async def test_an_exit_is_told_in_words(tmp_path: Path, body: str, said: str) -> None:
    """A factory that wants the program to end is told with what it said, or that it did."""
    loaded = await load(write(tmp_path / "bad.py", f"def extension(pi):\n    {body}\n"))
    assert f"Failed to load extension: {said}" == loaded.errors[0].message


@pytest.mark.parametrize("body", ["raise SystemExit", "raise KeyboardInterrupt", "1 / 0", "def ("])
async def test_whatever_a_module_raises_is_a_diagnostic(tmp_path: Path, body: str) -> None:
    """An import that fails, whichever way, is one diagnostic with the traceback of the author's file."""
    error = await refusal(tmp_path / "bad.py", body)
    assert "extension-import-failed" == error.code
    assert "bad.py" in (error.detail or "")
    assert "modules.py" not in (error.detail or "")


async def test_the_message_says_what_was_raised(tmp_path: Path) -> None:
    """F03: the text of the exception follows the reference's words."""
    error = await refusal(tmp_path / "bad.py", "def extension(pi):\n    raise ValueError('out of tea')")
    assert "Failed to load extension: out of tea" == error.message


async def test_a_module_without_a_way_in_is_refused(tmp_path: Path) -> None:
    """F02: neither a factory nor hooks; the path is named as it was given."""
    error = await refusal(tmp_path / "empty.py", "X = 1")
    assert f"Extension does not export a valid factory function: {tmp_path / 'empty.py'}" == error.message


async def test_a_factory_that_is_no_function_is_refused(tmp_path: Path) -> None:
    """F02: `extension` must be callable."""
    error = await refusal(tmp_path / "odd.py", "extension = 7")
    assert "extension-no-factory" == error.code
    assert "int" in (error.hint or "")


async def test_a_helper_found_by_chance_is_only_a_note(tmp_path: Path) -> None:
    """A scanned file without a way in may be a helper of its neighbour; one that was named is an error."""
    helper = write(tmp_path / "helper.py", "X = 1")
    chance = await load(ask(helper, source="auto", explicit=False))
    named = await load(ask(helper, source="auto", explicit=True))
    assert ["info", "error"] == [chance.errors[0].severity, named.errors[0].severity]


async def test_an_inline_factory_fails_alike() -> None:
    """F10, as designed: the label is the path, the text is in the message."""

    def factory(pi: object) -> None:
        raise ValueError("q")

    loaded = await load(inline(factory))
    assert ("<inline:1>", "Failed to load extension: q") == (loaded.errors[0].path, loaded.errors[0].message)


async def test_an_exception_without_a_text_is_named(tmp_path: Path) -> None:
    """F10, as designed: a bare exception is told by its class."""
    error = await refusal(tmp_path / "bad.py", "def extension(pi):\n    raise LookupError")
    assert "Failed to load extension: LookupError" == error.message


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("absent.py", "extension-missing"),
        ("folder", "extension-not-a-package"),
        ("notes.txt", "extension-not-python"),
    ],
)
async def test_a_place_without_code_is_refused(tmp_path: Path, name: str, code: str) -> None:
    """A missing path, a folder without `__init__.py`, a file that is no Python: each has its own code."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    loaded = await load(tmp_path / name)
    assert [code] == [error.code for error in loaded.errors]


@pytest.mark.parametrize("source", ["def extension(): pass", "def extension(pi, more): pass"])
async def test_a_factory_takes_one_argument(tmp_path: Path, source: str) -> None:
    """A factory of another form is refused with its file and line, before it is called."""
    error = await refusal(tmp_path / "odd.py", source)
    assert "bad-factory" == error.code
    assert "odd.py:1" in error.message


async def test_a_factory_with_a_yield_is_refused(tmp_path: Path) -> None:
    """Calling a generator function runs nothing, so nothing would be registered."""
    error = await refusal(tmp_path / "gen.py", "def extension(pi):\n    yield")
    assert "bad-factory" == error.code


async def test_a_missing_library_is_told_from_a_missing_module(tmp_path: Path) -> None:
    """The hint names the module that the extension lacks, not the extension."""
    error = await refusal(tmp_path / "bad.py", "import surely_not_installed_anywhere.x")
    assert "surely_not_installed_anywhere" in (error.hint or "")


async def test_an_absolute_import_of_a_sibling_gets_advice(tmp_path: Path) -> None:
    """Siblings are imported relatively; the hint says how."""
    write(tmp_path / "sibling_of_mine.py", "X = 1")
    error = await refusal(tmp_path / "bad.py", "import sibling_of_mine")
    assert "from . import sibling_of_mine" in (error.hint or "")


async def test_a_session_in_the_same_folder_reuses_modules(tmp_path: Path) -> None:
    """F04: two loads with one cache evaluate the module once and run the factory twice."""
    counting = write(
        tmp_path / "c.py",
        COUNTING,
    )
    cache = ModuleCache()
    await load(counting, modules=cache)
    again = await load(counting, modules=cache)
    assert ["n2"] == list(again.extensions[0].flags)


@pytest.mark.parametrize("change", ["cwd", "clear"])
async def test_another_folder_or_a_reload_evaluates_again(tmp_path: Path, change: str) -> None:
    """F05: the cache holds for one folder and until it is cleared."""
    counting = write(
        tmp_path / "c.py",
        COUNTING,
    )
    cache = ModuleCache()
    await load(counting, modules=cache, cwd=str(tmp_path))
    if change == "clear":
        cache.clear()
    again = await load(counting, modules=cache, cwd=str(tmp_path if change == "clear" else tmp_path.parent))
    assert ["n1"] == list(again.extensions[0].flags)


async def test_each_load_of_a_file_is_a_module_of_its_own(tmp_path: Path) -> None:
    """Without a cache the module is evaluated anew; both copies stand side by side."""
    path = write(
        tmp_path / "c.py",
        COUNTING,
    )
    first, second = await load(path), await load(path)
    assert ["n1", "n1"] == [next(iter(loaded.extensions[0].flags)) for loaded in (first, second)]


async def test_the_time_of_each_load_is_known(tmp_path: Path) -> None:
    """`load_ms` covers import and factory."""
    loaded = await load_source(tmp_path / "t.py", "import time\ndef extension(pi): time.sleep(0.02)")
    assert 20 <= loaded.extensions[0].load_ms < 5000


async def test_sys_path_is_never_edited_for_a_file(tmp_path: Path) -> None:
    """Neither a file nor a folder puts anything on sys.path."""
    before = list(sys.path)
    await load_source(tmp_path / "hello.py", HELLO)
    assert before == sys.path
