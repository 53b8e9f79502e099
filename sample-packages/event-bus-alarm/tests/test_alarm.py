"""A limit that is passed is told once, whichever package loads first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pi_sample_event_bus_alarm import extension, passed
from pi_sample_event_bus_meter import extension as meter
from pi_sample_event_bus_meter.channel import Reading

from pi_core.api import AssistantMessage, SessionStart, TurnEnd, Usage
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

START = SessionStart(reason="startup")
TURN = TurnEnd(turn_index=0, message=AssistantMessage(usage=Usage(total_tokens=60_000)))


@pytest.mark.parametrize("order", [(meter, extension), (extension, meter)])
def test_the_warning_comes_once(pi_harness: HarnessMaker, order: tuple[Callable[..., Any], ...]) -> None:
    """Two turns over the limit are one warning."""
    ui = RecordingUI()
    pi = pi_harness(*order, ui=ui)
    for event in (START, TURN, TURN):
        pi.emit(event)
    assert ui.notices == ["This session has used 60000 tokens; the limit is 50000."]


def test_without_the_meter_it_is_silent(pi_harness: HarnessMaker) -> None:
    """Nobody publishes, so nothing is heard."""
    ui = RecordingUI()
    pi = pi_harness(extension, ui=ui)
    pi.emit(START)
    pi.emit(TURN)
    assert ui.notices == []


@pytest.mark.parametrize(
    ("table", "told"), [({}, []), ({"tool-calls": 2}, ["tool-calls"]), ({"tokens": "no"}, [])]
)
def test_settings_have_the_limits(table: dict[str, Any], told: list[str]) -> None:
    """What is no number is no limit."""
    assert list(passed(Reading(1, 9, 3), {"alarm": table})) == told
