"""docs/rpc.md: every command is there, and every example is true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pi_core.modes.rpc.framing import MAX_RECORD_BYTES
from pi_core.modes.rpc.records import MOST_WAITING
from pi_core.modes.rpc.server import AT_ONCE
from pi_core.modes.rpc.table import COMMANDS
from tests.architecture.sources import ROOT
from tests.support.agent_cli import AgentCli
from tests.support.rpc_client import rpc

TEXT = (ROOT / "docs" / "rpc.md").read_text(encoding="utf-8")
PAIRS = [
    (json.loads(asked), json.loads(answer)) for asked, answer in re.findall(r"^→ (.*)\n← (.*)$", TEXT, re.M)
]


def test_every_command_has_an_example() -> None:
    """And every example is a command, with an answer of its own."""
    assert sorted(COMMANDS) == sorted(asked["type"] for asked, _ in PAIRS)
    assert all((a["id"], a["type"]) == (b["id"], b["command"]) for a, b in PAIRS)


@pytest.mark.parametrize(("asked", "_answer"), PAIRS, ids=[asked["type"] for asked, _ in PAIRS])
def test_an_example_uses_every_field(asked: dict[str, Any], _answer: Any) -> None:
    """The fields of a command are all shown, and nothing is wrong with them."""
    command = COMMANDS[asked["type"]]
    assert None is command.mistake(asked)
    assert {field.name for field in command.fields} == asked.keys() - {"id", "type"}


@pytest.mark.slow
def test_the_examples_work_one_after_another(pi: AgentCli) -> None:
    """Each answer has the fields that its example shows."""
    long = "word " * 30_000
    with rpc(pi) as client:
        for _ in range(2):
            client.run(long)
        state = client.data("get_state")
        (message, *_) = client.data("get_fork_messages")["messages"]
        places = {"FILE": state["sessionFile"], "MESSAGE": message["entryId"], "ENTRY": message["entryId"]}
        for asked, expected in PAIRS:
            fields = {name: places.get(str(value), value) for name, value in asked.items()}
            client.write(json.dumps(fields).encode() + b"\n")
            answer = client.answer_to(asked["id"])
            assert expected.keys() == answer.keys(), answer
            assert (expected.get("data") or {}).keys() == (answer.get("data") or {}).keys(), answer
            if asked["type"] == "prompt":
                client.wait("agent_settled", client.records.index(answer))
        assert (pi.project / "page.html").is_file()


def test_the_limits_are_the_stated_ones() -> None:
    """What the page says about sizes and numbers is what counts."""
    assert f"({MAX_RECORD_BYTES} bytes)" in TEXT
    assert f"up to {AT_ONCE} at once" in TEXT
    assert MOST_WAITING == 64 * 1024 * 1024


def test_the_readme_leads_here() -> None:
    """The page is found from the first one."""
    assert "docs/rpc.md" in Path(ROOT / "README.md").read_text(encoding="utf-8")
