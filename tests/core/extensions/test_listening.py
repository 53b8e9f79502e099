"""`pi.on` is typed: the overloads are those of the laws, and a type checker tells right from wrong."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hookspecs.events import EVENTS
from hookspecs.laws import LAWS
from tests.core.extensions.on_overloads import TARGET, formatted, render

ROOT = Path(__file__).resolve().parents[3]
HEAD = "from pi_core.api import *\nfrom typing import Any\n"

RIGHT = """
    def extension(pi: ExtensionAPI) -> None:
        @pi.on("tool_call")
        async def guard(event: ToolCall, ctx: ExtensionContext) -> Block | None:
            return Block("no") if event.tool_name == "bash" else None

        @pi.on(SessionStart)
        def start(event: SessionStart, ctx: ExtensionContext) -> None:
            ctx.ui.notify(event.reason)

        @pi.on("input", first=True)
        def rewrite(event: Input, ctx: ExtensionContext) -> dict[str, Any]:
            return {"action": "continue"}

        @pi.on("from_the_future", optional=True)
        def future(event: Any, ctx: Any) -> None: ...

        @pi.on("project_trust")
        def trust(event: ProjectTrust, ctx: ProjectTrustContext) -> Trust:
            return Trust("no")

        @pi.on("tool_call")
        async def loose(event: ToolCall, ctx):  # type: ignore[no-untyped-def]
            return Block("no")

        off: Subscription = pi.on("turn_start", lambda event, ctx: print(event.turn_index))
        off()

        @pi.tool(label="T")
        def t(text: str) -> str:
            return text

        length: int = len(t("typed"))

        @pi.command("c")
        async def c(args: str, ctx: CommandContext) -> None:
            await ctx.new_session()
"""
WRONG = {
    "a misspelt event": 'pi.on("tool_cal", lambda event, ctx: None)',
    "another event's handler": (
        "def start(event: SessionStart, ctx: ExtensionContext) -> None: ...\n    pi.on('tool_call', start)"
    ),
    "another event's answer": (
        "def gate(event: ToolCall, ctx: ExtensionContext) -> Cancel: ...\n    pi.on('tool_call', gate)"
    ),
    "one argument": "pi.on('turn_start', lambda event: None)",
    "a field that the event lacks": "pi.on('turn_start', lambda event, ctx: event.tool_name)",
    "a command without its context": "pi.register_command('c', lambda args: None)",
}


def check(tmp_path: Path, source: str) -> str:
    """What mypy says about an extension."""
    path = tmp_path / "extension_under_test.py"
    path.write_text(HEAD + textwrap.dedent(source), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout


def test_the_overloads_are_those_of_the_laws() -> None:
    """The file is what the generator writes today."""
    assert formatted(render()) == TARGET.read_text(encoding="utf-8")


def test_every_event_has_its_overloads() -> None:
    """Each event is listed by its name, as a decorator and as a call."""
    text = TARGET.read_text(encoding="utf-8")
    assert set(EVENTS) == set(LAWS)
    assert {2} == {text.count(f'Literal["{event}"]') for event in EVENTS}


@pytest.mark.slow
def test_a_right_extension_passes(tmp_path: Path) -> None:
    """Names, classes, options, tools and commands check under strict rules."""
    assert check(tmp_path, RIGHT).startswith("Success")


@pytest.mark.slow
@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_extension_does_not(tmp_path: Path, mistake: str) -> None:
    """Every kind of mistake is a type error in the line where it is made."""
    said = check(tmp_path, f"def extension(pi: ExtensionAPI) -> None:\n    {WRONG[mistake]}\n")
    assert "error:" in said
    assert "extension_under_test.py:" in said
