"""What is worth keeping of a conversation, as a value, and as text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from pi_core.api import AssistantMessage, ToolCallContent, ToolResultMessage, UserMessage, text_of

MAX_ASKED: Final = 40
MAX_TEXT: Final = 1500


@dataclass(frozen=True, slots=True)
class Extract:
    """Everything oldest first, each thing once. Each list keeps its newest members."""

    asked: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    last_answer: str = ""

    def after(self, messages: Iterable[Any]) -> Extract:
        """The extract of a conversation that goes on with these messages."""
        now = self
        calls: dict[str, ToolCallContent] = {}
        for message in messages:
            if isinstance(message, UserMessage):
                now = replace(now, asked=_with(now.asked, [text_of(message.content)]))
            elif isinstance(message, AssistantMessage):
                calls |= {block.id: block for block in message.content if isinstance(block, ToolCallContent)}
                now = replace(now, last_answer=text_of(message.content).strip() or now.last_answer)
            elif isinstance(message, ToolResultMessage) and message.tool_call_id in calls:
                now = now._with_call(calls[message.tool_call_id], failed=message.is_error)
        return now

    def _with_call(self, call: ToolCallContent, *, failed: bool) -> Extract:
        path, command = str(call.arguments.get("path", "")), str(call.arguments.get("command", ""))
        if failed:
            return replace(self, failed=_with(self.failed, [f"{call.name} {command or path}".strip()]))
        if call.name in ("write", "edit"):
            return replace(self, changed=_with(self.changed, [path]))
        return replace(self, read=_with(self.read, [path])) if call.name == "read" else self

    def to_details(self) -> dict[str, Any]:
        return {"extract": asdict(self)}

    @classmethod
    def from_details(cls, details: Any) -> Extract:
        """What `to_details` made; an empty extract of anything else."""
        kept = details.get("extract") if isinstance(details, Mapping) else None
        if not isinstance(kept, Mapping):
            return cls()
        lists = {name: tuple(map(str, kept.get(name, ()))) for name in ("asked", "changed", "read", "failed")}
        return cls(**lists, last_answer=str(kept.get("last_answer", "")))


def text_of_extract(extract: Extract, instructions: str | None = None) -> str:
    """The summary that the model reads; sections without content are left out."""
    read = [path for path in extract.read if path not in extract.changed]
    sections = {
        "What the user asked, oldest first": extract.asked,
        "Files changed": extract.changed,
        "Files read": read,
        "What failed": extract.failed,
    }
    parts = [_section(title, lines) for title, lines in sections.items() if lines]
    if extract.last_answer:
        parts.append(f"## The last answer\n{_short(extract.last_answer)}")
    if instructions:
        parts.append(f"## To keep in mind\n{instructions}")
    return "\n\n".join(parts) or "Nothing was said yet."


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"## {title}", *(f"- {_short(line)}" for line in lines)])


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def _with(known: tuple[str, ...], new: Sequence[str]) -> tuple[str, ...]:
    """The newest members, each once, where it was first."""
    return tuple(dict.fromkeys([*known, *(item for item in new if item)]))[-MAX_ASKED:]
