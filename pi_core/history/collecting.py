"""Lets the garbage collector rest while many objects are made that all stay.

Touches: the garbage collector.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Final

_SOMEONE_FROZE: Final = Event()
"""Whether the program, or the interactive mode, was seen to keep objects out of every search."""


@contextmanager
def collection_paused() -> Iterator[None]:
    """No search for garbage inside the block, nor at once after it.

    Each search would go through all that was read so far: two thirds of the time for a long session.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """Let what was made count as if a search had been through it; the next full one will."""
    # Counting takes as long as there is much to count, so what was found once is not counted again.
    if not _SOMEONE_FROZE.is_set() and gc.get_freeze_count() > 0:
        _SOMEONE_FROZE.set()
    if not _SOMEONE_FROZE.is_set():  # what the program froze itself stays frozen
        gc.freeze()
        gc.unfreeze()
