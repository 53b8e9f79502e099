"""The recording UI remembers every method that there is."""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs.ui import UI
from pi_core.testing import RecordingUI

READERS = {"can", "theme", "get_editor_text", "get_editor_component", "get_all_themes", "get_theme"}
SHOWING = sorted(
    name
    for protocol in UI.__mro__
    for name in vars(protocol)
    if name.startswith(("set_", "add_", "on_", "paste_", "notify")) and name not in READERS
)


@pytest.mark.parametrize("method", SHOWING)
def test_what_is_shown_is_remembered(method: str) -> None:
    """The call is in `calls`, with its arguments as they came."""
    ui = RecordingUI()
    arguments: list[Any] = ["key", "text"] if method in ("set_status", "set_widget") else ["text"]
    getattr(ui, method)(*arguments)
    assert (method, tuple(arguments)) == (ui.calls[0].method, ui.calls[0].args[: len(arguments)])


def test_listeners_of_the_terminal_can_be_made_to_hear() -> None:
    """Until they are taken off."""
    ui, heard = RecordingUI(), list[str]()
    off = ui.on_terminal_input(heard.append)
    ui.type("a", "up")
    off()
    ui.type("b")
    assert ["a", "up"] == heard
