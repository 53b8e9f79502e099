"""One HTTP transport for all wires, in which the hooks of a request run: headers, payload, response, chunks.

It runs once a request, because the vendors' own retries are off. Of what a vendor's client puts into the
headers only what the protocol needs goes out: a key or a name that it found in the environment does not.

Touches: network.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Collection, Mapping
from contextlib import suppress
from typing import Any, Final, TypeVar

import httpx2

from pi_core.providers.base import NoHooks, RequestHooks
from pi_core.providers.connections import Pool
from pi_core.version import VERSION

T = TypeVar("T")

CARRIED: Final = frozenset({"accept", "anthropic-beta", "anthropic-version", "content-type"})
"""What a vendor's client may put into the headers."""

DONE: Final = b"data: [DONE]"
"""The last word of the chat wire."""

START_BYTES: Final = 2000
"""How much of a body is remembered, for the case that it is no answer."""

REST_S: Final = 0.2
"""How long the end of a body may take after the last word."""

FRAMING: Final = ("host", "content-length", "transfer-encoding", "connection")
"""What belongs to the connection; hooks neither see nor change it."""


class HookedTransport(httpx2.AsyncBaseTransport):
    """Sends one request through a pool. `headers` are laid over the vendor's; None deletes one.

    `unsent` are names that are taken out of the payload before a hook sees it.
    """

    def __init__(
        self,
        pool: Pool,
        headers: Mapping[str, str | None],
        hooks: RequestHooks,
        unsent: Collection[str] = (),
    ) -> None:
        self._pool = pool
        self._headers = headers
        self._hooks = Guarded(hooks)
        self._unsent = unsent
        self._response: _Response | None = None
        self._body: _Body | None = None
        self._client: httpx2.AsyncClient | None = None
        self.response_headers: Mapping[str, str] = {}
        """Those of the response, good or bad; empty before it."""

    @property
    def body_start(self) -> bytes:
        """The first bytes of the body, as far as it was read."""
        return self._body.start if self._body is not None else b""

    @property
    def hook_failure(self) -> Exception | None:
        """What a hook raised. Vendors make an error of the connection out of it."""
        return self._hooks.failure

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Run the hooks around the request; the response's body is still to come."""
        shown = shown_headers(request.headers, self._headers)
        await self._hooks.before_headers(shown)
        payload = json.loads(await request.aread())
        for name in self._unsent:
            payload.pop(name, None)
        payload = await self._hooks.before_payload(payload)
        content = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Host": request.headers["host"], **sent_headers(shown)}
        prepared = httpx2.Request(
            request.method, request.url, headers=headers, content=content, extensions=request.extensions
        )
        if self._client is None:  # a vendor may ask twice, where the first answer tells how
            self._client = await self._pool.take()
        response = await self._client.send(prepared, stream=True, auth=None, follow_redirects=False)
        self.response_headers = response.headers
        if response.is_success:
            try:
                await self._hooks.after_response(response.status_code, dict(response.headers))
            except BaseException:
                await response.aclose()
                raise
        self._body = _Body(response, self._hooks)
        self._response = _Response(
            response.status_code,
            headers=response.headers,
            stream=self._body,
            extensions=response.extensions,
        )
        return self._response

    async def aclose(self) -> None:
        """End the request, whoever still reads it."""
        if self._response is not None:
            await self._response.let_go()
        if self._client is not None:
            self._client = None
            self._pool.give_back()


class Guarded:
    """Hooks, with the first failure of one kept."""

    def __init__(self, hooks: RequestHooks) -> None:
        self._hooks = hooks
        self.is_watched = type(hooks) is not NoHooks
        self.failure: Exception | None = None

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        await self._run(self._hooks.before_headers(headers))

    async def before_payload(self, payload: Any) -> Any:
        return await self._run(self._hooks.before_payload(payload))

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        await self._run(self._hooks.after_response(status, headers))

    async def stream_event(self, data: Any) -> None:
        await self._run(self._hooks.stream_event(data))

    async def _run(self, call: Awaitable[T]) -> T:
        try:
            return await call
        except Exception as error:
            self.failure = self.failure or error
            raise


