"""Runs of the command that need not import it first: most of a short run's time would go there.

Each is a process of its own, forked from one that has imported the command. Whatever decides how
Python itself starts (its variables, the locale) makes a run ordinary, and so does a system that
cannot fork. How the command starts is proved by tests that start it themselves.

Touches: processes, pipes.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.warm_server import MOST_BYTES

AGENT = (
    "pi_core.cli.main", "pi_core.cli.commands", "pi_core.cli.interactive", "pi_core.cli.agent",
    "pi_core.cli.auth", "pi_core.modes.rpc.server", "pi_core.providers.scripted",
    "pi_pkg.cli.running", "pi_pkg.cli.list_packages", "email.utils", "jsonschema_rs",
)  # fmt: skip
"""What nearly every run imports."""
VENDORS = (
    *AGENT, "pi_core.providers.vendors.request", "pi_core.providers.connections",
    "pydantic_ai.models.anthropic", "pydantic_ai.models.google", "pydantic_ai.models.openai",
    "pydantic_ai.providers.anthropic", "pydantic_ai.providers.google", "pydantic_ai.providers.openai",
)  # fmt: skip
"""And what a run imports that asks a model server."""
DECIDES_THE_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_", "MALLOC", "DYLD_")
"""Beginnings of the variables that are read before any module is imported."""


class WarmRuns:
    """One process that has imported the command, started with a first environment."""

    def __init__(self, root: Path, environ: Mapping[str, str], modules: Sequence[str]) -> None:
        self._start = _deciding(environ)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # In a session of its own it is nothing that a test left running.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm_server", str(theirs.fileno()), *modules],
                cwd=root, env=environ, pass_fds=[theirs.fileno()], start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        self._control.close()
        self._process.communicate()

    def run(
        self, words: Sequence[str], cwd: Path, environ: Mapping[str, str], given: bytes, timeout: float
    ) -> tuple[int, bytes, bytes] | None:
        """Code, output and errors of a run to its end; None if it has to be started in the ordinary way."""
        request = json.dumps({"words": words, "cwd": str(cwd), "environ": dict(environ)}).encode()
        if len(request) > MOST_BYTES or _deciding(environ) != self._start:
            return None
        pipes = [os.pipe() for _ in range(4)]  # input, output, errors, how it went
        (stdin, our_in), (our_out, stdout), (our_err, stderr), (our_end, end) = pipes
        try:
            socket.send_fds(self._control, [request], [stdin, stdout, stderr, end])
        finally:
            for theirs in (stdin, stdout, stderr, end):
                os.close(theirs)
        with open(our_end, encoding="ascii") as told:
            pid = int(told.readline())
            try:
                out, err = _talk(our_in, our_out, our_err, given, time.monotonic() + timeout)
            except TimeoutError as error:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(words), timeout) from error
            return int(told.readline()), out, err


_kept: dict[tuple[str, ...], WarmRuns] = {}
_keeping = threading.Lock()


def warm_runs(root: Path, environ: Mapping[str, str], modules: Sequence[str]) -> WarmRuns | None:
    """The one of this process for these modules; None where processes cannot be forked and watched."""
    if not hasattr(os, "pidfd_open"):
        return None
    with _keeping:
        if tuple(modules) not in _kept:
            _kept[tuple(modules)] = WarmRuns(root, environ, modules)
        return _kept[tuple(modules)]


def _deciding(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(DECIDES_THE_START)}


def _talk(stdin: int, stdout: int, stderr: int, given: bytes, deadline: float) -> tuple[bytes, bytes]:
    """Write what is given and read both outputs to their ends, then close all three."""
    heard: dict[int, list[bytes]] = {stdout: [], stderr: []}
    ours = {stdin, stdout, stderr}
    os.set_blocking(stdin, False)
    try:
        with selectors.DefaultSelector() as waiting:
            for stream in heard:
                waiting.register(stream, selectors.EVENT_READ)
            waiting.register(stdin, selectors.EVENT_WRITE)
            while waiting.get_map():
                if time.monotonic() > deadline:
                    raise TimeoutError
                for key, _ in waiting.select(deadline - time.monotonic()):
                    if key.fd == stdin:
                        given = given[_write(stdin, given) :]
                    else:
                        heard[key.fd].append(os.read(key.fd, 65_536))
                    if not (given if key.fd == stdin else heard[key.fd][-1]):
                        waiting.unregister(key.fd)
                        os.close(key.fd)
                        ours.remove(key.fd)
    finally:
        for stream in ours:
            os.close(stream)
    return b"".join(heard[stdout]), b"".join(heard[stderr])


def _write(stdin: int, given: bytes) -> int:
    """How much was taken; all of it by a process that reads nothing."""
    try:
        return os.write(stdin, given) if given else 0
    except BrokenPipeError:
        return len(given)
