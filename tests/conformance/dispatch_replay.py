"""One recorded program, run: the outcome as the recording would write it.

Pure.
"""

from __future__ import annotations

import copy
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Final

from hookspecs import UNSET, Context, ContextWithSystem
from pi_core.dispatch import Failure, GateAnswer, HandlerFailed, InputOutcome, Report
from tests.conformance.dispatch_programs import (
    Door,
    PlanDoor,
    Program,
    Recorder,
    Row,
    attribute,
    build_event,
    plain,
    same,
    without_nulls,
)

OUR_KINDS: Final = frozenset({"wrong-answer", "unknown-key", "odd-decision"})
"""What we report where the recorded runner says nothing, or says that the answer broke it."""

_BROKEN: Final = frozenset({"bad-answer", "invalid-answer"})


class ListenerError(Exception):
    """What the second error listener of some programs raises."""


@dataclass
class Replay:
    """A program with its registrations; `run` may be called again on the same registrations."""

    row: Row
    door: Door

    def __post_init__(self) -> None:
        self.program = Program(self.row, self.door)

    async def run(self) -> dict[str, Any]:
        """The outcome of one dispatch."""
        program, row = self.program, self.row
        program.recorder = Recorder()
        given = copy.deepcopy(row["input"])
        held = given.get("input")
        event = build_event(row, given, render, preview)

        def report(failure: Failure) -> None:
            program.recorder.errors.append(as_recorded(failure))
            if failure.kind not in OUR_KINDS and row.get("listener") == "raises":
                raise ListenerError("listener")

        result: Any = None
        raised: str | None = None
        try:
            result = await self._dispatch(event, report)
        except HandlerFailed as refusal:
            raised = str(refusal)
        except ListenerError as error:
            raised = str(error)
        outcome = {
            "calls": program.recorder.calls,
            "seen": program.recorder.seen,
            "result": plain_result(result, row["family"]),
            "errors": program.recorder.errors,
            "raised": raised,
            "input_after": input_after(event, row, given),
        }
        if row["family"] == "tool_call":
            outcome["held_after"] = plain(held)
        return outcome

    async def _dispatch(self, event: Any, report: Report) -> Any:
        if self.row["event"] == "context_with_system":
            messages = await self.door.emit(Context(messages=event.messages), report)
            event = ContextWithSystem(messages=messages)
        return await self.door.emit(event, report)


def plan_replay(row: Row) -> Replay:
    """A row against the dispatcher by itself."""
    return Replay(row, PlanDoor([extension["name"] for extension in row["extensions"]]))


def disagreements(got: dict[str, Any], expected: dict[str, Any], family: str) -> list[str]:
    """The parts in which an outcome and a recorded one differ."""
    return [part for part, value in expected.items() if not _agree(part, got[part], value, family)]


def _agree(part: str, got: Any, expected: Any, family: str) -> bool:
    match part:
        case "errors":
            return errors_agree(got, expected)
        case "raised" if isinstance(expected, str) and expected.startswith("<"):
            return got is not None
        case "seen":
            return same(_seen(got), _seen(expected))
        case "result" if family == "project_trust" and expected is not None:
            return got is not None and same(without_nulls(got), verdict(expected))
        case "result" | "input_after":
            return same(without_nulls(got), without_nulls(expected))
        case _:
            return same(got, expected)


def _seen(entries: list[list[Any]]) -> list[list[Any]]:
    return [[handler, path, without_nulls(value)] for handler, path, value in entries]


def verdict(recorded: Any) -> dict[str, Any]:
    """What a recorded trust answer means: anything but the word yes is no."""
    given = recorded if isinstance(recorded, dict) else {}
    remember = {"remember": given["remember"]} if "remember" in given else {}
    return {"trusted": "yes" if given.get("trusted") == "yes" else "no", **remember}


def errors_agree(got: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """Whether the recorded errors are ours, in order, but for those that only we report.

    Where the recorded runner stumbled over an answer, we call the answer wrong.
    """
    left = list(expected)
    for error in got:
        if left and _is_error(error, left[0]):
            left.pop(0)
        elif error["kind"] not in OUR_KINDS:
            return False
    return not left


def _is_error(error: dict[str, Any], recorded: dict[str, Any]) -> bool:
    broken = recorded["kind"] in _BROKEN and error["kind"] == "wrong-answer"
    return error == recorded or (broken and error["extension"] == recorded["extension"])


def as_recorded(failure: Failure) -> dict[str, Any]:
    kind = failure.kind
    message = failure.message if kind in {"raised", "invalid-entries"} else None
    return {"extension": failure.extension, "event": failure.event, "message": message, "kind": kind}


def input_after(event: Any, row: Row, given: dict[str, Any]) -> dict[str, Any]:
    """What the caller still holds: the fields of the input, as they are now."""
    if row["family"] == "before_agent_start":
        return {**plain(given), "options": plain(event.system_prompt_options)}
    extras = vars(event).keys() - {"entries", "continue_", "context", "preview"}
    names = {*given, *(name for name in extras if vars(event)[name] is not None)}
    return {name: plain(getattr(event, attribute(name), None)) for name in names}


def plain_result(result: Any, family: str) -> Any:
    """The result in the recording's words."""
    match result:
        case None:
            return None
        case GateAnswer():
            return {name: without_none(value) for name, value in result.fields.items()}
        case InputOutcome(action="handled"):
            return {**plain(dict(result.extra)), "action": "handled"}
        case InputOutcome(action="continue"):
            return {"action": "continue"}
        case InputOutcome():
            return {"action": result.action, "text": result.text, "images": plain(result.images)}
    if family == "before_agent_start":
        return agent_start(result)
    if family == "boundary":
        return {
            "entries": result.entries,
            "continue": result.continue_,
            "context": result.context,
            "valid": result.valid,
        }
    if family == "user_bash":
        operations = plain(result.operations)
        return (
            {"operations": operations} if operations is not UNSET else {"result": without_none(result.result)}
        )
    return without_none(result)


def agent_start(result: Any) -> dict[str, Any]:
    names = ("sections", "prompt_guidelines", "append_system_prompt")
    options = {name: result.options.get(name) for name in names}
    return {"messages": list(result.messages), "system_prompt": result.system_prompt, "options": options}


def without_none(value: Any) -> Any:
    """JSON data, dataclasses as mappings without None and unset fields."""
    if is_dataclass(value) and not isinstance(value, type):
        return {k: plain(v) for k, v in asdict(value).items() if v is not None and v is not UNSET}
    return plain(value)


def render(options: dict[str, Any]) -> str:
    """The system prompt of a run: forced, or a custom one followed by its marked sections."""
    if options.get("force_system_prompt") is not None:
        return str(options["force_system_prompt"])
    sections = {
        "addendum": options.get("append_system_prompt"),
        "cwd": options.get("cwd"),
        **options["sections"],
    }
    marked = [f"<{name}>\n{text}\n</{name}>" for name, text in sections.items() if text]
    return "\n\n".join([options["custom_prompt"], *marked])


def preview(entries: Any) -> dict[str, Any]:
    """The preview builder of the recording."""
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or "type" not in entry or entry["type"] == "bad":
            raise ValueError(f"bad entry {index}")
    return {"preview": [entry["type"] for entry in entries], "can_continue": bool(entries)}
