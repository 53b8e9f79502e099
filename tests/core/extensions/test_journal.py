"""The journal tells every dispatch: event, handlers, answers, time. It changes nothing of what it tells."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hookspecs import (
    AgentEnd,
    BeforeProviderHeaders,
    Block,
    Context,
    SessionShutdown,
    ToolCall,
    TurnStart,
    UserMessage,
)
from pi_core.dispatch.plan import HandlerFailed
from pi_core.extensions.actions import Finding
from pi_core.extensions.journal import MAX_VALUE_CHARS, Journal, brief, journal_file
from pi_core.extensions.runner import Runner
from pi_pkg import Diagnostic
from tests.core.extensions.support import running
from tests.core.extensions.ticking import for_ever, on, watched


class Clock:
    """A microsecond passes at every look."""

    now = 0

    def __call__(self) -> int:
        self.now += 1000
        return self.now


async def written(*factories: Any) -> tuple[Runner, list[dict[str, Any]]]:
    """A runner with a journal, and its lines as they are written, the first one left out."""
    records: list[dict[str, Any]] = []
    runner = await running(*factories)
    Journal(lambda line: records.append(json.loads(line)), now_ns=Clock()).attach(runner)
    assert {"journal": 1} == records.pop(0)
    return runner, records


def turn() -> TurnStart:
    return TurnStart(turn_index=3, timestamp=0)


def call() -> ToolCall:
    return ToolCall(tool_name="bash", tool_call_id="c1", input={})


async def test_a_line_a_dispatch() -> None:
    """With the event, what it is about, every handler with its answer and time, and the result."""

    async def refuses(event: Any, ctx: Any) -> Block:
        return Block(reason="no")

    runner, records = await written(on("tool_call", lambda event, ctx: None), on("tool_call", refuses))
    await runner.emit(call())
    assert [
        {
            "seq": 1,
            "parent": None,
            "at_us": 1,
            "event": "tool_call",
            "us": 5,
            "about": {"toolCallId": "c1", "toolName": "bash"},
            "handlers": [
                {"extension": "<inline:1>", "us": 1},
                {"extension": "<inline:2>", "us": 1, "answer": {"reason": "no", "block": True}},
            ],
            "result": {"reason": "no", "block": True},
        }
    ] == records


async def test_events_that_nobody_else_hears_are_told_too() -> None:
    """The journal listens to everything, and no listener is no result."""
    runner, records = await written()
    await runner.emit(turn())
    assert [("turn_start", [], {"turnIndex": 3})] == [
        (one["event"], one["handlers"], one["about"]) for one in records
    ]


async def test_it_changes_nothing() -> None:
    """Results, refusals and the order of handlers are what they are without it."""
    log: list[str] = []
    messages = [UserMessage(content="a")]

    def fails(event: Any, ctx: Any) -> None:
        raise ValueError("broken")

    runner, records = await written(
        on("turn_start", lambda event, ctx: log.append("a"), lambda event, ctx: log.append("b")),
        on("tool_call", fails),
        on("context", lambda event, ctx: {"messages": [*event.messages, UserMessage(content="b")]}),
    )
    assert None is await runner.emit(turn())
    assert ["a", "b"] == log
    with pytest.raises(HandlerFailed, match="broken"):
        await runner.emit(call())
    found = await runner.emit(Context(messages=list(messages)))
    assert ["a", "b"] == [message.content for message in found]
    (refused,) = [one for one in records if one["event"] == "tool_call"]
    assert ("broken", "broken") == (refused["error"], refused["handlers"][0]["error"])


async def test_what_a_handler_causes_is_told_as_its_doing() -> None:
    """A dispatch inside of a handler names the one around it, also from a task that the handler made."""
    runners: list[Runner] = []

    async def asks(event: Any, ctx: Any) -> None:
        await runners[0].emit(AgentEnd(messages=[]))
        await asyncio.create_task(runners[0].emit(AgentEnd(messages=[])))

    runner, records = await written(on("turn_start", asks))
    runners.append(runner)
    await runner.emit(turn())
    await runner.emit(turn())
    told = [(one["seq"], one["event"], one["parent"]) for one in records]
    first = [(2, "agent_end", 1), (3, "agent_end", 1), (1, "turn_start", None)]
    assert [*first, (5, "agent_end", 4), (6, "agent_end", 4), (4, "turn_start", None)] == told


async def test_handlers_of_one_event_in_two_tasks_are_not_mixed() -> None:
    """Each dispatch has its own handlers, however they interleave."""

    async def waits(event: Any, ctx: Any) -> None:
        await asyncio.sleep(0)

    runner, records = await written(on("turn_start", waits, waits))
    await asyncio.gather(runner.emit(turn()), runner.emit(turn()))
    assert [2, 2] == [len(one["handlers"]) for one in records]


async def test_an_interrupted_handler_is_in_the_journal() -> None:
    """The watch finds and names it as ever, though the journal stands around it."""
    records: list[dict[str, Any]] = []
    world = await watched(on("turn_start", for_ever))
    Journal(lambda line: records.append(json.loads(line))).attach(world.runner)
    task = world.start(turn())
    await world.clock.turn(32)
    assert (True, [("<inline:1>", "turn_start", "overdue")]) == (task.done(), world.failures)
    assert "CancelledError" == records[1]["handlers"][0]["error"]


async def test_the_last_event_is_told() -> None:
    """Also session_shutdown, whose handlers run in tasks of their own."""
    runner, records = await written(on("session_shutdown", lambda event, ctx: None))
    await runner.shutdown(SessionShutdown(reason="quit"))
    assert [({"reason": "quit"}, 1)] == [(one["about"], len(one["handlers"])) for one in records]


async def test_headers_are_named_and_not_told() -> None:
    """They hold keys; a journal is shown around."""
    runner, records = await written(
        on("before_provider_headers", lambda event, ctx: event.headers.update({"X-B": "1"}))
    )
    await runner.emit(BeforeProviderHeaders(headers={"Authorization": "Bearer secret"}))
    assert ["Authorization", "X-B"] == records[0]["result"]
    assert "secret" not in json.dumps(records)


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": 1}, {"a": 1}),
        (Odd(), "<Odd>"),
        ("x" * MAX_VALUE_CHARS * 2, None),
    ],
)
def test_a_value_is_told_briefly(value: Any, expected: Any) -> None:
    """As JSON; cut when it is long; and by its class when it cannot be shown."""
    told = brief(value)
    assert expected is None or expected == told
    assert len(json.dumps(told)) < MAX_VALUE_CHARS + 100


async def test_a_handler_that_is_added_later_is_told() -> None:
    """Plans that are built anew keep their clock."""
    kept: list[Any] = []
    runner, records = await written(kept.append)
    kept[0].on("turn_start", lambda event, ctx: None)
    await runner.emit(turn())
    assert [{"extension": "<inline:1>", "us": 1}] == records[0]["handlers"]


async def test_a_full_disk_ends_the_journal_and_nothing_else() -> None:
    """It is reported once, and guards decide as before."""
    lines: list[str] = []
    findings: list[Finding] = []

    def write(line: str) -> None:
        if lines:
            raise OSError(28, "No space left on device")
        lines.append(line)

    runner = await running(on("tool_call", lambda event, ctx: Block(reason="no")))
    runner.on_error(findings.append)
    Journal(write).attach(runner)
    answers = [(await runner.emit(call())).block for _ in range(2)]
    (finding,) = findings
    assert isinstance(finding, Diagnostic)
    assert ([True, True], "journal-broken") == (answers, finding.code)


async def test_a_journal_in_a_file(tmp_path: Path) -> None:
    """One JSON object a line; each is there as soon as its dispatch has ended."""
    path = tmp_path / "events.jsonl"
    runner = await running(on("turn_start", lambda event, ctx: None))
    with journal_file(path) as journal:
        journal.attach(runner)
        await runner.emit(turn())
        lines = path.read_text(encoding="utf-8").splitlines()
    assert ["journal", "turn_start"] == [json.loads(line).get("event", "journal") for line in lines]
