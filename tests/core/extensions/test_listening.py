"""`pi.on` is typed: the overloads are those of the laws. What checkers make of it: tests/typing."""

from __future__ import annotations

from hookspecs.events import EVENTS
from hookspecs.laws import LAWS
from tests.core.extensions.on_overloads import TARGET, formatted, render


def test_the_overloads_are_those_of_the_laws() -> None:
    """The file is what the generator writes today."""
    assert formatted(render()) == TARGET.read_text(encoding="utf-8")


def test_every_event_has_its_overloads() -> None:
    """Each event is listed by its name, as a decorator and as a call."""
    text = TARGET.read_text(encoding="utf-8")
    assert set(EVENTS) == set(LAWS)
    assert {2} == {text.count(f'Literal["{event}"]') for event in EVENTS}
