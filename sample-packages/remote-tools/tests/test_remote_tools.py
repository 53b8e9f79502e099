"""The agent is here, and its tools work where a command can run."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from pi_sample_remote_tools import Machine, extension

from pi_core.api import AbortController, Bash, ExtensionAPI, SessionStart, UserBash, text_of
from pi_core.testing.plugin import HarnessMaker, SessionMaker

PROGRAM = "sh -c"
"""What would be `docker exec -i box sh -c`."""


@pytest.fixture
def there(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "note.txt").write_text("found there")
    return folder


def test_the_tools_work_there(pi_harness: HarnessMaker, there: Path) -> None:
    """Relative names are those of the folder there, and what is written is written there."""
    pi = pi_harness(extension, flags={"on": PROGRAM, "on-folder": str(there)})
    pi.emit(SessionStart(reason="startup"))
    assert {"bash", "edit", "find", "grep", "ls", "read", "write"} == set(pi.tools)
    assert "found there" == text_of(pi.call_tool("read", path="note.txt").content)
    pi.call_tool("write", path="new.txt", content="from afar")
    assert ("from afar", "new.txt\nnote.txt") == (
        (there / "new.txt").read_text(), text_of(pi.call_tool("find", pattern="*.txt").content),
    )  # fmt: skip
    assert f"{there}\n" == text_of(pi.call_tool("bash", command="pwd").content)


def test_without_the_flag_nothing_changes(pi_harness: HarnessMaker) -> None:
    """No tool is replaced, and commands of the person run here."""
    pi = pi_harness(extension)
    pi.emit(SessionStart(reason="startup"))
    assert [] == pi.tools
    assert pi.emit(UserBash(command="ls", cwd="/", exclude_from_context=False)) is None


def test_a_model_is_told_where_it_is(pi_session: SessionMaker, there: Path) -> None:
    """A whole session: the model reads a file there, and its prompt names the folder there."""
    prompts: list[str] = []

    def placed(pi: ExtensionAPI) -> None:
        pi.register_flag("on", type="string", default=PROGRAM)  # the first default of a flag counts
        pi.register_flag("on-folder", type="string", default=str(there))
        extension(pi)
        pi.on("agent_start", lambda event, ctx: prompts.append(ctx.get_system_prompt()))

    pi = pi_session(placed, script=[{"tool": "read", "arguments": {"path": "note.txt"}}, "done"])
    pi.prompt("look")
    assert ["found there"] == [text_of(result.content) for result in pi.results]
    assert f"on another machine: {there}" in prompts[0]


def test_what_a_person_types_runs_there(pi_harness: HarnessMaker, there: Path) -> None:
    """The answer to user_bash carries the machine, whose folder counts instead of the one here."""
    pi = pi_harness(extension, flags={"on": PROGRAM, "on-folder": str(there)})
    pi.emit(SessionStart(reason="startup"))
    answer = pi.emit(UserBash(command="pwd", cwd="/", exclude_from_context=False))
    assert isinstance(answer, Bash)
    assert str(there) == answer.operations.folder


def test_an_abort_ends_the_program(there: Path) -> None:
    """The program that runs the command is ended, and what it had said was told."""
    controller = AbortController()
    said: list[bytes] = []

    def hear(piece: bytes) -> None:
        said.append(piece)
        controller.abort()

    machine = Machine([sys.executable, "-c", "import os; os.write(1, b'1\\n')\nwhile True: pass"], str(there))
    running = machine.exec("", "/", on_data=hear, signal=controller.signal, env=None)
    code = asyncio.run(running)
    assert (b"1\n", True) == (b"".join(said), code < 0)
