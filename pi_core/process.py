"""The agent's one door to other programs: start, listen, stop with everything they started.

A program runs in a process group of its own, so that stopping it stops what it
started too. Output is decoded as UTF-8 piece by piece and never cut inside a
character. A result comes back whatever happens; only cancellation is raised.

Touches: processes.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import shutil
import signal as signals
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final, TextIO

from hookspecs.values import dataclass
from pi_core.abort import AbortSignal

OutputListener = Callable[[str], None]
PIPE_GRACE_S: Final = 0.25
"""How long a pipe may stay silent after the program ended, when a child of it holds the pipe open."""
SPAWN_FAILED_CODE: Final = 1
DRAIN_LIMIT_S: Final = 2.0
"""How long such a child is listened to at most, when it keeps on talking."""
_POSIX: Final = sys.platform != "win32"
_CREATION_FLAGS: Final = 0 if _POSIX else getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a program ended. `code` is 128+signal when a signal ended it, 1 when it could not start.

    `killed` says that we stopped it; `timed_out` and `aborted` say why. `truncated` says that
    captured output went over `max_bytes`. `spawn_error` names why it could not start.
    """

    stdout: str
    stderr: str
    code: int
    killed: bool = False
    truncated: bool = False
    timed_out: bool = False
    aborted: bool = False
    spawn_error: str | None = None


async def run_process(
    command: Sequence[str] | str,
    *,
    cwd: str,
    env: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    signal: AbortSignal | None = None,
    on_output: OutputListener | None = None,
    max_bytes: int | None = None,
    merge_stderr: bool = False,
    kill_grace_s: float = 0.0,
    shell: Sequence[str] | None = None,
) -> ProcessResult:
    """Run a program to its end, or to the time limit, or to the abort of `signal`.

    `command` is an argument list, or a string for `shell` (default: `shell_argv()`). `env` None
    inherits. `on_output` hears decoded text of both streams as it comes. At most `max_bytes` of
    each stream are kept (None: all, 0: none); the rest is read and dropped. `merge_stderr` puts
    both streams, in their order, into `stdout`. `kill_grace_s` is the time between the polite
    signal and the hard one; 0 kills at once.
    """
    if signal is not None and signal.aborted:
        return ProcessResult("", "", 128 + 15, killed=True, aborted=True)
    argv = [*(shell or shell_argv()), command] if isinstance(command, str) else list(command)
    run = _Run(on_output, max_bytes)
    try:
        transport = await _spawn(run, argv, cwd, env, merge_stderr)
    except (OSError, ValueError) as error:
        return ProcessResult("", str(error), SPAWN_FAILED_CODE, spawn_error=str(error))
    stopper = _Stopper(transport.get_pid(), run, kill_grace_s)
    stopper.watch(timeout_s, signal)
    try:
        await run.finished()
    finally:
        stopper.close()
        transport.close()
    return run.result(transport.get_returncode(), stopper.why)


async def _spawn(
    run: _Run, argv: list[str], cwd: str, env: Mapping[str, str] | None, merge_stderr: bool
) -> asyncio.SubprocessTransport:
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: run,
        *argv,
        cwd=cwd,
        env=None if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
        start_new_session=_POSIX,
        creationflags=_CREATION_FLAGS,
    )
    return transport


@dataclass(slots=True)
class _Stream:
    """One pipe: what was kept of it, and the decoder that holds an unfinished character."""

    limit: int | None
    kept: bytearray = field(default_factory=bytearray)
    overflowed: bool = False
    decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def feed(self, data: bytes) -> str:
        if self.limit is None:
            self.kept += data
        else:
            room = self.limit - len(self.kept)
            self.kept += data[:room]
            self.overflowed = self.overflowed or len(data) > room
        return self.decoder.decode(data)

    def text(self) -> str:
        # A cut inside a character at the limit is left out; broken bytes elsewhere are replaced.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(bytes(self.kept), final=not self.overflowed)


