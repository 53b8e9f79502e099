"""Where messages of extensions find their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookspecs.context import DeliverAs
from pi_core.api import CustomMessage, ExtensionAPI
from pi_core.session.session import Session
from tests.support.session_bench import Factory, SessionBench, call, text_of

ECHO = call("bash", command="echo hi")


def note(text: str = "note") -> CustomMessage:
    return CustomMessage(custom_type="note", content=text)


def sends(event: str, deliver_as: DeliverAs | None = None, *, trigger_turn: bool = False) -> Factory:
    """An extension that sends one note at the first event of a name."""

    def extension(pi: ExtensionAPI) -> None:
        left = ["once"]

        @pi.on(event, optional=True)
        def send(event: Any, ctx: Any) -> None:
            if left:
                left.clear()
                pi.send_message(note(), deliver_as=deliver_as, trigger_turn=trigger_turn)

    return extension


def roles(bench: SessionBench) -> list[str]:
    return [record["message"]["role"] for record in bench.of_type("message_end")]


async def idle_note(tmp_path: Path, *, trigger_turn: bool) -> SessionBench:
    def extension(pi: ExtensionAPI) -> None:
        @pi.command("send")
        def send(args: str, ctx: Any) -> None:
            pi.send_message(note(), trigger_turn=trigger_turn)

    return await SessionBench(tmp_path, ["ok"], extension).run("/send")


async def test_an_idle_note_joins_the_conversation(tmp_path: Path) -> None:
    """37, V07: listeners hear it begin and end, extensions hear nothing, the history has it."""
    bench = await idle_note(tmp_path, trigger_turn=False)
    assert ["message_start custom", "message_end custom"] == bench.stream
    assert not [line for line in bench.seen if line.startswith(("message", "input", "before_agent"))]
    assert "custom_message" == bench.store.get_entries()[-1].type


@pytest.mark.parametrize(("given", "own"), [(5000, True), (10**17, False), (-1, False), (0, False)])
async def test_a_note_keeps_its_own_time(given: int, own: bool, tmp_path: Path) -> None:
    """The history says when a note was made, not when it was stored; what can be no time is now."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("send")
        def send(args: str, ctx: Any) -> None:
            pi.send_message(CustomMessage(custom_type="note", content="n", timestamp=given))

    bench = await SessionBench(tmp_path, ["ok"], extension).run("/send")
    (read,) = bench.store.build_context().messages
    (told,) = [record["message"]["timestamp"] for record in bench.of_type("message_end")]
    assert (own, told) == (read.timestamp == given, read.timestamp)


async def test_an_idle_note_may_begin_a_run(tmp_path: Path) -> None:
    """38, A11: no input event; before_agent_start says that a custom message began it."""
    bench = await idle_note(tmp_path, trigger_turn=True)
    (asked,) = [event for event in bench.heard if event["type"] == "before_agent_start"]
    assert ("custom", "note") == (asked["messageType"], asked["prompt"])
    assert ["agent_end custom assistant", "agent_settled"] == bench.stream[-2:]
    assert not [line for line in bench.seen if line.startswith("input")]


async def test_a_note_for_the_next_turn_waits_for_the_next_prompt(tmp_path: Path) -> None:
    """36: the running activity is unchanged; the next prompt is followed by the note."""
    bench = await SessionBench(tmp_path, ["1", "2"], sends("agent_start", "next_turn")).run("a", "b")
    assert ["user", "assistant", "user", "custom", "assistant"] == roles(bench)


@pytest.mark.parametrize(
    ("deliver_as", "expected"),
    [
        pytest.param("steer", ["user", "assistant", "toolResult", "custom", "assistant"], id="39"),
        pytest.param("follow_up", ["user", "assistant", "toolResult", "assistant", "custom", "assistant"]),
    ],
)
async def test_a_note_in_a_queue(tmp_path: Path, deliver_as: DeliverAs, expected: list[str]) -> None:
    """39: it opens a turn of its own; the queues of the person's messages do not list it."""
    bench = await SessionBench(tmp_path, [ECHO, "1", "2"], sends("tool_call", deliver_as)).run("go")
    assert expected == roles(bench)
    assert [[[], []]] * len(bench.of_type("queue_update")) == [
        [record["steering"], record["followUp"]] for record in bench.of_type("queue_update")
    ]


