"""The request for a summary: the session's model, asked apart from the conversation and without tools.

Touches: the network, by way of the model's stream.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any, Protocol

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.messages import AssistantMessage, UserMessage
from hookspecs.values import dataclass
from pi_core.abort import AbortController, AbortSignal
from pi_core.agent.abortable import ABORTED
from pi_core.agent.steps import read_answer
from pi_core.history.names import new_session_id
from pi_core.providers.base import BlockEvent, Connect, Context, NoHooks, RequestHooks, StreamOptions
from pi_core.providers.failures import is_retryable
from pi_core.providers.prices import priced
from pi_core.providers.retrying import CANCELLED, Pause, RetrySettings, pause


class RetryListener(Protocol):
    """Hears of repetitions; they count from 1."""

    def scheduled(self, attempt: int, max_attempts: int, delay_ms: int, error_message: str) -> None:
        """A request failed in a way that may pass; it will be made again after the delay."""
        ...

    def attempt_start(self, attempt: int) -> None:
        """It is made again."""
        ...

    def finished(self, *, success: bool, attempt: int, final_error: str | None) -> None:
        """No repetition will follow: one succeeded, or the error says why none did."""
        ...


class NoListener:
    """Nobody wants to know."""

    def scheduled(self, attempt: int, max_attempts: int, delay_ms: int, error_message: str) -> None:
        """Not told."""

    def attempt_start(self, attempt: int) -> None:
        """Not told."""

    def finished(self, *, success: bool, attempt: int, final_error: str | None) -> None:
        """Not told."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The same in every repetition."""

    context: Context
    max_tokens: int
    conversation_id: str


class ModelAsk:
    """Asks one model. Implements `Ask`.

    Of the request's hooks only `before_headers` runs. A failure that may pass is tried again, by the
    same rule as the requests of a run; the listener hears of it.
    """

    def __init__(
        self,
        model: Model,
        connect: Connect,
        *,
        hooks: RequestHooks | None = None,
        thinking: ThinkingLevel = "off",
        retry: RetrySettings | None = None,
        listener: RetryListener | None = None,
        wait: Pause = pause,
    ) -> None:
        self._model = model
        self._connect = connect
        self._hooks = _HeadersOnly(hooks or NoHooks())
        self._thinking: ThinkingLevel = thinking
        self._retry = retry or RetrySettings()
        self._listener = listener or NoListener()
        self._pause = wait

    async def __call__(
        self, system_prompt: str, text: str, *, max_tokens: int, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The answer, good or bad, after all repetitions."""
        signal = signal or AbortController().signal
        context = Context(
            system_prompt=system_prompt, messages=(UserMessage(content=text, timestamp=_now_ms()),)
        )
        # A conversation of its own: no cache of the session's prompt is spoilt by it.
        asked = _Asked(context, min(max_tokens, self._model.max_tokens or max_tokens), new_session_id())
        answer = await self._once(asked, signal)
        attempt = 0
        while self._may_pass(answer) and attempt < self._retry.limit:
            attempt += 1
            if not await self._wait(attempt, answer, signal):
                self._listener.finished(success=False, attempt=attempt, final_error=CANCELLED)
                return self._blank("aborted", ABORTED)
            self._listener.attempt_start(attempt)
            answer = await self._once(asked, signal)
        if attempt:
            good = answer.stop_reason not in ("error", "aborted")
            error = None if good else answer.error_message
            self._listener.finished(success=good, attempt=attempt, final_error=error)
        return answer

    def _may_pass(self, answer: AssistantMessage) -> bool:
        return is_retryable(answer, self._model.context_window)

    async def _wait(self, attempt: int, failed: AssistantMessage, signal: AbortSignal) -> bool:
        """Wait before a repetition; False if it shall not be made any more."""
        text = failed.error_message or ""
        delay_ms = self._retry.delay_ms(attempt, text)
        self._listener.scheduled(attempt, self._retry.limit, delay_ms, text)
        await self._pause(delay_ms / 1000, signal)
        return not signal.aborted

    async def _once(self, asked: _Asked, signal: AbortSignal) -> AssistantMessage:
        return await read_answer(self._stream(asked, signal), self._blank("pending"), signal, _unheard)

    async def _stream(self, asked: _Asked, signal: AbortSignal) -> AsyncIterator[BlockEvent]:
        connection = await self._connect(self._model)
        options = StreamOptions(
            signal=signal,
            hooks=self._hooks,
            thinking=self._thinking,
            api_key=connection.api_key,
            headers=connection.headers,
            max_tokens=asked.max_tokens,
            conversation_id=asked.conversation_id,
        )
        stream = connection.stream(self._model, asked.context, options)
        try:
            async for event in stream:
                yield priced(event, self._model)
        finally:
            if (close := getattr(stream, "aclose", None)) is not None:
                await close()

    def _blank(self, stop_reason: Any, error: str | None = None) -> AssistantMessage:
        model = self._model
        return AssistantMessage(
            api=model.api,
            provider=model.provider,
            model=model.id,
            stop_reason=stop_reason,
            error_message=error,
            timestamp=_now_ms(),
        )


class _HeadersOnly(NoHooks):
    """Of the hooks around a request the one that edits headers: keys and routes are needed here, too."""

    def __init__(self, hooks: RequestHooks) -> None:
        self._hooks = hooks

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        """As in a request of the conversation."""
        await self._hooks.before_headers(headers)


def _now_ms() -> int:
    return int(time.time() * 1000)


async def _unheard(event: object) -> None:
    """A summary is not shown while it is written."""
