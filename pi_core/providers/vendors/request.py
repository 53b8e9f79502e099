"""One request, from our context to our events.

Touches: network.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Final

import httpx2
from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import StreamedResponse
from pydantic_ai.usage import RequestUsage

from hookspecs.definitions import Model
from hookspecs.messages import StopReason, Usage
from pi_core.providers.base import Context, StreamOptions, UpdateEvent
from pi_core.providers.connections import TIMEOUT, Pool
from pi_core.providers.interruption import Interruption
from pi_core.providers.transport import HookedTransport
from pi_core.providers.vendors.asking import request_parameters, request_settings
from pi_core.providers.vendors.building import key_headers, vendor_model
from pi_core.providers.vendors.compat import host_of, unsent_fields
from pi_core.providers.vendors.incoming import Incoming
from pi_core.providers.vendors.outgoing import Dialect, vendor_messages
from pi_core.providers.vendors.wording import BROKE_OFF, NO_STREAM, asked_wait_s, is_told, unstreamed, wording

REFUSED: Final = "The provider refused to answer (content filter)"


class AnswerFailed(Exception):
    """The stream ended without a good answer; the text says how."""


class VendorRequest:
    """One request, used once. Use as `async with`, which ends it; `begin` first, then `events`."""

    def __init__(self, model: Model, context: Context, options: StreamOptions, pool: Pool) -> None:
        self._model = model
        self._context = context
        self._options = options
        self._stack = AsyncExitStack()
        headers = {**key_headers(model.api, options.api_key), **options.headers}
        self._transport = HookedTransport(pool, headers, options.hooks, unsent_fields(model))
        self._waiting = Interruption(options.signal)
        self._incoming = Incoming(model.api)
        self._response: StreamedResponse | None = None

    async def __aenter__(self) -> VendorRequest:
        await self._stack.enter_async_context(self._waiting)
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._stack.aclose()

    async def begin(self) -> None:
        """Send it. The answer begins when this returns.

        Raises: what the library raises; AbortedError; AnswerFailed.
        """
        model, options = self._model, self._options
        if model.base_url and host_of(model.base_url) is None:
            raise AnswerFailed(f'"{model.base_url}" is no address of a server: http://… or https://…')
        client = httpx2.AsyncClient(transport=self._transport, timeout=TIMEOUT)
        await self._stack.enter_async_context(client)
        vendor = vendor_model(model, client)
        asking = model_request_stream(
            vendor,
            vendor_messages(self._context, Dialect(model.api, vendor.system)),
            model_settings=request_settings(
                model,
                self._context,
                options,
                adaptive=bool(vendor.profile.get("anthropic_supports_adaptive_thinking")),
            ),
            model_request_parameters=request_parameters(self._context),
            instrument=False,
        )
        self._response = await self._waiting.wait(lambda: self._stack.enter_async_context(asking))

    async def events(self) -> AsyncIterator[UpdateEvent]:
        """The answer as it arrives.

        Raises: what the library raises; AbortedError; AnswerFailed.
        """
        assert self._response is not None
        arriving = aiter(self._response)
        while True:
            try:
                event = await self._waiting.wait(arriving.__anext__)
            except StopAsyncIteration:
                break
            for each in self._incoming.events(event):
                yield each
        for each in self._incoming.ending():
            yield each

    def stop_reason(self) -> StopReason:
        """Why the answer ended.

        Raises: AnswerFailed if it did not end well.
        """
        assert self._response is not None
        reason = self._response.finish_reason
        told = (self._response.provider_details or {}).get("finish_reason")
        if reason is None and told is None:
            raise AnswerFailed(BROKE_OFF)
        if reason == "content_filter":
            raise AnswerFailed(REFUSED)
        if reason == "error":
            raise AnswerFailed(f"The provider could not finish the answer ({told or 'no reason given'})")
        if reason == "length":
            return "length"
        return "toolUse" if self._incoming.has_calls else "stop"

    def wording(self, error: Exception) -> str:
        """What went wrong, in one line; with the wait that the server asks for, if it does."""
        if (failure := self._transport.hook_failure) is not None:
            return str(failure) or type(failure).__name__
        if isinstance(error, AnswerFailed):
            return str(error)
        if NO_STREAM in str(error) or (self._response is None and not is_told(error)):
            return unstreamed(self._transport.body_start, error)
        wait_s = asked_wait_s(self._transport.response_headers, datetime.now(UTC))
        return wording(error) if wait_s is None else f"{wording(error)} (retry after {wait_s:g} s)"

    def usage(self) -> Usage:
        """The tokens counted so far."""
        counted = self._response.usage if self._response is not None else RequestUsage()
        return _usage(counted)

    @property
    def response_id(self) -> str | None:
        """The vendor's name for the answer."""
        return self._response.provider_response_id if self._response is not None else None


def _usage(counted: RequestUsage) -> Usage:
    """The library counts what came from a cache, or went into one, as input too; we do not."""
    read, written = counted.cache_read_tokens, counted.cache_write_tokens
    return Usage(
        input=max(0, counted.input_tokens - read - written),
        output=counted.output_tokens,
        cache_read=read,
        cache_write=written,
        total_tokens=counted.input_tokens + counted.output_tokens,
    )
