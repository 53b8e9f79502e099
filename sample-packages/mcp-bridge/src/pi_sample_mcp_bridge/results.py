"""Names and results, from the protocol's form into pi's. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pi_core.api import ImageContent, TextContent, ToolResult, UserContent

MAX_CHARACTERS = 50_000


def tool_name(server: str, tool: str) -> str:
    """`server_tool`, of characters that every provider takes, at most 64 of them."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", f"{server}_{tool}")[:64]


def result_of(answer: Any) -> ToolResult:
    """What a call came to: texts and images as they are, everything else in a line."""
    return ToolResult(
        content=list(cut(blocks_of(answer.content))) or [TextContent(text="(no content)")],
        structured_content=answer.structured_content,
        is_error=bool(answer.is_error),
    )


def blocks_of(content: Any) -> Iterator[UserContent]:
    """A block of ours for each of theirs."""
    for block in content:
        match block.type:
            case "text":
                yield TextContent(text=block.text)
            case "image":
                yield ImageContent(data=block.data, mime_type=block.mime_type)
            case "resource" if hasattr(block.resource, "text"):
                yield TextContent(text=block.resource.text)
            case "resource_link":
                yield TextContent(text=f"[{block.name}]({block.uri})")
            case kind:
                yield TextContent(text=f"({kind}, which cannot be shown)")


def cut(blocks: Iterator[UserContent], limit: int = MAX_CHARACTERS) -> Iterator[UserContent]:
    """The same, with no more text than the limit; what is missing is said."""
    for block in blocks:
        if not isinstance(block, TextContent):
            yield block
        elif len(block.text) <= limit:
            limit -= len(block.text)
            yield block
        else:
            yield TextContent(text=f"{block.text[:limit]}\n… ({len(block.text) - limit} more characters)")
            limit = 0
