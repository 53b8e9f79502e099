"""The conformance cases of dispatch: notifications, gates, first decisions, collected resources.

Every test names its case: N notify, B session_before_*, C tool_call, U user_bash, T trust,
D resources. Where two versions of pi differ the newer one counts, and where this project
decides otherwise the test says so.

Pure.
"""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs import Block, Cancel, ProjectTrust, ResourcesDiscover, Trust, TurnStart, UserBash
from pi_core.dispatch import Failure, Plan, UnknownEventError, dispatch, law_for
from tests.core.dispatch.kit import (
    Probe,
    answering,
    compact,
    plan_of,
    raising,
    switch,
    tell,
    tool_call,
    turn_start,
    unexpected,
)

RESULT = {"output": "done", "exit_code": 0, "cancelled": False, "truncated": False}


# N: notifications


async def test_n01_handlers_run_in_their_order() -> None:
    """N01: everybody is told, in the order of the plan."""
    order: list[int] = []
    await tell(turn_start(), *(lambda event, ctx, n=n: order.append(n) for n in range(3)))
    assert [0, 1, 2] == order


async def test_n02_answers_to_a_notification_are_ignored() -> None:
    """N02: a returned cancel neither stops the others nor becomes the result."""
    probe = Probe()
    told = await tell(turn_start(), answering({"cancel": True}), probe)
    assert (None, 1, []) == (told.result, probe.calls, told.failures)


async def test_n03_a_failure_is_reported_and_the_others_go_on() -> None:
    """N03: the failure names its extension, its event and its text."""
    probe = Probe()
    told = await tell(turn_start(), raising("x"), probe)
    assert [("E1", "turn_start", "x")] == [(f.extension, f.event, f.message) for f in told.failures]
    assert 1 == probe.calls


async def test_n04_an_async_handler_fails_like_a_plain_one() -> None:
    """N04: what a coroutine raises is reported the same way."""

    async def rejecting(event: Any, ctx: Any) -> None:
        raise RuntimeError("aj")

    assert ["aj"] == [f.message for f in (await tell(turn_start(), rejecting)).failures]


async def test_n05_an_exception_without_a_text_is_named_by_its_class() -> None:
    """N05: there is always something to read in a report."""

    def silent(event: Any, ctx: Any) -> None:
        raise KeyError

    assert ["KeyError"] == [f.message for f in (await tell(turn_start(), silent)).failures]


async def test_n06_a_raising_listener_breaks_the_dispatch() -> None:
    """N06: what the receiver of reports raises, the caller of the dispatch gets."""

    def listener(failure: Failure) -> None:
        raise LookupError("listener")

    plan = plan_of("turn_start", [raising("h")])
    with pytest.raises(LookupError, match="listener"):
        await dispatch(turn_start(), plan, None, law_for("turn_start"), listener)


async def test_n08_one_event_is_shared() -> None:
    """N08: attributes that a handler sets, declared or not, are seen by the next and by the caller."""

    def first(event: Any, ctx: Any) -> None:
        event.x = 1

    def second(event: Any, ctx: Any) -> None:
        event.y = event.x + 1

    event: Any = turn_start()
    await tell(event, first, second)
    assert (1, 2) == (event.x, event.y)


async def test_n10_n12_a_dispatch_runs_a_snapshot() -> None:
    """N09, N10, N11, N12: a handler added during a dispatch hears the next one, not this one."""
    handlers: list[Any] = []
    probe = Probe()
    handlers.append(lambda event, ctx: handlers.append(probe))
    await tell(turn_start(), *handlers)
    assert 0 == probe.calls
    await tell(turn_start(), *handlers)
    assert 1 == probe.calls


async def test_n13_a_function_registered_twice_runs_twice() -> None:
    """N13: registrations count, not functions."""
    probe = Probe()
    await tell(turn_start(), probe, probe)
    assert 2 == probe.calls


