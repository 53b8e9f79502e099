"""How a run ends: signals, readers that go away, and a terminal that nobody serves yet."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.support.agent_cli import AgentCli

SHUTDOWN = """
    import sys

    def extension(pi):
        @pi.on("session_shutdown")
        def bye(event, ctx):
            print("bye", event.reason, file=sys.stderr)
        @pi.on("tool_execution_update")
        def started(event, ctx):
            print("started", file=sys.stderr, flush=True)
    """


@contextmanager
def running(pi: AgentCli, *words: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A run whose extension has said that it started."""
    process = pi.start(*words, **options)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if line.startswith("started"):
                break
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_run_in_order(pi: AgentCli, number: int, code: int) -> None:
    """58: the tool is stopped, extensions hear session_shutdown(quit) once, and the code is the signal's."""
    pi.user_extension(SHUTDOWN)
    with running(pi, "-p", "run: sleep 30") as process:
        before = time.monotonic()
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
    assert (code, 1) == (process.returncode, err.count("bye quit"))
    assert time.monotonic() - before < 10


def test_an_interrupted_conversation_is_stored(pi: AgentCli) -> None:
    """What was said before the signal is in the file, the stopped call included."""
    pi.user_extension(SHUTDOWN)
    with running(pi, "-p", "run: sleep 30") as process:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    (path,) = pi.sessions()
    assert "Command aborted" in path.read_text(encoding="utf-8")


def test_a_signal_ends_the_wait_for_piped_input(pi: AgentCli) -> None:
    """A run that waits for the rest of its input ends at once."""
    pi.user_extension('import sys\ndef extension(pi): print("started", file=sys.stderr, flush=True)')
    with running(pi, "-p", "x", stdin=subprocess.PIPE) as process:
        process.send_signal(signal.SIGTERM)
        assert 143 == process.wait(timeout=8)


def test_shutdown_is_told_once_after_the_last_settling(pi: AgentCli) -> None:
    """58: a run that ends by itself tells session_shutdown(quit) once."""
    pi.user_extension(SHUTDOWN)
    assert 1 == pi.run("-p", "x").err.count("bye quit")


STUBBORN = {
    "handler": """
        import asyncio
        def extension(pi):
            @pi.on("session_shutdown")
            async def never(event, ctx):
                await asyncio.Event().wait()
        """,
    "task": """
        import asyncio
        async def never():
            while True:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    pass
        def extension(pi):
            @pi.on("session_start")
            def start(event, ctx):
                pi.spawn(never())
        """,
    "thread": """
        import threading
        def extension(pi):
            threading.Thread(target=threading.Event().wait).start()
        """,
    "executor": """
        import asyncio, threading
        def extension(pi):
            @pi.on("session_start")
            def start(event, ctx):
                asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
        """,
}


@pytest.mark.parametrize("kind", STUBBORN)
def test_what_never_ends_does_not_hold_the_process(pi: AgentCli, kind: str) -> None:
    """A handler, a task and threads that never return are left behind; answer and code are as ever."""
    pi.user_extension(STUBBORN[kind])
    ran = pi.run("-p", "run: echo hello")
    assert (0, "bash answered:\nhello\n") == (ran.code, ran.out)


def test_a_reader_that_goes_away_ends_the_run_quietly(pi: AgentCli) -> None:
    """A broken pipe is no failure: extensions hear the shutdown, and there is no traceback."""
    pi.user_extension(SHUTDOWN)
    process = pi.start("--mode", "json", "run: sleep 0.5")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=30)
    assert (0, 1) == (process.returncode, err.count("bye quit"))
    assert "Traceback" not in err


def test_a_terminal_at_both_ends_gets_the_interactive_mode(pi: AgentCli) -> None:
    """It shows itself, `ctrl+d` ends it with 0, and the extensions hear of the end."""
    pi.user_extension(SHUTDOWN)
    master, slave = pty.openpty()
    process = pi.start(stdin=slave, stdout=slave)
    os.close(slave)
    seen = b""
    while b"Scripted" not in seen:
        seen += os.read(master, 65536)
    os.write(master, b"\x04")
    with suppress(OSError):  # the other end is closed
        while os.read(master, 65536):
            pass
    _, err = process.communicate(timeout=30)
    os.close(master)
    assert (0, 1) == (process.returncode, err.count("bye quit"))
