"""The conformance cases of chains: each handler sees what the one before made of it.

Every test names its case: R tool_result, X context, P provider, A before_agent_start,
I input, M message_end. Where two versions of pi differ the newer one counts.

Pure.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

from hookspecs import (
    AgentStart,
    AssistantMessage,
    BeforeAgentStart,
    BeforeProviderHeaders,
    BeforeProviderRequest,
    Context,
    ContextWithSystem,
    Input,
    MessageEnd,
    ReplacePayload,
    TextContent,
    ToolResultEvent,
    Transform,
    UserMessage,
)
from pi_core.dispatch import InputOutcome, Plan, ToolResultPatch, dispatch, law_for
from tests.core.dispatch.kit import Probe, answering, raising, tell, unexpected


def tool_result(**changes: Any) -> ToolResultEvent:
    given: dict[str, Any] = {"content": ["old"], "details": {"n": 1}, "is_error": False, **changes}
    return ToolResultEvent(tool_name="bash", tool_call_id="c1", input={}, **given)


def assign(name: str, value: Any) -> Any:
    """A handler that assigns a field of the event and answers nothing."""
    return lambda event, ctx: setattr(event, name, value)


# R: tool_result


async def test_r01_patches_add_up() -> None:
    """R01: each patch is seen by the next handler, and unset fields keep their value."""
    probe = Probe("content")
    told = await tell(tool_result(), answering({"content": ["new"]}), probe, answering({"isError": True}))
    assert (ToolResultPatch(["new"], {"n": 1}, None, True, None), [["new"]]) == (told.result, probe.seen)


async def test_r02_an_empty_answer_is_no_patch() -> None:
    """R02: nobody who sets a field, no patch."""
    assert None is (await tell(tool_result(), answering({}))).result


async def test_r03_none_is_a_value() -> None:
    """R03: an explicit None replaces, an unset field leaves."""
    told = await tell(tool_result(), answering({"details": None}))
    assert (None, ["old"]) == (told.result.details, told.result.content)


async def test_r04_an_assignment_alone_is_no_patch() -> None:
    """R04: what a handler assigns to the event does not count by itself."""
    event: Any = tool_result()
    told = await tell(event, assign("content", ["mine"]))
    assert (None, ["old"]) == (told.result, event.content)


async def test_r05_an_assignment_rides_along() -> None:
    """R05: what was assigned before somebody patched is part of the result."""
    told = await tell(tool_result(), assign("content", ["mine"]), answering({"is_error": True}))
    assert (["mine"], True) == (told.result.content, told.result.is_error)


async def test_r06_a_failure_keeps_the_last_value() -> None:
    """R06: after a failing handler the next still patches."""
    told = await tell(tool_result(), raising("b"), answering({"details": 5}))
    assert (5, ["raised"]) == (told.result.details, told.kinds)


async def test_r07_new_content_drops_old_structured_content() -> None:
    """R07: structured content that belonged to the replaced content goes, unless it comes along."""
    dropped = await tell(tool_result(structured_content={"a": 1}), answering({"content": []}))
    kept = await tell(tool_result(), answering({"content": [], "structuredContent": {"b": 2}}))
    assert (None, {"b": 2}) == (dropped.result.structured_content, kept.result.structured_content)


# X: context


async def test_x01_edits_and_answers_leave_the_history_alone() -> None:
    """X01: an edit inside a message and a longer list are sent; the caller's messages stay as they were."""
    messages: list[Any] = [UserMessage(content="a")]

    def edit(event: Any, ctx: Any) -> None:
        event.messages[0].content = "mut"

    told = await tell(
        Context(messages=messages), edit, lambda event, ctx: {"messages": [*event.messages, "b"]}
    )
    assert [UserMessage(content="mut"), "b"] == told.result
    assert [UserMessage(content="a")] == messages


async def test_x02_an_edit_in_place_counts() -> None:
    """X02: a handler may push into the list and answer nothing."""
    told = await tell(Context(messages=[]), lambda event, ctx: event.messages.append("p"))
    assert ["p"] == told.result


async def test_x03_nobody_listens_nothing_is_copied() -> None:
    """X03, decided otherwise: copies are for the first listener, so without one there are none."""
    messages: list[Any] = [UserMessage(content="o")]
    result = await dispatch(Context(messages=messages), Plan(), None, law_for("context"), unexpected)
    assert messages is result


async def test_x04_an_empty_list_is_an_answer() -> None:
    """X04: all messages can be left out."""
    told = await tell(Context(messages=[UserMessage(content="a")]), answering({"messages": []}))
    assert [] == told.result


