"""What the code of others fails by: any exception, an exit, and an interrupt that it raises itself.

A person's Ctrl-C passes through. It comes out of nowhere, in the middle of some instruction, or out
of the signal handler of the process; an interrupt of an extension comes out of a `raise` of its own.

Touches: process signals (which handler is set).
"""

from __future__ import annotations

import signal
from functools import partial
from opcode import opmap
from traceback import walk_tb
from types import CodeType
from typing import Final

FAILURES: Final = (Exception, SystemExit, KeyboardInterrupt)
"""What to catch around foreign code. Whoever does calls `pass_interrupt` first."""

_RAISE: Final = opmap["RAISE_VARARGS"]


def pass_interrupt(error: BaseException) -> None:
    """Raise a Ctrl-C of the person again; anything else is for the caller to report."""
    if isinstance(error, KeyboardInterrupt) and is_ctrl_c(error):
        raise error


def is_failure(error: BaseException) -> bool:
    """Whether foreign code that raised this failed by it; a cancellation and a Ctrl-C are none."""
    if isinstance(error, KeyboardInterrupt):
        return not is_ctrl_c(error)
    return isinstance(error, (Exception, SystemExit))


def is_ctrl_c(error: KeyboardInterrupt) -> bool:
    """Whether a person interrupted, be it that code caught that and raised an interrupt of its own."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt) and not _is_raised_by_code(cause):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _is_raised_by_code(error: KeyboardInterrupt) -> bool:
    """Whether the innermost instruction is a `raise`, outside of the handler of the signal."""
    steps = list(walk_tb(error.__traceback__))
    if not steps:
        return True  # thrown in from outside: nothing was interrupted
    handler = _code_of(signal.getsignal(signal.SIGINT))
    if any(frame.f_code is handler for frame, _ in steps):
        return False
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and last.tb_frame.f_code.co_code[last.tb_lasti] == _RAISE


def _code_of(handler: object) -> CodeType | None:
    """The code of a Python function, method or partial; None for everything else."""
    while isinstance(handler, partial):
        handler = handler.func
    code = getattr(getattr(handler, "__func__", handler), "__code__", None)
    return code if isinstance(code, CodeType) else None
