"""A script: what the scripted model answers, turn by turn.

A script file is JSON or YAML: a list of turns, or an object with `turns`. A
turn is a text, or an object with `blocks`, or with `thinking`, `text`, `tool`
and `arguments` in that order, and any of `expect` (a pattern that the last
message must contain), `delay_s` (before the answer), `pace_s` (before each
piece of it), `stop`, `error`, `usage`. A block is `{text}`, `{thinking}` or
`{tool, arguments, id}`; the forms of a session file are read too.

Touches: files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hookspecs.messages import (
    AssistantContent,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    Usage,
)
from hookspecs.values import dataclass
from hookspecs.wire import usage_from_wire
from pi_core.errors import AgentError

SHORT: Final = ("thinking", "text", "tool", "arguments", "id")
TURN_KEYS: Final = frozenset(
    {*SHORT, "blocks", "expect", "delay_s", "pace_s", "stop", "stop_reason", "error", "usage"}
)
BLOCK_KEYS: Final = frozenset({"type", "thinking", "text", "tool", "name", "arguments", "id"})
STOPS: Final = frozenset({"stop", "length", "toolUse", "error", "aborted"})


class ScriptError(AgentError):
    """A script cannot be read: where, what is wrong there, what would be right."""

    def __init__(self, place: str, problem: str, hint: str = "") -> None:
        self.place = place
        self.problem = problem
        super().__init__(
            f"script {place}: {problem}.", hint=f"{hint[0].upper()}{hint[1:]}." if hint else None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer. Tool calls without an id get one when they are played; times are seconds.

    `stop` None means "toolUse" with tool calls and "stop" without. With an `error` and no
    blocks, the request fails before there is a response.
    """

    blocks: Sequence[AssistantContent] = ()
    expect: str | None = None
    delay_s: float = 0.0
    pace_s: float = 0.0
    stop: StopReason | None = None
    error: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """The turns, in the order in which they are played."""

    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, turns: Iterable[Any], *, name: str = "given") -> Script:
        """A script of texts, mappings as in a file, and turns.

        Raises: ScriptError that names the turn.
        """
        return cls(tuple(_turn(turn, f"{name}, turn {index}") for index, turn in enumerate(turns, 1)))

    @classmethod
    def parse(cls, text: str, *, name: str) -> Script:
        """The script that a file holds.

        Raises: ScriptError.
        """
        value = _json_or_yaml(text, name)
        if isinstance(value, Mapping) and "turns" in value:
            value = value["turns"]
        if not isinstance(value, list):
            raise ScriptError(name, f"found {_kind(value)}", "a script is a list of turns")
        return cls.of(value, name=name)

    @classmethod
    def read(cls, path: str | Path) -> Script:
        """The script in a file.

        Raises: ScriptError, also if the file cannot be read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ScriptError(str(path), f"cannot be read ({error})") from error
        return cls.parse(text, name=str(path))


def _json_or_yaml(text: str, name: str) -> Any:
    if text.lstrip().startswith(("[", "{")):
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            pass  # flow-style YAML begins alike
    import yaml  # 30 ms, and only for scripts

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScriptError(name, f"is neither JSON nor YAML ({' '.join(str(error).split())})") from error


def _turn(value: Any, place: str) -> Turn:
    if isinstance(value, Turn):
        return value
    if isinstance(value, str):
        return Turn(blocks=(TextContent(text=value),))
    if not isinstance(value, Mapping):
        raise ScriptError(place, f"found {_kind(value)}", "a turn is a text or an object")
    _known(value, TURN_KEYS, place)
    stop = value.get("stop", value.get("stop_reason"))
    if stop is not None and stop not in STOPS:
        raise ScriptError(place, f"unknown stop {stop!r}", f"known are {', '.join(sorted(STOPS))}")
    return Turn(
        blocks=_blocks(value, place),
        expect=_pattern(value.get("expect"), place),
        delay_s=_seconds(value, "delay_s", place),
        pace_s=_seconds(value, "pace_s", place),
        stop=stop,
        error=_text(value, "error", place),
        usage=_usage(value.get("usage"), place),
    )


def _blocks(value: Mapping[str, Any], place: str) -> tuple[AssistantContent, ...]:
    short = {key: value[key] for key in SHORT if key in value}
    if "blocks" not in value:
        return tuple(_short_blocks(short, place))
    if short:
        raise ScriptError(place, f"has both blocks and {', '.join(short)}", "use one of the two")
    if not isinstance(value["blocks"], list):
        raise ScriptError(place, f"blocks is {_kind(value['blocks'])}", "it is a list")
    return tuple(_block(item, f"{place}, block {index}") for index, item in enumerate(value["blocks"], 1))


def _short_blocks(short: Mapping[str, Any], place: str) -> Iterable[AssistantContent]:
    if "thinking" in short:
        yield _block({"thinking": short["thinking"]}, place)
    if "text" in short:
        yield _block({"text": short["text"]}, place)
    call = {key: short[key] for key in ("tool", "arguments", "id") if key in short}
    if call:
        yield _block(call, place)


def _block(value: Any, place: str) -> AssistantContent:
    if isinstance(value, str):
        return TextContent(text=value)
    if not isinstance(value, Mapping):
        raise ScriptError(place, f"found {_kind(value)}", "a block is a text or an object")
    _known(value, BLOCK_KEYS, place)
    if "tool" in value or "name" in value:
        arguments = value.get("arguments", {})
        name = value.get("tool", value.get("name"))
        if not isinstance(arguments, Mapping) or not isinstance(name, str):
            raise ScriptError(place, "a tool call needs a name and an object of arguments")
        return ToolCallContent(id=str(value.get("id", "")), name=name, arguments=dict(arguments))
    if "thinking" in value:
        return ThinkingContent(thinking=str(value["thinking"]))
    if "text" in value:
        return TextContent(text=str(value["text"]))
    raise ScriptError(place, "has no content", "a block has text, thinking or tool")


def _known(value: Mapping[str, Any], keys: frozenset[str], place: str) -> None:
    unknown = [str(key) for key in value if key not in keys]
    if unknown:
        raise ScriptError(place, f"unknown key {', '.join(unknown)}", f"known are {', '.join(sorted(keys))}")


def _pattern(value: Any, place: str) -> str | None:
    if value is None:
        return None
    try:
        re.compile(str(value))
    except re.error as error:
        raise ScriptError(place, f"expect is no pattern ({error})") from error
    return str(value)


def _seconds(value: Mapping[str, Any], key: str, place: str) -> float:
    seconds = value.get(key, 0.0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        raise ScriptError(place, f"{key} is {seconds!r}", "it is a number of seconds")
    return float(seconds)


def _text(value: Mapping[str, Any], key: str, place: str) -> str | None:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise ScriptError(place, f"{key} is {_kind(text)}", "it is a text")
    return text


def _usage(value: Any, place: str) -> Usage | None:
    if value is None:
        return None
    usage = usage_from_wire(value)
    if not isinstance(usage, Usage):
        raise ScriptError(place, f"usage is {_kind(value)}", "it is an object")
    if not usage.total_tokens:
        usage.total_tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
    return usage


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
