"""Writes the summary of a prepared compaction: one request, or two where a turn is split.

Touches: the model that is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, Protocol

from hookspecs.messages import AssistantMessage, Cost, Message, Usage, text_of
from hookspecs.values import dataclass
from pi_core.abort import AbortedError, AbortSignal
from pi_core.compaction import prompts
from pi_core.compaction.conversation import as_text
from pi_core.compaction.prepare import CompactionPreparation, FileOperations
from pi_core.errors import SummaryError

HISTORY_SHARE: Final = 0.8
"""Which part of the reserved tokens a summary of the history may have."""
PREFIX_SHARE: Final = 0.5
PROMPT_TOKENS: Final = 2000
"""What the instructions around a conversation come to, with room to spare."""


class Ask(Protocol):
    """One request to a model, without tools and apart from the conversation."""

    async def __call__(
        self, system_prompt: str, text: str, *, max_tokens: int, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The answer, which may have failed: its stop reason says so. Never raises for what went wrong."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What came of it."""

    summary: str
    """The notes, then the lists of files in tags."""
    details: Mapping[str, Any]
    """`readFiles` and `modifiedFiles`, sorted, of everything that was summarised so far."""
    usage: Usage
    """The tokens of all requests together."""


async def summarise(
    preparation: CompactionPreparation,
    ask: Ask,
    *,
    custom_instructions: str | None = None,
    context_window: int | None = None,
    signal: AbortSignal | None = None,
) -> Summary:
    """Ask for the summary of what a compaction takes away.

    With `context_window` (tokens) the requests are kept within it: the oldest messages are left out
    where they do not fit.

    Raises: SummaryError if the model failed, AbortedError after an abort.
    """
    asked = _Asking(ask, context_window, signal)
    reserve = preparation.settings.reserve_tokens
    parts: list[str] = []
    earlier = preparation.previous_summary
    earlier = None if earlier is None else prompts.without_file_lists(earlier)
    if preparation.messages_to_summarize:
        text = asked.conversation(preparation.messages_to_summarize, reserve, HISTORY_SHARE, earlier or "")
        prompt = prompts.history_prompt(text, earlier, custom_instructions)
        parts.append(await asked(prompt, reserve, HISTORY_SHARE))
    elif earlier:
        parts.append(earlier)  # nothing was added to it
    if preparation.turn_prefix_messages:
        text = asked.conversation(preparation.turn_prefix_messages, reserve, PREFIX_SHARE)
        notes = await asked(prompts.prefix_prompt(text), reserve, PREFIX_SHARE)
        parts.append(f"{prompts.PREFIX_TITLE}\n\n{notes}" if parts else notes)
    return finished("\n\n---\n\n".join(parts), preparation.file_ops, asked.usage)


def finished(notes: str, files: FileOperations, usage: Usage) -> Summary:
    """The notes with the lists of files, in the text and as details."""
    lists = {"readFiles": files.read_files, "modifiedFiles": files.modified_files}
    return Summary(summary=notes + prompts.file_lists(*lists.values()), details=lists, usage=usage)


async def notes_of(
    ask: Ask, prompt: str, *, max_tokens: int, signal: AbortSignal | None
) -> tuple[str, Usage]:
    """The text of one answer, and what it cost. Raises SummaryError, AbortedError."""
    if signal is not None:
        signal.raise_if_aborted()
    answer = await ask(prompts.SYSTEM, prompt, max_tokens=max_tokens, signal=signal)
    if answer.stop_reason == "aborted" or (signal is not None and signal.aborted):
        raise AbortedError
    if answer.stop_reason == "error":
        raise SummaryError(answer.error_message or "the request failed")
    notes = text_of(answer.content).strip()
    if not notes:
        raise SummaryError("the model wrote nothing")
    return notes, answer.usage


def added(one: Usage, other: Usage) -> Usage:
    """Two usages as one."""
    counts = {
        spec.name: getattr(one, spec.name) + getattr(other, spec.name)
        for spec in fields(Usage)
        if spec.name not in ("cost", "extra")
    }
    cost = {spec.name: getattr(one.cost, spec.name) + getattr(other.cost, spec.name) for spec in fields(Cost)}
    return Usage(**counts, cost=Cost(**cost))


class _Asking:
    """The requests of one compaction, one after the other; `usage` is what they cost so far."""

    def __init__(self, ask: Ask, context_window: int | None, signal: AbortSignal | None) -> None:
        self._ask = ask
        self._window = context_window
        self._signal = signal
        self.usage = Usage()

    def conversation(self, messages: Sequence[Message], reserve: int, share: float, beside: str = "") -> str:
        """The messages as a text that leaves room for the answer and for what stands `beside` it."""
        if not self._window:
            return as_text(messages)
        room = self._window - _max_tokens(reserve, share) - PROMPT_TOKENS - len(beside) // 4
        return as_text(messages, max(room, self._window // 4))

    async def __call__(self, prompt: str, reserve: int, share: float) -> str:
        notes, usage = await notes_of(
            self._ask, prompt, max_tokens=_max_tokens(reserve, share), signal=self._signal
        )
        self.usage = added(self.usage, usage)
        return notes


def _max_tokens(reserve: int, share: float) -> int:
    return max(int(reserve * share), 1)
