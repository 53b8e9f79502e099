"""When a prompt is accepted, and how a slow listener slows what it listens to."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from pi_core.api import AgentStart, ExtensionAPI, Handled
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
