"""The rules of `ls`, `find` and `grep` beyond the recorded ones.

Touches: files.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import text_of
from pi_core.abort import AbortController, AbortedError
from pi_core.tools.builtin import builtin_tools
from pi_core.tools.look_error import LookError
from pi_core.tools.name_order import name_key
from pi_core.tools.search_aside import grep_aside
from pi_core.tools.searching import MAX_SEARCHED_BYTES, GrepRequest, grep_here, may_take_for_ever


async def look(cwd: Path, name: str, **params: Any) -> str:
    result = await builtin_tools(str(cwd))[name].execute("call", params, None, None, None)
    return text_of(result.content)


def plant(root: Path, *names: str, text: str = "needle\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def test_empty_folder(tmp_path: Path) -> None:
    """A folder with nothing in it says so."""
    assert "(empty directory)" == await look(tmp_path, "ls")


def test_names_in_the_order_of_people() -> None:
    """Punctuation, digits, letters; accents and case decide only between equal letters."""
    names = ["f", "é", "E", "e", "10", "9", "_a", ".b", "B"]
    assert ["_a", ".b", "10", "9", "B", "e", "E", "é", "f"] == sorted(names, key=name_key)


async def test_rules_of_the_repository_hold_below(tmp_path: Path) -> None:
    """What the repository ignores is ignored in a search of one of its folders too."""
    plant(tmp_path, ".git/HEAD", "sub/a.txt", "sub/a.log")
    plant(tmp_path, ".gitignore", text="*.log\n")
    assert "a.txt" == await look(tmp_path, "find", pattern="a.*", path="sub")


async def test_rules_outside_the_repository_do_not_hold(tmp_path: Path) -> None:
    """Ignore files above the repository, or above a folder that is in none, mean nothing."""
    plant(tmp_path, "repo/.git/HEAD", "repo/a.txt", "free/a.txt")
    plant(tmp_path, ".gitignore", text="*.txt\n")
    assert "a.txt" == await look(tmp_path, "find", pattern="a.*", path="repo")
    assert "a.txt" == await look(tmp_path, "find", pattern="a.*", path="free")


async def test_links_to_folders_are_shown_and_not_entered(tmp_path: Path) -> None:
    """A link in a circle is one entry."""
    plant(tmp_path, "d/a.txt")
    (tmp_path / "d/again").symlink_to("..")
    assert "d/\nd/a.txt\nd/again" == await look(tmp_path, "find", pattern="**/*")


async def test_binary_and_special_files_are_not_searched(tmp_path: Path) -> None:
    """Files with zero bytes, and links to nothing, have no lines."""
    plant(tmp_path, "text.txt")
    (tmp_path / "bin").write_bytes(b"needle\0")
    (tmp_path / "dead").symlink_to("nowhere")
    assert "text.txt:1: needle" == await look(tmp_path, "grep", pattern="needle")


async def test_utf16_is_searched(tmp_path: Path) -> None:
    """A file with a UTF-16 mark is text."""
    (tmp_path / "w.txt").write_bytes("\ufeffeins\r\nneedle\r\n".encode("utf-16-le"))
    assert "w.txt:2: needle" == await look(tmp_path, "grep", pattern="needle")


async def test_case_is_ignored_on_request(tmp_path: Path) -> None:
    """Upper and lower case differ unless they shall not."""
    plant(tmp_path, "a.txt", text="Needle\n")
    assert "No matches found." == await look(tmp_path, "grep", pattern="needle")
    assert "a.txt:1: Needle" == await look(tmp_path, "grep", pattern="needle", ignoreCase=True)


@pytest.mark.parametrize("name", ["find", "grep", "ls"])
async def test_missing_place_is_named(tmp_path: Path, name: str) -> None:
    """A place that is not there is told by its name."""
    with pytest.raises(LookError, match="nowhere"):
        await look(tmp_path, name, pattern="x", path="nowhere")


@pytest.mark.parametrize("name", ["find", "grep", "ls"])
async def test_aborted_search_ends(tmp_path: Path, name: str) -> None:
    """An aborted signal ends a search."""
    controller = AbortController()
    controller.abort()
    tool = builtin_tools(str(tmp_path))[name]
    with pytest.raises(AbortedError):
        await tool.execute("call", {"pattern": "x"}, controller.signal, None, None)


async def test_output_has_a_limit(tmp_path: Path) -> None:
    """More than 50 KiB of matches are cut at a whole line, and the result says so."""
    plant(tmp_path, "a.txt", text=("needle" + "x" * 490 + "\n") * 150)
    text = await look(tmp_path, "grep", pattern="needle", limit=150)
    assert text.endswith("[50KB limit.]")
    assert len(text) < 52_000


EVIL = GrepRequest(path=".", pattern="(a+)+b", limit=100)


async def test_a_search_without_end_is_ended_by_an_abort(tmp_path: Path) -> None:
    """An expression that would keep Python busy for years holds nobody: the abort ends it, the loop runs."""
    plant(tmp_path, "a.txt", text="a" * 60 + "\n")
    controller = AbortController()
    asyncio.get_running_loop().call_later(0.5, controller.abort)
    tool = builtin_tools(str(tmp_path))["grep"]
    began = time.monotonic()
    with pytest.raises(AbortedError):
        await tool.execute("call", {"pattern": EVIL.pattern}, controller.signal, None, None)
    assert time.monotonic() - began < 5


async def test_a_search_has_a_time_limit(tmp_path: Path) -> None:
    """A search that nobody aborts ends by itself, and the sentence says what to do."""
    plant(tmp_path, "a.txt", text="a" * 60 + "\n")
    with pytest.raises(LookError, match=r"longer than 0\.5 seconds; use a simpler pattern"):
        await grep_aside(replace(EVIL, path=str(tmp_path)), None, limit_s=0.5)


@pytest.mark.parametrize(
    "wanted",
    [
        GrepRequest(path="", pattern="n[e]+dle", limit=2, context=1),
        GrepRequest(path="", pattern="N.*", limit=9, ignore_case=True, glob="*.md"),
        GrepRequest(path="", pattern="nothing+", limit=9),
    ],
    ids=lambda wanted: wanted.pattern,
)
async def test_aside_is_found_what_is_found_here(tmp_path: Path, wanted: GrepRequest) -> None:
    """Both ways of searching give the same lines."""
    plant(tmp_path, "a.txt", "b/c.md", text="one\nneedle ü\nthree\n")
    wanted = replace(wanted, path=str(tmp_path))
    assert may_take_for_ever(wanted)
    assert grep_here(wanted, None) == await grep_aside(wanted, None)


async def test_without_a_python_to_start_is_looked_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that embeds pi need not be an interpreter."""
    plant(tmp_path, "a.txt")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert "a.txt:1: needle" == await look(tmp_path, "grep", pattern="ne+dle")


