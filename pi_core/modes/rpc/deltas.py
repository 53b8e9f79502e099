"""The output of the person's commands for a client that may be too slow for it.

A program is not held up for a client: what comes while there is no room is left out, and the next piece
says how much. The end of the output, and the file that has all of it, are in the answer.

Pure.
"""

from __future__ import annotations

from pi_core.session.events import BashExecutionUpdate


class Deltas:
    """What was left out of each command, by its id."""

    def __init__(self) -> None:
        self._left_out: dict[str | int | None, int] = {}

    def fitting(self, event: BashExecutionUpdate, *, room: bool) -> BashExecutionUpdate | None:
        """The event to tell, with a word about what is missing in front of it; None without room."""
        if not room:
            self._left_out[event.id] = self._left_out.get(event.id, 0) + len(event.delta)
            return None
        missing = self._left_out.pop(event.id, 0)
        if not missing:
            return event
        notice = f"\n[… {missing} characters were left out, as they came too fast …]\n"
        return BashExecutionUpdate(delta=notice + event.delta, id=event.id)

    def end(self, own_id: str | int | None) -> None:
        """The command has ended."""
        self._left_out.pop(own_id, None)