def test_n14_an_unknown_event_has_no_law() -> None:
    """N14, decided otherwise: an unknown event is refused, and the nearest name proposed."""
    with pytest.raises(UnknownEventError, match="did you mean 'tool_call'"):
        law_for("tool_cal")


async def test_n18_nobody_listens() -> None:
    """N18: without handlers a notification comes to nothing."""
    assert None is await dispatch(turn_start(), Plan(), None, law_for(TurnStart.event_name), unexpected)


# B: session_before_*


async def test_b01_a_cancel_stops_at_once() -> None:
    """B01: nobody is asked after the one who cancelled."""
    probe = Probe()
    told = await tell(switch(), answering(Cancel()), probe)
    assert (True, 0) == (told.result.cancel, probe.calls)


async def test_b02_answers_merge() -> None:
    """B02, decided otherwise: a later answer adds to an earlier one instead of replacing it."""
    probe = Probe()
    told = await tell(switch(), answering({"cancel": False, "x": 1}), answering({"y": 2}), probe)
    assert {"cancel": False, "x": 1, "y": 2} == told.result.fields
    assert (1, ["unknown-key", "unknown-key"]) == (probe.calls, told.kinds)


async def test_b03_an_empty_answer_keeps_the_compaction() -> None:
    """B03, decided otherwise: an empty answer is no decision, so an earlier compaction stays."""
    given = {"summary": "S", "firstKeptEntryId": "e1", "tokensBefore": 3}
    told = await tell(compact(), answering({"compaction": given}), answering({}))
    assert ("S", "e1", 3) == (
        told.result.compaction.summary,
        told.result.compaction.first_kept_entry_id,
        told.result.compaction.tokens_before,
    )


async def test_b04_a_failing_handler_has_no_opinion() -> None:
    """B04: a failure before a switch is reported, and the next may still cancel."""
    told = await tell(switch(), raising("x"), answering({"cancel": True}))
    assert (True, ["raised"]) == (told.result.cancel, told.kinds)


# C: tool_call


async def test_c01_a_block_stops_at_once() -> None:
    """C01: the block carries its reason, and nobody is asked after it."""
    probe = Probe()
    told = await tell(tool_call(), answering({"block": True, "reason": "no"}), probe)
    assert (True, "no", 0) == (told.result.block, told.result.reason, probe.calls)


async def test_c02_no_block_is_data() -> None:
    """C02: an answer that does not block lets the others speak, and fields merge."""
    told = await tell(tool_call(), answering({"block": False, "reason": "a"}), answering({"reason": "b"}))
    assert {"block": False, "reason": "b"} == told.result.fields


async def test_c03_the_input_is_shared() -> None:
    """C03: an edit of the input in place is seen by the next handler and by the caller."""
    event, probe = tool_call(command="ls"), Probe("input")
    await tell(event, lambda event, ctx: event.input.update(command="X"), probe)
    assert ({"command": "X"}, [{"command": "X"}]) == (event.input, probe.seen)


async def test_c04_the_input_that_runs_is_the_callers() -> None:
    """C04: who holds the arguments still has them after a handler put others into the event."""
    held: dict[str, Any] = {"command": "ls"}
    event = tool_call()
    event.input = held

    def replace(event: Any, ctx: Any) -> None:
        event.input = {"command": "other"}

    await tell(event, replace)
    assert {"command": "ls"} == held


async def test_c05_c06_a_failing_guard_refuses() -> None:
    """C05, C06: the dispatch fails with the guard's text, nobody is asked after it, and it is reported."""
    probe = Probe()
    told = await tell(tool_call(), raising("guard died"), probe)
    assert ("guard died", 0, ["raised"]) == (str(told.refusal), probe.calls, told.kinds)


async def test_c07_whatever_a_guard_raises_refuses() -> None:
    """C07: SystemExit from a guard refuses too, and does not end the program."""

    def leaving(event: Any, ctx: Any) -> None:
        raise SystemExit("plain")

    assert "plain" == str((await tell(tool_call(), leaving)).refusal)