class _Response(httpx2.Response):
    """A response that knows its readers. Vendors leave them standing when they give up in the middle."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self._readers: list[AsyncGenerator[Any]] = []

    def aiter_raw(self, chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        return self._known(super().aiter_raw(chunk_size))

    def aiter_bytes(self, chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        return self._known(super().aiter_bytes(chunk_size))

    def aiter_text(self, chunk_size: int | None = None) -> AsyncIterator[str]:
        return self._known(super().aiter_text(chunk_size))

    def aiter_lines(self) -> AsyncIterator[str]:
        return self._known(super().aiter_lines())

    async def let_go(self) -> None:
        """Close the readers, the outermost first, then the response."""
        for reader in self._readers:
            await reader.aclose()
        await self.aclose()

    def _known(self, reader: AsyncIterator[T]) -> AsyncGenerator[T]:
        assert isinstance(reader, AsyncGenerator)
        self._readers.append(reader)
        return reader


class _Body(httpx2.AsyncByteStream):
    """The body as it comes, each chunk of it told to the hooks before it is handed on."""

    def __init__(self, response: httpx2.Response, hooks: Guarded) -> None:
        self._response = response
        # The bytes as they came: whoever asked for the response undoes their encoding.
        self._source = response.aiter_raw()
        self._hooks = hooks if hooks.is_watched and response.is_success else None
        self._chunks = Chunks()
        self._is_done = False
        self.start = b""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        data = await anext(self._source)
        self._is_done = DONE in data
        if len(self.start) < START_BYTES:
            self.start += data[:START_BYTES]
        if self._hooks is not None:
            for chunk in self._chunks.feed(data):
                await self._hooks.stream_event(chunk)
        return data

    async def aclose(self) -> None:
        """End the response. Whoever stops at the wire's last word leaves the end of the body unread, and a
        connection with something unread cannot be used again."""
        if self._is_done:
            with suppress(TimeoutError, httpx2.TransportError):
                async with asyncio.timeout(REST_S):
                    async for _ in self._source:
                        pass
        self._is_done = False
        await self._response.aclose()


class Chunks:
    """Server-sent events cut out of a body. Only their data counts here, as JSON where it is that."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Any]:
        """The data of the events that are complete with this piece of the body, in order."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        texts = [line[5:].strip() for line in lines if line.startswith(b"data:")]
        return [_value(text) for text in texts]


def _value(text: bytes) -> Any:
    with suppress(ValueError):
        return json.loads(text)
    return text.decode(errors="replace")


def shown_headers(vendor: httpx2.Headers, ours: Mapping[str, str | None]) -> dict[str, str | None]:
    """The headers as hooks see them: the vendor's as far as they are carried, ours over them, names once."""
    raw = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in vendor.raw]
    carried: dict[str, str | None] = {name: value for name, value in raw if name.lower() in CARRIED}
    own = {"Accept-Encoding": "identity", "User-Agent": f"pi/{VERSION}"}
    return laid_over({**carried, **own}, ours)


def laid_over(under: Mapping[str, str | None], over: Mapping[str, str | None]) -> dict[str, str | None]:
    """Both, in order; a name in another spelling is the same name, and the later one counts."""
    spelled: dict[str, tuple[str, str | None]] = {}
    for name, value in [*under.items(), *over.items()]:
        spelled[name.lower()] = (name, value)
    return dict(spelled.values())


def sent_headers(shown: Mapping[str, str | None]) -> dict[str, str]:
    """The headers that go out: without the deleted ones and without what belongs to the connection."""
    return {
        name: value
        for name, value in laid_over({}, shown).items()
        if value is not None and name.lower() not in FRAMING
    }
