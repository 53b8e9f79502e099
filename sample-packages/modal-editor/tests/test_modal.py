"""Keys are commands until somebody wants to type."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_sample_modal_editor import ModalEditor, extension
from pi_sample_modal_editor.grammar import Modal, State

from pi_core.api import SessionStart
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker


def pressed(*keys: str) -> tuple[list[str], list[str], bool]:
    """The actions, the keys that are typed, and whether typing goes on."""
    state, actions, typed = State(), [], []
    for key in keys:
        step = Modal.step(state, key)
        state = step.state
        actions += step.actions
        if not step.taken:
            typed.append(key)
    return actions, typed, state.inserting


@pytest.mark.parametrize(
    ("keys", "actions", "typed", "inserting"),
    [
        ("hjkl", ["cursor_left", "cursor_down", "cursor_up", "cursor_right"], [], False),
        ("ihi", [], ["h", "i"], True),
        ("dd", ["delete_line"], [], False),
        ("dx", [], [], False),
        ("gg", ["cursor_document_start"], [], False),
        ("o!", ["cursor_line_end", "new_line"], ["!"], True),
        ("zz", [], [], False),
    ],
)
def test_the_grammar(keys: str, actions: list[str], typed: list[str], inserting: bool) -> None:
    """A prefix that leads nowhere is forgotten."""
    assert pressed(*keys) == (actions, typed, inserting)


def test_escape_ends_typing_and_keys_of_the_program_pass() -> None:
    """Enter still sends in either mode."""
    assert pressed("i", "x", "escape", "x", "enter") == (["delete_right"], ["x", "enter"], False)


@given(st.lists(st.sampled_from([*"hjklwb0$Gxduiagoz", "escape", "enter"])))
def test_in_normal_mode_no_letter_is_typed(keys: list[str]) -> None:
    """Whatever was pressed before."""
    state = State()
    for key in keys:
        step = Modal.step(state, key)
        if not state.inserting and len(key) == 1:
            assert step.taken
        state = step.state


def test_the_mode_is_shown(pi_harness: HarnessMaker) -> None:
    """The component is put on with the session, and says its mode in the footer."""
    ui = RecordingUI()
    pi = pi_harness(extension, ui=ui)
    pi.emit(SessionStart(reason="startup"))
    (call,) = [call for call in ui.calls if call.method == "set_editor_component"]
    component: ModalEditor = call.args[0](None, None, None)
    moved: list[str] = []
    editor: Any = SimpleNamespace(action_cursor_left=lambda: moved.append("left"))
    assert component.handle_input("h", editor)
    assert moved == ["left"]
    assert component.handle_input("i", editor)
    assert ui.statuses["modal-editor"] == "-- INSERT --"