async def test_c08_a_block_needs_no_reason() -> None:
    """C08: without a reason the block stands, and the host finds the words."""
    told = await tell(tool_call(), answering(Block()))
    assert (True, None) == (told.result.block, told.result.reason)


async def test_c09_edits_are_not_validated_again() -> None:
    """C09: a handler may put any value into the input; the dispatch does not judge it."""
    event = tool_call(a="x")
    told = await tell(event, lambda event, ctx: event.input.update(a=42))
    assert ({"a": 42}, []) == (event.input, told.failures)


# U: user_bash


async def test_u01_an_empty_answer_is_invalid() -> None:
    """U01: the first answer counts, and one that names neither way refuses."""
    probe = Probe()
    event = UserBash(command="ls", cwd="/w")
    told = await tell(event, Probe(), answering({}), probe)
    assert (True, 0, ["wrong-answer"]) == (told.refusal is not None, probe.calls, told.kinds)


async def test_u02_a_failure_refuses() -> None:
    """U02: a failing handler ends the command instead of running it in the local shell."""
    probe = Probe()
    told = await tell(UserBash(command="ls", cwd="/w"), raising("q"), probe)
    assert ("q", 0, ["raised"]) == (str(told.refusal), probe.calls, told.kinds)


async def test_u03_both_ways_are_invalid() -> None:
    """U03: operations and a result together refuse."""
    both = {"result": RESULT, "operations": {"exec": print}}
    told = await tell(UserBash(command="ls", cwd="/w"), answering(both))
    assert (True, ["wrong-answer"]) == (told.refusal is not None, told.kinds)


# T: project_trust


async def test_t01_undecided_passes_the_question_on() -> None:
    """T01: the next handler decides, and its wish to remember is kept."""
    told = await tell(
        ProjectTrust(cwd="/w"),
        answering({"trusted": "undecided"}),
        answering({"trusted": "yes", "remember": True}),
    )
    assert Trust("yes", True) == told.result


async def test_t02_the_first_decision_wins() -> None:
    """T02: after a no nobody is asked."""
    probe = Probe()
    told = await tell(ProjectTrust(cwd="/w"), answering(Trust("no")), probe)
    assert (Trust("no"), 0) == (told.result, probe.calls)


async def test_t03_silence_is_an_error() -> None:
    """T03: a handler without an answer is reported, and the next is asked."""
    told = await tell(ProjectTrust(cwd="/w"), answering(None), answering(Trust("yes")))
    assert (Trust("yes"), [("E1", "wrong-answer")]) == (
        told.result,
        [(f.extension, f.kind) for f in told.failures],
    )


@pytest.mark.parametrize("odd", ["maybe", True, 1, None])
async def test_t04_any_other_word_is_no(odd: object) -> None:
    """T04: only the word yes is yes; anything but the three words is no, and is reported."""
    told = await tell(ProjectTrust(cwd="/w"), answering({"trusted": odd}))
    assert (Trust("no"), ["odd-decision"]) == (told.result, told.kinds)


async def test_t05_a_failure_decides_nothing() -> None:
    """T05: when the only handler fails there is no verdict, and one report."""
    told = await tell(ProjectTrust(cwd="/w"), raising("t"))
    assert (None, ["raised"]) == (told.result, told.kinds)


# D: resources_discover


async def test_d01_paths_are_concatenated_with_their_owners() -> None:
    """D01: duplicates stay, a failing handler gives nothing."""
    told = await tell(
        ResourcesDiscover(cwd="/w"),
        answering({"skillPaths": ["s1"]}),
        raising("r"),
        answering({"skill_paths": ["s1", "s2"], "theme_paths": ["t"]}),
    )
    skills = [(owned.path, owned.extension) for owned in told.result.skill_paths]
    themes = [(owned.path, owned.extension) for owned in told.result.theme_paths]
    assert ([("s1", "E1"), ("s1", "E3"), ("s2", "E3")], [("t", "E3")]) == (skills, themes)
    assert ["raised"] == told.kinds
