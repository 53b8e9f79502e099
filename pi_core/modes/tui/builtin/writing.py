"""`/editor`: the prompt is written in the person's own editor.

Touches: the terminal, a temporary file, and whatever the editor touches.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.external_editor import written_elsewhere
from pi_core.modes.tui.here import Here


class WritingCommands:
    """Lets the prompt be written elsewhere."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (
            BuiltinCommand(
                name="editor",
                run=self.editor,
                description="write the prompt in your own editor ($VISUAL, $EDITOR)",
            ),
        )

    def editor(self, desk: Desk, _: str) -> None:
        """The text goes there and comes back; everything waits meanwhile."""
        editor = self._here.stage.editor
        text, problem = written_elsewhere(editor.app, editor.whole_text, self._here.environ)
        if problem:
            desk.tell(problem, "warning")
        if text is not None:
            editor.empty()
            editor.put(text)
