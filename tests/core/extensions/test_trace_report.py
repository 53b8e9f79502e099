"""What `pi trace` prints of a journal."""

from __future__ import annotations

import json
from typing import Any

from pi_core.extensions.trace_report import parse_trace, route, slowest, slowest_call, tool_calls, trace_text

GATE = "/x/gate.py"
LOG = "/x/log.py"


def line(seq: int, event: str, at_us: int, us: int, **more: Any) -> str:
    record: dict[str, Any] = {"seq": seq, "parent": None, "at_us": at_us, "event": event, "us": us}
    return json.dumps({**record, "about": {}, "handlers": [], **more})


def about(call: str) -> dict[str, str]:
    return {"toolCallId": call, "toolName": "bash"}


JOURNAL = [
    '{"journal": 1}',
    line(1, "turn_start", 0, 40, handlers=[{"extension": LOG, "us": 30}]),
    line(3, "tool_call", 200, 2600, about=about("c1"), result={"block": True},
         handlers=[{"extension": GATE, "us": 2500, "answer": {"block": True}}, {"extension": LOG, "us": 9}]),
    line(4, "model_select", 300, 100, parent=3, handlers=[{"extension": LOG, "us": 70}]),
    line(2, "tool_execution_start", 100, 5, about=about("c1")),
    line(5, "tool_call", 4000, 1_500_000, about=about("c2"), error="too late",
         handlers=[{"extension": GATE, "us": 1_400_000, "error": "too late"}]),
]  # fmt: skip


def test_dispatches_are_put_in_order() -> None:
    """They are written as they end, and read as they begin."""
    assert [1, 2, 3, 4, 5] == [one.seq for one in parse_trace(JOURNAL).dispatches]


def test_half_a_line_is_counted() -> None:
    """What a crash left behind, and what is no journal at all, does not hide the rest."""
    trace = parse_trace([*JOURNAL, '{"seq": 6, "ev', "[1]", "{}", "", "text"])
    assert (5, 4) == (len(trace.dispatches), trace.unreadable)


def test_the_slowest_come_first() -> None:
    """By their longest call, all calls of an extension for an event together."""
    rows = slowest(parse_trace(JOURNAL), 3)
    assert [
        (GATE, "tool_call", 2, 1_400_000, 1_402_500),
        (LOG, "model_select", 1, 70, 70),
        (LOG, "turn_start", 1, 30, 30),
    ] == [(row.extension, row.event, row.calls, row.longest_us, row.total_us) for row in rows]


def test_the_route_of_a_call() -> None:
    """Everything about it, and what its handlers caused, in order."""
    trace = parse_trace(JOURNAL)
    assert ("c1", "c2") == tool_calls(trace)
    assert ["tool_execution_start", "tool_call", "model_select"] == [one.event for one in route(trace, "c1")]
    assert "c2" == slowest_call(trace)
    assert () == route(trace, "c3")


def test_the_text() -> None:
    """A summary, the slowest handlers, and the way of a call with who said what."""
    assert """\
5 dispatches of 4 events; 1.40 s in handlers of 2 extensions

Slowest handlers
   longest      total  calls  event         extension
    1.40 s     1.40 s      2  tool_call     /x/gate.py
     70 µs      70 µs      1  model_select  /x/log.py

Route of the tool call c1 (bash)
      0 µs  tool_execution_start  5 µs
    100 µs  tool_call  2.6 ms  → {"block": true}
              /x/gate.py  2.5 ms  → {"block": true}
              /x/log.py  9 µs
    200 µs    model_select  100 µs
                /x/log.py  70 µs
""" == trace_text(JOURNAL, call="c1", top=2)


def test_the_slowest_call_is_shown_unless_one_is_asked_for() -> None:
    """It is said how it was chosen; one that is not there is said to be missing."""
    text = trace_text(JOURNAL)
    assert "Route of the tool call c2 (bash), the slowest of 2" in text
    assert "raised: too late" in text
    assert "There is no tool call c9 in this trace." in trace_text(JOURNAL, call="c9")


def test_an_empty_journal() -> None:
    """Nothing happened, and that is said."""
    assert (
        "0 dispatches of 0 events; 0 µs in handlers of 0 extensions\n\nNo extension was told anything.\n"
        == (trace_text(['{"journal": 1}']))
    )


def test_a_long_answer_is_cut() -> None:
    """The table stays readable; the journal has the rest."""
    text = trace_text([line(1, "tool_call", 0, 1, about=about("c"), result="x" * 500)])
    assert "…" in text
    assert max(map(len, text.splitlines())) < 120
