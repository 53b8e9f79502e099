"""What the new session is told, made from the messages of the old one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pi_core.api import AssistantMessage, ToolCallContent, text_of

LAST_WORDS = 2000
"""How much of the last answer is handed over, in characters."""


def handoff_text(goal: str, messages: Sequence[Any]) -> str:
    """The goal, then what is known: files, then the last words. Parts that are empty are left out."""
    answers = [message for message in messages if isinstance(message, AssistantMessage)]
    calls = [block for answer in answers for block in answer.content if isinstance(block, ToolCallContent)]
    changed = paths(calls, ("write", "edit"))
    read = [path for path in paths(calls, ("read",)) if path not in changed]
    said = next((text for answer in reversed(answers) if (text := text_of(answer.content).strip())), "")
    parts = [
        goal,
        section("Files changed so far", changed),
        section("Files read so far", read),
        f"Where the last session got to:\n{said[:LAST_WORDS]}" if said else "",
    ]
    return "\n\n".join(part for part in parts if part)


def paths(calls: Iterable[ToolCallContent], tools: Sequence[str]) -> list[str]:
    """The paths that these tools were called with, each once, in order."""
    found = (str(call.arguments.get("path", "")) for call in calls if call.name in tools)
    return list(dict.fromkeys(path for path in found if path))


def section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{title}:", *(f"- {line}" for line in lines)]) if lines else ""
