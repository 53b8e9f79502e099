"""Sends a request again that failed for a passing reason, after a wait that doubles each time.

A series begins with the first failure and ends with an answer, with the last failure, or when
somebody stops it; whichever way, its end is told once.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable

from hookspecs.messages import AssistantMessage
from pi_core.abort import AbortController, AbortSignal, any_signal
from pi_core.providers.failures import is_retryable
from pi_core.providers.retrying import CANCELLED, Pause, RetrySettings, pause
from pi_core.session.channel import Channel
from pi_core.session.events import AutoRetryEnd, AutoRetryStart


class Retry:
    """The retries of one session, one series at a time. `settings` is asked before each of them."""

    def __init__(self, channel: Channel, settings: Callable[[], RetrySettings], wait: Pause = pause) -> None:
        self._channel = channel
        self._settings = settings
        self._wait = wait
        self._attempt = 0
        self._waiting: AbortController | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a request waits for its next attempt."""
        return self._waiting is not None

    def wants(self, answer: AssistantMessage, context_window: int) -> bool:
        """Whether this failure is followed by another attempt."""
        return is_retryable(answer, context_window) and self._attempt < self._settings().limit

    async def prepare(
        self, answer: AssistantMessage, signal: AbortSignal, drop: Callable[[AssistantMessage], None]
    ) -> bool:
        """Tell the next attempt, `drop` the failed answer, and wait; False if somebody stopped the series."""
        settings = self._settings()
        self._attempt += 1
        error = answer.error_message or ""
        delay_ms = settings.delay_ms(self._attempt, error)
        self._channel.tell(
            AutoRetryStart(
                attempt=self._attempt,
                max_attempts=settings.limit,
                delay_ms=delay_ms,
                error_message=error,
            )
        )
        drop(answer)
        self._waiting = own = AbortController()
        stop = any_signal(signal, own.signal)
        try:
            await self._wait(delay_ms / 1000, stop)
        finally:
            self._waiting = None
        if stop.aborted:
            self.end(CANCELLED)
        return not stop.aborted

    def stop_waiting(self) -> None:
        """Give the series up, if it waits for its next attempt."""
        if self._waiting is not None:
            self._waiting.abort()

    def answered(self, answer: AssistantMessage) -> None:
        """An answer is complete: a good one ends the series."""
        if self._attempt and answer.stop_reason not in ("error", "aborted"):
            attempt, self._attempt = self._attempt, 0
            self._channel.tell(AutoRetryEnd(success=True, attempt=attempt))

    def end(self, error: str | None) -> None:
        """No further attempt is made; nothing happens where no series is on."""
        if self._attempt:
            attempt, self._attempt = self._attempt, 0
            self._channel.tell(AutoRetryEnd(success=False, attempt=attempt, final_error=error or CANCELLED))
