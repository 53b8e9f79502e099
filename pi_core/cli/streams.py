"""The standard streams of the command: always there, and never a reason to stop half-way.

A reader that has seen enough is no failure. A full disk is one, and is told at the end.

Touches: standard input, standard output, standard error.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` costs more than all the rest of `pi --version`
if TYPE_CHECKING:
    from typing import Any, TextIO


class Patient:
    """A text stream that takes whatever is written, even when it cannot be kept.

    `failure` is why the first text was lost. What text cannot be encoded is written as escapes.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failure: OSError | None = None
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")

    def write(self, text: str) -> int:
        """Write, or lose the text. Returns its length."""
        if self.failure is None:
            try:
                self._stream.write(text)
            except OSError as error:
                self.failure = error
        return len(text)

    def flush(self) -> None:
        """Hand on what waits, or lose it."""
        if self.failure is None:
            try:
                self._stream.flush()
            except OSError as error:
                self.failure = error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def open_streams() -> None:
    """Give the process all three streams.

    One that was closed by whoever started us leads nowhere: otherwise the first file that is opened
    would take its place and get what is printed.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:  # the number itself is taken, and no stream of ours
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115 - open as long as the process
    sys.stdout, sys.stderr = Patient(sys.stdout), Patient(sys.stderr)


def close_streams(code: int) -> int:
    """Hand on what waits; returns the exit code, which is never 0 if output was lost to a failure."""
    streams = [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, Patient)]
    for stream in streams:
        stream.flush()
    lost = streams[0].failure if streams else None
    if lost is not None and not _reader_gone(lost):
        print(f"pi: cannot write to standard output: {lost.strerror or lost}.", file=sys.stderr, flush=True)
        code = code or 1
    for number, stream in enumerate(streams, start=1):
        if stream.failure is not None:  # the interpreter tries once more at its end, and would complain
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
    return code


def _reader_gone(error: OSError) -> bool:
    """Whether nobody reads any more: EPIPE, and EINVAL on Windows."""
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == 22)
