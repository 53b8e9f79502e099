"""Keys become actions: a mode, a prefix such as `d` or `g`, and what comes of the next key. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

MOVES: Final = {
    "h": ("cursor_left",),
    "l": ("cursor_right",),
    "j": ("cursor_down",),
    "k": ("cursor_up",),
    "w": ("cursor_word_right",),
    "b": ("cursor_word_left",),
    "0": ("cursor_line_start",),
    "$": ("cursor_line_end",),
    "G": ("cursor_document_end",),
    "x": ("delete_right",),
    "D": ("delete_to_end_of_line",),
    "u": ("undo",),
}
SEQUENCES: Final = {
    "dd": ("delete_line",),
    "gg": ("cursor_document_start",),
}
TYPING: Final = {
    "i": (),
    "a": ("cursor_right",),
    "I": ("cursor_line_start",),
    "A": ("cursor_line_end",),
    "o": ("cursor_line_end", "new_line"),
}


@dataclass(frozen=True, slots=True)
class State:
    """Whether keys are typed, and what was pressed of a sequence."""

    inserting: bool = False
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What a key does: the state after it, actions of the editor in order, and whether it is used up."""

    state: State
    actions: tuple[str, ...] = ()
    taken: bool = True


class Modal:
    """The grammar."""

    @staticmethod
    def step(state: State, key: str) -> Step:
        """In insert mode every key but escape is typed; in normal mode no letter is."""
        if state.inserting:
            return Step(State(), taken=True) if key == "escape" else Step(state, taken=False)
        if len(key) != 1:
            return Step(replace(state, prefix=""), taken=False)
        pressed = state.prefix + key
        if pressed in SEQUENCES:
            return Step(State(), SEQUENCES[pressed])
        if not state.prefix and key in TYPING:
            return Step(State(inserting=True), TYPING[key])
        if not state.prefix and key in MOVES:
            return Step(State(), MOVES[key])
        begins = any(sequence.startswith(pressed) for sequence in SEQUENCES)
        return Step(State(prefix=pressed if begins else ""))
