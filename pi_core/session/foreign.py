"""What an extension hands in as a message, as one of ours.

Extensions may give a value or a mapping, in either spelling.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hookspecs.messages import CustomMessage, Message
from hookspecs.wire import camel, message_from_wire
from pi_core.agent.results import writable


def as_message(value: Any) -> Message:
    """The message that a value stands for; one of ours is returned as it is.

    Raises: ValueError for what is no message.
    """
    if isinstance(value, Mapping):
        return message_from_wire(_wire(value))
    if getattr(value, "role", None) is None:
        raise ValueError(f"a {type(value).__name__} is no message")
    return value  # type: ignore[no-any-return]  # every class with a role is one of ours


def as_messages(values: Iterable[Any]) -> list[Message]:
    """Each of them as a message, in order. Raises: ValueError."""
    return [as_message(value) for value in values]


def as_custom_message(value: Any, timestamp: int) -> CustomMessage:
    """A custom message, its time filled in if it has none; missing content is empty.

    Raises: ValueError for what is no custom message.
    """
    if isinstance(value, Mapping):
        wire = _wire(value)
        value = message_from_wire({**wire, "role": "custom", "content": wire.get("content") or []})
    if isinstance(value, CustomMessage):
        value.content = _content(value.content)
        value.timestamp = value.timestamp or timestamp
        value.details = writable(value.details)
        return value
    raise ValueError(f"a {type(value).__name__} is no custom message")


def _content(given: Any) -> str | list[Any]:
    content = [] if given is None else given
    if isinstance(content, str | list):
        return content
    raise ValueError(f"the content of a message is a text or a list, not a {type(given).__name__}")


def _wire(value: Mapping[str, Any]) -> dict[str, Any]:
    wire = {camel(str(name)): item for name, item in value.items()}
    if isinstance(wire.get("content"), list):
        wire["content"] = [_block(block) for block in wire["content"]]
    return wire


def _block(block: Any) -> Any:
    if isinstance(block, Mapping):
        return {camel(str(name)): item for name, item in block.items()}
    return block
