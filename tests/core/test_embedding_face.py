"""What a program reads of its session, and what it hears when it gives something else than was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pi_core
from pi_core.history.entries import MessageEntry


def a_function(pi: object) -> None:
    """No tool."""


async def test_the_place_and_the_history_can_be_read(tmp_path: Path) -> None:
    """What a fork needs is there without a look inside: the id of an entry, and the file to come back to."""
    options: Any = {"cwd": tmp_path, "agent_dir": tmp_path / "agent", "discover": False}
    async with pi_core.create_runtime(**options) as runtime:
        session = runtime.session
        await session.prompt("run: echo one")
        await session.prompt("run: echo two")
        asked = [entry for entry in session.history.get_branch() if isinstance(entry, MessageEntry)]
        file = session.session_file
        assert file is not None
        assert session.session_id in file
        assert Path(file).exists()
        said = [entry.id for entry in asked if entry.message.role == "user"]
        await runtime.fork(said[-1])
        assert runtime.session.session_file != file
        await runtime.switch_session(file)
        assert [entry.id for entry in runtime.session.history.get_entries()][-len(asked) :] == [
            entry.id for entry in asked
        ]


async def test_a_conversation_in_memory_has_no_file(tmp_path: Path) -> None:
    memory = pi_core.memory_session(tmp_path, session_id="mine")
    async with pi_core.create_session(cwd=tmp_path, agent_dir=tmp_path, session_store=memory) as session:
        assert (None, "mine") == (session.session_file, session.session_id)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"custom_tools": [a_function]},
            r"a_function.* in custom_tools is not a ToolDefinition; .*@pi\.tool",
        ),
        (
            {"session_store": "x.jsonl"},
            r"'x\.jsonl' is the name of a file; open it with pi_core\.open_session",
        ),
    ],
)
def test_a_value_of_another_kind_is_refused_at_the_call(options: dict[str, Any], sentence: str) -> None:
    """Each would fail much later otherwise, with a sentence about the inside."""
    with pytest.raises(TypeError, match=f"^create_session: .*{sentence}"):
        pi_core.create_session(**options)


@pytest.mark.parametrize("message", [None, 3, ["hello"]])
async def test_a_message_that_is_no_text_is_refused(tmp_path: Path, message: Any) -> None:
    """Nothing begins, and the next message is answered."""
    async with pi_core.create_session(cwd=tmp_path, agent_dir=tmp_path, discover=False) as session:
        with pytest.raises(TypeError, match="a text is needed"):
            await session.prompt(message)
        assert "started" == await session.prompt("hello")
