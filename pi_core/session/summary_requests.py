"""Requests for summaries: apart from the conversation, without tools, again after a passing failure.

Extensions may change the headers of such a request and nothing else of it.

Touches: the model that is asked.
"""

from __future__ import annotations

from hookspecs.messages import AssistantMessage, UserMessage
from pi_core.abort import AbortController, AbortSignal
from pi_core.agent.agent import now_ms
from pi_core.agent.events import LoopEvent
from pi_core.agent.steps import read_answer
from pi_core.errors import AgentError
from pi_core.providers.base import Context, NoHooks, StreamOptions
from pi_core.providers.failures import is_retryable
from pi_core.session.events import (
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
)
from pi_core.session.generation import SessionParts
from pi_core.session.hooks import ProviderHooks
from pi_core.session.preferences import Preferences
from pi_core.session.retry import CANCELLED, Pause, pause


class SummaryRequests:
    """Implements `Ask` over the model of a session."""

    def __init__(self, parts: SessionParts, preferences: Preferences, wait: Pause = pause) -> None:
        self._parts = parts
        self._preferences = preferences
        self._wait = wait

    async def __call__(
        self, system_prompt: str, text: str, *, max_tokens: int, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The answer, which may have failed: its stop reason says so."""
        stop = signal or AbortController().signal
        attempt = 0
        while True:
            answer = await self._once(system_prompt, text, max_tokens, stop)
            if stop.aborted or not self._again(answer, attempt):
                break
            attempt += 1
            if not await self._pause(answer, attempt, stop):
                answer.stop_reason, answer.error_message = "aborted", CANCELLED
                break
            self._parts.channel.tell(SummarizationRetryAttemptStart(attempt=attempt))
        if attempt:
            failed = answer.stop_reason in ("error", "aborted")
            error = (answer.error_message or CANCELLED) if failed else None
            self._parts.channel.tell(
                SummarizationRetryFinished(success=not failed, attempt=attempt, final_error=error)
            )
        return answer

    def _again(self, answer: AssistantMessage, attempt: int) -> bool:
        window = self._parts.models.model.context_window
        return is_retryable(answer, window) and attempt < self._preferences.retry().limit

    async def _pause(self, answer: AssistantMessage, attempt: int, signal: AbortSignal) -> bool:
        """Tell the next attempt and wait for it; False if somebody stopped it."""
        settings, error = self._preferences.retry(), answer.error_message or ""
        delay_ms = settings.delay_ms(attempt, error)
        self._parts.channel.tell(
            SummarizationRetryScheduled(
                attempt=attempt, max_attempts=settings.limit, delay_ms=delay_ms, error_message=error
            )
        )
        await self._wait(delay_ms / 1000, signal)
        return not signal.aborted

    async def _once(
        self, system_prompt: str, text: str, max_tokens: int, signal: AbortSignal
    ) -> AssistantMessage:
        models = self._parts.models
        model = models.model
        blank = AssistantMessage(api=model.api, provider=model.provider, model=model.id, timestamp=now_ms())
        try:
            connection = await models.registry.connect(model)
        except AgentError as error:
            blank.stop_reason, blank.error_message = "error", str(error)
            return blank
        question = UserMessage(content=text, timestamp=now_ms())
        options = StreamOptions(
            signal=signal,
            hooks=_HeadersOnly(ProviderHooks(self._parts.runner, model)),
            api_key=connection.api_key,
            headers=connection.headers,
            max_tokens=min(max_tokens, model.max_tokens) if model.max_tokens else max_tokens,
        )
        context = Context(system_prompt=system_prompt, messages=(question,))
        return await read_answer(connection.stream(model, context, options), blank, signal, _unheard)


class _HeadersOnly(NoHooks):
    """Implements `RequestHooks`: of all hooks only the one for headers runs."""

    def __init__(self, hooks: ProviderHooks) -> None:
        self._hooks = hooks

    async def before_headers(self, headers: dict[str, str | None]) -> None:
        """Extensions edit the headers in place."""
        await self._hooks.before_headers(headers)


async def _unheard(event: LoopEvent) -> None:
    """A summary is told when it is there, not while it arrives."""
