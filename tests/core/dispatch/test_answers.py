"""What counts as an answer: classes, dicts in two spellings, and what happens to everything else.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from hookspecs import (
    UNSET,
    AgentStart,
    Bash,
    BashResult,
    BeforeAgentStart,
    Block,
    Cancel,
    Compaction,
    Context,
    Continue,
    Handled,
    Input,
    MessageEnd,
    ProjectTrust,
    ReplaceMessages,
    ResourcesDiscover,
    ResultPatch,
    SessionBeforeFork,
    ToolResultEvent,
    TreeSummary,
    TurnEnd,
    UserBash,
    UserMessage,
)
from pi_core.dispatch import BranchSummary
from tests.core.dispatch.kit import Probe, answering, compact, switch, tell, tool_call, tree

COMPACTION = Compaction(summary="S", first_kept_entry_id="e1", tokens_before=3)


def user_bash() -> UserBash:
    return UserBash(command="ls", cwd="/w")


@pytest.mark.parametrize(
    ("event", "answer", "fields"),
    [
        (tool_call(), Block("r", terminate=True), {"block": True, "reason": "r", "terminate": True}),
        (tool_call(), {"Block": True}, {"block": True}),
        (switch(), Cancel(), {"cancel": True}),
        (
            SessionBeforeFork(entry_id="e"),
            {"skipConversationRestore": True},
            {"skip_conversation_restore": True},
        ),
        (compact(), COMPACTION, {"compaction": COMPACTION}),
        (tree(), TreeSummary(label=None), {"label": None}),
        (tree(), TreeSummary(summary="X", details=1), {"summary": BranchSummary("X", 1)}),
        (tree(), {"summary": "X"}, {"summary": BranchSummary("X")}),
        (tree(), {"replaceInstructions": True}, {"replace_instructions": True}),
        (tree(), {"summary": {"summary": "X", "usage": {}}}, {"summary": BranchSummary("X", None, {})}),
    ],
)
async def test_gates_take_classes_and_dicts(event: Any, answer: Any, fields: dict[str, Any]) -> None:
    """Either way the merged answer holds exactly the fields that were set, in snake_case."""
    told = await tell(event, answering(answer))
    assert (fields, []) == (told.result.fields, told.failures)


@pytest.mark.parametrize("decision", [1, "yes", [], {}, [0], object()])
async def test_a_truthy_block_blocks(decision: object) -> None:
    """A block of another type than bool decides and is reported; an empty collection is a yes."""
    probe = Probe()
    told = await tell(tool_call(), answering({"block": decision}), probe)
    assert (0, ["odd-decision"]) == (probe.calls, told.kinds)


@pytest.mark.parametrize("decision", [0, ""])
async def test_a_falsy_block_does_not_block(decision: object) -> None:
    """It is reported all the same."""
    probe = Probe()
    told = await tell(tool_call(), answering({"block": decision}), probe)
    assert (1, ["odd-decision"]) == (probe.calls, told.kinds)


async def test_a_block_that_cannot_be_tested_blocks() -> None:
    """A value whose truth cannot be told must not open the gate."""

    class Vague:
        def __bool__(self) -> bool:
            raise ValueError("vague")

    probe = Probe()
    await tell(switch(), answering({"cancel": Vague()}), probe)
    assert 0 == probe.calls


class Hostile(Mapping[str, Any]):
    """A mapping that fails when it is read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("hostile")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("hostile")

    def __len__(self) -> int:
        return 1


WRONG: list[Any] = [True, False, 0, 7, "no", ["block"], ("a",), object(), Hostile(), {1: 2}, Block]


@pytest.mark.parametrize("answer", WRONG, ids=[type(answer).__name__ for answer in WRONG])
@pytest.mark.parametrize("event", [tool_call(), user_bash()], ids=["tool_call", "user_bash"])
async def test_a_wrong_answer_of_a_guard_refuses(event: Any, answer: Any) -> None:
    """What is no answer at all refuses, and is reported."""
    told = await tell(event, answering(answer))
    assert (True, ["wrong-answer"]) == (told.refusal is not None, told.kinds)


ELSEWHERE: list[Any] = [
    switch(),
    tree(),
    Input(text="t"),
    Context(messages=[]),
    BeforeAgentStart(prompt="p", system_prompt="S", system_prompt_options={}),
    MessageEnd(message=UserMessage(content="u")),
    ToolResultEvent(tool_name="t", tool_call_id="c", input={}, content=[]),
    ResourcesDiscover(cwd="/w"),
    TurnEnd(turn_index=0, message=UserMessage(content="u")),
]


@pytest.mark.parametrize("answer", WRONG[:-2], ids=[type(answer).__name__ for answer in WRONG[:-2]])
@pytest.mark.parametrize("event", ELSEWHERE, ids=[event.event_name for event in ELSEWHERE])
async def test_a_wrong_answer_elsewhere_is_no_opinion(event: Any, answer: Any) -> None:
    """It is reported and comes to the same as silence."""
    told, silent = await tell(event, answering(answer)), await tell(event, Probe())
    assert (silent.result, ["wrong-answer"]) == (told.result, told.kinds)
    assert event.event_name in told.failures[0].message


@pytest.mark.parametrize("answer", ["yes", 1, True, ["yes"]])
async def test_a_wrong_trust_answer_is_no(answer: Any) -> None:
    """A project is trusted by a proper yes only."""
    probe = Probe()
    told = await tell(ProjectTrust(cwd="/w"), answering(answer), probe)
    assert ("no", 0) == (told.result.trusted, probe.calls)
    assert "wrong-answer" == told.kinds[0]


