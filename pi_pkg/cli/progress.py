"""What long work tells while it runs: a line that changes on a terminal, plain lines elsewhere.

Nothing is said about what is quick.

Touches: standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TextIO

from pi_pkg.shown import one_line

if TYPE_CHECKING:
    import threading

    from rich.status import Status

    from pi_pkg.install.progress import Step

PATIENCE_S: Final = 2.0
"""How long a step may take before a plain line tells what is going on."""


class Progress(Protocol):
    """Takes steps from any thread until it is closed; closing twice is harmless."""

    def __call__(self, step: Step) -> None: ...

    def close(self) -> None: ...


def progress_on(stderr: TextIO, *, silent: bool) -> Progress:
    """The form that fits a stream."""
    if silent:
        return SilentProgress()
    return LiveProgress(stderr) if stderr.isatty() else PlainProgress(stderr)


class SilentProgress:
    """For programs, which read one document at the end."""

    def __call__(self, step: Step) -> None:
        """Nobody watches."""

    def close(self) -> None:
        """Nothing is open."""


class PlainProgress:
    """One line for each stage that takes long."""

    def __init__(self, stderr: TextIO, patience_s: float = PATIENCE_S) -> None:
        self._stderr = stderr
        self._patience_s = patience_s
        self._stage: str | None = None
        self._waiting: threading.Timer | None = None

    def __call__(self, step: Step) -> None:
        if step.stage == self._stage:
            return  # what the tool itself says about the stage
        self.close()
        self._stage = step.stage
        import threading  # start-up time: `pi list` has no steps

        self._waiting = threading.Timer(self._patience_s, self._tell, (step.message,))
        self._waiting.daemon = True
        self._waiting.start()

    def close(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._stage = None

    def _tell(self, message: str) -> None:
        print(f"{one_line(message)} …", file=self._stderr, flush=True)


class LiveProgress:
    """A turning wheel and the latest step, gone when the work is done."""

    def __init__(self, stderr: TextIO) -> None:
        self._stderr = stderr
        self._status: Status | None = None

    def __call__(self, step: Step) -> None:
        from rich.text import Text  # start-up time: only a terminal, and only long work

        message = Text(one_line(step.message), overflow="ellipsis", no_wrap=True)
        if self._status is not None:
            self._status.update(message)
            return
        from rich.console import Console

        self._status = Console(file=self._stderr).status(message)
        self._status.start()

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
