"""Dispatch at the level of extensions: who listens, what is copied, what stale handles do."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from hookspecs import (
    BeforeAgentStart,
    Block,
    Context,
    SessionStart,
    ToolCall,
    TurnEnd,
    TurnStart,
    UserMessage,
)
from hookspecs.events import EVENTS
from pi_core.dispatch.plan import Failure, HandlerFailed
from pi_core.extensions.actions import Finding, Runtime
from pi_core.extensions.errors import RegistrationError, StaleContextError, UnknownEventError
from pi_core.extensions.runner import Runner
from tests.core.extensions.support import running


def turn() -> TurnStart:
    return TurnStart(turn_index=0, timestamp=0)


async def api_of(runtime: Runtime | None = None) -> tuple[Any, Runner]:
    """The API object of a loaded extension, and its runner."""
    kept: list[Any] = []
    runner = await running(kept.append, runtime=runtime)
    return kept[0], runner


async def test_extensions_then_registrations() -> None:
    """N01: load order first, then order of registration."""
    log: list[str] = []

    def two(pi: Any) -> None:
        pi.on("turn_start", lambda event, ctx: log.append("E1h1"))
        pi.on("turn_start", lambda event, ctx: log.append("E1h2"))

    await (await running(two, lambda pi: pi.on("turn_start", lambda e, c: log.append("E2h1")))).emit(turn())
    assert ["E1h1", "E1h2", "E2h1"] == log


async def test_a_function_registered_twice_runs_twice() -> None:
    """N13: every registration counts, also the same function on the same event."""
    log: list[Any] = []
    pi, runner = await api_of()
    handler = lambda event, ctx: log.append(event)  # noqa: E731 - one object, twice
    pi.on("turn_start", handler)
    pi.on("turn_start", handler)
    await runner.emit(turn())
    assert 2 == len(log)


async def test_an_unknown_event_is_refused() -> None:
    """N14, as designed: a name that nobody emits is a dead guard, and the nearest one is proposed."""
    pi, _ = await api_of()
    with pytest.raises(UnknownEventError, match="Did you mean 'tool_call'") as caught:
        pi.on("tool_cal", lambda event, ctx: None)
    assert "tool_call" == caught.value.nearest


async def test_an_optional_event_may_be_unknown() -> None:
    """N14, as designed: with optional=True the handler is accepted, and can be heard by name."""
    pi, runner = await api_of()
    pi.on("nope", lambda event, ctx: None, optional=True)
    assert runner.has_handlers("nope")


async def test_a_subscription_ends_a_handler() -> None:
    """N15, N16: what the call returns takes the handler off; again changes nothing."""
    log: list[int] = []
    pi, runner = await api_of()
    ends = [pi.on("turn_start", lambda event, ctx, n=n: log.append(n)) for n in range(3)]
    ends[1]()
    ends[1]()
    await runner.emit(turn())
    assert ([0, 2], False) == (log, ends[1].active)


async def test_handlers_of_a_factory_can_be_taken_off_one_by_one() -> None:
    """N16: also those that were registered while loading, which share one carrier."""
    log: list[int] = []
    ends: list[Any] = []

    def factory(pi: Any) -> None:
        ends.extend(pi.on("turn_start", lambda event, ctx, n=n: log.append(n)) for n in range(3))

    runner = await running(factory)
    ends[0]()
    await runner.emit(turn())
    ends[2].unsubscribe()
    await runner.emit(turn())
    ends[1]()
    assert ([1, 2, 1], False) == (log, runner.has_handlers("turn_start"))


async def test_a_stale_wish_is_reported_and_dropped() -> None:
    """N17, as designed: the handler runs, its wish fails with the stale text, told once an extension."""
    pi, runner = await api_of()
    heard: list[Finding] = []
    runner.on_error(heard.append)
    pi.on("turn_start", lambda event, ctx: ctx.is_idle())
    runner.invalidate("STALE")
    await runner.emit(turn())
    await runner.emit(turn())
    (failure,) = heard
    assert isinstance(failure, Failure)
    assert ("<inline:1>", "turn_start", "STALE") == (failure.extension, failure.event, failure.message)
    assert ("info", "stale-context") == (runner.diagnostic(failure).severity, runner.diagnostic(failure).code)


async def test_a_stale_guard_refuses() -> None:
    """In tool_call a stale wish is a failing guard, and that refuses."""
    pi, runner = await api_of()
    pi.on("tool_call", lambda event, ctx: ctx.abort())
    runner.invalidate()
    with pytest.raises(HandlerFailed):
        await runner.emit(ToolCall(tool_name="bash", tool_call_id="1", input={}))


async def test_nobody_listens() -> None:
    """N18: without handlers nobody listens."""
    assert [False] * len(EVENTS) == [(await running()).has_handlers(event) for event in EVENTS]


async def test_without_listeners_no_context_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that nobody hears makes no context and copies nothing."""
    monkeypatch.setattr("pi_core.extensions.runner.Context", None)
    monkeypatch.setattr(Runner, "context", None)
    messages = [UserMessage(content="a")]
    runner = await running(lambda pi: pi.on("turn_end", lambda event, ctx: None))
    assert messages is await runner.emit(Context(messages=messages))  # type: ignore[arg-type] # list is invariant
    assert None is await runner.emit(SessionStart(reason="startup"))


