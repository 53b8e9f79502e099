"""How large a context is, and when it is too large for its model.

What a model counted itself is believed; what came after its answer is estimated
at four characters a token. Characters are UTF-16 units, an image counts as 4800.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, assert_never

from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from hookspecs.values import dataclass
from pi_core.history.context import Projected, project
from pi_core.history.entries import CompactionEntry, ContextEditEntry, Entry
from pi_core.utf16 import utf16_length
from pi_pkg import Diagnostic

CHARACTERS_PER_TOKEN: Final = 4
IMAGE_CHARACTERS: Final = 4800


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionSettings:
    """The settings table `[compaction]`. Both numbers are tokens."""

    enabled: bool = True
    """Whether a context is compacted without being told to."""
    reserve_tokens: int = 16384
    """What of the window stays free for the answer."""
    keep_recent_tokens: int = 20000
    """How much of the newest conversation is kept word by word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextTokens:
    """The size of a context."""

    tokens: int
    """All of it: the two others together."""
    usage_tokens: int
    """What the last answer's usage says; 0 without one."""
    trailing_tokens: int
    """The estimate of everything after that answer, or of everything."""
    last_usage_index: int | None
    """Which message carries that usage; None if all is estimated."""


def compaction_settings(settings: Mapping[str, Any], context_window: int = 0) -> CompactionSettings:
    """The table `[compaction]` of the effective settings; what is missing or cannot count has its default.

    The defaults are for windows of today; in a small one (tokens; 0: unknown) they would leave no room to
    work in. There a quarter is reserved, and half of the rest kept.
    """
    given = _read(settings)[0]
    return CompactionSettings(**{**_defaults(given, context_window), **given})


def _defaults(given: Mapping[str, Any], context_window: int) -> dict[str, int]:
    """The defaults that are others because of the window."""
    if context_window <= 0:
        return {}
    usual = CompactionSettings()
    reserve = usual.reserve_tokens
    if reserve >= context_window // 2:
        reserve = context_window // 4
    room = context_window - given.get("reserve_tokens", reserve)
    return {"reserve_tokens": reserve, "keep_recent_tokens": min(usual.keep_recent_tokens, max(room // 2, 0))}


def compaction_findings(settings: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """What is wrong with the table `[compaction]`."""
    return _read(settings)[1]


def should_compact(tokens: int, context_window: int, settings: CompactionSettings) -> bool:
    """Whether a context of so many tokens leaves too little of the window. Never for an unknown window."""
    return settings.enabled and 0 < context_window < tokens + settings.reserve_tokens


def estimate_tokens(message: Message) -> int:
    """What a message comes to, by its length. A command kept from the model counts too."""
    return -(-_characters(message) // CHARACTERS_PER_TOKEN)


def usage_tokens(usage: Usage) -> int:
    """All tokens of a request: the total if it is given, else the sum of its parts."""
    return usage.total_tokens or usage.input + usage.output + usage.cache_read + usage.cache_write


def context_tokens(messages: Sequence[Message]) -> ContextTokens:
    """The size of messages that were never compacted or edited, by the last good answer that has a usage."""
    return _counted(
        messages, next((n for n in reversed(range(len(messages))) if _has_usage(messages[n])), None)
    )


def branch_tokens(branch: Sequence[Entry]) -> ContextTokens:
    """The size of what a model reads of a branch (root to leaf)."""
    return projected_tokens(branch, project(branch))


def projected_tokens(branch: Sequence[Entry], projected: Sequence[Projected]) -> ContextTokens:
    """The same for a branch that was projected already."""
    changed = _changes(branch)
    usable = [_has_usage(item.message) and not changed[item.place] for item in projected]
    last = next((n for n in reversed(range(len(usable))) if usable[n]), None)
    return _counted([item.message for item in projected], last)


def _counted(messages: Sequence[Message], last: int | None) -> ContextTokens:
    """The size of a context where the usage of message `last` counts."""
    counted = 0
    if last is not None:
        answer = messages[last]
        assert isinstance(answer, AssistantMessage)
        counted = usage_tokens(answer.usage)
    trailing = sum(map(estimate_tokens, messages[0 if last is None else last + 1 :]))
    return ContextTokens(
        tokens=counted + trailing, usage_tokens=counted, trailing_tokens=trailing, last_usage_index=last
    )


def _changes(branch: Sequence[Entry]) -> list[bool]:
    """For each entry whether what was read up to it became something else since: compacted, or edited."""
    changed = [False] * len(branch)
    places = {entry.id: place for place, entry in enumerate(branch)}
    for place, entry in enumerate(branch):
        if isinstance(entry, CompactionEntry):
            changed[:place] = [True] * place
        elif isinstance(entry, ContextEditEntry):
            first = places.get(entry.target_id, place)
            changed[first:place] = [True] * (place - first)
    return changed


def _has_usage(message: Message) -> bool:
    return (
        isinstance(message, AssistantMessage)
        and message.stop_reason not in ("error", "aborted")
        and usage_tokens(message.usage) > 0
    )


def _characters(message: Message) -> int:
    match message:
        case BashExecutionMessage(command=command, output=output):
            return utf16_length(command) + utf16_length(output)
        case CompactionSummaryMessage(summary=summary) | BranchSummaryMessage(summary=summary):
            return utf16_length(summary)
        case UserMessage() | AssistantMessage() | ToolResultMessage() | CustomMessage():
            content: str | Sequence[Any] = message.content
            return utf16_length(content) if isinstance(content, str) else sum(map(_block, content))
        case _:
            assert_never(message)


def _block(block: Any) -> int:
    match block:
        case TextContent(text=text):
            return utf16_length(text)
        case ThinkingContent(thinking=thinking):
            return utf16_length(thinking)
        case ToolCallContent(name=name, arguments=arguments):
            return utf16_length(name) + utf16_length(compact_json(arguments))
        case ImageContent():
            return IMAGE_CHARACTERS
        case _:
            return 0  # a block of a kind that this version does not know


def compact_json(value: Any) -> str:
    """A value as JSON without blanks, as it stands in a session file."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _read(settings: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """The values of the table that count, by field, and what is wrong with the others."""
    table = settings.get("compaction")
    if table is None:
        return {}, ()
    if not isinstance(table, Mapping):
        return {}, (_wrong("compaction", "must be a table"),)
    names = {spec.name.replace("_", "-"): spec.name for spec in fields(CompactionSettings)}
    good: dict[str, Any] = {}
    findings: list[Diagnostic] = []
    for key, value in table.items():
        name = names.get(str(key))
        if name is None:
            findings.append(_wrong(f"compaction.{key}", f"is unknown; there are {', '.join(names)}"))
        elif problem := _problem(name, value):
            findings.append(_wrong(f"compaction.{key}", f"{problem}, not {value!r}"))
        else:
            good[name] = value
    return good, tuple(findings)


def _problem(name: str, value: Any) -> str | None:
    if name == "enabled":
        return None if isinstance(value, bool) else "must be true or false"
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return None if is_count else "must be a number of tokens"


def _wrong(what: str, problem: str) -> Diagnostic:
    return Diagnostic("warning", "bad-compaction", "settings", f"{what} {problem}; it is left out")
