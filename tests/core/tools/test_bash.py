"""The rules of the `bash` tool.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import ToolResult
from hookspecs.messages import text_of
from pi_core.abort import AbortController, AbortSignal
from pi_core.errors import ToolError
from pi_core.tools.bash import BashSettings, bash_tool
from pi_core.tools.output_tail import OutputTail, cut_notice
from tests.core.process_table import pid_in, survivors


async def run(
    cwd: Path,
    command: str,
    *,
    timeout: float | None = None,
    signal: AbortSignal | None = None,
    updates: list[ToolResult] | None = None,
    settings: BashSettings | None = None,
) -> ToolResult:
    params: dict[str, Any] = {"command": command} | ({"timeout": timeout} if timeout else {})
    sink = None if updates is None else updates.append
    how = settings or BashSettings(output_directory=str(cwd))
    return await bash_tool(str(cwd), settings=how).execute("call", params, signal, sink, None)


@pytest.mark.parametrize(
    ("command", "text", "is_error"),
    [
        ("echo hi", "hi\n", False),
        ("true", "(no output)", False),
        ("echo out; echo err >&2", "out\nerr\n", False),
        ("echo boom; exit 3", "boom\n\n\nCommand exited with code 3", True),
        ("exit 4", "(no output)\n\nCommand exited with code 4", True),
        ("kill -9 $$", "(no output)\n\nCommand exited with code 137", True),
    ],
)
async def test_result_is_output_and_status(tmp_path: Path, command: str, text: str, is_error: bool) -> None:
    """A result is what was printed; one that failed is an error and says how. (host A2, A4)"""
    result = await run(tmp_path, command)
    assert (text, is_error) == (text_of(result.content), result.is_error)
    assert result.details is None


async def test_one_quick_command_has_two_updates(tmp_path: Path) -> None:
    """An empty update tells the start, the second one the output. (golden one_tool)"""
    updates: list[ToolResult] = []
    await run(tmp_path, "echo hi", updates=updates)
    assert ["", "hi\n"] == [text_of(update.content) for update in updates]


async def test_updates_are_throttled(tmp_path: Path) -> None:
    """However fast a command prints, updates come at most every 100 ms."""
    updates: list[ToolResult] = []
    began = time.monotonic()
    await run(tmp_path, "for i in $(seq 1 40); do echo $i; sleep 0.01; done", updates=updates)
    assert 3 <= len(updates) <= 2 + (time.monotonic() - began) / 0.1


async def test_time_limit_keeps_the_output(tmp_path: Path) -> None:
    """A command over its time limit is an error with what it had printed."""
    result = await run(tmp_path, "echo begun; sleep 60", timeout=0.5)
    assert "begun\n\n\nCommand timed out after 0.5 seconds" == text_of(result.content)
    assert result.is_error


async def test_abort_ends_grandchildren(tmp_path: Path) -> None:
    """An abort ends the command with everything that it started. (golden abort_tool)"""
    controller = AbortController()
    command = "(sh -c 'echo $$ > a; sleep 300; true') & (setsid sh -c 'echo $$ > b; sleep 300; true') & wait"
    running = asyncio.create_task(run(tmp_path, command, signal=controller.signal))
    pids = [await pid_in(tmp_path / name) for name in "ab"]
    controller.abort()
    result = await asyncio.wait_for(running, 10)
    assert ("Command aborted", True) == (text_of(result.content), result.is_error)
    assert [] == await survivors(*pids)


async def test_aborted_call_does_not_begin(tmp_path: Path) -> None:
    """A call whose signal is aborted already runs nothing."""
    controller = AbortController()
    controller.abort()
    result = await run(tmp_path, "touch made", signal=controller.signal)
    assert "Command aborted" == text_of(result.content)
    assert not (tmp_path / "made").exists()


async def test_long_output_shows_its_end(tmp_path: Path) -> None:
    """Of many lines the last 2000 are shown; a file, named in text and details, has all. (host C87)"""
    result = await run(tmp_path, "seq 1 2500")
    path = Path(result.details["fullOutputPath"])
    lines = text_of(result.content).split("\n")
    assert ("501", "2500") == (lines[0], lines[1999])
    assert f"[Showing lines 501-2500 of 2500 (2000 lines limit). All of the output: {path}]" == lines[-1]
    assert "".join(f"{n}\n" for n in range(1, 2501)) == path.read_text()
    assert 2500 == result.details["truncation"]["totalLines"]


async def test_large_output_stays_small_in_memory_and_whole_in_the_file(tmp_path: Path) -> None:
    """Of much text the last 50 KiB are shown, whole lines; the file has every byte."""
    result = await run(tmp_path, "for i in $(seq 1 20000); do echo line-$i-日本; done; exit 1")
    path = Path(result.details["fullOutputPath"])
    assert result.is_error
    assert 20000 == path.read_text().count("\n")
    assert 20000 == result.details["truncation"]["totalLines"]
    assert result.details["truncation"]["outputBytes"] <= 50 * 1024
    assert text_of(result.content).startswith("line-")


async def test_one_endless_line_shows_its_end(tmp_path: Path) -> None:
    """A single line over the limit is cut at its start, at a whole character."""
    result = await run(tmp_path, "head -c 120000 /dev/zero | tr '\\0' x; printf '日'")
    assert text_of(result.content).startswith("x")
    assert "日\n\n[Showing the last 50.0KB of line 1." in text_of(result.content)


async def test_prefix_and_environment(tmp_path: Path) -> None:
    """The prefix runs first; session variables stand on top of the environment."""
    settings = BashSettings(
        command_prefix="GREETING=hello",
        environ={"PATH": "/usr/bin:/bin", "PI_SESSION_ID": "old"},
        session_environ=lambda: {"PI_SESSION_ID": "abc"},
    )
    result = await run(tmp_path, "echo $GREETING $PI_SESSION_ID$HOME", settings=settings)
    assert "hello abc\n" == text_of(result.content)


def test_session_variables_need_an_environment() -> None:
    """Session variables without an environment to stand on are a mistake."""
    with pytest.raises(ValueError, match="environ"):
        BashSettings(session_environ=dict)


async def test_missing_folder_is_an_error(tmp_path: Path) -> None:
    """A working folder that went away is named."""
    with pytest.raises(ToolError, match="gone"):
        await run(tmp_path / "gone", "true", settings=BashSettings())


async def test_output_takes_no_memory(tmp_path: Path) -> None:
    """Whatever a command prints grows a file, not the process: its peak moves by a few megabytes."""
    before = peak_mb()
    result = await run(tmp_path, "head -c 40000000 /dev/zero")
    assert 40_000_000 == Path(result.details["fullOutputPath"]).stat().st_size
    assert peak_mb() - before < 16


def peak_mb() -> float:
    """The most memory that this process ever had."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) / 1024


def test_the_file_of_an_output_is_bounded(tmp_path: Path) -> None:
    """Beyond its room the file has the beginning only, and the notice says so."""
    tail = OutputTail(directory=str(tmp_path), max_file_bytes=100_000)
    for _ in range(30):
        tail.add("0123456789\n" * 1000)
    shown = tail.close()
    assert (False, 99_000) == (tail.whole, Path(tail.path or "").stat().st_size)
    assert f"The beginning of the output: {tail.path}]" in (cut_notice(shown, tail.path, whole=False) or "")


def test_an_output_without_a_disk_is_still_shown(tmp_path: Path) -> None:
    """Where no file can be made the end is shown all the same, and no file is named."""
    tail = OutputTail(directory=str(tmp_path / "gone"))
    for _ in range(30):
        tail.add("0123456789\n" * 1000)
    shown = tail.close()
    assert (None, False, 330_000) == (tail.path, tail.whole, shown.total_bytes)
    assert shown.content.endswith("0123456789\n") or shown.content.endswith("0123456789")
