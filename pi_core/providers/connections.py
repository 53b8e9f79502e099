"""Connections to model servers, kept from one request to the next.

Touches: network.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final
from weakref import WeakKeyDictionary

import httpx2

from hookspecs.values import dataclass

TIMEOUT: Final = httpx2.Timeout(600.0, connect=10.0)
"""Seconds: a model may think for ten minutes between two chunks; a server that is there answers the call."""

IDLE_S: Final = 60.0
"""How long a connection is kept for the next request."""


class Pool:
    """Connections, which outlive a request: a set for each event loop, closed once idle, or with its loop.

    Making one reads the certificates of the system, for which a loop should not wait.
    """

    def __init__(self) -> None:
        self._certificates = httpx2.create_ssl_context()
        self._sets: WeakKeyDictionary[asyncio.AbstractEventLoop, _Set] = WeakKeyDictionary()

    async def take(self) -> httpx2.AsyncClient:
        """The client of the running loop, for one request; `give_back` ends that."""
        loop = asyncio.get_running_loop()
        if loop not in self._sets:
            limits = httpx2.Limits(keepalive_expiry=IDLE_S)
            client = httpx2.AsyncClient(verify=self._certificates, timeout=TIMEOUT, limits=limits)
            owner = _owned(client)
            await anext(owner)
            self._sets[loop] = _Set(owner, client)
        found = self._sets[loop]
        found.taken += 1
        if found.timer is not None:
            found.timer.cancel()
        return found.client

    def give_back(self) -> None:
        """One request of the running loop has ended."""
        loop = asyncio.get_running_loop()
        found = self._sets[loop]
        found.taken -= 1
        if not found.taken:
            # The timer also keeps an idle set with open connections from being collected.
            found.timer = loop.call_later(IDLE_S, self._close_idle, loop)

    def _close_idle(self, loop: asyncio.AbstractEventLoop) -> None:
        found = self._sets.pop(loop)
        found.closing = loop.create_task(found.owner.aclose())


@dataclass(slots=True)
class _Set:
    """The connections of one loop. `taken` counts the requests under way."""

    owner: AsyncGenerator[None]
    client: httpx2.AsyncClient
    taken: int = 0
    timer: asyncio.TimerHandle | None = None
    closing: asyncio.Task[None] | None = None


async def _owned(client: httpx2.AsyncClient) -> AsyncGenerator[None]:
    """Closes the client when the loop shuts its generators down, which is the last thing that it does."""
    try:
        yield
    finally:
        await client.aclose()