async def test_a_plan_is_a_snapshot() -> None:
    """N10, N12: what is registered during a dispatch is heard from the next one on."""
    log: list[str] = []

    def first(pi: Any) -> None:
        def handler(event: Any, ctx: Any) -> None:
            log.append("h1")
            if len(log) == 1:
                pi.on("turn_start", lambda event, ctx: log.append("late"))

        pi.on("turn_start", handler)

    runner = await running(first)
    await runner.emit(turn())
    await runner.emit(turn())
    assert ["h1", "h1", "late"] == log


async def test_a_plan_is_built_once() -> None:
    """The plan of an event is kept until its handlers change, and only then built anew."""
    pi, runner = await api_of()
    pi.on("turn_start", lambda event, ctx: None)
    plan = runner.plan("turn_start")
    pi.on("turn_end", lambda event, ctx: None)
    await runner.emit(turn())
    assert plan is runner.plan("turn_start")
    pi.on("turn_start", lambda event, ctx: None)
    assert 2 == len(runner.plan("turn_start").handlers)


async def test_the_plan_calls_the_authors_function() -> None:
    """No shim stands between the dispatch and a handler of `pi.on`."""
    pi, runner = await api_of()

    async def handler(event: Any, ctx: Any) -> None: ...

    pi.on("turn_start", handler)
    assert handler is runner.plan("turn_start").handlers[0].call
    assert not hasattr(handler, "pi_impl")


async def test_the_decorator_returns_the_function() -> None:
    """N15, as designed: used as a decorator, `on` gives the function back, by class as by name."""
    pi, runner = await api_of()

    def handler(event: Any, ctx: Any) -> None: ...

    assert handler is pi.on(TurnStart)(handler)
    assert handler is pi.on("turn_end")(handler)
    assert runner.has_handlers("turn_start")
    assert runner.has_handlers("turn_end")


async def test_an_answer_class_is_no_event() -> None:
    """Listening to the class of an answer is refused and leads to the event."""
    pi, _ = await api_of()
    with pytest.raises(UnknownEventError):
        pi.on(Block, lambda event, ctx: None)


@pytest.mark.parametrize(
    "handler",
    [
        lambda: None,
        lambda event: None,
        lambda a, b, c: None,
        lambda event, *, ctx: None,
        lambda event, ctx, *, more: None,
        "text",
    ],
)
async def test_a_handler_of_another_form_is_refused(handler: Any) -> None:
    """Two positional arguments, or the registration fails with file and line."""
    pi, _ = await api_of()
    with pytest.raises(RegistrationError) as caught:
        pi.on("turn_start", handler)
    assert not callable(handler) or f"test_runner.py:{inspect.getsourcelines(handler)[1]}" in str(
        caught.value
    )