async def test_unknown_keys_are_kept_and_reported() -> None:
    """The report names the key and the known ones, so that a typo can be seen."""
    told = await tell(tool_call(), answering({"blocked": True}))
    assert ({"blocked": True}, ["unknown-key"]) == (told.result.fields, told.kinds)
    assert "blocked; known are block, reason, terminate" in told.failures[0].message


async def test_unset_fields_of_a_dict_are_not_set() -> None:
    """UNSET in a dict means what it means in a class."""
    assert {} == (await tell(tool_call(), answering({"reason": UNSET}))).result.fields


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        (compact(), {"compaction": {"summary": "S"}}),
        (compact(), {"compaction": "S"}),
        (tree(), {"summary": {"text": "X"}}),
        (tree(), {"summary": 5}),
    ],
)
async def test_a_malformed_summary_is_left_out(event: Any, answer: Any) -> None:
    """The host gets a proper summary or none, and its own takes over."""
    told = await tell(event, answering(answer))
    assert ({}, ["wrong-answer"]) == (told.result.fields, told.kinds)


@pytest.mark.parametrize(
    ("answer", "action", "text"),
    [
        (Handled(), "handled", "t"),
        (Handled({"note": 1}), "handled", "t"),
        (Continue(), "continue", "t"),
        ({"action": "transform"}, "continue", "t"),
        ({"action": "transform", "text": 5}, "continue", "t"),
        ({}, "continue", "t"),
    ],
)
async def test_answers_to_input(answer: Any, action: str, text: str) -> None:
    """A transform needs its text; the other actions need nothing."""
    told = await tell(Input(text="t"), answering(answer))
    assert (action, text) == (told.result.action, told.result.text)


async def test_images_may_be_replaced() -> None:
    """Other images make a transform, even with the same text; None keeps what is there."""
    images: Any = [{"type": "image"}]
    replaced = await tell(Input(text="t"), answering({"action": "transform", "text": "t", "images": images}))
    kept = await tell(
        Input(text="t", images=images), answering({"action": "transform", "text": "t", "images": None})
    )
    assert ("transform", images) == (replaced.result.action, replaced.result.images)
    assert ("continue", images) == (kept.result.action, kept.result.images)


class Shell:
    def exec(self) -> None: ...


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (Bash(result=BashResult(output="o")), BashResult(output="o")),
        ({"result": {"output": "o", "exitCode": 1}}, BashResult(output="o", exit_code=1)),
        ({"result": {"output": "o", "fullOutputPath": "/f"}}, BashResult(output="o", full_output_path="/f")),
    ],
)
async def test_a_bash_result_becomes_a_value(answer: Any, result: BashResult) -> None:
    """The host gets a BashResult, however it was spelt."""
    assert result == (await tell(user_bash(), answering(answer))).result.result


async def test_operations_need_exec() -> None:
    """Operations are taken as they are, if they can execute."""
    shell = Shell()
    assert shell is (await tell(user_bash(), answering(Bash(operations=shell)))).result.operations


@pytest.mark.parametrize(
    "answer",
    [
        {"operations": object()},
        {"operations": None},
        {"result": {}},
        {"result": {"output": 1}},
        {"result": {"output": "o", "exit_code": "0"}},
        {"result": {"output": "o", "exit_code": True}},
        {"result": {"output": "o", "cancelled": "no"}},
        {"result": {"output": "o", "full_output_path": 3}},
        {"result": {"output": "o"}, "operations": None},
    ],
)
async def test_a_malformed_bash_answer_refuses(answer: Any) -> None:
    """Neither half an answer nor two run the command."""
    told = await tell(user_bash(), answering(answer))
    assert (True, ["wrong-answer"]) == (told.refusal is not None, told.kinds)


@pytest.mark.parametrize("answer", [AgentStart(message={"text": "x"}), {"systemPrompt": 5}])
async def test_a_malformed_part_of_a_start_is_left_out(answer: Any) -> None:
    """A message needs a custom type, a prompt is text."""
    event = BeforeAgentStart(prompt="p", system_prompt="S", system_prompt_options={})
    told = await tell(event, answering(answer))
    assert ((), "S", ["wrong-answer"]) == (told.result.messages, told.result.system_prompt, told.kinds)


async def test_a_malformed_list_of_paths_loses_itself_only() -> None:
    """The other lists of the same answer count."""
    answer = {"skillPaths": "abc", "promptPaths": ["p", 1], "themePaths": ["t"]}
    told = await tell(ResourcesDiscover(cwd="/w"), answering(answer))
    assert ((), (), ["t"]) == (
        told.result.skill_paths,
        told.result.prompt_paths,
        [owned.path for owned in told.result.theme_paths],
    )
    assert ["wrong-answer", "wrong-answer"] == told.kinds


async def test_messages_may_be_a_tuple() -> None:
    """Any list-like of messages is taken; the result is a list."""
    told = await tell(Context(messages=[]), answering({"messages": (UserMessage(content="a"),)}))
    assert [UserMessage(content="a")] == told.result


async def test_subclasses_of_answers_are_answers() -> None:
    """An author may derive an answer."""

    class Mine(ReplaceMessages):
        pass

    assert [] == (await tell(Context(messages=[UserMessage(content="a")]), answering(Mine([])))).result


async def test_a_patch_of_unknown_fields_only_is_no_patch() -> None:
    """It is reported, and the result stays."""
    event = ToolResultEvent(tool_name="t", tool_call_id="c", input={}, content=[])
    told = await tell(event, answering({"output": "x"}))
    assert (None, ["unknown-key"]) == (told.result, told.kinds)
    assert ["x"] == (await tell(event, answering(ResultPatch(content=["x"])))).result.content  # type: ignore[list-item] # any block will do