async def test_x05_what_cannot_be_copied_fails_the_dispatch() -> None:
    """X05: a message with an uncopyable member is never sent half copied."""
    message = UserMessage(content="a", extra={"lock": threading.Lock()})
    with pytest.raises(TypeError):
        await tell(Context(messages=[message]), Probe())


async def test_x06_a_failing_handler_loses_its_edits_of_the_list() -> None:
    """X06: what was pushed before the failure is not sent."""

    def push_then_fail(event: Any, ctx: Any) -> None:
        event.messages.append(1)
        raise RuntimeError("c")

    told = await tell(Context(messages=[]), push_then_fail)
    assert ([], ["raised"]) == (told.result, told.kinds)


async def test_x07_the_system_message_survives_context() -> None:
    """X07: a handler that drops everything does not drop what it cannot see."""
    head = {"role": "system", "content": "S"}
    told = await tell(Context(messages=[head, {"role": "user", "content": "u"}]), answering({"messages": []}))  # type: ignore[list-item] # messages may be mappings
    assert [head] == told.result


async def test_x08_context_with_system_is_obeyed() -> None:
    """X08: dropping the leading system message is reported, and done."""
    event = ContextWithSystem(messages=[{"role": "system", "content": "S"}, {"role": "user", "content": "u"}])
    told = await tell(event, lambda event, ctx: {"messages": event.messages[1:]})
    assert ([{"role": "user", "content": "u"}], ["system-head-removed"]) == (told.result, told.kinds)


# P: provider hooks


async def test_p01_none_is_a_payload() -> None:
    """P01: ReplacePayload sends None, which as a bare answer is no opinion."""
    probe = Probe("payload")
    told = await tell(BeforeProviderRequest(payload={"a": 1}), answering(ReplacePayload(None)), probe)
    assert (None, [None]) == (told.result, probe.seen)


@pytest.mark.parametrize("value", [0, "", False, [], {"b": 2}])
async def test_p02_any_value_is_a_payload(value: Any) -> None:
    """P02: empty and false values replace like any other."""
    assert value == (await tell(BeforeProviderRequest(payload={"a": 1}), answering(value))).result


async def test_p03_an_edit_of_the_payload_counts() -> None:
    """P03: the payload may be changed in place."""
    told = await tell(BeforeProviderRequest(payload={"a": 1}), lambda event, ctx: event.payload.update(t=1))
    assert {"a": 1, "t": 1} == told.result


async def test_p04_headers_are_one_shared_object() -> None:
    """P04: edits count, None marks a deletion, and assigning `event.headers` changes nothing."""
    headers: dict[str, str | None] = {"a": "b"}
    told = await tell(
        BeforeProviderHeaders(headers=headers),
        lambda event, ctx: event.headers.update(x="1"),
        assign("headers", {}),
        lambda event, ctx: event.headers.update(y=None),
    )
    assert {"a": "b", "x": "1", "y": None} == told.result
    assert headers is told.result


# A: before_agent_start


def start(**changes: Any) -> BeforeAgentStart:
    given: dict[str, Any] = {"prompt": "go", "system_prompt": "S", "system_prompt_options": {}, **changes}
    return BeforeAgentStart(**given)


def extend(text: str) -> Any:
    """A handler that returns the system prompt so far with a text added."""
    return lambda event, ctx: AgentStart(system_prompt=event.system_prompt + text)


async def test_a01_the_prompt_is_passed_on_and_messages_add_up() -> None:
    """A01: the second handler sees the first one's prompt; messages keep the order of the handlers."""
    probe = Probe("system_prompt")
    messages = [answering({"message": {"customType": kind}}) for kind in ("a", "b")]
    told = await tell(start(), extend("1"), messages[0], probe, extend("2"), messages[1])
    assert ("S12", ["S1"]) == (told.result.system_prompt, probe.seen)
    assert ({"customType": "a"}, {"customType": "b"}) == told.result.messages


async def test_a02_silence_changes_nothing() -> None:
    """A02: without an answer the prompt is the host's, and it is no override."""
    told = await tell(start(), Probe())
    assert ("S", False, ()) == (
        told.result.system_prompt,
        told.result.overridden,
        told.result.messages,
    )


@pytest.mark.parametrize("prompt", ["", "S"])
async def test_a03_a04_every_returned_prompt_is_an_override(prompt: str) -> None:
    """A03, A04: the empty prompt and the same prompt override too."""
    told = await tell(start(), answering({"systemPrompt": prompt}))
    assert (prompt, True) == (told.result.system_prompt, told.result.overridden)


