"""The rules of `read`, `write` and `edit` beyond the recorded ones: odd files, odd names, refusals.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import text_of
from pi_core.abort import AbortController, AbortedError
from pi_core.errors import ToolError
from pi_core.tools.builtin import DEFAULT_ACTIVE_TOOLS, builtin_tools
from pi_core.tools.edit import prepare_edit_arguments
from pi_core.tools.edit_match import EditError
from pi_core.tools.operations import MAX_FILE_BYTES
from pi_core.tools.read import ReadError


async def call(
    cwd: Path, name: str, params: dict[str, Any], *, home: str | None = None, ctx: Any = None
) -> Any:
    return await builtin_tools(str(cwd), home=home)[name].execute("call", params, None, None, ctx)


async def edit(cwd: Path, old: str, new: str, name: str = "f") -> Any:
    return await call(cwd, "edit", {"path": name, "edits": [{"oldText": old, "newText": new}]})


def test_every_builtin_tool_is_complete(tmp_path: Path) -> None:
    """Each tool has a schema with its required parameters and a snippet; the default ones have guidelines."""
    tools = builtin_tools(str(tmp_path))
    assert {*DEFAULT_ACTIVE_TOOLS, "grep", "find", "ls"} == set(tools)
    for tool in tools.values():
        assert set(tool.parameters.get("required", ())) <= set(tool.parameters["properties"])
        assert tool.prompt_snippet
        assert bool(tool.prompt_guidelines) == (tool.name in DEFAULT_ACTIVE_TOOLS)


async def test_write_makes_folders_and_tells_the_size(tmp_path: Path) -> None:
    """A new file is made with its folders; the answer counts bytes."""
    result = await call(tmp_path, "write", {"path": "@a/b/c.txt", "content": "日本\n"})
    assert "日本\n".encode() == (tmp_path / "a/b/c.txt").read_bytes()
    assert "Wrote 7 bytes to @a/b/c.txt." == text_of(result.content)


async def test_write_keeps_newlines_links_and_mode(tmp_path: Path) -> None:
    """The content is written as it is, through links, and the file's mode stays."""
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o750)
    (tmp_path / "link").symlink_to("f")
    await call(tmp_path, "write", {"path": "link", "content": "a\r\nb\rc\n"})
    assert b"a\r\nb\rc\n" == (tmp_path / "f").read_bytes()
    assert 0o750 == (tmp_path / "f").stat().st_mode & 0o777
    assert (tmp_path / "link").is_symlink()


async def test_write_joins_half_characters(tmp_path: Path) -> None:
    """Halves of a character, as JSON may bring them, become valid text."""
    await call(tmp_path, "write", {"path": "f", "content": "\ud83d\ude00 \ud83d"})
    assert "😀 \ufffd" == (tmp_path / "f").read_text()


async def test_home_is_a_value(tmp_path: Path) -> None:
    """`~` means the given home; without one it is a name like any other."""
    await call(tmp_path, "write", {"path": "~/f", "content": "x"}, home=str(tmp_path / "home"))
    await call(tmp_path, "write", {"path": "~/f", "content": "y"})
    assert ("x", "y") == ((tmp_path / "home/f").read_text(), (tmp_path / "~/f").read_text())


@pytest.mark.parametrize("name", ["write", "edit", "read"])
async def test_aborted_call_changes_nothing(tmp_path: Path, name: str) -> None:
    """A call whose signal is aborted does nothing."""
    (tmp_path / "f").write_text("old")
    controller = AbortController()
    controller.abort()
    params = {"path": "f", "content": "new", "edits": [{"oldText": "old", "newText": "new"}]}
    with pytest.raises(AbortedError, match="Operation aborted"):
        await builtin_tools(str(tmp_path))[name].execute("call", params, controller.signal, None, None)
    assert "old" == (tmp_path / "f").read_text()


async def test_unwritable_target_is_named(tmp_path: Path) -> None:
    """What the file system refuses is told with the path."""
    with pytest.raises(ToolError, match=r"Cannot write \.: "):
        await call(tmp_path, "write", {"path": ".", "content": "x"})


async def test_edit_leaves_bytes_alone_that_are_no_text(tmp_path: Path) -> None:
    """Bytes of an unknown encoding survive an edit elsewhere in the file."""
    (tmp_path / "f").write_bytes(b"caf\xe9 = 1\r\nsize = 2\r\n")
    result = await edit(tmp_path, "size = 2", "size = 3")
    assert b"caf\xe9 = 1\r\nsize = 3\r\n" == (tmp_path / "f").read_bytes()
    result.details["diff"].encode("utf-8")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
