"""Which dialogs stand before a person: the outermost one is told to extensions, as it opens and as it closes.

They are told beside the dialog, never before it: a slow listener delays no question. What it tells comes
in order, one event after another.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias, cast

from hookspecs.events.input import PromptKind, UiPromptEnd, UiPromptStart
from pi_core.extensions.background import Background

Emit: TypeAlias = Callable[[Any], Awaitable[Any]]

DIALOGS: Final = frozenset({"select", "confirm", "input", "editor", "custom"})
"""The methods of a UI that wait for a person."""
REASON: Final = "extension"
"""Why they open: extensions ask."""


class OpenDialogs:
    """The open dialogs of one session. `listened` says whether anybody hears an event of a name."""

    def __init__(self, emit: Emit, listened: Callable[[str], bool], background: Background) -> None:
        self._emit = emit
        self._listened = listened
        self._background = background
        self._open = 0
        self._last: asyncio.Task[None] | None = None

    @contextmanager
    def standing(self, method: str, title: object) -> Iterator[None]:
        """A dialog stands before a person while the block runs; one inside another is not told."""
        outermost, self._open = not self._open, self._open + 1
        about: Any = {"kind": cast(PromptKind, method), "reason": REASON}
        if isinstance(title, str):
            about["title"] = title
        if outermost:
            self._tell(UiPromptStart(**about))
        try:
            yield
        finally:
            self._open -= 1
            if outermost:
                self._tell(UiPromptEnd(**about))

    def _tell(self, event: UiPromptStart | UiPromptEnd) -> None:
        if self._listened(event.event_name):
            telling = self._after(self._last, event)
            self._last = self._background.spawn(None, event.event_name, telling)

    async def _after(self, earlier: asyncio.Task[None] | None, event: Any) -> None:
        if earlier is not None:
            await asyncio.wait({earlier})
        await self._emit(event)
