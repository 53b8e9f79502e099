"""The output of a command for a client that is too slow for it."""

from __future__ import annotations

from pi_core.modes.rpc.deltas import Deltas
from pi_core.session.events import BashExecutionUpdate


def piece(delta: str, own_id: str | None = "1") -> BashExecutionUpdate:
    return BashExecutionUpdate(delta=delta, id=own_id)


def test_with_room_every_piece_is_told_as_it_is() -> None:
    """Nothing is added and nothing is left out."""
    deltas = Deltas()
    assert piece("a") == deltas.fitting(piece("a"), room=True)


def test_without_room_a_piece_is_left_out_and_the_next_says_so() -> None:
    """Each command for itself; a command that has ended is forgotten."""
    deltas = Deltas()
    assert [None, None, None] == [
        deltas.fitting(event, room=False) for event in (piece("abc"), piece("de"), piece("x", "2"))
    ]
    told = deltas.fitting(piece("f"), room=True)
    assert told is not None
    assert "\n[… 5 characters were left out, as they came too fast …]\nf" == told.delta
    assert piece("g") == deltas.fitting(piece("g"), room=True)
    deltas.end("2")
    assert piece("y", "2") == deltas.fitting(piece("y", "2"), room=True)
