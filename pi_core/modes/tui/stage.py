"""The parts of the screen that the session and its extensions change, and the port to the rest.

Touches: the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from hookspecs.values import dataclass
from pi_core.modes.tui.asking import Asking
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.editor.prompt_editor import PromptEditor
from pi_core.modes.tui.extras import Extras
from pi_core.modes.tui.footer import Footer
from pi_core.modes.tui.keys import Keys
from pi_core.modes.tui.log.view import ChatLog
from pi_core.modes.tui.signals import Signals
from pi_core.modes.tui.slots import Slots
from pi_core.modes.tui.style.look import Look
from pi_core.modes.tui.wardrobe import Wardrobe
from pi_core.modes.tui.working import Working


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is on the screen, by its roles."""

    desk: Desk
    look: Look
    keys: Keys
    slots: Slots
    editor: PromptEditor
    footer: Footer
    working: Working
    log: ChatLog
    asking: Asking
    extras: Extras
    wardrobe: Wardrobe
    failed: Callable[[str, BaseException], None]
    """Is told what of an extension could not be shown."""
    signals: Signals = field(default_factory=Signals)

    def reset(self) -> None:
        """What extensions put there goes; called before they become stale."""
        self.asking.end()
        self.extras.clear()
        self.slots.clear()
        self.footer.display = True
        self.footer.statuses.clear()
        self.footer.show()
        self.working.reset()
        self.look.label_thinking(None)
        self.log.restyle()
