"""What the scripted model answers without a script: a small table of rules, real tool calls.

It reads only the start of the typed message. `NAME: TEXT` calls the active tool
of that name with the text in its first required string parameter, or its first
string parameter; `NAME: {…}` gives the arguments as JSON. `run:` is another name
for bash, and `write: PATH := TEXT` (or the text below the path) fills both
parameters. Anything else gets an honest answer.

Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hookspecs.messages import AssistantContent, TextContent, ToolCallContent
from pi_core.providers.script import Turn

ORDER: Final = re.compile(r"\s*([A-Za-z_][\w.-]*)[ \t]*:(?!//)\s*(.*)", re.DOTALL)
OTHER_NAMES: Final[Mapping[str, str]] = {"run": "bash", "read": "read", "write": "write"}
MAX_ECHO: Final = 4000


def answer(payload: Any) -> Turn:
    """The answer to a request: `messages`, `tools` as the scripted model is sent them."""
    request = payload if isinstance(payload, Mapping) else {}
    tools = {tool["name"]: tool.get("parameters", {}) for tool in request.get("tools", ())}
    messages: Sequence[Mapping[str, Any]] = request.get("messages") or ()
    if results := trailing_results(messages):
        return Turn(blocks=(TextContent(text="\n\n".join(map(report, results))),))
    typed = plain_text(messages[-1]) if messages and messages[-1].get("role") == "user" else ""
    return Turn(blocks=(obey(typed, tools),))


def trailing_results(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The tool results at the end of the conversation, oldest first."""
    count = 0
    while count < len(messages) and messages[-1 - count].get("role") == "toolResult":
        count += 1
    return list(messages[len(messages) - count :])


def report(result: Mapping[str, Any]) -> str:
    """What a tool result says, in one paragraph."""
    text = plain_text(result).strip() or "(no output)"
    if len(text) > MAX_ECHO:
        text = f"{text[:MAX_ECHO]}… ({len(text)} characters)"
    verb = "was refused or failed" if result.get("isError") else "answered"
    return f"{result.get('toolName', 'The tool')} {verb}:\n{text}"


def plain_text(message: Mapping[str, Any]) -> str:
    """The text of a message on the wire."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content or () if block.get("type") == "text")


def obey(typed: str, tools: Mapping[str, Any]) -> AssistantContent:
    """The tool call that a message orders, or the text that says why there is none."""
    match = ORDER.match(typed)
    name = tool_named(match[1], tools) if match else None
    if match is None or name is None:
        return TextContent(text=introduction(tools))
    if name not in tools:
        text = f'I would call the tool "{name}", but it is not active. Active: {listed(tools)}.'
        return TextContent(text=text)
    arguments = arguments_from(name, match[2], tools[name])
    if isinstance(arguments, str):
        return TextContent(text=arguments)
    return ToolCallContent(id="", name=name, arguments=arguments)


def tool_named(word: str, tools: Mapping[str, Any]) -> str | None:
    """The tool that a word orders, active or not; None if it is an ordinary word."""
    if word in tools:
        return word
    for name in tools:
        if name.lower() == word.lower():
            return name
    return OTHER_NAMES.get(word.lower())


def arguments_from(name: str, text: str, schema: Mapping[str, Any]) -> dict[str, Any] | str:
    """The arguments that a text stands for, or a sentence that says what is missing."""
    given = json_object(text.strip())
    if given is not None:
        return given
    properties = schema.get("properties", {})
    if name == "write" and {"path", "content"} <= set(properties):
        return path_with_content(text)
    text = text.strip()
    key = text_parameter(schema)
    if key is not None:
        return {**forced_choices(schema), key: text}
    if not text or not properties:
        return {}
    return f'The tool "{name}" takes no text. Give its arguments as JSON: {name}: {{…}}'


def json_object(text: str) -> dict[str, Any] | None:
    """The object that a text spells in JSON, or None."""
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def path_with_content(text: str) -> dict[str, Any] | str:
    """`PATH := TEXT`, or the path on the first line and the text below it."""
    first, newline, below = text.partition("\n")
    path, sign, rest = first.partition(":=")
    if sign:
        return {"path": path.strip(), "content": rest.strip(" ") + newline + below}
    if newline:
        return {"path": first.strip(), "content": below}
    return "To write I need a path and a text: write: PATH := TEXT, or the text on the lines below the path."


def text_parameter(schema: Mapping[str, Any]) -> str | None:
    """The parameter that takes free text: the first required one, else the first; None without one."""
    free = [name for name, rule in schema.get("properties", {}).items() if takes_text(rule)]
    required = schema.get("required", ())
    return next((name for name in free if name in required), free[0] if free else None)


def takes_text(rule: Any) -> bool:
    """Whether any text is a value: a string without a list of choices, or an alternative that is one."""
    if not isinstance(rule, Mapping) or "enum" in rule or "const" in rule:
        return False
    kind = rule.get("type")
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        return True
    return any(takes_text(part) for part in (*rule.get("anyOf", ()), *rule.get("oneOf", ())))


def forced_choices(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each required parameter that only takes one of a few: its default, else the first."""
    chosen: dict[str, Any] = {}
    for name in schema.get("required", ()):
        rule = schema.get("properties", {}).get(name)
        if isinstance(rule, Mapping) and (choices := rule.get("enum")):
            chosen[name] = rule.get("default", choices[0])
    return chosen


def listed(tools: Mapping[str, Any]) -> str:
    """The names of the tools, for a sentence."""
    return ", ".join(tools) or "none"


def introduction(tools: Mapping[str, Any]) -> str:
    """Who answers here, and what it understands."""
    return (
        "I am the scripted model that comes with pi: I do not think, I follow rules, and I use no network. "
        "Begin a message with `run: COMMAND`, `read: PATH`, `write: PATH := TEXT` or `TOOL: TEXT`, "
        f"and I call that tool. Active tools: {listed(tools)}. "
        "Extensions can bring real models."
    )
