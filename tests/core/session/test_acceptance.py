"""When a prompt is accepted, and how a slow listener slows what it listens to."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import AgentStart, ExtensionAPI, Handled
from pi_core.errors import CommandNotQueuedError
from pi_core.session.events import SessionEvent
from pi_core.session.session import Session
from tests.support.session_bench import SessionBench


async def test_a_prompt_is_accepted_before_its_run_is_told(tmp_path: Path) -> None:
    """The word comes after before_agent_start and before the first event of the run."""
    order: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("before_agent_start")
        def before(event: Any, ctx: Any) -> AgentStart:
            order.append("before_agent_start")
            return AgentStart()

    async def ask(session: Session) -> None:
        with session.subscribe(lambda event: order.append(event.type)):
            await session.prompt("x", on_accepted=order.append)

    await SessionBench(tmp_path, ["ok"], extension).run(then=ask)
    assert ["before_agent_start", "started", "agent_start"] == order[:3]


async def test_a_prompt_that_an_extension_handles_is_accepted_as_that(tmp_path: Path) -> None:
    """The word is the same as the answer, and comes once."""
    told: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("input", lambda event, ctx: Handled())

    async def ask(session: Session) -> None:
        told.append(await session.prompt("x", on_accepted=told.append))

    await SessionBench(tmp_path, ["never"], extension).run(then=ask)
    assert ["handled", "handled"] == told


async def test_a_run_goes_no_further_than_its_pace(tmp_path: Path) -> None:
    """While `pace` waits no further event of the run is told; then the run goes on to its end."""
    told: list[str] = []

    async def ask(session: Session) -> None:
        gate = asyncio.Event()
        blocked = asyncio.Event()

        async def pace() -> None:
            blocked.set()
            await gate.wait()

        def listen(event: SessionEvent) -> None:
            told.append(event.type)

        session.parts.channel.pace = pace
        with session.subscribe(listen):
            running = asyncio.ensure_future(session.prompt("x"))
            await blocked.wait()
            assert ["agent_start"] == told
            gate.set()
            await running

    await SessionBench(tmp_path, ["ok"]).run(then=ask)
    assert "agent_settled" == told[-1]


async def test_what_is_queued_while_nothing_goes_on_waits_for_the_next_prompt(tmp_path: Path) -> None:
    """Nothing starts; both kinds arrive with the run that comes next, behind its prompt."""

    async def ask(session: Session) -> None:
        assert "queued" == await session.queue("steering", "steer")
        assert "queued" == await session.queue("following", "follow_up")
        assert (True, 2) == (session.is_idle, session.delivery.pending)
        await session.prompt("x")

    bench = await SessionBench(tmp_path, ["one", "two", "three"]).run(then=ask)
    assert ["x", "steering", "following"] == bench.said("user")


async def test_a_command_cannot_be_queued(tmp_path: Path) -> None:
    """73: it is refused with its name, and does not run."""

    def extension(pi: ExtensionAPI) -> None:
        pi.register_command("now", lambda args, ctx: pytest.fail("it runs"))

    async def ask(session: Session) -> None:
        with pytest.raises(CommandNotQueuedError, match="/now of an extension cannot be queued"):
            await session.queue("/now x", "steer")

    await SessionBench(tmp_path, ["never"], extension).run(then=ask)


async def test_extensions_hear_what_is_queued(tmp_path: Path) -> None:
    """The input event says in which queue it is to wait, and what is handled does not wait."""
    heard: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("input")
        def hear(event: Any, ctx: Any) -> Handled | None:
            heard.append((event.text, event.streaming_behavior))
            return Handled() if event.text == "mine" else None

    async def ask(session: Session) -> None:
        assert "handled" == await session.queue("mine", "follow_up")
        assert 0 == session.delivery.pending

    await SessionBench(tmp_path, ["never"], extension).run(then=ask)
    assert [("mine", "followUp")] == heard
