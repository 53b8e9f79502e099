"""A conversation as the vendors' library takes it.

What a vendor sealed (signatures, ids of its own) goes back only in the form in which that wire gave it. Where
a wire has no place for an image in a tool's result, the image follows in the person's name.

Pure.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, assert_never

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from hookspecs.messages import (
    AssistantContent,
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    UserMessage,
)
from hookspecs.messages import UserContent as OurContent
from hookspecs.values import dataclass
from pi_core.providers.base import Context

ATTACHED: Final = "Images from the tool results above:"
ODD_IN_ID: Final = re.compile(r"[^A-Za-z0-9_-]")
MAX_ID: Final = 64
REDACTED: Final = "redacted_thinking"
SEALED: Final = "thought_signature"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What matters of a wire. `system` is the name that the library gives its own sealed data."""

    api: str
    system: str

    @property
    def images_in_results(self) -> bool:
        """Whether a tool's result can hold an image."""
        return self.api in ("anthropic-messages", "openai-responses")

    @property
    def tells_failures(self) -> bool:
        """Whether a tool's result can say that it is an error; elsewhere its text has to."""
        return self.api in ("anthropic-messages", "google-generative-ai")


def vendor_messages(context: Context, dialect: Dialect) -> list[ModelMessage]:
    """The messages in order; what stands between two answers is one request, and has the system prompt."""
    done: list[ModelMessage] = []
    asked: list[ModelRequestPart] = []
    attached: list[UserContent] = []
    for message in context.messages:
        match message:
            case AssistantMessage():
                _close(done, asked, attached)
                asked, attached = [], []
                if parts := answer_parts(message.content, dialect):
                    done.append(_response(parts, message, dialect))
            case ToolResultMessage():
                asked.append(_result(message, dialect))
                if not dialect.images_in_results:
                    attached.extend(map(_image, _images(message.content)))
            case UserMessage(content=content):
                if attached:
                    asked.append(UserPromptPart([ATTACHED, *attached]))
                    attached = []
                asked.append(UserPromptPart(_prompt(content)))
            case _:
                assert_never(message)
    _close(done, asked, attached)
    return _instructed(done, context.system_prompt)


def _close(done: list[ModelMessage], asked: list[ModelRequestPart], attached: Sequence[UserContent]) -> None:
    if attached:
        asked.append(UserPromptPart([ATTACHED, *attached]))
    if asked:
        done.append(ModelRequest(parts=asked))


def _instructed(messages: list[ModelMessage], prompt: str) -> list[ModelMessage]:
    """The messages, each request with the prompt: the library reads the newest one's."""
    if prompt:
        for message in messages:
            if isinstance(message, ModelRequest):
                message.instructions = sendable(prompt)
    return messages


def _response(parts: list[ModelResponsePart], message: AssistantMessage, dialect: Dialect) -> ModelResponse:
    return ModelResponse(parts=parts, model_name=message.model, provider_name=dialect.system)


def answer_parts(content: Iterable[AssistantContent], dialect: Dialect) -> list[ModelResponsePart]:
    """The blocks of an answer; an empty text is none, it would be refused."""
    parts: list[ModelResponsePart] = []
    for block in content:
        match block:
            case TextContent(text=text, text_signature=sealed):
                if text:
                    parts.append(_text(sendable(text), sealed, dialect))
            case ThinkingContent():
                if (part := _thinking(block, dialect)) is not None:
                    parts.append(part)
            case ToolCallContent():
                parts.append(_call(block, dialect))
            case _:
                assert_never(block)
    return parts


def _text(text: str, sealed: str | None, dialect: Dialect) -> TextPart:
    if sealed is None:
        return TextPart(text)
    if dialect.api == "google-generative-ai":
        return TextPart(text, provider_name=dialect.system, provider_details={SEALED: sealed})
    return TextPart(text, id=sealed, provider_name=dialect.system)


def _thinking(block: ThinkingContent, dialect: Dialect) -> ModelResponsePart | None:
    """Reasoning as its wire wants it back; plain text, or nothing, where it does not."""
    text, sealed, system = sendable(block.thinking), block.thinking_signature, dialect.system
    if dialect.api == "anthropic-messages":
        if block.redacted:
            return ThinkingPart("", id=REDACTED, signature=sealed, provider_name=system) if sealed else None
        if sealed:
            return ThinkingPart(text, signature=sealed, provider_name=system)
        return TextPart(text) if text.strip() else None  # cut off before it was signed: refused as reasoning
    if dialect.api == "google-generative-ai":
        details = {SEALED: sealed} if sealed else None
        return ThinkingPart(text, provider_name=system, provider_details=details) if text else None
    if dialect.api == "openai-responses":
        return _reasoning_item(text, sealed, system)
    return ThinkingPart(text, id=sealed, provider_name=system) if text and sealed else None


def _reasoning_item(text: str, sealed: str | None, system: str) -> ThinkingPart | None:
    """The reasoning of a responses wire: its signature is the item as JSON."""
    try:
        item = json.loads(sealed or "")
        item_id = item["id"]
    except (ValueError, TypeError, KeyError):
        return None
    raw = [piece["text"] for piece in item.get("content") or () if "text" in piece]
    details: dict[str, Any] | None = {"raw_content": raw} if raw else None
    return ThinkingPart(
        text,
        id=item_id,
        signature=item.get("encrypted_content"),
        provider_name=system,
        provider_details=details,
    )


def _call(block: ToolCallContent, dialect: Dialect) -> ToolCallPart:
    call_id, _, item_id = block.id.partition("|")
    own = item_id if dialect.api == "openai-responses" else ""
    sealed = block.thought_signature if dialect.api == "google-generative-ai" else None
    return ToolCallPart(
        tool_name=block.name,
        args=block.arguments,
        tool_call_id=plain_id(call_id),
        id=own or None,
        provider_name=dialect.system if own or sealed else None,
        provider_details={SEALED: sealed} if sealed else None,
    )


def plain_id(call_id: str) -> str:
    """An id that every wire takes: letters, digits, `_` and `-`, 64 at most."""
    return ODD_IN_ID.sub("_", call_id.partition("|")[0])[:MAX_ID]


def _result(message: ToolResultMessage, dialect: Dialect) -> ToolReturnPart:
    text = _joined(message.content)
    images = [_image(block) for block in _images(message.content)] if dialect.images_in_results else []
    return ToolReturnPart(
        tool_name=message.tool_name,
        content=[text, *images] if images else text,
        tool_call_id=plain_id(message.tool_call_id),
        outcome="failed" if message.is_error and dialect.tells_failures else "success",
    )


def _prompt(content: str | Sequence[OurContent]) -> str | list[UserContent]:
    if isinstance(content, str):
        return sendable(content)
    if not _images(content):
        return _joined(content)
    return [sendable(block.text) if isinstance(block, TextContent) else _image(block) for block in content]


def _joined(content: Iterable[OurContent]) -> str:
    return sendable("\n".join(block.text for block in content if isinstance(block, TextContent)))


def _images(content: Iterable[OurContent]) -> list[ImageContent]:
    return [block for block in content if isinstance(block, ImageContent)]


def sendable(text: str) -> str:
    """The text without halves of characters, which no wire can carry: a pair becomes its character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _image(block: ImageContent) -> BinaryContent:
    return BinaryContent(data=base64.b64decode(block.data), media_type=block.mime_type)
