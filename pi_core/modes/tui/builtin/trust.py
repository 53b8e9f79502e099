"""`/trust`: what of the project needs trust, what was decided, what changed since, and deciding anew.

Touches: the screen, the project's files, the trust store.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, Literal

from pi_core.modes.tui.builtin.loaded import reload_here
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.dialogs.choice import Choice, ChoiceDialog
from pi_core.modes.tui.dialogs.questions import ConfirmDialog
from pi_core.modes.tui.here import Here
from pi_pkg import Locations, allow_content, decide_folder, forget, person, standing_of, surface

Wanted = Literal["content", "folder", "no", "forget"]
_ROWS: Final[tuple[tuple[str, Wanted, str], ...]] = (
    ("Trust it as it is now", "content", "asks again when something changes"),
    ("Trust this folder", "folder", "whatever it will hold"),
    ("Do not trust it", "no", "its extensions, settings, skills, prompts and themes are left out"),
    ("Forget what was decided", "forget", "and ask at the next start"),
)
_HOW: Final = "/trust"


class TrustCommands:
    """Decides about the folder of the session of the moment."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        return (
            BuiltinCommand(
                name="trust", run=self.trust, description="decide whether this project is trusted"
            ),
        )

    async def trust(self, desk: Desk, _: str) -> None:
        """Show what there is, and take the decision. Raises: TrustError."""
        places = self._here.places
        if not places.has_project:
            desk.tell("This folder is no project: its files are yours, and need no trust.")
            return
        rows = [Choice(label, wanted, about) for label, wanted, about in _ROWS]
        wanted = await desk.open_dialog(ChoiceDialog("Trust", rows, trust_text(places)))
        if wanted is None or not self._decide(wanted, places):
            return
        if await desk.open_dialog(ConfirmDialog("Load everything anew?", "It counts from then on.")):
            await reload_here(self._here)

    def _decide(self, wanted: Wanted, places: Locations) -> bool:
        by, desk = person(self._here.environ), self._here.desk
        match wanted:
            case "content":
                if allow_content(places, by=by, how=_HOW) is None:
                    desk.tell("There is nothing here that needs trust, or too much to cover.", "warning")
                    return False
                desk.tell(f"{places.project_dir} is trusted as it is now.")
            case "folder":
                decide_folder(places, True, by=by, how=_HOW)
                desk.tell(f"{places.project_dir} is trusted, whatever it will hold.")
            case "no":
                decide_folder(places, False, by=by, how=_HOW)
                desk.tell(f"{places.project_dir} is not trusted.")
            case "forget":
                known = forget(places) is not None
                desk.tell("Forgotten." if known else "Nothing was decided about this folder.")
                return known
        return True


def trust_text(places: Locations) -> str:
    """What needs trust, what was decided, and what changed since."""
    found = surface(places, with_digest=False).paths
    lines = [str(places.project_dir), ""]
    lines += [f"  {os.path.relpath(path, places.project_dir)}" for path in found]
    if not found:
        lines.append("  (nothing that needs trust)")
    standing = standing_of(places)
    if standing is None:
        return "\n".join([*lines, "", "Nobody decided about it."])
    decision = standing.decision
    word = "Trusted" if decision.trusted else "Not trusted"
    extent = "whatever it will hold" if decision.digest is None else "as it was then"
    by = f" by {decision.by}" if decision.by else ""
    lines += ["", f"{word}, {extent}{by}, {decision.when or 'some time ago'}, through {standing.how}."]
    if standing.match == "changed":
        lines += ["", "It has changed since:", *(f"  {change}" for change in standing.changes)]
    return "\n".join(lines)
