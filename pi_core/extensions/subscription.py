"""What a registration hands back: call it, and the registration is gone.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable


class Subscription:
    """Ends one registration. Ending it again changes nothing; it may be ended from inside a dispatch."""

    __slots__ = ("_end",)

    def __init__(self, end: Callable[[], None]) -> None:
        self._end: Callable[[], None] | None = end

    @property
    def active(self) -> bool:
        """Whether this handle has not been ended yet."""
        return self._end is not None

    def __call__(self) -> None:
        """End the registration; running dispatches keep the handlers that they started with."""
        end, self._end = self._end, None
        if end is not None:
            end()

    def unsubscribe(self) -> None:
        """The same as calling it."""
        self()
