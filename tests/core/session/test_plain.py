"""Whatever an extension stores becomes JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import CustomMessage, ExtensionAPI, ResultPatch, ToolResult, text_of
from pi_core.embedding import create_session
from pi_core.modes.base import json_line
from pi_core.session.plain import DEEPEST, plain
from pi_core.session.wire_events import wire_event
from tests.support.session_bench import call


@dataclass
class Node:
    """A record that can hold itself."""

    inner_name: str = "n"
    others: list[Any] = field(default_factory=list)


class Unspeakable:
    def __str__(self) -> str:
        raise ValueError("no name")


def circular() -> dict[str, Any]:
    found: dict[str, Any] = {"a": 1}
    found["b"] = [found, found]
    return found


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(5000):
        found = [found]
    return found


def ring() -> Node:
    node = Node()
    node.others.append(node)
    return node


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({1: (True, None, 2.5)}, {"1": [True, None, 2.5]}, id="plain"),
        pytest.param({1, 2}.__class__, "<class 'set'>", id="class"),
        pytest.param(float("inf"), "inf", id="infinite"),
        pytest.param(Unspeakable(), "(Unspeakable)", id="unspeakable"),
        pytest.param(circular(), {"a": 1, "b": ["(dict …)", "(dict …)"]}, id="circular"),
        pytest.param(Node(others=[1]), {"innerName": "n", "others": [1]}, id="record"),
    ],
)
def test_a_value_as_json(value: Any, expected: Any) -> None:
    """What JSON does not know becomes text, and so does what holds itself."""
    assert expected == plain(value)


@pytest.mark.parametrize("value", [deep(), ring(), circular()], ids=["deep", "ring", "circular"])
def test_everything_can_be_written(value: Any) -> None:
    """However deep or round it is."""
    assert len(json.dumps(plain(value))) < 100 * DEEPEST


@pytest.mark.parametrize("value", [deep(), ring(), circular()], ids=["deep", "ring", "circular"])
async def test_odd_details_end_no_run(tmp_path: Path, value: Any) -> None:
    """As the details of a result, of an update, of a patch and a note, and as an entry."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("tool_result", lambda event, ctx: ResultPatch(details=value))

        @pi.tool
        def odd(on_update: Any) -> ToolResult:
            on_update(ToolResult(content="half", details=value))
            pi.append_entry("odd", value)
            pi.send_message(CustomMessage(custom_type="odd", content="note", details=value))
            return ToolResult(content="whole", details=value)

    script = tmp_path / "script.json"
    script.write_text(json.dumps([call("odd"), "done"]), encoding="utf-8")
    lines: list[str] = []
    opening = create_session(
        cwd=tmp_path, agent_dir=tmp_path / "agent", environ={"PI_SCRIPT": str(script)}, extensions=[extension]
    )  # fmt: skip
    async with opening as session:
        with session.subscribe(lambda event: lines.append(json_line(wire_event(event)))):
            await session.prompt("go")
        last: Any = session.messages[-1]
        assert "done" == text_of(last.content)
        assert () == session.diagnostics
    assert '"agent_settled"' in lines[-1]
