"""The wires of the world as stream functions, on the vendors' own libraries, which load at the first request.

Loading takes a second or two, so it happens in a thread: the terminal stays alive, an abort counts. Whatever
goes wrong is the stream's last event.

Touches: network, and the modules that it loads.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

from hookspecs.definitions import Model
from hookspecs.messages import AssistantMessage, StopReason
from pi_core.abort import AbortedError
from pi_core.providers.base import (
    BlockEvent,
    Context,
    Done,
    Failed,
    Stream,
    StreamOptions,
    StreamStart,
)
from pi_core.providers.folding import Growing
from pi_core.providers.interruption import Interruption

ABORTED: Final = "Request was aborted"

INSTALL: Final = "pip install 'pi-pluggy[providers]'"

FACES: Final = {
    "openai-completions": "pydantic_ai.models.openai",
    "openai-responses": "pydantic_ai.models.openai",
    "anthropic-messages": "pydantic_ai.models.anthropic",
    "google-generative-ai": "pydantic_ai.models.google",
}
"""The wires, and the module that is slow to load for each."""


def create(api: str) -> Stream:
    """The stream function of a wire. Loads nothing yet."""
    return Wire(api).stream


class Wire:
    """One wire with its connections, which outlive a request."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._loaded: tuple[Any, Any] | None = None

    async def stream(
        self, model: Model, context: Context, options: StreamOptions
    ) -> AsyncIterator[BlockEvent]:
        """Ask once. The model's api may be unset: the wire is this one."""
        blank = AssistantMessage(api=model.api or self._api, provider=model.provider, model=model.id)
        try:
            async with Interruption(options.signal) as waiting:
                request_type, pool = await waiting.wait(self._load)
        except AbortedError:
            yield Failed(message=replace(blank, stop_reason="aborted", error_message=ABORTED))
            return
        except ImportError as error:
            text = f"{error}; the wire {self._api} needs libraries: {INSTALL}"
            yield Failed(message=replace(blank, stop_reason="error", error_message=text))
            return
        async with request_type(replace(model, api=self._api), context, options, pool) as request:
            async for event in _answered(request, blank):
                yield event

    async def _load(self) -> tuple[Any, Any]:
        """The type of a request, and the connections for it."""
        if self._loaded is None:
            found = await asyncio.to_thread(_import, self._api)
            self._loaded = self._loaded or found
        return self._loaded


async def _answered(request: Any, blank: AssistantMessage) -> AsyncIterator[BlockEvent]:
    """The events of a request, to the last one."""
    growing = Growing(blank)
    stop: StopReason = "error"
    text: str | None = None
    begun = False
    try:
        await request.begin()
        begun = True
        yield StreamStart(partial=blank)
        async for event in request.events():
            growing.apply(event)
            yield event
        stop = request.stop_reason()
    except AbortedError:
        stop, text = "aborted", ABORTED
    except Exception as error:  # noqa: BLE001 - whatever the libraries raise is the answer's error
        text = request.wording(error)
    if begun:
        for event in growing.ending():
            growing.apply(event)
            yield event
    message = growing.finished(stop, text)
    message.usage, message.response_id = request.usage(), request.response_id
    yield Done(message=message) if text is None else Failed(message=message)


def _import(api: str) -> tuple[Any, Any]:
    """Everything that the first request would import. Slow, so never in the thread of the event loop."""
    warm(api)
    request = importlib.import_module("pi_core.providers.vendors.request")
    connections = importlib.import_module("pi_core.providers.connections")
    return request.VendorRequest, connections.Pool()


def warm(api: str) -> None:
    """Import a wire's libraries before they are needed: it takes a second or two, in whatever thread.

    Raises: ImportError.
    """
    # Thousands of classes are made, and none of them is garbage: looking for it costs a tenth of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        importlib.import_module(FACES[api])
        importlib.import_module("pi_core.providers.vendors.request")
    finally:
        if was_enabled:
            gc.enable()