async def test_a_note_during_a_turn_comes_after_its_results(tmp_path: Path) -> None:
    """A note that wants no turn never stands between a call and its result."""
    bench = await SessionBench(tmp_path, [ECHO, "ok"], sends("tool_call")).run("go")
    assert ["user", "assistant", "toolResult", "custom", "assistant"] == roles(bench)
    assert bench.stream.index("message_end custom") < bench.stream.index("turn_end toolUse 1")


async def test_a_note_in_the_last_turn_begins_no_further_one(tmp_path: Path) -> None:
    """Nothing asks for an answer: the run ends as it would have."""
    bench = await SessionBench(tmp_path, ["ok"], sends("message_update")).run("go")
    assert ["user", "assistant", "custom"] == roles(bench)
    assert 1 == bench.stream.count("agent_start")


async def test_the_next_request_has_what_was_held_and_added(tmp_path: Path) -> None:
    """Notes are user messages for the model, in the order of the conversation."""
    requests: list[list[str]] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("before_provider_request")
        def keep(event: Any, ctx: Any) -> None:
            requests.append([text_of(message["content"]) for message in event.payload["messages"]])

    await SessionBench(tmp_path, ["1", "2"], sends("agent_start", "next_turn"), extension).run("a", "b")
    assert [["a"], ["a", "1", "b", "note"]] == requests


async def test_a_command_that_triggers_a_run_is_waited_for(tmp_path: Path) -> None:
    """57: what the last command set in motion is done before the extensions hear of the shutdown."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("go")
        def go(args: str, ctx: Any) -> None:
            pi.send_user_message("work")

    bench = await SessionBench(tmp_path, [ECHO, "ok"], extension).run("/go")
    assert (["work"], []) == (bench.said("user"), bench.errors())
    assert ["agent_settled", "session_shutdown quit"] == bench.seen[-2:]


async def test_messages_sent_while_settling_wait_for_it(tmp_path: Path) -> None:
    """Z04: every handler of agent_settled finds the session idle; then the new runs begin, one by one."""
    idle: list[bool] = []

    def extension(pi: ExtensionAPI) -> None:
        left = ["x", "y"]

        @pi.on("agent_settled")
        def first(event: Any, ctx: Any) -> None:
            idle.append(ctx.is_idle())
            while left:
                pi.send_user_message(left.pop(0))

        pi.on("agent_settled", lambda event, ctx: idle.append(ctx.is_idle()))

    bench = await SessionBench(tmp_path, ["1", "2", "3"], extension).run("a")
    assert (["a", "x", "y"], [True] * 6, []) == (bench.said("user"), idle, bench.errors())


async def test_an_abort_leaves_the_queue(tmp_path: Path) -> None:
    """55: no new run follows an abort; what was queued comes with the next prompt."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("message_update")
        def stop(event: Any, ctx: Any) -> None:
            if ctx.has_pending_messages():
                ctx.abort()
            else:
                pi.send_user_message("waits", deliver_as="steer")

    async def again(session: Session) -> None:
        assert ["go"] == bench.said("user")
        await session.prompt("more")

    bench = SessionBench(tmp_path, [{"text": "long answer", "pace_s": 0.01}, "2", "3"], extension)
    await bench.run("go", then=again)
    assert ("agent_settled aborted", ["go", "more", "waits"]) == (
        next(line for line in bench.stream if line.startswith("agent_settled")), bench.said("user"),
    )  # fmt: skip


async def test_an_abort_before_the_run_is_heeded(tmp_path: Path) -> None:
    """An abort while extensions are asked about the run: no request is sent."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("before_agent_start", lambda event, ctx: ctx.abort())

    bench = await SessionBench(tmp_path, ["never"], extension).run("go")
    assert "before_provider_request" not in bench.seen
    assert "agent_settled aborted" == bench.stream[-1]


@pytest.mark.parametrize(("content", "told"), [(None, []), (5, ["a text or a list, not a int"])])
async def test_a_note_without_a_content(tmp_path: Path, content: Any, told: list[str]) -> None:
    """Nothing is an empty content; what is none is refused before anybody hears of it."""
    refused: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("send")
        def send(args: str, ctx: Any) -> None:
            try:
                pi.send_message(CustomMessage(custom_type="note", content=content))
            except ValueError as error:
                refused.append(str(error))

    bench = await SessionBench(tmp_path, [], extension).run("/send")
    assert told == [text.removeprefix("the content of a message is ") for text in refused]
    assert len(bench.said("custom")) == (not told)