class _Run(asyncio.SubprocessProtocol):
    """Collects what the event loop reports about one program."""

    def __init__(self, on_output: OutputListener | None, max_bytes: int | None) -> None:
        self._on_output = on_output
        self._streams = {1: _Stream(max_bytes), 2: _Stream(max_bytes)}
        self._changed = asyncio.Event()
        self._exited = asyncio.Event()
        self._open = {1, 2}
        self._failure: BaseException | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._open = {fd for fd in (1, 2) if transport.get_pipe_transport(fd) is not None}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._changed.set()
        self._tell(self._streams[fd].feed(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        self._changed.set()
        if fd in self._streams:
            self._tell(self._streams[fd].decoder.decode(b"", final=True))

    def process_exited(self) -> None:
        self._exited.set()

    @property
    def exited(self) -> bool:
        return self._exited.is_set()

    async def finished(self) -> None:
        """Return when the program has ended and its pipes are closed or have fallen silent."""
        await self._exited.wait()
        now = asyncio.get_running_loop().time
        deadline = now() + DRAIN_LIMIT_S
        while self._open and now() < deadline and await self._something_came():
            pass
        if self._failure is not None:
            raise self._failure

    async def _something_came(self) -> bool:
        """Whether a pipe said something, or was closed, within the grace time."""
        self._changed.clear()
        try:
            async with asyncio.timeout(PIPE_GRACE_S):
                await self._changed.wait()
        except TimeoutError:
            # Where the loop was held up both are due at once; what was heard counts.
            return self._changed.is_set()
        return True

    def result(self, returncode: int | None, why: str | None) -> ProcessResult:
        code = SPAWN_FAILED_CODE if returncode is None else returncode
        return ProcessResult(
            self._streams[1].text(),
            self._streams[2].text(),
            128 - code if code < 0 else code,
            killed=why is not None,
            truncated=any(stream.overflowed for stream in self._streams.values()),
            timed_out=why == "timeout",
            aborted=why == "abort",
        )

    def _tell(self, text: str) -> None:
        if self._on_output is None or not text or self._failure is not None:
            return
        try:
            self._on_output(text)
        except Exception as error:  # noqa: BLE001 - raised by finished(), not into the event loop
            self._failure = error


class _Stopper:
    """Stops one program once: politely first if there is a grace time, then hard."""

    def __init__(self, pid: int, run: _Run, grace_s: float) -> None:
        self.why: str | None = None
        self._pid = pid
        self._run = run
        self._grace_s = grace_s
        self._timers: list[asyncio.TimerHandle] = []
        self._unlisten: Callable[[], None] | None = None

    def watch(self, timeout_s: float | None, signal: AbortSignal | None) -> None:
        if timeout_s is not None:
            self._later(timeout_s, self._stop, "timeout")
        if signal is not None:
            self._unlisten = signal.on_abort(lambda: self._stop("abort"))

    def close(self) -> None:
        """Stop watching. What still runs is ended, which happens only when its caller was cancelled."""
        for timer in self._timers:
            timer.cancel()
        if self._unlisten is not None:
            self._unlisten()
        if not self._run.exited:
            kill_tree(self._pid)

    def _stop(self, why: str) -> None:
        if self.why is not None or self._run.exited:
            return
        self.why = why
        if self._grace_s <= 0:
            kill_tree(self._pid)
            return
        kill_tree(self._pid, hard=False)
        self._later(self._grace_s, kill_tree, self._pid)

    def _later(self, seconds: float, call: Callable[..., None], argument: object) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, call, argument))


def kill_tree(pid: int, *, hard: bool = True) -> None:
    """Stop the process group of `pid` and every descendant that left the group. Never raises.

    `hard` ends them at once; otherwise they are asked to end. Does nothing when all are gone.
    """
    if not _POSIX:
        subprocess.run(
            ["taskkill", "/T", "/PID", str(pid), *(["/F"] if hard else [])],
            capture_output=True,
            check=False,
        )
        return
    number = signals.SIGKILL if hard else signals.SIGTERM
    strays = _descendants(pid)
    _signal_quietly(os.killpg, pid, number)
    for stray in strays:
        _signal_quietly(os.kill, stray, number)


def _signal_quietly(send: Callable[[int, int], None], pid: int, number: int) -> None:
    try:
        send(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # it ended by itself, or is not ours any more


def _descendants(pid: int) -> list[int]:
    """Every living descendant of `pid`, from the process table where there is one to read."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in parentheses may hold blanks; the fields after it do not.
            parent = int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found: list[int] = []
    frontier = [pid]
    while frontier:
        frontier = [child for parent in frontier for child in children.get(parent, ())]
        found.extend(frontier)
    return found


def run_on_terminal(argv: Sequence[str], terminal: TextIO | None) -> tuple[int, str]:
    """Run a program that has the terminal to itself, such as an editor, and wait for its end.

    `terminal` is where it writes; None inherits. Returns its exit code, and why it could not start.
    """
    output = None if terminal is None else terminal.fileno()
    try:
        return subprocess.run(list(argv), stdout=output, stderr=output, check=False).returncode, ""
    except OSError as error:
        return SPAWN_FAILED_CODE, f"{argv[0]}: {error.strerror or error}"


def shell_argv(shell_path: str | None = None) -> tuple[str, ...]:
    """The shell that runs a command string, with its option: the given one, else bash, else sh."""
    if shell_path is not None:
        return (shell_path, "-c")
    if _POSIX and Path("/bin/bash").exists():
        return ("/bin/bash", "-c")
    return (shutil.which("bash") or shutil.which("sh") or "sh", "-c")


def capture_shell(
    command: str, *, env: Mapping[str, str] | None = None, timeout_s: float = 10.0
) -> str | None:
    """Run a command with `sh` and wait for it, outside any event loop: its output, trimmed.

    Returns None when it fails, takes longer than `timeout_s`, or prints nothing. For `!command`
    values of the configuration; everything else uses `run_process`.
    """
    with subprocess.Popen(
        ["sh", "-c", command],
        env=None if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=_POSIX,
    ) as program:
        try:
            output, _ = program.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            kill_tree(program.pid)
            return None
    text = output.decode("utf-8", "replace").strip()
    return text if text and program.returncode == 0 else None
