"""Asking a wire in a test: a model at the test's server, a context, all events of the answer.

Touches: network.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from hookspecs.definitions import Model, ToolDefinition
from hookspecs.messages import AssistantContent, AssistantMessage, UserMessage
from pi_core.providers.base import BlockEvent, Context, Done, Failed, NoHooks, Stream, StreamOptions
from pi_core.providers.pydantic_ai import create
from tests.support.wire_bodies import Call, Say, Think, Wire
from tests.support.wire_server import WireServer

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
FULL = (
    Think(("hm", "mm")),
    Say(("Hel", "lo")),
    Call("c1", "t", ('{"a"', ": 1}")),
    Call("c2", "t", ('{"a": 2}',)),
)


async def never() -> None:
    """What a tool of these tests would do."""
    raise AssertionError("no tool runs here")


TOOL = ToolDefinition(name="t", description="d", parameters=SCHEMA, execute=lambda *given: never())  # type: ignore[arg-type]  # never called
GO = Context(system_prompt="sys", messages=[UserMessage(content="go")], tools=[TOOL])


def model_at(server: WireServer, wire: Wire, **fields: Any) -> Model:
    """The model `m` of a provider `p` at the server."""
    known: dict[str, Any] = {"base_url": server.base_url(wire), "input": ("text", "image"), **fields}
    return Model(id=known.pop("id", "m"), provider=known.pop("provider", "p"), api=wire, **known)


@cache
def stream_of(wire: Wire) -> Stream:
    """The stream function of a wire. One for all tests: each loop has connections of its own."""
    return create(wire)


class Asking:
    """A wire and its model, to be asked again and again. Connections stay between two requests."""

    def __init__(self, server: WireServer, wire: Wire) -> None:
        self.server = server
        self.wire = wire
        self._stream = stream_of(wire)

    async def events(self, context: Context = GO, **options: Any) -> list[BlockEvent]:
        """All events of one answer. What is not an option is a field of the model, and so is `max_tokens`."""
        names = set(StreamOptions.__dataclass_fields__) - {"max_tokens"}
        asked = {name: value for name, value in options.items() if name in names}
        fields = {name: value for name, value in options.items() if name not in names}
        chosen = StreamOptions(**{"api_key": "test-key", **asked})
        model = model_at(self.server, self.wire, **fields)
        return [event async for event in self._stream(model, context, chosen)]

    async def message(self, context: Context = GO, **options: Any) -> AssistantMessage:
        """The message at the end of one answer."""
        return last(await self.events(context, **options))

    async def payload(self, context: Context = GO, **options: Any) -> Any:
        """What the server was sent for one answer."""
        await self.events(context, **options)
        return self.server.requests[-1].payload


def answer_of(wire: Wire, *blocks: AssistantContent) -> AssistantMessage:
    """An earlier answer of the model."""
    return AssistantMessage(content=list(blocks), api=wire, provider="p", model="m", stop_reason="toolUse")


def last(events: list[BlockEvent]) -> AssistantMessage:
    """The message of the last event."""
    end = events[-1]
    assert isinstance(end, Done | Failed)
    return end.message


def kinds(events: list[BlockEvent]) -> list[str]:
    """The types of the events."""
    return [event.type for event in events]


class RecordingHooks(NoHooks):
    """Notes what is called. `headers` are laid over the request's, `payload` is sent instead."""

    def __init__(self, headers: Mapping[str, str | None] | None = None, payload: Any = ...) -> None:
        self.calls: list[Any] = []
        self.chunks: list[Any] = []
        self.seen: dict[str, str | None] = {}
        self._headers = headers or {}
        self._payload = payload

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        self.calls.append("headers")
        self.seen = dict(headers)
        headers.update(self._headers)

    async def before_payload(self, payload: Any) -> Any:
        self.calls.append("payload")
        return payload if self._payload is ... else self._payload

    async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
        self.calls.append((status, headers.get("x-request-id")))

    async def stream_event(self, data: Any) -> None:
        self.chunks.append(data)