@pytest.mark.parametrize(
    "handler",
    [
        lambda event, ctx: None,
        lambda event, ctx, more=1: None,
        lambda *args: None,
        lambda event, *rest, key=1: None,
        print,
        dict,
    ],
)
async def test_a_handler_that_takes_two_is_accepted(handler: Any) -> None:
    """Defaults, varargs and builtins are fine."""
    pi, runner = await api_of()
    pi.on("turn_start", handler)
    assert runner.has_handlers("turn_start")


@pytest.mark.parametrize("kind", ["generator", "async generator"])
async def test_a_handler_with_a_yield_is_refused(kind: str) -> None:
    """Calling a generator function runs nothing of it: a dead guard."""

    def generator(event: Any, ctx: Any) -> Any:
        yield

    async def async_generator(event: Any, ctx: Any) -> Any:
        yield

    pi, _ = await api_of()
    with pytest.raises(RegistrationError, match="has a yield"):
        pi.on("tool_call", generator if kind == "generator" else async_generator)


async def test_first_and_last_exclude_each_other() -> None:
    """A handler cannot be both."""
    pi, _ = await api_of()
    with pytest.raises(RegistrationError):
        pi.on("turn_start", lambda event, ctx: None, first=True, last=True)


async def test_the_prompt_of_the_moment_is_in_the_context() -> None:
    """A01: while a run is about to start, the context tells the prompt as handlers made it so far."""
    seen: list[str] = []

    def factory(pi: Any) -> None:
        pi.on("before_agent_start", lambda event, ctx: {"system_prompt": event.system_prompt + "1"})
        pi.on("before_agent_start", lambda event, ctx: seen.append(ctx.get_system_prompt()))

    runner = await running(factory)
    await runner.emit(BeforeAgentStart(prompt="hi", system_prompt="S", system_prompt_options={}))
    assert ["S1"] == seen


async def test_a_host_has_events_of_its_own() -> None:
    """A specification class of the host makes its events known; they are notifications."""
    from hookspecs.markers import hookspec

    class Specs:
        @hookspec
        def pi_deploy(self, event: Any, ctx: Any) -> None:
            """Something of the host's own."""

    class Deploy:
        event_name = "deploy"

    log: list[Any] = []
    runtime = Runtime(specs=(Specs,))
    runner = await running(lambda pi: pi.on("deploy", lambda event, ctx: log.append(event)), runtime=runtime)
    event = Deploy()
    assert [] == await runner.emit(event)
    assert [event] == log


async def test_a_failure_is_a_diagnostic_with_the_authors_traceback() -> None:
    """Extension, event and traceback are in the diagnostic; our own frames are not."""
    pi, runner = await api_of()
    heard: list[Finding] = []
    runner.on_error(heard.append)
    pi.on("turn_end", lambda event, ctx: 1 / 0)
    await runner.emit(TurnEnd(turn_index=0, message=UserMessage(content="")))
    diagnostic = runner.diagnostic(heard[0])
    assert ("handler-raised", "turn_end", "<inline:1>") == (
        diagnostic.code,
        diagnostic.stage,
        diagnostic.path,
    )
    assert "test_runner.py" in (diagnostic.detail or "")
    assert "dispatch" not in (diagnostic.detail or "")


async def test_a_listener_of_errors_hears_of_what_came_before() -> None:
    """Failures that nobody heard are kept for the first error listener."""
    runtime = Runtime()
    runtime.report(Failure("E", "turn_start", "early"))
    runner = await running(runtime=runtime)
    heard: list[Finding] = []
    off = runner.on_error(heard.append)
    off()
    runner.report(Failure("E", "turn_start", "later"))
    assert ["early"] == [getattr(finding, "message", "") for finding in heard]


async def test_a_stale_api_raises() -> None:
    """L16: after invalidate every method raises, with the text of the first call."""
    pi, runner = await api_of()
    runner.invalidate("A")
    runner.invalidate("B")
    with pytest.raises(StaleContextError, match=r"^A$"):
        pi.on("turn_start", lambda event, ctx: None)
