"""What a model gets to read of a conversation."""

from __future__ import annotations

import pytest

from hookspecs.definitions import Model
from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_core.providers.transcript import BRANCHED, COMPACTED, NO_IMAGE, NO_RESULT, for_model

MODEL = Model(id="m", provider="p", api="a")
SEEING = Model(id="m", provider="p", api="a", input=("text", "image"))
IMAGE = ImageContent(data="QQ==", mime_type="image/png")


def answer(*content: TextContent | ThinkingContent | ToolCallContent, model: str = "m") -> AssistantMessage:
    return AssistantMessage(content=list(content), provider="p", model=model)


def texts(messages: list[Message], model: Model = MODEL) -> list[str]:
    return [f"{message.role}: {text_of(message.content)}" for message in for_model(messages, model)]


@pytest.mark.parametrize("reason", ["error", "aborted"])
def test_failed_answers_are_left_out(reason: StopReason) -> None:
    """13.C 88: an answer that failed or was aborted stays in the file, out of the request."""
    failed = AssistantMessage(content=[TextContent(text="half")], stop_reason=reason)
    assert ["user: a", "user: b"] == texts([UserMessage(content="a"), failed, UserMessage(content="b")])


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (CustomMessage(custom_type="x", content="look"), "user: look"),
        (
            CompactionSummaryMessage(summary="S", tokens_before=9),
            f"user: {COMPACTED}\n\n<summary>\nS\n</summary>",
        ),
        (BranchSummaryMessage(summary="S", from_id="1"), f"user: {BRANCHED}\n\n<summary>\nS\n</summary>"),
        (BashExecutionMessage(command="ls", output="a\n", exit_code=0), "user: Ran `ls`\n```\na\n```"),
        (
            BashExecutionMessage(command="x", output="", exit_code=2),
            "user: Ran `x`\n```\n(no output)\n```\nThe command exited with code 2.",
        ),
        (
            BashExecutionMessage(
                command="x", output="a", cancelled=True, truncated=True, full_output_path="/o"
            ),
            "user: Ran `x`\n```\na\n```\nThe command was cancelled.\nThe output was cut; all of it is in /o",
        ),
    ],
)
def test_the_hosts_own_kinds_become_user_messages(message: Message, expected: str) -> None:
    """What a wire does not know is told as a user's text."""
    assert [expected] == texts([message])


def test_a_hidden_command_is_left_out() -> None:
    """A command run with `!!` is not told to the model."""
    assert [] == texts([BashExecutionMessage(command="ls", output="a", exclude_from_context=True)])


def test_every_call_has_a_result() -> None:
    """A call without a result gets an error result, after those of its siblings."""
    calls = answer(
        ToolCallContent(id="1", name="a", arguments={}), ToolCallContent(id="2", name="b", arguments={})
    )
    result = ToolResultMessage(tool_call_id="2", tool_name="b", content=[TextContent(text="ok")])
    assert ["assistant: ", "toolResult: ok", f"toolResult: {NO_RESULT}", "user: next"] == texts(
        [calls, result, UserMessage(content="next")]
    )
    assert f"toolResult: {NO_RESULT}" == texts([calls])[-1]


def test_images_for_models_that_see_none() -> None:
    """A note stands in for an image; a model that sees images gets them; the original stays."""
    message = UserMessage(content=[TextContent(text="look "), IMAGE])
    assert [f"user: look {NO_IMAGE}"] == texts([message])
    assert [message] == for_model([message], SEEING)
    assert IMAGE in message.content


def test_reasoning_of_another_model() -> None:
    """Another model's reasoning becomes text, sealed reasoning and signatures go; one's own stays."""
    foreign = answer(
        ThinkingContent(thinking="why", thinking_signature="s"),
        ThinkingContent(thinking="", redacted=True),
        TextContent(text="so", text_signature="t"),
        model="other",
    )
    (seen,) = for_model([foreign], MODEL)
    assert [TextContent(text="why"), TextContent(text="so")] == seen.content
    own = answer(ThinkingContent(thinking="why", thinking_signature="s"))
    assert [own] == for_model([own], MODEL)
