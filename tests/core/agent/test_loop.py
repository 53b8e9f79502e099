"""What a run does beyond its grammar: it closes what broke, ends when told, and reads its state in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from hookspecs.messages import AssistantMessage, CustomMessage, Message, TextContent, UserMessage
from hookspecs.wire import to_wire
from pi_core.abort import AbortController
from pi_core.agent.agent import NothingToContinueError
from pi_core.agent.events import TurnEnd
from pi_core.agent.ports import TurnDecision
from pi_core.errors import BusyError
from pi_core.providers.base import BlockEvent, Done, Failed, StreamStart, TextDelta, TextStart
from tests.core.agent.harness import Bench, RecordingHooks, call, calls, text, tool

STARTS = {"message_start": "message_end", "turn_start": "turn_end", "agent_start": "agent_end"}


def assert_closed(bench: Bench) -> None:
    """Every start in the stream has its end, in the right order."""
    waiting: list[str] = []
    for line in bench.stream:
        kind = line.split()[0]
        if kind in STARTS:
            waiting.append(STARTS[kind])
        elif kind in STARTS.values():
            assert waiting.pop() == kind
    assert [] == waiting


def finish_with(bench: Bench, *decisions: TurnDecision) -> list[TurnEnd]:
    """Let the host answer the ends of the turns, in order; then it has no opinion."""
    told: list[TurnEnd] = []
    remaining = list(decisions)

    async def finish_turn(event: TurnEnd) -> TurnDecision:
        told.append(event)
        return remaining.pop(0) if remaining else TurnDecision()

    bench.hooks.finish_turn = finish_turn  # type: ignore[method-assign]  # a test's own host
    return told


@pytest.mark.parametrize("method", ["context", "finish_turn", "before_next_turn", "request_hooks"])
async def test_a_host_that_fails(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of the host ends the run with an answer that says it, and everything is closed."""

    def fail(*given: Any) -> Any:
        raise RuntimeError("host died")

    monkeypatch.setattr(RecordingHooks, method, fail)
    bench = Bench([call(), "done"], [tool(lambda *given: "ran")])
    await bench.run()
    assert_closed(bench)
    assert ("error", "host died") == (bench.answers[-1].stop_reason, bench.answers[-1].error_message)


@pytest.mark.parametrize(
    "kind",
    [
        "agent_start",
        "message_start",
        "message_update",
        "tool_execution_start",
        "tool_execution_update",
        "turn_end",
    ],
)
async def test_a_listener_that_fails_once(kind: str) -> None:
    """Whichever event is not taken, the sequence that is told is closed."""

    def run(params: Any, signal: Any, on_update: Any) -> str:
        on_update("half")
        return "ran"

    bench = Bench([call(), "done"], [tool(run)])
    failed: list[str] = []

    async def watch(event: Any) -> None:
        if event.type == kind and not failed:
            bench.hooks.stream.append(to_wire(event))
            failed.append(kind)
            raise RuntimeError("listener died")

    bench.hooks.watch = watch
    new = await bench.run()
    assert_closed(bench)
    assert ("assistant" if kind == "agent_start" else "user") == new[0].role
    starts = [line for line in bench.stream if line.startswith("tool_execution_start")]
    ends = [line for line in bench.stream if line.startswith("tool_execution_end")]
    assert len(starts) == len(ends)
    assert "listener died" == bench.answers[-1].error_message


async def test_an_error_of_the_model_ends_the_run() -> None:
    """A failed request is an answer with stop reason error; no response was seen."""
    bench = Bench([{"error": "overloaded"}])
    await bench.run()
    assert [
        "message_start assistant error",
        "message_end assistant error",
        "turn_end error 0",
    ] == bench.stream[4:7]
    assert "after_provider_response 200" not in bench.seen


async def test_an_error_in_the_middle_keeps_what_arrived() -> None:
    """Blocks that came before the error stay, closed."""
    bench = Bench([{"text": "half", "error": "cut"}])
    await bench.run()
    assert ("half", "error", "cut") == (
        text(bench.answers[0]),
        bench.answers[0].stop_reason,
        bench.answers[0].error_message,
    )


async def half_an_answer(*given: Any) -> AsyncIterator[BlockEvent]:
    yield StreamStart(partial=AssistantMessage())
    yield TextStart(content_index=0)
    yield TextDelta(content_index=0, delta="half")


