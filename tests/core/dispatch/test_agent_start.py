"""before_agent_start: a prompt that is rendered when it is read.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hookspecs import AgentStart, BeforeAgentStart
from tests.core.dispatch.kit import Probe, answering, tell


@dataclass
class Options:
    """Prompt options as a host may have them."""

    rules: list[str] = field(default_factory=list)
    force_system_prompt: str | None = None


def render(options: Options) -> str:
    return " ".join(["You help.", *options.rules])


def start(options: Any) -> BeforeAgentStart:
    return BeforeAgentStart(
        prompt="p", system_prompt=render(options), system_prompt_options=options, render=render
    )


async def test_an_edit_of_the_options_shows_at_once() -> None:
    """The same handler, and the next, read the prompt that its edit makes."""
    seen: list[str] = []

    def edit(event: Any, ctx: Any) -> None:
        event.system_prompt_options.rules.append("Be brief.")
        seen.append(event.system_prompt)

    options = Options()
    told = await tell(start(options), edit, lambda event, ctx: seen.append(event.system_prompt))
    assert ["You help. Be brief."] * 2 == seen
    assert ("You help. Be brief.", False, []) == (
        told.result.system_prompt,
        told.result.overridden,
        options.rules,
    )


async def test_a_returned_prompt_is_forced_from_then_on() -> None:
    """Later edits of the options no longer show, but a later forced prompt does."""
    told = await tell(
        start(Options()),
        answering(AgentStart(system_prompt="Mine.")),
        lambda event, ctx: event.system_prompt_options.rules.append("Be brief."),
    )
    assert ("Mine.", True, "Mine.") == (
        told.result.system_prompt,
        told.result.overridden,
        told.result.options.force_system_prompt,
    )


async def test_the_prompt_cannot_be_assigned() -> None:
    """Assigning it is an error that says what to do instead."""

    def assign(event: Any, ctx: Any) -> None:
        event.system_prompt = "mine"

    told = await tell(start(Options()), assign)
    assert ("You help.", ["read-only"]) == (told.result.system_prompt, told.kinds)
    assert "AgentStart(system_prompt=…)" in told.failures[0].message


async def test_the_host_reads_the_prompt_through_the_event() -> None:
    """While handlers run, the event that the host holds tells the prompt as it stands."""
    event = start(Options())
    seen: list[str] = []

    def read(handed: Any, ctx: Any) -> None:
        assert event.current_prompt is not None
        seen.append(event.current_prompt())

    await tell(event, read, answering(AgentStart(system_prompt="Mine.")), read)
    assert ["You help.", "Mine."] == seen


async def test_the_event_is_an_instance_of_its_class() -> None:
    """Handlers may test for the class that they subscribed to."""
    probe = Probe()
    await tell(start(Options()), probe)
    assert isinstance(probe.seen[0], BeforeAgentStart)
