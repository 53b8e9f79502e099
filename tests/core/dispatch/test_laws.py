"""What every law promises, for any list of handlers.

Identity: without an opinion there is no change. Order: handlers run as they stand. Silence:
a handler that answers None may be put anywhere. Stop: nobody runs after a decision. Split:
telling A and then B what A made of it is telling A and B.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookspecs import (
    LAWS,
    AgentStart,
    BeforeAgentStart,
    BeforeProviderHeaders,
    BeforeProviderRequest,
    Context,
    ContextWithSystem,
    Input,
    MessageEnd,
    ProjectTrust,
    ResourcesDiscover,
    ToolResultEvent,
    TurnEnd,
    TurnStart,
    UserBash,
    UserMessage,
    event_class,
)
from pi_core.dispatch import CollectedResources, GateAnswer, Handler, Plan, ToolResultPatch, dispatch, law_for
from tests.core.dispatch.kit import (
    Function,
    Probe,
    answering,
    compact,
    switch,
    tell,
    tool_call,
    tree,
    unexpected,
)

TEXT = st.sampled_from(["", "a", "b", "c"])
Answers = st.SearchStrategy[Any]


@dataclass(frozen=True)
class Case:
    """A law under test: how its event is made, what handlers answer, how an outcome is threaded on."""

    make: Callable[[], Any]
    answers: Answers
    again: Callable[[Any, Any], Any] | None = None
    join: Callable[[Any, Any], Any] = lambda first, second: second


def user(text: str) -> UserMessage:
    return UserMessage(content=text)


def with_options(event: Any, outcome: Any) -> Any:
    return replace(event, system_prompt_options=outcome.options)


def joined_start(first: Any, second: Any) -> Any:
    return replace(
        second,
        messages=first.messages + second.messages,
        overridden=first.overridden or second.overridden,
    )


def joined_paths(first: Any, second: Any) -> Any:
    names = ("skill_paths", "prompt_paths", "theme_paths")
    return CollectedResources(*(getattr(first, name) + getattr(second, name) for name in names))


def joined_fields(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second or first
    return GateAnswer({**first.fields, **second.fields})


def patched(event: Any, outcome: ToolResultPatch | None) -> Any:
    if outcome is None:
        return event
    names = ("content", "details", "structured_content", "is_error", "usage")
    return replace(event, **{name: getattr(outcome, name) for name in names})


def fields(**values: Any) -> Answers:
    """Dicts that hold any of the fields."""
    return st.fixed_dictionaries({}, optional={name: st.sampled_from(v) for name, v in values.items()})


PATHS = [[], ["x"], ["x", "y"]]
TRANSFORMS = st.builds(lambda text: {"action": "transform", "text": text}, TEXT)
CASES: dict[str, Case] = {
    "turn_start": Case(lambda: TurnStart(turn_index=0, timestamp=0), st.just({"a": 1}), lambda e, o: e),
    "tool_call": Case(
        tool_call,
        fields(block=[False], reason=["r", "s"], terminate=[True, False]),
        lambda e, o: e,
        joined_fields,
    ),
    "session_before_switch": Case(switch, fields(cancel=[False]), lambda e, o: e, joined_fields),
    "session_before_compact": Case(compact, fields(cancel=[False, None]), lambda e, o: e, joined_fields),
    "session_before_tree": Case(
        tree, fields(cancel=[False], label=["l", None]), lambda e, o: e, joined_fields
    ),
    "input": Case(lambda: Input(text="t"), TRANSFORMS, lambda e, o: replace(e, text=o.text)),
    "context": Case(
        lambda: Context(messages=[user("0")]),
        st.builds(lambda texts: {"messages": [user(text) for text in texts]}, st.lists(TEXT, max_size=3)),
        lambda e, o: replace(e, messages=o),
    ),
    "context_with_system": Case(
        lambda: ContextWithSystem(messages=[user("0")]),
        st.builds(lambda texts: {"messages": [user(text) for text in texts]}, st.lists(TEXT, max_size=3)),
        lambda e, o: replace(e, messages=o),
    ),
    "before_provider_request": Case(
        lambda: BeforeProviderRequest(payload={"p": 0}),
        st.sampled_from([0, "", False, [], {"q": 1}]),
        lambda e, o: replace(e, payload=o),
    ),
    "before_provider_headers": Case(
        lambda: BeforeProviderHeaders(headers={"h": "1"}), st.just("ignored"), lambda e, o: e
    ),
    "tool_result": Case(
        lambda: ToolResultEvent(tool_name="t", tool_call_id="c", input={}, content=[]),
        fields(details=[None, 1], is_error=[True, False], structured_content=[{"s": 1}]),
        patched,
        lambda first, second: second or first,
    ),
    "message_end": Case(
        lambda: MessageEnd(message=user("0")),
        st.builds(lambda text: {"message": user(text)}, TEXT),
        lambda e, o: replace(e, message=o or e.message),
        lambda first, second: second or first,
    ),
    "before_agent_start": Case(
        lambda: BeforeAgentStart(prompt="p", system_prompt="S", system_prompt_options={}),
        st.builds(lambda text: AgentStart(system_prompt=text), TEXT)
        | st.builds(lambda text: AgentStart(message={"custom_type": text}), TEXT),
        with_options,
        joined_start,
    ),
    "resources_discover": Case(
        lambda: ResourcesDiscover(cwd="/w"),
        fields(skill_paths=PATHS, prompt_paths=PATHS, theme_paths=PATHS),
        lambda e, o: e,
        joined_paths,
    ),
    "turn_end": Case(
        lambda: TurnEnd(turn_index=0, message=user("0")),
        fields(entries=[[], [{"type": "custom"}]], continue_=[True, False]),
        lambda e, o: replace(e, entries=o.entries, continue_=o.continue_),
    ),
    "user_bash": Case(lambda: UserBash(command="ls", cwd="/w"), st.nothing()),
    "project_trust": Case(lambda: ProjectTrust(cwd="/w"), st.just({"trusted": "undecided"})),
}

STOPS: dict[str, tuple[Callable[[], Any], Any]] = {
    "tool_call": (tool_call, {"block": True}),
    "session_before_switch": (switch, {"cancel": True}),
    "session_before_compact": (compact, {"cancel": 1}),
    "session_before_tree": (tree, {"cancel": "yes"}),
    "input": (CASES["input"].make, {"action": "handled"}),
    "user_bash": (CASES["user_bash"].make, {"result": {"output": ""}}),
    "project_trust": (CASES["project_trust"].make, {"trusted": "no"}),
}

NAMES = sorted(CASES)
SILENCE_COUNTS = [name for name in NAMES if name != "project_trust"]
SPLITTABLE = [name for name in NAMES if CASES[name].again is not None]


def result_of(event: Any, functions: list[Function]) -> Any:
    return asyncio.run(tell(event, *functions)).result


@st.composite
def answers_of(draw: st.DrawFn, name: str) -> list[Any]:
    """Up to four answers of an event, silence among them."""
    silence: Answers = st.none()
    return draw(st.lists(silence | CASES[name].answers, max_size=4))


def owned(event: str, answers: list[Any], first: int = 0) -> Plan:
    """A plan of answering handlers whose owners tell their place."""
    return Plan(tuple(Handler(answering(a), f"E{n}", event) for n, a in enumerate(answers, first)))


def outcome(event: Any, plan: Plan) -> Any:
    async def run() -> Any:
        return await dispatch(event, plan, None, law_for(event.event_name), lambda failure: None)

    return asyncio.run(run())


@pytest.mark.parametrize("law", sorted({row.law for row in LAWS.values()}))
def test_every_law_has_a_case(law: str) -> None:
    """The promises are tried on every law there is."""
    assert law in {LAWS[name].law for name in CASES}


def test_every_answered_event_has_a_case() -> None:
    """And on every event whose answers count, but for twins that share law and answers."""
    twins = {"session_before_fork", "agent_before_settle"}
    assert {name for name, row in LAWS.items() if row.answer} - twins <= CASES.keys()


@pytest.mark.parametrize("name", SILENCE_COUNTS)
@given(count=st.integers(0, 4))
def test_identity(name: str, count: int) -> None:
    """Handlers without an opinion come to what nobody comes to."""
    nobody = law_for(name).nobody(CASES[name].make())
    assert nobody == result_of(CASES[name].make(), [answering(None)] * count)


@pytest.mark.parametrize("name", NAMES)
@given(count=st.integers(0, 5))
def test_order(name: str, count: int) -> None:
    """Handlers run in the order in which they stand, each exactly once."""
    order: list[int] = []
    result_of(CASES[name].make(), [partial(_append, order, n) for n in range(count)])
    assert list(range(count)) == order


@pytest.mark.parametrize("name", SILENCE_COUNTS)
@given(data=st.data())
def test_silence(name: str, data: st.DataObject) -> None:
    """A handler that answers None changes nothing, wherever it stands."""
    answers = data.draw(answers_of(name))
    place = data.draw(st.integers(0, len(answers)))
    handlers = [answering(answer) for answer in answers]
    with_silence: list[Function] = [*handlers[:place], Probe(), *handlers[place:]]
    plain = result_of(CASES[name].make(), handlers)
    assert _without_owners(plain) == _without_owners(result_of(CASES[name].make(), with_silence))


def _append(order: list[int], place: int, event: Any, ctx: Any) -> None:
    order.append(place)


def _without_owners(result: Any) -> Any:
    """Collected paths name their owner by its place, which silence moves."""
    if not isinstance(result, CollectedResources):
        return result
    names = ("skill_paths", "prompt_paths", "theme_paths")
    return [[owned.path for owned in getattr(result, name)] for name in names]


@pytest.mark.parametrize("name", sorted(STOPS))
@given(before=st.integers(0, 3), after=st.integers(1, 3))
def test_stop(name: str, before: int, after: int) -> None:
    """After a decision nobody is called."""
    make, decision = STOPS[name]
    early = [Probe() for _ in range(before)]
    late = [Probe() for _ in range(after)]
    handlers: list[Function] = [*early, answering(decision), *late]
    result_of(make(), handlers)
    assert ([1] * before, [0] * after) == ([p.calls for p in early], [p.calls for p in late])


@pytest.mark.parametrize("name", SPLITTABLE)
@given(data=st.data())
def test_split(name: str, data: st.DataObject) -> None:
    """Telling A, and B what A came to, is telling A and B together."""
    case = CASES[name]
    assert case.again is not None
    left, right = data.draw(answers_of(name)), data.draw(answers_of(name))
    together = outcome(case.make(), owned(name, left + right))
    first = outcome(case.make(), owned(name, left))
    second = outcome(case.again(case.make(), first), owned(name, right, len(left)))
    assert _comparable(together) == _comparable(case.join(first, second))


def _comparable(result: Any) -> Any:
    """An input that ends as it began is no transform as a whole, though each half may be one."""
    return result.text if hasattr(result, "action") else result


@pytest.mark.parametrize("name", sorted(LAWS))
def test_every_law_can_be_found(name: str) -> None:
    """Each event has a law value that carries its public row, and refuses if the row says so."""
    law = law_for(name)
    assert (LAWS[name], LAWS[name].on_failure == "refuse") == (law.row, law.refuses)
    assert event_class(name).event_name == law.row.event


async def test_the_options_of_the_caller_stay() -> None:
    """before_agent_start works on a copy of the options, on which the split relies."""
    event = CASES["before_agent_start"].make()
    plan = owned("before_agent_start", [AgentStart(system_prompt="x")])
    result = await dispatch(event, plan, None, law_for("before_agent_start"), unexpected)
    assert ({}, "x") == (event.system_prompt_options, result.system_prompt)
