"""What an extension hands in as a message, as one of ours.

Extensions may give a value or a mapping, in either spelling.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hookspecs.messages import CustomMessage, Message
from hookspecs.wire import camel, message_from_wire
from pi_core.agent.results import writable

AFTER_ALL_YEARS_MS: Final = 253_402_300_800_000
"""The end of the year 9999; a time after it can be written in no file."""


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
    """A custom message, its time filled in if it has none that can be; missing content is empty.

    Raises: ValueError for what is no custom message.
    """
    if isinstance(value, Mapping):
        wire = _wire(value)
        value = message_from_wire({**wire, "role": "custom", "content": wire.get("content") or []})
    if isinstance(value, CustomMessage):
        value.content = _content(value.content)
        value.timestamp = value.timestamp if _is_moment(value.timestamp) else timestamp
        value.details = writable(value.details)
        return value
    raise ValueError(f"a {type(value).__name__} is no custom message")


def _is_moment(given: Any) -> bool:
    return type(given) is int and 0 < given < AFTER_ALL_YEARS_MS


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
