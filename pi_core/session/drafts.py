"""Entries that extensions propose at a boundary: read strictly, so that a wrong one changes nothing.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from hookspecs.messages import CustomMessage, UserContent
from hookspecs.values import dataclass
from hookspecs.wire import content_from_wire, snake
from pi_core.session.foreign import as_custom_message


@dataclass(frozen=True, slots=True)
class CustomDraft:
    """State of an extension, for the history only."""

    custom_type: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A message of an extension, for the history and the model."""

    message: CustomMessage


@dataclass(frozen=True, slots=True)
class EditDraft:
    """Another content of an earlier message for the model; None takes the message away."""

    target_id: str
    content: str | list[UserContent] | None


@dataclass(frozen=True, slots=True)
class CompactionDraft:
    """A summary in place of everything before an entry."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int = 0
    details: Any = None


Draft: TypeAlias = CustomDraft | MessageDraft | EditDraft | CompactionDraft


def read_draft(value: Any, timestamp: int) -> Draft:
    """What one proposed entry says. Mappings may use either spelling.

    Raises: ValueError with what is wrong.
    """
    if isinstance(value, CustomMessage):
        return MessageDraft(as_custom_message(value, timestamp))
    fields = _fields(value)
    match fields.pop("type", None):
        case "custom":
            return CustomDraft(_text(fields, "custom_type"), fields.get("data"))
        case "custom_message":
            _text(fields, "custom_type")
            return MessageDraft(as_custom_message(fields, timestamp))
        case "context_edit":
            return EditDraft(_text(fields, "target_id"), _replacement(fields.get("replacement")))
        case "compaction":
            return CompactionDraft(
                _text(fields, "summary"),
                _text(fields, "first_kept_entry_id"),
                int(fields.get("tokens_before") or 0),
                fields.get("details"),
            )
        case kind:
            known = "custom, custom_message, context_edit and compaction"
            raise ValueError(f"an entry of type {kind!r} cannot be added here; there are {known}")


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {snake(str(name)): item for name, item in value.items()}
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    raise ValueError(f"a {type(value).__name__} is no entry")


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text")
    return value


def _replacement(value: Any) -> str | list[UserContent] | None:
    if value is None:
        return None
    content = value.get("content") if isinstance(value, Mapping) else getattr(value, "content", value)
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return [content_from_wire(block) if isinstance(block, Mapping) else block for block in content]
    raise ValueError("a replacement needs content: a text or content blocks")
