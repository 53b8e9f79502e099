"""The real request for a summary: the model of the session, asked apart from the conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hookspecs.definitions import Model
from hookspecs.messages import AssistantMessage, TextContent
from pi_core.abort import AbortController, AbortSignal
from pi_core.compaction.request import ModelAsk
from pi_core.providers.base import BlockEvent, Connection, Context, Done, Failed, NoHooks, StreamOptions
from pi_core.providers.retrying import RetrySettings, pause

MODEL = Model(id="m", provider="p", api="a", max_tokens=500)
OVERLOADED = AssistantMessage(stop_reason="error", error_message="529 overloaded")
GOOD = AssistantMessage(content=[TextContent(text="notes")])


@dataclass
class Provider:
    """Plays answers in turn, and keeps what it was asked."""

    answers: list[AssistantMessage]
    asked: list[tuple[Context, StreamOptions]] = field(default_factory=list)

    async def connect(self, model: Model) -> Connection:
        return Connection(self.stream, "the key", {"x-route": "1"})

    async def stream(
        self, model: Model, context: Context, options: StreamOptions
    ) -> AsyncIterator[BlockEvent]:
        self.asked.append((context, options))
        await options.hooks.before_headers({})
        await options.hooks.before_payload({})
        await options.hooks.after_response(200, {})
        await options.hooks.stream_event("chunk")
        message = self.answers[len(self.asked) - 1]
        yield Failed(message=message) if message.stop_reason == "error" else Done(message=message)


@dataclass
class Told:
    """Implements `RetryListener` by writing down what it hears."""

    heard: list[tuple[Any, ...]] = field(default_factory=list)

    def scheduled(self, attempt: int, max_attempts: int, delay_ms: int, error_message: str) -> None:
        self.heard.append(("scheduled", attempt, max_attempts, delay_ms, error_message))

    def attempt_start(self, attempt: int) -> None:
        self.heard.append(("start", attempt))

    def finished(self, *, success: bool, attempt: int, final_error: str | None) -> None:
        self.heard.append(("finished", success, attempt, final_error))


async def at_once(seconds: float, signal: AbortSignal) -> None:
    """A pause that takes no time."""


async def test_it_is_a_conversation_of_its_own() -> None:
    """One question without tools, by the session's way to the model, under another id each time."""
    provider = Provider([GOOD, GOOD])
    ask = ModelAsk(MODEL, provider.connect, thinking="low")
    assert "notes" == (await ask("system", "text", max_tokens=900)).content[0].text  # type: ignore[union-attr]  # a text
    await ask("system", "text", max_tokens=300)
    (context, options), (_, second) = provider.asked
    assert ("system", 1, ()) == (context.system_prompt, len(context.messages), tuple(context.tools))
    assert ("the key", {"x-route": "1"}, "low") == (options.api_key, options.headers, options.thinking)
    assert options.conversation_id != second.conversation_id
    assert [500, 300] == [options.max_tokens, second.max_tokens]


async def test_of_the_hooks_only_headers_are_asked() -> None:
    """Host case 53: a key or a route is needed here as well; payloads and chunks are nobody's business."""
    called: list[str] = []

    class Hooks(NoHooks):
        async def before_headers(self, headers: dict[str, str | None]) -> None:
            called.append("headers")

        async def before_payload(self, payload: Any) -> Any:
            called.append("payload")

        async def after_response(self, status: int, headers: Mapping[str, str]) -> None:
            called.append("response")

        async def stream_event(self, data: Any) -> None:
            called.append("chunk")

    await ModelAsk(MODEL, Provider([GOOD]).connect, hooks=Hooks())("s", "t", max_tokens=1)
    assert ["headers"] == called


async def test_a_failure_that_may_pass_is_tried_again() -> None:
    """By the same settings as a run: told when it is planned, when it begins and when it is over."""
    told, provider = Told(), Provider([OVERLOADED, OVERLOADED, GOOD])
    ask = ModelAsk(MODEL, provider.connect, listener=told, wait=at_once)
    assert "stop" == (await ask("s", "t", max_tokens=1)).stop_reason
    assert [
        ("scheduled", 1, 3, 2000, "529 overloaded"),
        ("start", 1),
        ("scheduled", 2, 3, 4000, "529 overloaded"),
        ("start", 2),
        ("finished", True, 2, None),
    ] == told.heard


async def test_the_last_failure_is_the_answer() -> None:
    """After all repetitions the error comes back, and it is told."""
    told = Told()
    ask = ModelAsk(
        MODEL,
        Provider([OVERLOADED] * 2).connect,
        retry=RetrySettings(max_retries=1),
        listener=told,
        wait=at_once,
    )
    assert "529 overloaded" == (await ask("s", "t", max_tokens=1)).error_message
    assert ("finished", False, 1, "529 overloaded") == told.heard[-1]


async def test_a_wrong_request_is_made_once() -> None:
    """What cannot pass is not tried again, nor is anything where repetitions are switched off."""
    wrong = AssistantMessage(stop_reason="error", error_message="401 no key")
    off = RetrySettings(enabled=False)
    for answer, retry in ((wrong, RetrySettings()), (OVERLOADED, off)):
        told, provider = Told(), Provider([answer])
        found = await ModelAsk(MODEL, provider.connect, retry=retry, listener=told)("s", "t", max_tokens=1)
        assert "error" == found.stop_reason
        assert [] == told.heard


async def test_no_way_to_the_model_is_an_answer_too() -> None:
    """A missing key is an error of the answer, as everywhere."""

    async def connect(model: Model) -> Connection:
        raise ValueError("there is no key for p")

    found = await ModelAsk(MODEL, connect)("s", "t", max_tokens=1)
    assert "error" == found.stop_reason
    assert "there is no key for p" in (found.error_message or "")


async def test_an_abort_ends_the_wait() -> None:
    """A person who stops a compaction is not kept waiting for its next attempt."""
    controller, told = AbortController(), Told()

    async def stopped(seconds: float, signal: AbortSignal) -> None:
        controller.abort()
        await pause(3600, signal)

    ask = ModelAsk(MODEL, Provider([OVERLOADED]).connect, listener=told, wait=stopped)
    found = await ask("s", "t", max_tokens=1, signal=controller.signal)
    assert "aborted" == found.stop_reason
    assert ("finished", False, 1, "Retry cancelled") == told.heard[-1]


async def test_an_abort_ends_the_request() -> None:
    """Also where a provider does not listen."""
    controller = AbortController()

    async def deaf(model: Model, context: Context, options: StreamOptions) -> AsyncIterator[BlockEvent]:
        controller.abort()
        await pause(3600, AbortController().signal)
        yield Done(message=GOOD)

    async def connect(model: Model) -> Connection:
        return Connection(deaf)

    found = await ModelAsk(MODEL, connect)("s", "t", max_tokens=1, signal=controller.signal)
    assert "aborted" == found.stop_reason
