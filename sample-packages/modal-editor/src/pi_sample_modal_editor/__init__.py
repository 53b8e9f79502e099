"""A modal editor. The grammar of keys is in `grammar.py`."""

from __future__ import annotations

import inspect
from typing import Any

from pi_core.api import ExtensionAPI, ExtensionContext, SessionStart
from pi_sample_modal_editor.grammar import Modal, State


class ModalEditor:
    """The component: sees every key first."""

    def __init__(self, ctx: ExtensionContext) -> None:
        self._ctx = ctx
        self._state = State()
        self._tell()

    def handle_input(self, key: str, editor: Any) -> bool:
        """True for a key that was a command."""
        step = Modal.step(self._state, key)
        self._state = step.state
        self._tell()
        for action in step.actions:
            run = getattr(editor, f"action_{action}", None)
            if callable(run):
                done = run()
                if inspect.iscoroutine(done):
                    editor.run_worker(done)
        return step.taken

    def _tell(self) -> None:
        self._ctx.ui.set_status("modal-editor", "-- INSERT --" if self._state.inserting else "-- NORMAL --")


def extension(pi: ExtensionAPI) -> None:
    """Put the component on when a session begins."""

    @pi.on("session_start")
    def start(event: SessionStart, ctx: ExtensionContext) -> None:
        if ctx.ui.can("set_editor_component"):
            ctx.ui.set_editor_component(lambda tui, theme, keys: ModalEditor(ctx))
