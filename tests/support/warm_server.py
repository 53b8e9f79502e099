"""A process in which the command is imported already, and that becomes a run of it as often as it is asked.

Started by `tests.support.warm_runs`; each run is a fork, and so a process of its own in every respect
but its start. Its words name the modules to import.

Touches: files, processes, the whole process in a fork.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import socket
import sys
from dataclasses import dataclass, field

MOST_BYTES = 100_000
"""How long a request may be: it is one message, with four open files beside it."""


@dataclass(slots=True)
class Running:
    """The forks that still run: the file that tells their end → their id and who wants to know."""

    ends: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, pid: int, teller: int) -> None:
        """Tell who asked how its process is called."""
        self.ends[os.pidfd_open(pid)] = (pid, teller)
        self._tell(teller, pid)

    def ended(self, end: int) -> None:
        """Tell who asked how its process ended."""
        pid, teller = self.ends.pop(end)
        self._tell(teller, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        os.close(end)
        os.close(teller)

    def forget(self) -> None:
        """In a fork the others are nobody's business."""
        for end, (_, teller) in self.ends.items():
            os.close(end)
            os.close(teller)

    @staticmethod
    def _tell(teller: int, number: int) -> None:
        try:
            os.write(teller, f"{number}\n".encode())
        except BrokenPipeError:
            pass  # whoever asked has gone


@dataclass(frozen=True, slots=True)
class Request:
    """A command line, where it runs, and its standard streams."""

    words: list[str]
    cwd: str
    environ: dict[str, str]
    streams: list[int]

    def become(self) -> None:
        """What this process looks like if `python -m pi_core.cli.main` had been started with it."""
        for number, stream in enumerate(self.streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(self.cwd)
        os.environ.clear()
        os.environ.update(self.environ)
        sys.path[0] = self.cwd
        main = sys.modules["pi_core.cli.main"]
        sys.argv[:] = [str(main.__file__), *self.words]
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]


def serve(control: socket.socket) -> Request | None:
    """Fork for each request. Returns one in its fork, and None when nobody will ask any more."""
    running = Running()
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    while True:
        for ready, _ in waiting.poll():
            if ready != control.fileno():
                waiting.unregister(ready)
                running.ended(ready)
                continue
            message, files, _, _ = socket.recv_fds(control, MOST_BYTES, 4)
            if not message:
                return None
            if (pid := os.fork()) == 0:
                running.forget()
                control.close()
                os.close(files.pop())
                return Request(**json.loads(message), streams=files)
            known = set(running.ends)
            running.add(pid, files.pop())
            for end in set(running.ends) - known:
                waiting.register(end, select.POLLIN)
            for stream in files:
                os.close(stream)


def main() -> None:
    """Import, then serve."""
    number, *modules = sys.argv[1:]
    for name in modules:
        importlib.import_module(name)
    gc.freeze()  # what is here now is never garbage
    request = serve(socket.socket(fileno=int(number)))
    if request is not None:
        request.become()
        from pi_core.cli.main import run  # imported long ago

        run()


if __name__ == "__main__":
    main()
