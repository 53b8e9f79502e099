"""Boundaries: draft entries and the wish to continue, checked after every handler.

Pure.
"""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs import AgentBeforeSettle, Boundary, TurnEnd, UserMessage
from pi_core.dispatch import NOBODY, BoundaryOutcome, dispatch, law_for
from tests.core.dispatch.kit import Probe, answering, raising, tell, unexpected

NOTE = {"type": "custom_message", "content": "note"}
BAD = {"type": "bad"}


def preview(entries: list[Any]) -> dict[str, Any]:
    """A host that refuses bad entries, and can go on if there are any."""
    if BAD in entries:
        raise ValueError("bad entry")
    return {"types": [entry["type"] for entry in entries]}


def turn_end() -> TurnEnd:
    return TurnEnd(turn_index=0, message=UserMessage(content="u"), preview=preview)


def settle() -> AgentBeforeSettle:
    return AgentBeforeSettle(outcome="completed", preview=preview)


@pytest.mark.parametrize("make", [turn_end, settle], ids=["turn_end", "agent_before_settle"])
async def test_entries_and_the_wish_are_passed_on(make: Any) -> None:
    """Each handler sees what the ones before decided, and the context that it would make."""
    seen: list[Any] = []
    await tell(
        make(),
        answering(Boundary(entries=[NOTE], continue_=True)),
        lambda event, ctx: seen.extend([event.entries, event.continue_, event.context]),
    )
    assert [[NOTE], True, {"types": ["custom_message"]}] == seen


async def test_the_outcome_holds_what_was_decided() -> None:
    """A field that nobody set keeps its value."""
    told = await tell(settle(), answering({"entries": [NOTE]}), answering({"continue": True}))
    assert BoundaryOutcome([NOTE], True, {"types": ["custom_message"]}, True) == told.result


async def test_an_append_in_place_counts() -> None:
    """A handler may push a draft and answer nothing."""
    told = await tell(settle(), lambda event, ctx: event.entries.append(NOTE))
    assert [NOTE] == told.result.entries


async def test_invalid_entries_discard_everything() -> None:
    """When the entries at the end are invalid, none is kept and the run does not go on."""
    told = await tell(settle(), answering(Boundary(entries=[NOTE, BAD], continue_=True)))
    assert BoundaryOutcome([], False, {"types": []}, False) == told.result
    assert [("invalid-entries", "bad entry")] == [(f.kind, f.message) for f in told.failures]


async def test_a_later_handler_may_repair() -> None:
    """Invalid entries stay the running value until somebody replaces them."""
    probe = Probe("entries")
    told = await tell(settle(), answering({"entries": [BAD]}), probe, answering({"entries": [NOTE]}))
    assert ([[BAD]], [NOTE], True) == (probe.seen, told.result.entries, told.result.valid)


async def test_entries_are_checked_after_a_failure_too() -> None:
    """What a handler pushed before it raised is judged like any other entry."""

    def push_then_fail(event: Any, ctx: Any) -> None:
        event.entries.append(BAD)
        raise RuntimeError("x")

    told = await tell(settle(), push_then_fail)
    assert (["raised", "invalid-entries"], False) == (told.kinds, told.result.valid)


@pytest.mark.parametrize("entries", [None, "text", {"type": "custom"}])
async def test_entries_must_be_a_list(entries: Any) -> None:
    """Anything else is invalid, also without a preview by the host."""
    told = await tell(AgentBeforeSettle(outcome="completed"), answering({"entries": entries}))
    assert (False, ["invalid-entries"]) == (told.result.valid, told.kinds)


async def test_a_failing_handler_keeps_what_was_decided() -> None:
    """The last good value stays."""
    told = await tell(settle(), answering(Boundary(entries=[NOTE])), raising("x"))
    assert ([NOTE], ["raised"]) == (told.result.entries, told.kinds)


async def test_nobody_listens_no_preview_is_built() -> None:
    """Without listeners the host's preview is not even asked for."""

    def never(entries: list[Any]) -> Any:
        raise AssertionError("asked")

    event = AgentBeforeSettle(outcome="completed", preview=never)
    law = law_for("agent_before_settle")
    assert BoundaryOutcome() == await dispatch(event, NOBODY, None, law, unexpected)
