"""The one port through which the package manager starts programs: backends and git.

A program gets no standard input, a working folder and an environment that the caller chose, and a
time limit. It leads a group of its own, so that whatever ends the wait (its end, the limit, Ctrl-C, an
exception, within `ended_by_signals` SIGTERM and SIGHUP too) ends everything it started. Even where this
process is killed outright, a shell that waits for just that ends the group.

Touches: processes, signals.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final, Protocol

MAX_LINES: Final = 20_000
"""Lines of output kept per stream; older ones are dropped first."""
_READER_GRACE_S: Final = 5.0
_SLICE_S: Final = 0.25
_SHELL: Final = "/bin/sh"
_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(KeyboardInterrupt):
    """The process was asked to end. Like Ctrl-C it passes everything that only handles errors."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def code(self) -> int:
        """The exit status that tells so."""
        return 128 + self.number


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended."""

    argv: tuple[str, ...]
    """What was run."""
    code: int
    """Exit status; negative is the signal that ended it."""
    stdout: str
    """Text of its standard output, undecodable bytes replaced."""
    stderr: str
    """Text of its standard error output."""
    timed_out: bool = False
    """Whether our time limit ended it."""

    @property
    def output(self) -> str:
        """Both streams, output first, without blank ends."""
        return "\n".join(text for text in (self.stdout.strip("\n"), self.stderr.strip("\n")) if text)


class RunProcess(Protocol):
    """The port; tests that count or refuse processes hand in their own."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
    ) -> Finished: ...


def run_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    timeout_s: float,
    on_line: Callable[[str], None] | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Finished:
    """Run a program to its end and return what it said.

    `on_line` gets each line as it appears, without its end, from another thread. A program that does
    not exist raises FileNotFoundError. Ctrl-C and every other exception pass through, after the
    program's whole group has been killed. Once `stopped` is true, which is asked four times a second, it
    is as if Ctrl-C had been pressed: for threads that no signal reaches.
    """
    with _Undisturbed() as signals:
        child = _start(argv, env, cwd)
        guard, readers, ended = None, list[_Reader](), threading.Event()
        # A blocking wait in a thread notices the end at once; Popen.wait with a limit polls every 50 ms.
        waiter = threading.Thread(target=_wait, args=(child, ended), daemon=True)
        deadline = time.monotonic() + timeout_s
        try:
            guard = _watch_over(child)
            readers += [_Reader(stream, on_line) for stream in (child.stdout, child.stderr) if stream]
            waiter.start()
            signals.let_in()
            # In slices: a signal that another thread received does not wake this one, but is handled next.
            while not ended.wait(min(_SLICE_S, max(0.0, deadline - time.monotonic()))):
                if stopped is not None and stopped():
                    raise KeyboardInterrupt
                if time.monotonic() >= deadline:
                    break
            timed_out = not ended.is_set()
        finally:
            signals.keep_out()
            _end_group(child)
            if guard is not None:
                guard.kill()
                guard.communicate()
            if waiter.ident is not None:
                waiter.join()
            child.wait()
            for reader in readers:
                reader.join(_READER_GRACE_S)
    stdout, stderr = (reader.text() for reader in readers)
    return Finished(tuple(argv), child.returncode, stdout, stderr, timed_out)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise SIGTERM and SIGHUP as `Terminated` in the body, so that it can end what it started and clean up.

    Only in the main thread, the one that signals reach. A signal that the process ignores, as under nohup,
    or that somebody else handles, is left alone.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(number)

    taken = [number for number in _ENDING if _in_main_thread() and signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """The absolute path of a program on the PATH of `environ`, or None.

    Only absolute folders count, so that no working folder can offer a program of that name.
    """
    for folder in environ.get("PATH", "").split(os.pathsep):
        found = shutil.which(name, path=folder) if os.path.isabs(folder) else None
        if found is not None and os.path.normcase(os.path.dirname(found)) == os.path.normcase(
            folder.rstrip("/\\")
        ):
            return found
    return None


def stoppable(stopped: Callable[[], bool]) -> RunProcess:
    """`run_process` for a thread that is told to stop by a value instead of a signal."""
    return partial(run_process, stopped=stopped)


class _Undisturbed:
    """A stretch of the main thread in which signals wait, but for what lies between `let_in` and `keep_out`.

    An interrupt between the start of a program and the moment from which it is watched would leave the
    program behind.
    """

    def __init__(self) -> None:
        self._waiting: list[int] = []
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> _Undisturbed:
        self.keep_out()
        return self

    def __exit__(self, *raised: object) -> None:
        self.let_in()

    def keep_out(self) -> None:
        """From here on signals wait."""
        for number in (signal.SIGINT, *_ENDING) if _in_main_thread() else ():
            handler = signal.getsignal(number)
            if callable(handler) and number not in self._handlers:
                self._handlers[number] = handler
                signal.signal(number, self._note)

    def let_in(self) -> None:
        """Signals are handled again, first the one that waited."""
        handlers, self._handlers = self._handlers, {}
        for number, handler in handlers.items():
            signal.signal(number, handler)
        waiting, self._waiting = self._waiting, []
        for number in waiting[:1]:
            handlers[number](number, None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._waiting.append(number)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _start(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> subprocess.Popen[bytes]:
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(
        list(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(env),
        cwd=cwd,
        creationflags=flags,
        start_new_session=sys.platform != "win32",
    )


def _watch_over(child: subprocess.Popen[bytes]) -> subprocess.Popen[bytes] | None:
    """A shell that kills the program's group once our end of its standard input is gone; None without one."""
    if not os.access(_SHELL, os.X_OK):
        return None
    return subprocess.Popen(
        [_SHELL, "-c", 'read -r line; kill -9 "-$1"', "sh", str(child.pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        cwd=os.sep,
        start_new_session=True,
    )


def _wait(child: subprocess.Popen[bytes], ended: threading.Event) -> None:
    if hasattr(os, "waitid"):
        # Leaves the leader unreaped, so that its group's number cannot become another's before the kill.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    else:
        child.wait()
    ended.set()


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the program's group; harmless when nothing is."""
    if sys.platform == "win32":
        if child.poll() is None:
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(child.pid)],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=_READER_GRACE_S, check=False,
            )  # fmt: skip
        return
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # the group is empty, or (macOS) only its unreaped leader is left


class _Reader(threading.Thread):
    """Collects the lines of one stream until its end."""

    def __init__(self, stream: IO[bytes], on_line: Callable[[str], None] | None) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._on_line = on_line
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self.start()

    def run(self) -> None:
        with self._stream:
            for raw in self._stream:
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                self._lines.append(line)
                if self._on_line is not None:
                    self._on_line(line)

    def text(self) -> str:
        return "\n".join(self._lines)
