"""The reference of the keys of the interactive mode, from the table of its actions.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from pi_core.modes.tui.keys import KeyAction, Where, actions
from tests.docs.tables import NOTE, code, table

_HEAD: Final = """\
# Keys

The actions of the interactive mode by their ids, with the keys that they have unless you say otherwise.
Those of extensions come on top. [The terminal](../terminal.md) says how to change them.

"""
_TITLES: Final[dict[Where, str]] = {
    "chat": "Everywhere",
    "search": "While searching",
    "editor": "In the prompt",
    "list": "In lists",
    "sessions": "In the list of conversations",
    "models": "In the list of models to switch through",
    "tree": "In the tree of a conversation",
}


def keys_page() -> str:
    """The whole page."""
    return _HEAD + "\n".join(_sections()) + NOTE


def _sections() -> Iterator[str]:
    for where, group in groupby(actions(), key=lambda action: action.where):
        rows = [(code(action.id), _keys(action), action.description) for action in group]
        yield f"## {_TITLES[where]}\n\n" + table(("action", "keys", "what it does"), rows)


def _keys(action: KeyAction) -> str:
    return ", ".join(map(code, action.keys)) or "none"
