"""The gate asks a person, refuses without one, and leaves harmless commands alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pi_sample_permission_gate import extension
from pi_sample_permission_gate.danger import find_danger

from pi_core.api import ToolCall
from pi_core.testing import Harness, RecordingUI


def ask(command: str, ui: RecordingUI | None = None, tool: str = "bash") -> Any:
    """What the gate answers to one call."""

    async def run() -> Any:
        async with Harness(extension, ui=ui, strict=True) as pi:
            return await pi.emit(ToolCall(tool_name=tool, tool_call_id="1", input={"command": command}))

    return asyncio.run(run())


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "cd x && rm -v -r y",
        "rm --recursive build",
        "sudo apt install x",
        "git push --force",
        "git push origin main -f",
        "mkfs.ext4 /dev/sdx",
        "dd if=/dev/zero of=/dev/sdx",
        "chmod -R 777 .",
    ],
)
def test_dangerous_commands_are_known(command: str) -> None:
    """Each kind of destruction is recognised."""
    assert find_danger(command) is not None


@pytest.mark.parametrize(
    "command", ["ls", "rm file.txt", "git push", "echo sudoku", "chmod 644 a", "grep -r rm ."]
)
def test_harmless_commands_pass(command: str) -> None:
    """What destroys nothing is not even asked about."""
    assert find_danger(command) is None
    assert ask(command) is None


def test_without_a_person_it_refuses() -> None:
    """Nobody can be asked, so the call is blocked and the model reads why."""
    answer = ask("rm -rf build")
    assert answer.block
    assert "rm -rf build" in answer.reason


def test_a_person_decides() -> None:
    """Yes lets the command run, no blocks it."""
    assert ask("rm -rf build", RecordingUI(confirm=[True])) is None
    assert ask("rm -rf build", RecordingUI(confirm=[False])).block


def test_other_tools_are_not_judged() -> None:
    """Only bash runs shell commands."""
    assert ask("rm -rf build", tool="write") is None
