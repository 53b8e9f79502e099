"""Actions have pi's ids and keys, in the names that a terminal's keys have here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_core.extensions.shortcuts import RESERVED_KEYS
from pi_core.modes.tui.keys import Keys, actions, bindings_for, textual_keys

REFERENCE = Path("tests/conformance/data/keybindings.json")
OTHER_HERE = {
    "tui.editor.cursorRight": "ctrl+f opens the search, which terminals cannot send with shift",
    "tui.editor.deleteCharForward": "ctrl+d is app.exit, which deletes when something is written",
    "tui.altScreen.search": "ctrl+f, too",
    "tui.editor.pageUp": "pageUp alone moves the conversation",
    "tui.editor.pageDown": "the same",
    "tui.altScreen.previousPrompt": "the key that terminals can send stands first",
    "tui.altScreen.nextPrompt": "the same",
    "tui.altScreen.searchPrevious": "ctrl+r, too",
}


def test_ids_and_keys_are_those_of_pi() -> None:
    """A person's table of keys fits; where we differ there is a reason."""
    known = json.loads(REFERENCE.read_text(encoding="utf-8"))["defaults"]
    for action in actions():
        assert action.id in known
        if action.id not in OTHER_HERE:
            assert known[action.id] == list(action.keys), action.id


def test_reserved_actions_keep_their_keys() -> None:
    """What no extension gets is what is pressed here."""
    ours = {action.id: action.keys for action in actions()}
    assert {name: ours[name] for name in RESERVED_KEYS if name in ours} == {
        name: keys for name, keys in RESERVED_KEYS.items() if name in ours
    }


def test_no_key_means_two_things_in_one_place() -> None:
    """In the chat and the editor together, and in the search."""
    for where in ({"chat", "editor"}, {"search"}):
        keys = [key for action in actions() if action.where in where for key in textual_keys(action.keys)]
        assert sorted(set(keys)) == sorted(keys)


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("ctrl+c", ["ctrl+c"]),
        ("pageUp", ["pageup"]),
        ("shift+ctrl+p", ["ctrl+shift+p"]),
        ("ctrl+alt+]", ["alt+ctrl+right_square_bracket"]),
        ("ctrl+-", ["ctrl+minus", "ctrl+underscore"]),
        ("+", ["plus"]),
        ("ctrl++", ["ctrl+plus"]),
        ("Esc", ["escape"]),
    ],
)
def test_keys_have_the_names_of_the_terminal(key: str, names: list[str]) -> None:
    """Modifiers in one order; one that is reported in two ways has both names."""
    assert names == textual_keys([key])


def test_a_person_has_the_last_word() -> None:
    """Other keys, or none."""
    keys = Keys({"app.interrupt": ["ctrl+g"], "app.clear": []})
    assert ("ctrl+g",) == keys.of("app.interrupt")
    assert "" == keys.hint("app.clear")
    assert {"app.interrupt": "ctrl+g", "app.clear": ""} == keys.textual_keymap()
    assert ("escape",) == Keys().of("app.interrupt")
    assert () == Keys().of("no.such.action")


def test_bindings_can_be_replaced_by_id() -> None:
    """Each has the id of its action, also one that has no key yet."""
    assert {action.id for action in actions() if action.where == "editor"} == {
        binding.id for binding in bindings_for("editor")
    }


def test_every_action_is_documented_with_its_keys() -> None:
    """As it is."""
    page = Path("docs/interactive.md").read_text(encoding="utf-8")
    for action in actions():
        keys = ", ".join(f"`{key}`" for key in action.keys) or "–"
        assert f"| {keys} | {action.description} | `{action.id}` |" in page
