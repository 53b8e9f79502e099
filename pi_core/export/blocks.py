"""Messages and other entries as pieces of a page.

Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from hookspecs.wire import to_wire
from pi_core.export.markdown import markdown_to_html
from pi_core.export.text import escaped, first_line
from pi_core.history import entries as e

_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]*=*\s*")
_HEADLINES: Final = ("command", "path", "file_path", "pattern", "query", "url")
"""The argument of a tool call that says most, the first that is there."""


def entry_to_html(entry: e.Entry) -> tuple[str, str, str] | None:
    """The kind of an entry, its line for the list, and its HTML; None for what people need not see."""
    match entry:
        case e.MessageEntry(message=message):
            return _message(message)
        case e.CustomMessageEntry(display=True, custom_type=kind, content=content):
            return "custom", f"{kind}: {first_line(text_of(content))}", _titled(kind, _content(content))
        case e.CompactionEntry(summary=summary, tokens_before=tokens):
            title = f"Everything before was summarised ({tokens:,} tokens)"
            return "summary", title, folded(title, markdown_to_html(summary))
        case e.BranchSummaryEntry(summary=summary):
            title = "Summary of the branch that was left"
            return "summary", title, folded(title, markdown_to_html(summary))
        case e.ModelChangeEntry(provider=provider, model_id=model):
            return _note(f"Model: {provider}/{model}")
        case e.ThinkingLevelChangeEntry(thinking_level=level):
            return _note(f"Thinking: {level}")
        case e.SessionInfoEntry(name=name):
            return _note(f"Name: {name}" if name else "The name was taken away")
        case e.ContextEditEntry(replacement=replacement):
            what = "taken out of" if replacement is None else "changed in"
            return _note(f"An earlier message was {what} what the model reads")
        case e.UnknownEntry(type=kind):
            return "note", kind, folded(f"Entry of another version: {kind}", _json(to_wire(entry)))
        case _:
            return None


def folded(title: str, body: str, kind: str = "") -> str:
    """Something that opens at a click. `body` is HTML, `title` is text."""
    return f'<details class="{kind}"><summary>{escaped(title)}</summary>{body}</details>'


def _message(message: Message) -> tuple[str, str, str]:
    match message:
        case UserMessage(content=content):
            line = first_line(text_of(content)) or "(picture)"
            return "user", line, _titled("User", _content(content))
        case AssistantMessage():
            return "assistant", _assistant_line(message), _assistant(message)
        case ToolResultMessage(tool_name=name, is_error=failed):
            line = f"{name}{' failed' if failed else ''}: {first_line(text_of(message.content))}"
            return "tool error" if failed else "tool", line, _tool_result(message)
        case BashExecutionMessage(command=command):
            return "tool", f"! {first_line(command)}", _bash(message)
        case CustomMessage(custom_type=kind, content=content):
            return "custom", f"{kind}: {first_line(text_of(content))}", _titled(kind, _content(content))
        case _:
            summary = message.summary
            return "summary", first_line(summary), folded("Summary", markdown_to_html(summary))


def _assistant_line(message: AssistantMessage) -> str:
    calls = [block.name for block in message.content if isinstance(block, ToolCallContent)]
    said = first_line(text_of([*message.content]))
    return said or ("→ " + ", ".join(calls) if calls else message.error_message or message.stop_reason)


def _assistant(message: AssistantMessage) -> str:
    parts = [_assistant_block(block) for block in message.content]
    if message.stop_reason in ("error", "aborted", "length"):
        why = message.error_message or f"The answer ended: {message.stop_reason}"
        parts.append(f'<p class="failure">{escaped(why)}</p>')
    return _titled(message.model or "Assistant", "".join(parts)) + _facts(message)


def _assistant_block(block: Any) -> str:
    match block:
        case TextContent(text=text):
            return f'<div class="prose">{markdown_to_html(text)}</div>' if text.strip() else ""
        case ThinkingContent(thinking=thinking):
            hidden = not thinking.strip()
            return "" if hidden else folded("Thinking", f'<div class="plain">{escaped(thinking)}</div>')
        case ToolCallContent(name=name, arguments=arguments):
            return _tool_call(name, arguments)
        case _:
            return folded("Something of another version", _json(block))


def _tool_call(name: str, arguments: Any) -> str:
    """The call with the argument that says most; all of them behind it."""
    given = arguments if isinstance(arguments, Mapping) else {"arguments": arguments}
    main = next((key for key in _HEADLINES if isinstance(given.get(key), str)), None)
    head = f"<b>{escaped(name)}</b>" + ("" if main is None else f" <code>{escaped(given[main])}</code>")
    rest = {key: value for key, value in given.items() if key != main}
    more = folded("Arguments", _json(rest)) if rest else ""
    return f'<div class="call">{head}{more}</div>'


def _tool_result(message: ToolResultMessage) -> str:
    details = message.details if isinstance(message.details, Mapping) else {}
    diff = details.get("diff")
    body = _diff(diff) if isinstance(diff, str) and diff else _output(message.content)
    took = "" if message.duration_ms is None else f" · {message.duration_ms / 1000:.1f} s"
    how = " · failed" if message.is_error else ""
    title = f"{message.tool_name}{how} · {_size(text_of(message.content))}{took}"
    pictures = "".join(_picture(block) for block in message.content if isinstance(block, ImageContent))
    return folded(title, body, "output") + pictures


def _bash(message: BashExecutionMessage) -> str:
    how = "cancelled" if message.cancelled else f"exit code {message.exit_code}"
    kept = " · not told to the model" if message.exclude_from_context else ""
    title = f"{how} · {_size(message.output)}{kept}"
    head = f'<div class="call"><b>!</b> <code>{escaped(message.command)}</code></div>'
    return head + folded(title, f"<pre>{escaped(message.output)}</pre>", "output")


def _content(content: str | Sequence[Any]) -> str:
    """What a person or an extension said: text as it was typed, and pictures."""
    blocks: Sequence[Any] = [TextContent(text=content)] if isinstance(content, str) else content
    return "".join(
        _picture(block)
        if isinstance(block, ImageContent)
        else f'<div class="plain">{escaped(block.text)}</div>'
        if isinstance(block, TextContent)
        else folded("Something of another version", _json(block))
        for block in blocks
    )


def _picture(block: ImageContent) -> str:
    harmless = block.mime_type in _PICTURES and isinstance(block.data, str)
    if not harmless or not _BASE64.fullmatch(block.data):
        return f'<p class="failure">{escaped(f"A picture of the type {block.mime_type} is not shown.")}</p>'
    return f'<img alt="" src="data:{block.mime_type};base64,{"".join(block.data.split())}">'


def _output(content: Sequence[Any]) -> str:
    return f"<pre>{escaped(text_of([*content]))}</pre>"


def _diff(text: str) -> str:
    return f'<pre class="diff">{"".join(_diff_lines(text))}</pre>'


def _diff_lines(text: str) -> Iterator[str]:
    for line in escaped(text).split("\n"):
        kind = {"+": "added", "-": "removed"}.get(line[:1])
        yield f'<span class="{kind}">{line}</span>\n' if kind else f"{line}\n"


def _facts(message: AssistantMessage) -> str:
    """What the answer cost, in small print."""
    usage = message.usage
    facts = [f"{message.provider}/{message.model}"] if message.provider else []
    facts += [f"{usage.total_tokens:,} tokens"] if usage.total_tokens else []
    facts += [f"${usage.cost.total:.4f}"] if usage.cost.total else []
    return f'<p class="facts">{escaped(" · ".join(facts))}</p>' if facts else ""


def _note(text: str) -> tuple[str, str, str]:
    return "note", text, f"<p>{escaped(text)}</p>"


def _titled(title: str, body: str) -> str:
    return f'<h2>{escaped(title)}</h2><div class="body">{body}</div>'


def _json(value: Any) -> str:
    return f"<pre>{escaped(json.dumps(value, indent=2, ensure_ascii=False, default=str))}</pre>"


def _size(text: str) -> str:
    lines = text.count("\n") + (not text.endswith("\n")) if text else 0
    return f"{lines} line{'' if lines == 1 else 's'}"
