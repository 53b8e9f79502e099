"""docs/json.md names every record and every field of the stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from hookspecs.wire import camel
from pi_core.agent import events as loop
from pi_core.modes.base import json_line
from pi_core.providers.base import UpdateEvent
from pi_core.session.events import DiagnosticFound, ExtensionError, SessionEvent
from pi_core.session.wire_events import wire_event
from pi_pkg import Diagnostic
from tests.support.golden_cases import CASES
from tests.support.session_bench import SessionBench

ROOT = Path(__file__).parents[3]
SPECIAL = {
    loop.MessageUpdate: {"assistantMessageEvent", "usage"},
    loop.TurnStart: set(),
    loop.TurnEnd: {"message", "toolResults"},
    DiagnosticFound: {field.name for field in fields(Diagnostic)},
}
"""Records that are not the fields of their event."""


def rows() -> dict[str, set[str]]:
    """Record or event → the fields that its line of the page names."""
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for names, said in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|(.*)\|$", text, re.MULTILINE):
        for name in re.findall(r"\w+", names):
            found[name] = set(re.findall(r"`(\w+)`", said))
    return found


def type_of(kind: Any) -> str:
    """The type that the records of an event have."""
    return str(next(field.default for field in fields(kind) if field.name == "type"))


def records() -> Iterator[tuple[str, set[str]]]:
    """Type and fields of every record that an event may become."""
    for kind in get_args(SessionEvent):
        if kind is not ExtensionError:  # told as a diagnostic
            own = {camel(field.name) for field in fields(kind) if field.name != "type"}
            yield type_of(kind), SPECIAL.get(kind, own)


def test_every_record_is_documented() -> None:
    """Each session event has a line, and each line an event, but for the header and the updates."""
    updates = {type_of(kind) for kind in get_args(UpdateEvent)}
    assert {name for name, _ in records()} | updates | {"session"} == set(rows())


@pytest.mark.parametrize(
    ("name", "own"), [*records()], ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_field_is_documented(name: str, own: set[str]) -> None:
    """The line of a record names all its fields; an update of a tool has those of its start."""
    known = rows()[name] | (rows()["tool_execution_start"] if name == "tool_execution_update" else set())
    assert not own - known


@pytest.mark.parametrize("kind", get_args(UpdateEvent), ids=lambda kind: kind.__name__)
def test_every_field_of_an_update_is_documented(kind: Any) -> None:
    """The line of an update names its fields, but those that all have."""
    own = {camel(field.name) for field in fields(kind)}
    assert not own - rows()[type_of(kind)] - {"type", "contentIndex"}


@pytest.mark.parametrize("number", ["02", "09", "17", "19"])
async def test_streams_hold_what_is_documented(number: str, tmp_path: Path) -> None:
    """Records of whole sessions have documented types and fields, the type first."""
    case = CASES[number]
    bench = await SessionBench(tmp_path, case.script, case.extension, settings=case.settings).run(
        *case.prompts
    )
    shared = rows()["tool_execution_start"]
    for event in bench.events:
        record = json.loads(json_line(wire_event(event)))
        assert "type" == next(iter(record))
        assert not set(record) - {"type"} - rows()[record["type"]] - shared
