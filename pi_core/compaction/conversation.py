"""A piece of conversation as one labelled text, for a model that is to write about it, not to go on with it.

Results of tools are cut: what they say matters less than what was done about it.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    UserMessage,
)
from pi_core.compaction.tokens import CHARACTERS_PER_TOKEN, compact_json
from pi_core.utf16 import utf16_length, utf16_prefix

RESULT_CHARACTERS: Final = 2000
LEFT_OUT: Final = "[{count} earlier messages are left out: they do not fit]"


def as_text(messages: Iterable[Message], max_tokens: int | None = None) -> str:
    """The messages as labelled paragraphs, oldest first.

    If they come to more than `max_tokens`, long ones are cut, and then the oldest are left out.
    """
    parts = [part for message in messages if (part := _labelled(message))]
    if max_tokens is None or _tokens(parts) <= max_tokens:
        return "\n\n".join(parts)
    longest = max_tokens * CHARACTERS_PER_TOKEN // 4
    parts = [_capped(part, longest) for part in parts]
    kept = _newest(parts, max_tokens)
    note = [LEFT_OUT.format(count=len(parts) - len(kept))] if len(kept) < len(parts) else []
    return "\n\n".join([*note, *kept])


def _newest(parts: Sequence[str], max_tokens: int) -> Sequence[str]:
    """As many of the last parts as fit."""
    tokens = 0
    for index in reversed(range(len(parts))):
        tokens += _tokens(parts[index : index + 1])
        if tokens > max_tokens:
            return parts[index + 1 :]
    return parts


def _tokens(parts: Iterable[str]) -> int:
    return sum(-(-utf16_length(part) // CHARACTERS_PER_TOKEN) for part in parts)


def _capped(text: str, characters: int) -> str:
    """The text, cut if it is longer, with a note of how much is missing."""
    missing = utf16_length(text) - characters
    return text if missing <= 0 else f"{utf16_prefix(text, characters)}\n[… {missing} more characters cut]"


def _labelled(message: Message) -> str:
    """One message with its label; empty if there is nothing in it for a model."""
    match message:
        case UserMessage(content=content):
            return _paragraph("User", _plain(content))
        case AssistantMessage():
            return "\n\n".join(part for block in message.content if (part := _answer_part(block)))
        case ToolResultMessage(tool_name=name, content=content, is_error=is_error):
            kind = "Tool error" if is_error else "Tool result"
            return _paragraph(f"{kind}: {name}", _capped(_plain(content), RESULT_CHARACTERS))
        case CustomMessage(custom_type=kind, content=content):
            return _paragraph(f"Note: {kind}", _plain(content))
        case BashExecutionMessage():
            return "" if message.exclude_from_context else _shell(message)
        case CompactionSummaryMessage(summary=summary):
            return _paragraph("Summary of what was before", summary)
        case BranchSummaryMessage(summary=summary):
            return _paragraph("Summary of another branch", summary)
        case _:
            assert_never(message)


def _answer_part(block: Any) -> str:
    match block:
        case TextContent(text=text):
            return _paragraph("Assistant", text)
        case ThinkingContent(thinking=thinking, redacted=redacted):
            return "" if redacted else _paragraph("Assistant thinks", thinking)
        case ToolCallContent(name=name, arguments=arguments):
            return _paragraph(f"Tool call: {name}", _capped(compact_json(arguments), RESULT_CHARACTERS))
        case _:
            return ""


def _shell(message: BashExecutionMessage) -> str:
    code = f" (exit code {message.exit_code})" if message.exit_code else ""
    return _paragraph(
        f"User ran a command{code}", f"{message.command}\n{_capped(message.output, RESULT_CHARACTERS)}"
    )


def _paragraph(label: str, text: str) -> str:
    return f"[{label}]\n{text.strip()}" if text.strip() else ""


def _plain(content: str | Sequence[Any]) -> str:
    """The text of a content, with a word for each image."""
    if isinstance(content, str):
        return content
    return "\n".join(
        "[image]" if isinstance(block, ImageContent) else block.text
        for block in content
        if isinstance(block, ImageContent | TextContent)
    )
