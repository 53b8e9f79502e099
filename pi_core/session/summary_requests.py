"""Requests for summaries: by the model of the session, told like everything that a session does.

Extensions may change the headers of such a request and nothing else of it.

Touches: the model that is asked.
"""

from __future__ import annotations

from hookspecs.messages import AssistantMessage
from pi_core.abort import AbortSignal
from pi_core.compaction.request import ModelAsk
from pi_core.providers.retrying import Pause, pause
from pi_core.session.channel import Channel
from pi_core.session.events import (
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
)
from pi_core.session.generation import SessionParts
from pi_core.session.hooks import ProviderHooks
from pi_core.session.preferences import Preferences


class SummaryRequests:
    """Implements `Ask` over the model that a session has at the time.

    With `thinks` it thinks as hard as for an answer. A short summary leaves no room for that: a model would
    spend the whole limit on its thoughts.
    """

    def __init__(
        self, parts: SessionParts, preferences: Preferences, *, thinks: bool, wait: Pause = pause
    ) -> None:
        self._thinks = thinks
        self._parts = parts
        self._preferences = preferences
        self._wait = wait

    async def __call__(
        self, system_prompt: str, text: str, *, max_tokens: int, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The answer, which may have failed: its stop reason says so."""
        models = self._parts.models
        ask = ModelAsk(
            models.model,
            models.registry.connect,
            hooks=ProviderHooks(self._parts.runner, models.model),
            thinking=models.thinking if self._thinks else "off",
            retry=self._preferences.retry(),
            listener=_Told(self._parts.channel),
            wait=self._wait,
        )
        return await ask(system_prompt, text, max_tokens=max_tokens, signal=signal)


class _Told:
    """Implements `RetryListener`: the listeners of the session hear of each attempt."""

    def __init__(self, channel: Channel) -> None:
        self._tell = channel.tell

    def scheduled(self, attempt: int, max_attempts: int, delay_ms: int, error_message: str) -> None:
        """The request failed for a passing reason."""
        self._tell(
            SummarizationRetryScheduled(
                attempt=attempt, max_attempts=max_attempts, delay_ms=delay_ms, error_message=error_message
            )
        )

    def attempt_start(self, attempt: int) -> None:
        """It is made again."""
        self._tell(SummarizationRetryAttemptStart(attempt=attempt))

    def finished(self, *, success: bool, attempt: int, final_error: str | None) -> None:
        """No attempt will follow."""
        self._tell(SummarizationRetryFinished(success=success, attempt=attempt, final_error=final_error))
