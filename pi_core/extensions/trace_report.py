"""What a journal of dispatches tells a person: who was slow, and which way one tool call took.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from hookspecs.values import dataclass

TOP: Final = 10
"""How many slow handlers are listed."""
MAX_ANSWER_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class HandlerTrace:
    """One call of one handler. `answer` is None without an opinion; `error` is what it raised."""

    extension: str
    us: int
    answer: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class DispatchTrace:
    """One dispatch; times in microseconds, from the start of the journal on; handlers as they ran."""

    seq: int
    event: str
    at_us: int
    us: int
    parent: int | None = None
    handlers: tuple[HandlerTrace, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    error: str | None = None

    @property
    def tool_call(self) -> str | None:
        """The tool call that it is about, if any."""
        found = self.about.get("toolCallId")
        return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True)
class Trace:
    """A journal: its dispatches in the order in which they began, and how many lines could not be read."""

    dispatches: tuple[DispatchTrace, ...]
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class Slow:
    """All calls of the handlers that one extension has for one event."""

    extension: str
    event: str
    calls: int
    longest_us: int
    total_us: int


def parse_trace(lines: Iterable[str]) -> Trace:
    """The journal of these lines. A line that is none, such as half a line after a crash, is counted."""
    found: list[DispatchTrace] = []
    unreadable = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if "journal" not in record:
                found.append(_dispatch(record))
        except (ValueError, KeyError, TypeError):
            unreadable += 1
    return Trace(tuple(sorted(found, key=lambda one: (one.at_us, one.seq))), unreadable)


def _dispatch(record: Mapping[str, Any]) -> DispatchTrace:
    return DispatchTrace(
        seq=int(record["seq"]),
        event=str(record["event"]),
        at_us=int(record["at_us"]),
        us=int(record["us"]),
        parent=record.get("parent"),
        handlers=tuple(_handler(one) for one in record["handlers"]),
        about=dict(record.get("about") or {}),
        result=record.get("result"),
        error=record.get("error"),
    )


def _handler(record: Mapping[str, Any]) -> HandlerTrace:
    return HandlerTrace(
        str(record["extension"]), int(record["us"]), record.get("answer"), record.get("error")
    )


def slowest(trace: Trace, top: int = TOP) -> tuple[Slow, ...]:
    """The handlers with the longest single call first, at most `top` of them."""
    spent: dict[tuple[str, str], list[int]] = {}
    for dispatch in trace.dispatches:
        for handler in dispatch.handlers:
            spent.setdefault((handler.extension, dispatch.event), []).append(handler.us)
    all_of_them = [Slow(*key, len(times), max(times), sum(times)) for key, times in spent.items()]
    return tuple(sorted(all_of_them, key=lambda one: (-one.longest_us, -one.total_us))[:top])


def tool_calls(trace: Trace) -> tuple[str, ...]:
    """The ids of all tool calls, in the order in which they began."""
    return tuple(dict.fromkeys(one.tool_call for one in trace.dispatches if one.tool_call is not None))


def route(trace: Trace, call: str) -> tuple[DispatchTrace, ...]:
    """Every dispatch about a tool call and what they caused, in order; empty if there is no such call."""
    taken: set[int] = set()
    found = []
    for dispatch in trace.dispatches:
        if dispatch.tool_call == call or dispatch.parent in taken:
            taken.add(dispatch.seq)
            found.append(dispatch)
    return tuple(found)


def slowest_call(trace: Trace) -> str | None:
    """The tool call in whose handlers most time was spent; None if there is none."""

    def spent(call: str) -> int:
        return sum(one.us for one in trace.dispatches if one.tool_call == call)

    return max(tool_calls(trace), key=spent, default=None)


def trace_text(lines: Iterable[str], *, call: str | None = None, top: int = TOP) -> str:
    """What `pi trace` prints: a summary, the slowest handlers, and the route of one tool call.

    `call` is the id of that call; by default the one in whose handlers most time was spent.
    """
    trace = parse_trace(lines)
    chosen = slowest_call(trace) if call is None else call
    parts = [_summary(trace), _slow_text(slowest(trace, top))]
    if chosen is not None:
        parts.append(_route_text(chosen, route(trace, chosen), len(tool_calls(trace)), call is None))
    return "\n\n".join(parts) + "\n"


def _summary(trace: Trace) -> str:
    events = {one.event for one in trace.dispatches}
    owners = {handler.extension for one in trace.dispatches for handler in one.handlers}
    spent = sum(handler.us for one in trace.dispatches for handler in one.handlers)
    text = (
        f"{_count(len(trace.dispatches), 'dispatch', 'es')} of {_count(len(events), 'event')};"
        f" {_time(spent)} in handlers of {_count(len(owners), 'extension')}"
    )
    return f"{text}; {_count(trace.unreadable, 'line')} unreadable" if trace.unreadable else text


def _slow_text(rows: Sequence[Slow]) -> str:
    if not rows:
        return "No extension was told anything."
    width = max(len(row.event) for row in rows)
    lines = [
        f"{_time(row.longest_us):>10} {_time(row.total_us):>10} {row.calls:>6}  {row.event:<{width}}"
        f"  {row.extension}"
        for row in rows
    ]
    return "\n".join(
        [
            "Slowest handlers",
            f"{'longest':>10} {'total':>10} {'calls':>6}  {'event':<{width}}  extension",
            *lines,
        ]
    )


def _route_text(call: str, way: Sequence[DispatchTrace], calls: int, chosen: bool) -> str:
    if not way:
        return f"There is no tool call {call} in this trace."
    tool = next((one.about["toolName"] for one in way if "toolName" in one.about), "?")
    why = f", the slowest of {calls}" if chosen and calls > 1 else ""
    lines = [f"Route of the tool call {call} ({tool}){why}"]
    depths: dict[int | None, int] = {}
    for one in way:
        depth = depths[one.seq] = depths.get(one.parent, -1) + 1
        indent = "  " * depth
        begun = _time(one.at_us - way[0].at_us)
        lines.append(f"{begun:>10}  {indent}{one.event}  {_time(one.us)}{_end(one.result, one.error)}")
        for handler in one.handlers:
            end = _end(handler.answer, handler.error)
            lines.append(f"{'':>10}  {indent}  {handler.extension}  {_time(handler.us)}{end}")
    return "\n".join(lines)


def _end(value: Any, error: str | None) -> str:
    if error is not None:
        return f"  raised: {error}"
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"  → {text if len(text) <= MAX_ANSWER_CHARS else text[: MAX_ANSWER_CHARS - 1] + '…'}"


def _time(us: int) -> str:
    return f"{us} µs" if us < 1000 else f"{us / 1000:.1f} ms" if us < 1_000_000 else f"{us / 1_000_000:.2f} s"


def _count(number: int, word: str, plural: str = "s") -> str:
    return f"{number} {word}{'' if number == 1 else plural}"