async def raising(*given: Any) -> AsyncIterator[BlockEvent]:
    async for event in half_an_answer():
        yield event
    raise OSError("line cut")


async def disordered(*given: Any) -> AsyncIterator[BlockEvent]:
    yield TextDelta(content_index=3, delta="x")


@pytest.mark.parametrize(
    ("stream", "said", "kept"),
    [
        pytest.param(half_an_answer, "broke off", "half", id="no-end"),
        pytest.param(raising, "line cut", "half", id="raises"),
        pytest.param(disordered, "text_delta for block 3, which is not open", "", id="disorder"),
    ],
)
async def test_a_provider_that_breaks_its_contract(stream: Any, said: str, kept: str) -> None:
    """It becomes an error answer with what arrived; the run is closed."""
    bench = Bench(stream)
    await bench.run()
    assert_closed(bench)
    assert said in (bench.answers[0].error_message or "")
    assert kept == text(bench.answers[0])


async def test_a_deaf_provider_is_interrupted() -> None:
    """An abort ends a stream that does not look at its signal, and runs its clean-up."""
    cleaned: list[bool] = []

    async def deaf(*given: Any) -> AsyncIterator[BlockEvent]:
        try:
            async for event in half_an_answer():
                yield event
            await asyncio.sleep(60)
        finally:
            cleaned.append(True)

    bench = Bench(deaf)

    async def watch(event: Any) -> None:
        if event.type == "message_update" and event.assistant_message_event.type == "text_delta":
            asyncio.get_running_loop().call_later(0.01, bench.agent.abort)

    bench.hooks.watch = watch
    await asyncio.wait_for(bench.run(), 5)
    assert ("aborted", "Request was aborted", "half") == (
        bench.answers[0].stop_reason,
        bench.answers[0].error_message,
        text(bench.answers[0]),
    )
    assert [True] == cleaned


async def test_cancelling_the_task_is_not_an_abort() -> None:
    """Cancellation from outside passes through, stops the tool, and leaves the agent idle."""
    ended: list[str] = []
    started = asyncio.Event()

    async def run(params: Any, signal: Any, on_update: Any) -> str:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "never"

    bench = Bench([call()], [tool(run)])
    task = asyncio.ensure_future(bench.run())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert_closed(bench)
    assert (["cancelled"], "aborted") == (ended, bench.answers[-1].stop_reason)
    assert not bench.agent.is_running


async def test_cancelling_while_the_model_answers() -> None:
    """A cancellation is not taken for an abort, even when both come at once."""
    for also_abort in (False, True):
        bench = Bench([{"text": "x", "delay_s": 60}])
        task = asyncio.ensure_future(bench.run())
        await asyncio.sleep(0.01)
        if also_abort:
            bench.agent.abort()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert_closed(bench)
        assert not bench.agent.is_running


async def test_a_message_that_waited_joins_the_first_turn() -> None:
    """What was queued before a run is delivered after its prompt, before the first request."""
    bench = Bench(["answer"])
    await bench.agent.steer(UserMessage(content="S"))
    await bench.run()
    assert ["go", "S"] == [message["content"] for message in bench.model.requests[0]["messages"]]
    assert 1 == bench.stream.count("turn_start")


async def test_an_abort_before_the_first_request() -> None:
    """A run whose signal is up already tells the prompt, and sends nothing."""
    bench = Bench(["never"])
    controller = AbortController()
    controller.abort()
    await bench.agent.run([UserMessage(content="go")], controller=controller)
    assert "This operation was aborted" == bench.answers[0].error_message
    assert [] == bench.model.requests


async def test_an_abort_leaves_the_queues() -> None:
    """What is queued when a run is aborted waits for the next one."""

    async def run(params: Any, signal: Any, on_update: Any) -> str:
        await bench.agent.steer(UserMessage(content="S"))
        bench.agent.abort()
        return "ran"

    bench = Bench([call(), "answer"], [tool(run)])
    await bench.run()
    assert ["S"] == bench.agent.steering.texts()
    await bench.agent.run()
    assert "answer" == text(bench.answers[-1])


async def test_one_run_at_a_time() -> None:
    """A second run is refused while the first goes on; waiting for idle ends with it."""
    bench = Bench([{"text": "slow", "pace_s": 0.005}])
    first = asyncio.ensure_future(bench.run())
    await asyncio.sleep(0)
    with pytest.raises(BusyError):
        await bench.run()
    await bench.agent.wait_for_idle()
    assert first.done() or not bench.agent.is_running
    await first


