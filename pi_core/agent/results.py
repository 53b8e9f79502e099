"""What a tool returned or raised, as one kind of value.

A tool may answer with a `ToolResult`, a text, content blocks, or a mapping with
the fields of a result in either spelling. Returning nothing is an error.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from hookspecs.definitions import ToolResult
from hookspecs.messages import ImageContent, TextContent, ToolResultMessage, UserContent
from hookspecs.wire import content_from_wire, snake, to_wire, usage_from_wire

ENDLESS: Final = "(left out: it holds itself, or it goes too deep)"
FIELDS: Final = frozenset(field.name for field in fields(ToolResult))


def error_result(text: str, *, details: Any = None, terminate: bool = False) -> ToolResult:
    """A result that tells the model what went wrong."""
    content: list[UserContent] = [TextContent(text=text)]
    return ToolResult(content=content, details=details, is_error=True, terminate=terminate)


def raised_result(error: BaseException) -> ToolResult:
    """The result of a tool that raised: the text of the exception, or its name if it has none."""
    return error_result(str(error) or type(error).__name__, details={})


def as_result(value: Any, tool_name: str) -> ToolResult:
    """What a tool returned; `content` is a list of blocks. What makes no sense becomes an error result."""
    try:
        return bounded(_read(value, tool_name))
    except (TypeError, ValueError) as error:
        return error_result(f'Tool "{tool_name}" returned an unusable result: {error}', details={})


def bounded(result: ToolResult) -> ToolResult:
    """The result, with a word in place of what cannot be written down."""
    details, structured = writable(result.details), writable(result.structured_content)
    if details is result.details and structured is result.structured_content:
        return result
    return replace(result, details=details, structured_content=structured)


def writable(value: Any) -> Any:
    """The value, or a word in its place if it holds itself or goes too deep."""
    try:
        to_wire(value)
    except RecursionError:
        return ENDLESS
    return value


def result_message(call_id: str, name: str, result: ToolResult, timestamp: int) -> ToolResultMessage:
    """The message of a finished call; its lists are its own."""
    content = blocks(result.content)
    return ToolResultMessage(
        tool_call_id=call_id,
        tool_name=name,
        content=content,
        details=result.details,
        structured_content=result.structured_content,
        usage=result.usage,
        is_error=result.is_error,
        added_tool_names=list(result.added_tool_names) or None,
        timestamp=timestamp,
    )


def _read(value: Any, tool_name: str) -> ToolResult:
    if isinstance(value, ToolResult):
        return replace(value, content=blocks(value.content))
    if value is None:
        return error_result(f'Tool "{tool_name}" returned nothing', details={})
    if isinstance(value, Mapping) and "type" not in value:
        return _from_mapping(value)
    return ToolResult(content=blocks(value))


def _from_mapping(value: Mapping[str, Any]) -> ToolResult:
    given = {snake(str(key)): item for key, item in value.items()}
    known = {name: item for name, item in given.items() if name in FIELDS}
    known["content"] = blocks(known.get("content"))
    if isinstance(known.get("usage"), Mapping):
        known["usage"] = usage_from_wire(known["usage"])
    return ToolResult(**known)


def blocks(content: Any) -> list[UserContent]:
    """Content as a new list of blocks: a text is one block, nothing is an empty list.

    Raises: TypeError or ValueError for what is no content.
    """
    if content is None:
        return []
    if isinstance(content, str | Mapping | TextContent | ImageContent):
        content = [content]
    if not isinstance(content, list | tuple):
        raise TypeError(f"{type(content).__name__} is neither text nor content blocks")
    return [_block(item) for item in content]


def _block(item: Any) -> UserContent:
    if isinstance(item, str):
        return TextContent(text=item)
    if isinstance(item, Mapping):
        item = content_from_wire(item)
    if isinstance(item, TextContent | ImageContent):
        return item
    raise TypeError(f"{type(item).__name__} is neither text nor image")
