"""A one-way signal that says "stop": one side raises it, many sides listen.

A signal never goes back. Listeners run in the order in which they came, each
once, in the thread of whoever aborts. Nothing here is bound to an event loop
until somebody waits.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

AbortListener = Callable[[], object]
DEFAULT_ABORT_TEXT: Final = "Operation aborted"


class AbortedError(Exception):
    """Raised where work stops because its signal was aborted. `reason` is what the aborter gave."""

    def __init__(self, text: str = DEFAULT_ABORT_TEXT, *, reason: Any = None) -> None:
        super().__init__(text)
        self.reason = reason


class AbortSignal:
    """The listening end. Handed to tools, handlers and providers; they never raise it themselves."""

    __slots__ = ("_aborted", "_listeners", "_reason")

    def __init__(self) -> None:
        self._aborted = False
        self._reason: Any = None
        self._listeners: list[AbortListener] = []

    @property
    def aborted(self) -> bool:
        """True from the moment of the abort on."""
        return self._aborted

    @property
    def reason(self) -> Any:
        """What the aborter gave; None before the abort, and when it gave nothing."""
        return self._reason

    def on_abort(self, listener: AbortListener) -> Callable[[], None]:
        """Run `listener` at the abort, or at once if that is past. Returns what takes it off again."""
        if self._aborted:
            listener()
            return _nothing
        self._listeners.append(listener)
        return lambda: self._remove(listener)

    async def wait(self) -> None:
        """Return once the signal is aborted."""
        if self._aborted:
            return
        loop = asyncio.get_running_loop()
        raised = asyncio.Event()
        remove = self.on_abort(lambda: loop.call_soon_threadsafe(raised.set))
        try:
            await raised.wait()
        finally:
            remove()

    def raise_if_aborted(self) -> None:
        """Raise `AbortedError` after the abort, do nothing before it."""
        if self._aborted:
            raise AbortedError(reason=self._reason)

    def _remove(self, listener: AbortListener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _abort(self, reason: Any) -> None:
        if self._aborted:
            return
        self._aborted = True
        self._reason = reason
        listeners, self._listeners = self._listeners, []
        failures: list[Exception] = []
        for listener in listeners:
            try:
                listener()
            except Exception as error:  # noqa: BLE001 - raised below, once everybody has been told
                failures.append(error)
        if failures:
            raise ExceptionGroup("abort listeners failed", failures)


class AbortController:
    """The raising end. Owned by whoever started the work; hands out `signal`."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: Any = None) -> None:
        """Raise the signal. The second and later calls change nothing.

        Raises: ExceptionGroup of what listeners raised, after all of them ran.
        """
        self.signal._abort(reason)


def any_signal(*signals: AbortSignal | None) -> AbortSignal:
    """A signal that is aborted as soon as one of `signals` is, with that one's reason."""
    combined = AbortController()

    def forward(source: AbortSignal) -> AbortListener:
        return lambda: combined.abort(source.reason)

    for signal in signals:
        if signal is not None:
            signal.on_abort(forward(signal))
    return combined.signal


def _nothing() -> None:
    """Take off a listener that has run already."""