@pytest.mark.parametrize(("pattern", "literal"), [("need[le]", False), ("a+b*", True)])
def test_what_repeats_nothing_is_looked_for_at_once(pattern: str, literal: bool) -> None:
    """Texts, and expressions without repetition, need no program of their own."""
    assert not may_take_for_ever(GrepRequest(path="", pattern=pattern, literal=literal, limit=1))


@pytest.mark.parametrize("name", ["ls", "find", "grep"])
async def test_names_that_are_no_text_are_marked(tmp_path: Path, name: str) -> None:
    """A file's name may be any bytes; what a model reads is text."""
    (tmp_path / "caf\udce9.txt").write_text("needle\n")
    text = await look(tmp_path, name, pattern="*" if name == "find" else "needle")
    assert text.startswith("caf\ufffd.txt")


async def test_files_beyond_memory_are_not_searched(tmp_path: Path) -> None:
    """A huge file is left out of a search, and the result says so, whatever else was found."""
    plant(tmp_path, "a.txt")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(MAX_SEARCHED_BYTES + 1)
    assert "a.txt:1: needle\n\n[1 file larger than 256.0MB left out.]" == await look(
        tmp_path, "grep", pattern="needle"
    )
    assert "No matches found.\n\n[1 file larger than 256.0MB left out.]" == await look(
        tmp_path, "grep", pattern="no+thing"
    )
