"""How an author tests: the harness in async tests, the fixtures in plain ones."""

from __future__ import annotations

from pathlib import Path

from pi_core.api import Block, ExtensionAPI, ToolCall, ToolResult
from pi_core.testing import Harness, RecordingUI, Script
from pi_core.testing.plugin import HarnessMaker, PackageReader, SessionMaker


def extension(pi: ExtensionAPI) -> None:
    pi.on("tool_call", lambda event, ctx: Block("no"))


async def test_async() -> None:
    async with Harness(extension, ui=RecordingUI(confirm=[True]), strict=True) as pi:
        answer = await pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={}))
        assert answer.block
        result: ToolResult = await pi.call_tool("double", n=2)
        assert not result.is_error
        await pi.advance(60)


def test_plain(pi_harness: HarnessMaker, pi_package: PackageReader, tmp_path: Path) -> None:
    pi = pi_harness(extension, flags={"plan": True})
    assert pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={})).block
    pi.advance(5)
    package = pi_package(tmp_path, wheel=True)
    assert package.skills == ("skills/review/SKILL.md",)


def test_session(pi_session: SessionMaker) -> None:
    pi = pi_session(extension, script=[{"tool": "bash", "arguments": {"command": "ls"}}, "done"])
    pi.prompt("list")
    assert pi.texts == ["done"]
    assert len(Script.of(["one"]).turns) == 1
