"""Standard input for the protocol alone: read by a thread, and out of the reach of everybody else.

Touches: standard input.
"""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Final

_PIECE: Final = 64 * 1024
_AHEAD: Final = 4
"""Pieces that are read before the loop takes them."""


@contextmanager
def protected_stdin() -> Iterator[int]:
    """Keep standard input for the protocol; whoever else reads there finds nothing.

    It holds for `input()`, for libraries and for child processes, and is undone at the end.
    """
    kept = os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    try:
        yield kept
    finally:
        os.dup2(kept, 0)
        os.close(kept)


async def pieces_of(descriptor: int) -> AsyncIterator[bytes]:
    """What comes in, piece by piece, to its end. A thread waits for it: no kind of file needs another way."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue(_AHEAD)

    def read() -> None:
        try:
            while data := _read(descriptor):
                asyncio.run_coroutine_threadsafe(queue.put(data), loop).result()
            asyncio.run_coroutine_threadsafe(queue.put(b""), loop)
        except (RuntimeError, CancelledError):
            pass  # the loop has ended, and nobody waits

    threading.Thread(target=read, name="pi-rpc-input", daemon=True).start()
    while data := await queue.get():
        yield data


def _read(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, _PIECE)
        except BlockingIOError:  # a pipe that its owner made so; it is empty
            select.select([descriptor], [], [])
        except OSError:
            return b""  # it is gone, which is an end as well
