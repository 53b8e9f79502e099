"""System messages of a transcript: told apart, and put together into one at its head.

Pure.
"""

from __future__ import annotations

from typing import Any

from pi_core.dispatch.fields import get, put


def is_system(message: Any) -> bool:
    """Whether a message, dataclass or mapping, has the role "system"."""
    role = message.get("role") if isinstance(message, dict) else getattr(message, "role", None)
    return role == "system"


def system_messages(messages: list[Any]) -> list[Any]:
    """Those of the messages that have the role "system", in their order."""
    try:
        return [message for message in messages if message.role == "system"]
    except AttributeError:  # mappings, which are rare enough to be looked at with more care
        return [message for message in messages if is_system(message)]


def merged_head(messages: list[Any]) -> Any:
    """The first message, changed in place to hold the texts and sections of all of them.

    Texts are joined by an empty line, empty ones left out. A later section of the same name
    replaces an earlier one; None removes it. `messages` holds at least one.
    """
    head, *others = messages
    if not others:
        return head
    texts = [get(message, "content") for message in messages]
    if all(isinstance(text, str) for text in texts):
        put(head, "content", "\n\n".join(text for text in texts if text))
    sections = dict(get(head, "sections") or {})
    for message in others:
        sections.update(get(message, "sections") or {})
    sections = {name: text for name, text in sections.items() if text is not None}
    if sections:
        put(head, "sections", sections)
    return head
