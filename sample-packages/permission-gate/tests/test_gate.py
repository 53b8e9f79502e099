"""The gate asks a person, refuses without one, and leaves harmless commands alone."""

from __future__ import annotations

from typing import Any

import pytest
from pi_sample_permission_gate import extension
from pi_sample_permission_gate.danger import find_danger

from pi_core.api import ToolCall
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker, PackageReader, SessionMaker


def call(command: str, tool: str = "bash") -> Any:
    """One call of a tool, as the gate sees it."""
    return ToolCall(tool_name=tool, tool_call_id="1", input={"command": command})


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
def test_harmless_commands_pass(pi_harness: HarnessMaker, command: str) -> None:
    """What destroys nothing is not even asked about."""
    assert find_danger(command) is None
    assert pi_harness(extension).emit(call(command)) is None


def test_without_a_person_it_refuses(pi_session: SessionMaker) -> None:
    """Nobody can be asked, so the call is blocked and the model reads why."""
    turn = {"tool": "bash", "arguments": {"command": "rm -rf build"}}
    pi = pi_session(extension, script=[turn, "As you wish."])
    pi.prompt("clean up")
    (result,) = pi.results
    assert result.is_error
    assert "rm -rf build" in str(result.content)
    assert pi.texts == ["As you wish."]


def test_a_person_decides(pi_harness: HarnessMaker) -> None:
    """Yes lets the command run, no blocks it."""
    pi = pi_harness(extension, ui=RecordingUI(confirm=[True, False]))
    assert pi.emit(call("rm -rf build")) is None
    assert pi.emit(call("rm -rf build")).block


def test_other_tools_are_not_judged(pi_harness: HarnessMaker) -> None:
    """Only bash runs shell commands."""
    assert pi_harness(extension).emit(call("rm -rf build", tool="write")) is None


def test_the_wheel_brings_the_gate(pi_harness: HarnessMaker, pi_package: PackageReader) -> None:
    """What users install refuses as the source tree does."""
    pi = pi_harness(*pi_package(wheel=True).requests)
    assert pi.emit(call("rm -rf build")).block
