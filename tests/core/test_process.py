"""The rules of the one door to other programs.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from pi_core.abort import AbortController
from pi_core.process import capture_shell, run_process
from tests.core.process_table import pid_in, survivors


async def test_streams_are_kept_apart(tmp_path: Path) -> None:
    """Both streams come back, each on its own."""
    result = await run_process("echo out; echo err >&2; exit 3", cwd=str(tmp_path))
    assert ("out\n", "err\n", 3, False) == (result.stdout, result.stderr, result.code, result.killed)


async def test_merged_streams_keep_their_order(tmp_path: Path) -> None:
    """Merged output is in the order of writing."""
    result = await run_process("echo 1; echo 2 >&2; echo 3", cwd=str(tmp_path), merge_stderr=True)
    assert "1\n2\n3\n" == result.stdout


async def test_working_folder_and_environment(tmp_path: Path) -> None:
    """The program runs in the given folder with the given environment only."""
    env = {"ONLY": "this", "PATH": "/usr/bin:/bin"}
    result = await run_process("pwd; echo $ONLY$HOME", cwd=str(tmp_path), env=env)
    assert f"{tmp_path.resolve()}\nthis\n" == result.stdout


async def test_missing_program_is_a_result(tmp_path: Path) -> None:
    """A program that is not there ends with 1 and says why."""
    result = await run_process(["no-such-program-here"], cwd=str(tmp_path))
    assert (1, "") == (result.code, result.stdout)
    assert "no-such-program-here" in (result.spawn_error or "")


async def test_missing_folder_is_a_result(tmp_path: Path) -> None:
    """A working folder that is not there is told, not raised."""
    result = await run_process(["true"], cwd=str(tmp_path / "gone"))
    assert result.spawn_error is not None


async def test_time_limit_stops_politely(tmp_path: Path) -> None:
    """With a grace time the end is a SIGTERM, which a program can see; the code says so."""
    result = await run_process(["sleep", "60"], cwd=str(tmp_path), timeout_s=0.2, kill_grace_s=5)
    assert (143, True, True) == (result.code, result.killed, result.timed_out)


async def test_grace_ends_with_a_hard_stop(tmp_path: Path) -> None:
    """Who ignores the polite signal is ended hard after the grace time."""
    command = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
    result = await run_process(command, cwd=str(tmp_path), timeout_s=0.5, kill_grace_s=0.3)
    assert (137, True) == (result.code, result.killed)


async def test_aborted_before_start_runs_nothing(tmp_path: Path) -> None:
    """An aborted signal keeps the program from starting."""
    controller = AbortController()
    controller.abort()
    result = await run_process("touch made", cwd=str(tmp_path), signal=controller.signal)
    assert result.aborted
    assert not (tmp_path / "made").exists()


async def test_abort_ends_the_whole_tree(tmp_path: Path) -> None:
    """An abort ends children and grandchildren, those in a session of their own too."""
    controller = AbortController()
    command = "sleep 300 & echo $! > a; setsid sh -c 'echo $$ > b; sleep 300 & echo $! > c; wait' & wait"
    running = asyncio.create_task(run_process(command, cwd=str(tmp_path), signal=controller.signal))
    pids = [await pid_in(tmp_path / name) for name in "abc"]
    controller.abort()
    result = await asyncio.wait_for(running, 10)
    assert (True, 137) == (result.aborted, result.code)
    assert [] == await survivors(*pids)


async def test_cancellation_ends_the_program(tmp_path: Path) -> None:
    """A cancelled caller leaves nothing running."""
    running = asyncio.create_task(run_process("echo $$ > pid; sleep 300", cwd=str(tmp_path)))
    pid = await pid_in(tmp_path / "pid")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [] == await survivors(pid)


async def test_inherited_pipe_does_not_hang(tmp_path: Path) -> None:
    """A child left in the background with our pipe open does not hold the result back."""
    began = time.monotonic()
    result = await run_process("sleep 30 & echo $! > pid; echo done", cwd=str(tmp_path))
    assert "done\n" == result.stdout
    assert time.monotonic() - began < 10
    os.kill(await pid_in(tmp_path / "pid"), 9)


async def test_characters_are_never_split(tmp_path: Path) -> None:
    """A character whose bytes come in two pieces is heard whole."""
    heard: list[str] = []
    command = r"printf '\360\237'; sleep 0.3; printf '\230\200!'"
    result = await run_process(command, cwd=str(tmp_path), on_output=heard.append)
    assert "😀!" == result.stdout
    assert "😀!" == "".join(heard)


async def test_broken_bytes_are_replaced(tmp_path: Path) -> None:
    """Output that is no UTF-8 is readable text all the same."""
    result = await run_process(r"printf 'a\377b'", cwd=str(tmp_path))
    assert "a\ufffdb" == result.stdout


async def test_kept_output_is_capped(tmp_path: Path) -> None:
    """Beyond the cap output is dropped, at a character's edge, and the result says so."""
    result = await run_process("printf '日本語'", cwd=str(tmp_path), max_bytes=4)
    assert ("日", True) == (result.stdout, result.truncated)


async def test_failing_listener_is_raised_to_the_caller(tmp_path: Path) -> None:
    """What an output listener raises reaches the caller, not the event loop."""

    def broken(_: str) -> None:
        raise ValueError("listener")

    with pytest.raises(ValueError, match="listener"):
        await run_process("echo a", cwd=str(tmp_path), on_output=broken)


@pytest.mark.parametrize(
    ("command", "expected"),
    [("echo ' key '", "key"), ("exit 3", None), ("true", None), ("no-such-command-here", None)],
)
def test_captured_value(command: str, expected: str | None) -> None:
    """A value command gives its trimmed output; failure and silence give none."""
    assert expected == capture_shell(command)


def test_captured_value_has_a_time_limit() -> None:
    """A value command that hangs gives none."""
    assert capture_shell("sleep 60", timeout_s=0.2) is None
