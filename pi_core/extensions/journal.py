"""A journal of every dispatch: which event, who was told, what each of them answered, how long it took.

It is a wrapper around all events like one that an extension might write, and something
around every handler that looks at the clock. A line of the journal is one JSON object:

    {"seq": 7, "parent": 5, "at_us": 120, "event": "tool_call", "us": 431, "about": {"toolName": "bash"},
     "handlers": [{"extension": "/x/gate.py", "us": 402, "answer": {"block": true}}], "result": {…}}

Times are in microseconds. `parent` is the dispatch from which this one was caused, if any.
`answer` and `result` are left out where there is none, and shortened where they are long;
`error` tells what was raised. Headers are named, their values are nobody's business.

Touches: files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from hookspecs.wire import to_wire
from pi_core.dispatch.flow import is_awaitable
from pi_core.dispatch.outcomes import GateAnswer
from pi_core.dispatch.plan import Handler, text_of_error
from pi_core.extensions.registrations import Extension, Registration
from pi_core.extensions.runner import Runner
from pi_pkg import Diagnostic, Provenance

JOURNAL_PATH: Final = "<journal>"
FORMAT: Final = 1
"""Version of the form of a line, told by the first one."""
MAX_VALUE_CHARS: Final = 2000
"""An answer or result that is longer as JSON is cut to this."""
_ABOUT: Final = {
    "tool_call_id": "toolCallId",
    "tool_name": "toolName",
    "parent_tool_call_id": "parentToolCallId",
    "turn_index": "turnIndex",
    "reason": "reason",
}
"""What of an event is written, if it has it: enough to find it again."""
_SECRET: Final = frozenset({"before_provider_headers"})


class Entry:
    """One dispatch under way."""

    __slots__ = ("about", "event", "handlers", "parent", "seq", "started_ns")

    def __init__(self, seq: int, parent: Entry | None, event: Any, started_ns: int) -> None:
        self.seq = seq
        self.parent = parent
        self.event: str = event.event_name
        self.started_ns = started_ns
        self.handlers: list[dict[str, Any]] = []
        given = ((key, getattr(event, name, None)) for name, key in _ABOUT.items())
        self.about = {key: value for key, value in given if isinstance(value, (str, int))}


_CURRENT: Final[ContextVar[Entry | None]] = ContextVar("pi_journal_entry", default=None)
"""The dispatch in which this code runs; tasks that a handler starts inherit it."""


class Journal:
    """Writes what a runner does. `write` takes whole lines; if it raises OSError the journal ends there.

    `now_ns` is a clock that only goes forward.
    """

    def __init__(
        self, write: Callable[[str], object], *, now_ns: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self._write = write
        self._now_ns = now_ns
        self._started_ns = now_ns()
        self._seq = 0
        self._broken = False
        self._runner: Runner | None = None

    def attach(self, runner: Runner) -> None:
        """Write down everything that this runner dispatches from now on."""
        self._runner = runner
        extension = Extension(
            path=JOURNAL_PATH, provenance=Provenance(JOURNAL_PATH, "host", "temporary", "top-level")
        )
        for event in runner.runtime.hooks.events():
            extension.handlers.append(
                Registration(
                    extension=extension,
                    event=event,
                    target=self._surround,
                    sequence=extension.next_sequence(),
                    door="hookimpl",
                    first=True,
                    wrapper="sync",
                )
            )
        self._line({"journal": FORMAT})
        runner.add_outermost(extension, self._timed)

    # the wrapper

    def _surround(self, event: Any, ctx: Any) -> Generator[None, Any, None]:
        outer = _CURRENT.get()
        self._seq += 1
        entry = Entry(self._seq, outer, event, self._now_ns())
        _CURRENT.set(entry)
        outcome: dict[str, Any] = {}
        try:
            result = yield
            if result is not None:
                outcome["result"] = _headers(result) if entry.event in _SECRET else brief(result)
        except BaseException as error:
            outcome["error"] = text_of_error(error)
            raise
        finally:
            _CURRENT.set(outer)
            self._end(entry, outcome)

    def _end(self, entry: Entry, outcome: Mapping[str, Any]) -> None:
        line: dict[str, Any] = {
            "seq": entry.seq,
            "parent": None if entry.parent is None else entry.parent.seq,
            "at_us": (entry.started_ns - self._started_ns) // 1000,
            "event": entry.event,
            "us": self._since_us(entry.started_ns),
            "about": entry.about,
            "handlers": entry.handlers,
            **outcome,
        }
        self._line(line)

    # around a handler

    def _timed(self, handler: Handler) -> Handler:
        call = handler.call

        def timed(event: Any, ctx: Any) -> Any:
            started_ns = self._now_ns()
            try:
                answer = call(event, ctx)
            except BaseException as error:
                self._note(handler, started_ns, {"error": text_of_error(error)})
                raise
            if is_awaitable(answer):
                return self._awaited(handler, started_ns, answer)
            self._note(handler, started_ns, _answer(answer))
            return answer

        return Handler(timed, handler.owner, handler.event, handler.target)

    async def _awaited(self, handler: Handler, started_ns: int, work: Awaitable[Any]) -> Any:
        try:
            answer = await work
        except BaseException as error:
            self._note(handler, started_ns, {"error": text_of_error(error)})
            raise
        self._note(handler, started_ns, _answer(answer))
        return answer

    def _note(self, handler: Handler, started_ns: int, outcome: Mapping[str, Any]) -> None:
        entry = _CURRENT.get()
        if entry is not None and entry.event == handler.event:
            entry.handlers.append({"extension": handler.owner, "us": self._since_us(started_ns), **outcome})

    def _since_us(self, started_ns: int) -> int:
        return (self._now_ns() - started_ns) // 1000

    def _line(self, value: Mapping[str, Any]) -> None:
        if self._broken:
            return
        try:
            self._write(_json(value) + "\n")
        except (OSError, ValueError) as error:  # a full disk, a closed file: the session goes on without
            self._broken = True
            if self._runner is not None:
                self._runner.report(
                    Diagnostic("warning", "journal-broken", "trace", f"the journal ends here: {error}")
                )


@contextmanager
def journal_file(path: Path) -> Iterator[Journal]:
    """A journal in a new file, one line at a time, so that a crash leaves whole lines. Raises OSError."""
    with path.open("w", encoding="utf-8", newline="\n", buffering=1) as file:
        yield Journal(file.write)


def brief(value: Any) -> Any:
    """A value as JSON, with a long one cut to text; whatever it is, it does not fail."""
    try:
        wire = to_wire(value.fields if isinstance(value, GateAnswer) else value)
        text = _json(wire)
    except Exception:  # noqa: BLE001 - an author's object may do anything when it is looked at
        return f"<{type(value).__name__}>"
    return wire if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}… ({len(text)} characters)"


def _answer(value: Any) -> dict[str, Any]:
    return {} if value is None else {"answer": brief(value)}


def _headers(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, Mapping) else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