async def test_edit_keeps_utf16(tmp_path: Path, encoding: str) -> None:
    """A file with a UTF-16 mark is edited as text and stays UTF-16."""
    (tmp_path / "f").write_bytes("\ufeffeins\r\nzwei\r\n".encode(encoding))
    await edit(tmp_path, "zwei", "drei 😀")
    assert "\ufeffeins\r\ndrei 😀\r\n" == (tmp_path / "f").read_bytes().decode(encoding)
    shown = await call(tmp_path, "read", {"path": "f"})
    assert "drei 😀" in text_of(shown.content)


async def test_edit_of_a_marked_file_of_odd_length(tmp_path: Path) -> None:
    """First bytes that look like a UTF-16 mark mean nothing in a file of odd length."""
    (tmp_path / "f").write_bytes(b"\xff\xfeabc")
    await edit(tmp_path, "abc", "xyz")
    assert b"\xff\xfexyz" == (tmp_path / "f").read_bytes()


async def test_edit_details_show_the_change(tmp_path: Path) -> None:
    """The details hold numbered lines, a patch and the first changed line."""
    (tmp_path / "f").write_text("".join(f"line {n}\n" for n in range(1, 31)))
    result = await edit(tmp_path, "line 10\n", "ten\nand a half\n")
    assert 10 == result.details["firstChangedLine"]
    assert "-10 line 10\n+10 ten\n+11 and a half\n 12 line 11" in result.details["diff"]
    assert "@@ -6,9 +6,10 @@\n line 6\n" in result.details["patch"]
    assert "-line 10\n+ten\n+and a half\n" in result.details["patch"]


async def test_patch_tells_of_a_missing_last_newline(tmp_path: Path) -> None:
    """A last line without a newline is marked as patches mark it."""
    (tmp_path / "f").write_text("a\nb")
    result = await edit(tmp_path, "b", "c\n")
    assert "-b\n\\ No newline at end of file\n+c\n" in result.details["patch"]


@pytest.mark.parametrize(
    ("text", "old", "problem"),
    [
        ("aa", "a", "not_unique"),
        ("a", "b", "not_found"),
        ("a", "", "empty_old_text"),
        ("a", "a", "no_change"),
    ],
)
async def test_refused_edit_says_where(tmp_path: Path, text: str, old: str, problem: str) -> None:
    """A refused edit names the file and changes nothing."""
    (tmp_path / "f").write_text(text)
    with pytest.raises(EditError, match=r"\bf\b") as caught:
        await edit(tmp_path, old, "a")
    assert problem == caught.value.problem
    assert text == (tmp_path / "f").read_text()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"path": "f", "edits": '[{"oldText": "a", "newText": "b"}]'}, [{"oldText": "a", "newText": "b"}]),
        ({"path": "f", "edits": {"oldText": "a", "newText": "b"}}, [{"oldText": "a", "newText": "b"}]),
        ({"path": "f", "oldText": "a", "newText": "b"}, [{"oldText": "a", "newText": "b"}]),
        ({"path": "f", "edits": "no json"}, "no json"),
    ],
)
def test_near_misses_of_the_schema_are_put_right(given: dict[str, Any], expected: Any) -> None:
    """Shapes whose meaning is plain become the schema's; others are left to validation."""
    assert {"path": "f", "edits": expected} == prepare_edit_arguments(given)


def test_arguments_that_are_no_object_pass() -> None:
    """What is no object at all is left to validation."""
    assert prepare_edit_arguments("text") == "text"


async def test_unreadable_path_is_named(tmp_path: Path) -> None:
    """What the file system refuses to read is told with the path."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ReadError, match="Cannot read loop"):
        await call(tmp_path, "read", {"path": "loop"})


@pytest.mark.parametrize("name", ["read", "edit"])
async def test_a_file_without_end_is_refused(tmp_path: Path, name: str) -> None:
    """Devices and pipes are no files: reading them might never begin, or never end."""
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(ToolError, match="Cannot read zero: it is a device, a pipe or a socket"):
        await call(tmp_path, name, {"path": "zero", "edits": [{"oldText": "a", "newText": "b"}]})


async def test_a_file_beyond_memory_is_refused(tmp_path: Path) -> None:
    """A huge file is not read as a whole; the sentence names its size and the way."""
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(ReadError, match=r"Cannot read huge: it has 256\.0MB; take a part of it with bash"):
        await call(tmp_path, "read", {"path": "huge"})


async def test_binary_file_is_readable_text(tmp_path: Path) -> None:
    """Bytes that are no text are shown as visible marks, never as half characters."""
    (tmp_path / "f").write_bytes(b"a\xff\x00b")
    result = await call(tmp_path, "read", {"path": "f"})
    assert "a\ufffd\x00b" == text_of(result.content)


async def test_read_truncation_names_the_next_line(tmp_path: Path) -> None:
    """2500 lines show 2000, and the notice names line 2001. (host C87)"""
    (tmp_path / "f").write_text("row\n" * 2500)
    text = text_of((await call(tmp_path, "read", {"path": "f"})).content)
    assert text.endswith("[Showing lines 1-2000 of 2501. Go on with offset=2001.]")