async def test_nothing_to_continue() -> None:
    """A run without prompts needs a message to answer, or one that waits."""
    bench = Bench(["answer"])
    with pytest.raises(NothingToContinueError):
        await bench.agent.run()
    bench.agent.state.messages.append(CustomMessage(custom_type="x", content="look"))
    await bench.agent.run()
    assert "answer" == text(bench.answers[0])


async def test_the_host_asks_for_another_turn() -> None:
    """V01: messages of a decision join the conversation untold, and "continue" asks the model again."""
    bench = Bench(["one", "two"])
    added = CustomMessage(custom_type="x", content="more")
    finish_with(bench, TurnDecision("continue", [added]))
    new = await bench.run()
    assert ["user", "assistant", "custom", "assistant"] == [message.role for message in new]
    assert "message_start custom" not in bench.stream
    assert "more" == bench.model.requests[1]["messages"][-1]["content"]


async def test_the_host_ends_the_run() -> None:
    """ "end" wins over tool results that wait for an answer."""
    bench = Bench([call(), "never"], [tool(lambda *given: "ran")])
    told = finish_with(bench, TurnDecision("end"))
    await bench.run()
    assert [1] == [len(event.tool_results) for event in told]
    assert 1 == len(bench.model.requests)


async def test_changes_count_from_the_next_turn() -> None:
    """Prompt and tools that change during a turn are sent with the next request, not before."""

    def run(params: Any, signal: Any, on_update: Any) -> str:
        bench.agent.state.system_prompt = "new"
        bench.agent.state.tools = []
        return "ran"

    bench = Bench([calls(call(), call()), "done"], [tool(run)], system_prompt="old")
    await bench.run()
    assert ["ran", "ran"] == [text(result) for result in bench.results]
    assert [("old", 1), ("new", 0)] == [
        (request["system"], len(request["tools"])) for request in bench.model.requests
    ]


async def test_the_context_is_the_hosts_to_shape() -> None:
    """What `context` returns is sent; the conversation stays as it is."""
    bench = Bench(["answer"])

    async def context(messages: list[Message]) -> Sequence[Message]:
        return [*messages, UserMessage(content="added")]

    bench.hooks.context = context  # type: ignore[method-assign]  # a test's own host
    await bench.run()
    assert ["go", "added"] == [message["content"] for message in bench.model.requests[0]["messages"]]
    assert ["user", "assistant"] == [message.role for message in bench.agent.state.messages]


async def test_a_message_rewritten_at_its_end_is_the_one_that_stays() -> None:
    """13.A 41: an edit in place at message_end reaches the history, the turn's end and the run's end."""
    bench = Bench(["secret"])

    async def watch(event: Any) -> None:
        if event.type == "message_end" and event.message.role == "assistant":
            event.message.content = [TextContent(text="clean")]

    bench.hooks.watch = watch
    new = await bench.run()
    turn_end = next(event for event in bench.hooks.stream if event["type"] == "turn_end")
    assert ["clean", "clean"] == [text(new[-1]), turn_end["message"]["content"][0]["text"]]


async def test_no_way_to_the_model_is_an_answer() -> None:
    """A connection that cannot be made ends the run with its sentence."""
    bench = Bench(["never"])
    bench.unreachable = LookupError("no key for scripted")
    await bench.run()
    assert "no key for scripted" == bench.answers[0].error_message


async def test_a_final_message_is_completed() -> None:
    """What a provider leaves open in its last message is filled in: names, time, a reason to stop."""

    async def short(*given: Any) -> AsyncIterator[BlockEvent]:
        yield Done(message=AssistantMessage(stop_reason="pending"))

    bench = Bench(short)
    await bench.run()
    answer = bench.answers[0]
    assert ("scripted", "scripted", "stop") == (answer.provider, answer.model, answer.stop_reason)
    assert answer.timestamp > 0


async def test_failed_events_carry_their_message() -> None:
    """A provider's own failure message is the answer."""

    async def failing(*given: Any) -> AsyncIterator[BlockEvent]:
        yield Failed(message=AssistantMessage(stop_reason="error", error_message="429"))

    bench = Bench(failing)
    await bench.run()
    assert "429" == bench.answers[0].error_message
