"""Every turn is published, and the count begins anew with a session."""

from __future__ import annotations

from pi_sample_event_bus_meter import extension
from pi_sample_event_bus_meter.channel import CHANNEL, Reading

from pi_core.api import AssistantMessage, ExtensionAPI, SessionStart, ToolResultMessage, TurnEnd, Usage
from pi_core.testing.plugin import HarnessMaker, SessionMaker

RESULT = ToolResultMessage(tool_call_id="1", tool_name="bash")


def turn(tokens: int, results: int) -> TurnEnd:
    message = AssistantMessage(usage=Usage(total_tokens=tokens))
    return TurnEnd(turn_index=0, message=message, tool_results=[RESULT] * results)


def listener(heard: list[Reading]) -> object:
    """An extension that writes down what it is told."""

    def extension(pi: ExtensionAPI) -> None:
        pi.events.on(CHANNEL, heard.append)

    return extension


def test_turns_add_up(pi_harness: HarnessMaker) -> None:
    """Listeners get a value each, which never changes under them."""
    heard: list[Reading] = []
    pi = pi_harness(extension, listener(heard))
    pi.emit(turn(10, 1))
    pi.emit(turn(5, 2))
    assert heard == [Reading(1, 10, 1), Reading(2, 15, 3)]


def test_a_session_starts_at_zero(pi_harness: HarnessMaker) -> None:
    """What another session used is not counted."""
    heard: list[Reading] = []
    pi = pi_harness(extension, listener(heard))
    pi.emit(turn(10, 1))
    pi.emit(SessionStart(reason="new"))
    pi.emit(turn(3, 0))
    assert heard[-1] == Reading(1, 3, 0)


def test_a_real_run_is_counted(pi_session: SessionMaker) -> None:
    """One turn with a tool, one without."""
    heard: list[Reading] = []
    pi = pi_session(extension, listener(heard))
    pi.prompt("run: true")
    assert [(reading.turns, reading.tool_calls) for reading in heard] == [(1, 1), (2, 1)]
