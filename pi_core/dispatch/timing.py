"""What a dispatch notes of itself, so that somebody else can watch the time at next to no cost.

A dispatch stores the handler that runs; storing is all it does. Whoever watches may
interrupt the handler, and leaves word of it here: the end of an interrupted handler
counts as the interruption says, whatever the handler made of it.

Pure.
"""

from __future__ import annotations

from asyncio import CancelledError, current_task
from typing import Protocol

from pi_core.dispatch.plan import Handler, HandlerCancelled, Wrapper


class Interruption(Protocol):
    """Word that the running handler was cancelled by whoever watches, and not by the caller."""

    def settle(self, error: BaseException | None) -> BaseException:
        """Take the cancellation back and say what the handler's end counts as.

        `error` is what it raised; None if it swallowed the cancellation and returned. Raises
        CancelledError if the caller was cancelled as well.
        """
        ...


class Running:
    """One dispatch under way: the handler or wrapper that runs, and whether it was interrupted."""

    __slots__ = ("handler", "interruption")

    def __init__(self) -> None:
        self.handler: Handler | Wrapper | None = None
        self.interruption: Interruption | None = None

    def verdict(self, error: BaseException | None) -> BaseException:
        """What the end of the running handler counts as; asked when it raised or was interrupted.

        Raises CancelledError if the caller was cancelled.
        """
        interruption, self.interruption = self.interruption, None
        if interruption is not None:
            return interruption.settle(error)
        if error is None:
            raise ValueError("a handler that returned and was not interrupted needs no verdict")
        if not isinstance(error, CancelledError):
            return error
        if is_cancelled():
            raise error
        return HandlerCancelled(error)


def is_cancelled() -> bool:
    """Whether the running task is to end, rather than something that its code waited for.

    A handler that cancels a task of its own and waits for it gets the very same exception.
    """
    try:
        task = current_task()
    except RuntimeError:
        return True  # another loop than asyncio's: nobody can tell
    return task is None or task.cancelling() > 0