async def test_a05_a_message_alone_overrides_nothing() -> None:
    """A05: a handler may send a message along and leave the prompt."""
    told = await tell(start(), answering({"message": {"custom_type": "a"}}))
    assert ("S", False, 1) == (told.result.system_prompt, told.result.overridden, len(told.result.messages))


async def test_a06_a_failure_keeps_the_prompt() -> None:
    """A06: after a failing handler the next goes on from the last good prompt."""
    told = await tell(start(), raising("n"), extend("!"))
    assert ("S!", ["raised"]) == (told.result.system_prompt, told.kinds)


async def test_a10_an_edit_of_the_options_ends_with_the_run() -> None:
    """A10: handlers share one copy of the options; the host's own stay as they were."""
    options: dict[str, Any] = {"marker": 0}
    told = await tell(
        start(system_prompt_options=options),
        lambda event, ctx: event.system_prompt_options.update(marker=1),
    )
    assert ({"marker": 1}, {"marker": 0}) == (told.result.options, options)


# I: input


async def test_i01_the_same_text_is_no_transform() -> None:
    """I01: a transform to what was there is to continue."""
    told = await tell(Input(text="a"), answering(Transform("a")))
    assert InputOutcome("continue", "a") == told.result


async def test_i02_transforms_chain() -> None:
    """I02: the second handler sees the first one's text; images given last are kept."""
    probe = Probe("text")
    images = [{"type": "image"}]
    last = {"action": "transform", "text": "a12", "images": images}
    told = await tell(Input(text="a"), answering(Transform("a1")), probe, answering(last))
    assert (InputOutcome("transform", "a12", images), ["a1"]) == (told.result, probe.seen)


async def test_i03_handled_stops_and_is_passed_on() -> None:
    """I03: whoever handled the input is the last; what else it said is kept."""
    probe = Probe()
    told = await tell(
        Input(text="a"), answering(Transform("b")), answering({"action": "handled", "note": 1}), probe
    )
    assert ("handled", {"note": 1}, 0) == (told.result.action, told.result.extra, probe.calls)


async def test_i04_an_unknown_action_is_no_answer() -> None:
    """I04: it is reported and ignored."""
    told = await tell(Input(text="a"), answering({"action": "zzz"}))
    assert ("continue", ["wrong-answer"]) == (told.result.action, told.kinds)


async def test_i05_there_and_back_is_no_transform() -> None:
    """I05: what counts is the text at the end."""
    told = await tell(Input(text="a"), answering(Transform("b")), answering(Transform("a")))
    assert "continue" == told.result.action


async def test_i06_a_failure_keeps_the_text() -> None:
    """I06: after a failing handler the next still transforms."""
    told = await tell(Input(text="a"), raising("i"), answering(Transform("k")))
    assert ("k", ["raised"]) == (told.result.text, told.kinds)


# M: message_end


def assistant(text: str) -> AssistantMessage:
    return AssistantMessage(content=[TextContent(text=text)])


async def test_m01_messages_are_passed_on() -> None:
    """M01: the second handler sees the first one's message; the event of the caller keeps its own."""
    event, probe = MessageEnd(message=assistant("0")), Probe("message")
    told = await tell(
        event, answering({"message": assistant("1")}), probe, answering({"message": assistant("2")})
    )
    assert (assistant("2"), [assistant("1")]) == (told.result, probe.seen)
    assert assistant("0") == event.message


async def test_m02_another_role_is_rejected() -> None:
    """M02: a message of another role is reported and left out, and the chain goes on."""
    told = await tell(
        MessageEnd(message=assistant("0")),
        answering({"message": UserMessage(content="u")}),
        answering({"message": assistant("ok")}),
    )
    assert (assistant("ok"), ["role-changed"]) == (told.result, told.kinds)
    assert "message_end handlers must return a message with the same role" == told.failures[0].message


async def test_m03_silence_replaces_nothing() -> None:
    """M03: without an answer there is no replacement."""
    assert None is (await tell(MessageEnd(message=assistant("0")), Probe())).result


async def test_m04_an_edit_in_place_is_no_replacement() -> None:
    """M04: the message itself is changed, and no replacement is reported."""
    message = assistant("0")
    told = await tell(MessageEnd(message=message), lambda event, ctx: event.message.content.clear())
    assert (None, []) == (told.result, message.content)


async def test_m05_assigning_the_message_changes_nothing() -> None:
    """M05: the next handler and the caller still see the real one."""
    probe = Probe("message")
    told = await tell(MessageEnd(message=assistant("0")), assign("message", assistant("x")), probe)
    assert (None, [assistant("0")]) == (told.result, probe.seen)
