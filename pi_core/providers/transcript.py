"""The conversation as a model gets it: three kinds of message, every call with a result.

Answers that failed or were aborted are left out, the host's own kinds of
message become user messages, images become a note for models that see none,
and a reasoning that another model signed becomes plain text.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, assert_never

from hookspecs.definitions import Model
from hookspecs.messages import (
    AssistantContent,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from pi_core.providers.base import ModelMessage

NO_RESULT: Final = "This call has no recorded result"
NO_IMAGE: Final = "[image left out: this model reads text only]"
BLOCKED_IMAGE: Final = "[image left out: images are switched off in the settings]"
_BLOCKS: Final = (TextContent, ThinkingContent, ToolCallContent, ImageContent)
COMPACTED: Final = "Everything before this point was compacted into a summary:"
BRANCHED: Final = "Before this point another branch of the conversation was left; its summary:"


def for_model(messages: Iterable[Message], model: Model) -> list[ModelMessage]:
    """The messages that go to `model`, in order; the given ones are not changed."""
    converted = [message for each in messages if (message := as_model_message(each)) is not None]
    return [_suited(message, model) for message in answered(converted)]


def without_images(messages: Iterable[Message]) -> list[Message]:
    """The messages with a note in the place of each image; the given ones are not changed."""
    return [_noted(message) for message in messages]


def _noted(message: Message) -> Message:
    if not isinstance(message, UserMessage | ToolResultMessage | CustomMessage):
        return message
    if isinstance(message.content, str):
        return message
    blocks: list[UserContent] = [_without_image(block, BLOCKED_IMAGE) for block in message.content]
    return replace(message, content=blocks)


def as_model_message(message: Message) -> ModelMessage | None:
    """One message as one of the three kinds; None if a model never sees it."""
    match message:
        case AssistantMessage(stop_reason="error" | "aborted"):
            return None
        case UserMessage() | AssistantMessage() | ToolResultMessage():
            return message
        case CustomMessage(content=content, timestamp=timestamp):
            return UserMessage(content=content, timestamp=timestamp)
        case BashExecutionMessage():
            return None if message.exclude_from_context else _bash_report(message)
        case CompactionSummaryMessage(summary=summary):
            return _summary(COMPACTED, summary, message.timestamp)
        case BranchSummaryMessage(summary=summary):
            return _summary(BRANCHED, summary, message.timestamp)
        case _:
            assert_never(message)


def answered(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The same messages with an error result for each call that has none, after its siblings' results."""
    done: list[ModelMessage] = []
    missing: dict[str, ToolCallContent] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            missing.pop(message.tool_call_id, None)
        else:
            done.extend(map(_no_result, missing.values()))
            missing = {}
        done.append(message)
        if isinstance(message, AssistantMessage):
            missing = {block.id: block for block in message.content if isinstance(block, ToolCallContent)}
    done.extend(map(_no_result, missing.values()))
    return done


def _no_result(call: ToolCallContent) -> ToolResultMessage:
    content: list[UserContent] = [TextContent(text=NO_RESULT)]
    return ToolResultMessage(tool_call_id=call.id, tool_name=call.name, content=content, is_error=True)


def _summary(lead: str, summary: str, timestamp: int) -> UserMessage:
    return UserMessage(content=f"{lead}\n\n<summary>\n{summary}\n</summary>", timestamp=timestamp)


def _bash_report(message: BashExecutionMessage) -> UserMessage:
    lines = [f"Ran `{message.command}`", "```", message.output.rstrip("\n") or "(no output)", "```"]
    if message.cancelled:
        lines.append("The command was cancelled.")
    elif message.exit_code:
        lines.append(f"The command exited with code {message.exit_code}.")
    if message.truncated and message.full_output_path:
        lines.append(f"The output was cut; all of it is in {message.full_output_path}")
    return UserMessage(content="\n".join(lines), timestamp=message.timestamp)


def _suited(message: ModelMessage, model: Model) -> ModelMessage:
    message = _with_known_blocks(message)
    if isinstance(message, AssistantMessage):
        if (message.provider, message.model) == (model.provider, model.id):
            return message
        return replace(message, content=_readable(message.content))
    if "image" in model.input or isinstance(message.content, str):
        return message
    blocks: list[UserContent] = [_without_image(block, NO_IMAGE) for block in message.content]
    return replace(message, content=blocks)


def _with_known_blocks(message: ModelMessage) -> ModelMessage:
    """The message without the blocks of a file that this version does not know: no wire can send them."""
    content: str | Sequence[Any] = message.content
    if isinstance(content, str) or all(isinstance(block, _BLOCKS) for block in content):
        return message
    known: Any = [block for block in content if isinstance(block, _BLOCKS)]
    return replace(message, content=known)


def _without_image(block: UserContent, note: str) -> UserContent:
    return TextContent(text=note) if isinstance(block, ImageContent) else block


def _readable(content: Iterable[AssistantContent]) -> list[AssistantContent]:
    """The content for a model that did not write it: no signatures, no sealed reasoning."""
    blocks: list[AssistantContent] = []
    for block in content:
        match block:
            case TextContent(text=text):
                blocks.append(TextContent(text=text))
            case ThinkingContent(thinking=thinking, redacted=redacted):
                if thinking.strip() and not redacted:
                    blocks.append(TextContent(text=thinking))
            case ToolCallContent():
                blocks.append(replace(block, thought_signature=None))
            case _:
                assert_never(block)
    return blocks
