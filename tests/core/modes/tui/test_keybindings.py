"""The file of a person's own keys: what it changes, and what is told about what makes no sense in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_core.modes.tui.keybindings import FILE_NAME, key_problem, keybindings_of, read_keybindings
from pi_core.modes.tui.keys import Keys, actions

REFERENCE = Path("tests/conformance/data/keybindings.json")


def read(folder: Path, text: str) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """The keys, and what is told about the file."""
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    found = read_keybindings(folder)
    return dict(found.overrides), [f"{item.code}: {item.message}" for item in found.findings]


def test_without_a_file_nothing_is_changed(tmp_path: Path) -> None:
    """And nothing is told."""
    found = read_keybindings(tmp_path)
    assert ({}, ()) == (dict(found.overrides), found.findings)


def test_keys_are_a_text_a_list_or_none(tmp_path: Path) -> None:
    """Ids may be quoted, or written as tables."""
    text = """
"app.tools.expand" = "f2"
"app.clear" = []
[tui.input]
newLine = ["shift+enter", "alt+n"]
"""
    keys, told = read(tmp_path, text)
    expected = {"app.tools.expand": ("f2",), "app.clear": (), "tui.input.newLine": ("shift+enter", "alt+n")}
    assert (expected, []) == (keys, told)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('"app.tools.expnd" = "f2"', "keybindings-unknown-action: There is no action 'app.tools.expnd'."),
        ('"app.thinking.save" = "f2"', "keybindings-no-effect: There is no action app.thinking.save here."),
        (
            '"app.clear" = "hyper+c"',
            "keybindings-bad-key: 'hyper+c', given to app.clear, has 'hyper', which is no modifier.",
        ),
        ('"app.clear" = "ctrl+foo"', "keybindings-bad-key: 'ctrl+foo', given to app.clear, is no key."),
        ('"app.clear" = 3', "keybindings-bad-key: The keys of app.clear must be a text or a list of texts."),
    ],
)
def test_what_makes_no_sense_is_told_and_left_out(tmp_path: Path, line: str, told: str) -> None:
    """The rest of the file counts."""
    keys, findings = read(tmp_path, f'{line}\n"app.exit" = "f9"\n')
    assert ({"app.exit": ("f9",)}, [told]) == (keys, findings)


def test_a_misspelt_id_is_met_with_the_nearest(tmp_path: Path) -> None:
    """So that nobody has to look it up."""
    found = keybindings_of({"app.tools.expnd": "f2"}, tmp_path)
    assert "Did you mean app.tools.expand?" == found.findings[0].hint


def test_a_key_is_taken_from_whoever_had_it(tmp_path: Path) -> None:
    """In the same place only: in a list ctrl+t may mean something else."""
    keys, told = read(tmp_path, '"app.tools.expand" = "Ctrl+T"')
    assert {"app.tools.expand": ("Ctrl+T",), "app.thinking.toggle": ()} == keys
    assert [
        "keybindings-conflict: Ctrl+T does app.tools.expand now, and no longer app.thinking.toggle."
    ] == told


def test_a_key_that_is_given_twice_is_told_once(tmp_path: Path) -> None:
    """Both keep it; the person decides."""
    _, told = read(tmp_path, '"app.tools.expand" = "f2"\n"app.clear" = "f2"')
    assert ["keybindings-conflict: f2 is given to app.tools.expand and to app.clear."] == told


def test_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    """It is told where it breaks."""
    keys, told = read(tmp_path, '"app.clear" = [\n"app.exit" = "f9"')
    assert {} == keys
    assert told[0].startswith("keybindings-unreadable: The keys cannot be read: ")
    assert "line 2" in told[0]


def test_every_id_of_pi_is_known() -> None:
    """An action, or one that there is none of here: never a misspelling."""
    known = json.loads(REFERENCE.read_text(encoding="utf-8"))["defaults"]
    found = keybindings_of(known, Path("keys"))
    assert not [item for item in found.findings if item.code == "keybindings-unknown-action"]


def test_every_key_of_ours_is_one() -> None:
    """The table passes its own check."""
    assert [] == [key for action in actions() for key in action.keys if key_problem(key)]


def test_a_shifted_letter_is_what_a_terminal_sends() -> None:
    """The capital letter; and an action may be left without a key."""
    keys = Keys({"app.tree.editLabel": ["shift+l"], "app.clear": []})
    assert {"app.tree.editLabel": "L,shift+l", "app.clear": ""} == keys.textual_keymap()
