"""The recorded scenarios: what is said, what the scripted model answers, which extension is at hand.

An extension file may load from here too: `recorder` writes down what extensions are told.

Touches: files.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookspecs.context import DeliverAs
from hookspecs.definitions import ToolResult
from hookspecs.laws import LAWS
from hookspecs.wire import to_wire
from pi_core.api import Block, ExtensionAPI
from pi_core.modes.base import json_line
from tests.support.session_bench import NOT_RECORDED, Factory, call, calls


@dataclass(frozen=True, slots=True)
class Case:
    """One scenario. `golden` names its traces, `settings` is the text of the user's settings file."""

    golden: str
    script: Sequence[Any]
    extension: Factory
    prompts: tuple[str, ...] = ("go",)
    settings: str = ""


def recorder(path: Path) -> Factory:
    """An extension that appends every event that the traces know to a file, one a line."""

    def extension(pi: ExtensionAPI) -> None:
        def hear(event: Any, ctx: Any) -> None:
            with path.open("a", encoding="utf-8") as file:
                file.write(json_line(to_wire(event)))

        for event in LAWS.keys() - NOT_RECORDED:
            pi.on(event, hear, optional=True, first=True)

    return extension


def recorded(path: Path) -> list[dict[str, Any]]:
    """What a recorder wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def nothing(pi: ExtensionAPI) -> None:
    """An extension that registers nothing."""


def blocks(pi: ExtensionAPI) -> None:
    """An extension that refuses every call."""
    pi.on("tool_call", lambda event, ctx: Block("nope-blocked"))


def aborts_at(event: str, wanted: str) -> Factory:
    """An extension that aborts at an event of which the given words are part."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on(event, optional=True)
        def abort(event: Any, ctx: Any) -> None:
            if wanted in repr(event):
                ctx.abort()

    return extension


def sends_at(event: str, *messages: tuple[str, DeliverAs]) -> Factory:
    """An extension that sends messages once, at the first event of a name."""

    def extension(pi: ExtensionAPI) -> None:
        left = [*messages]

        @pi.on(event, optional=True)
        def send(event: Any, ctx: Any) -> None:
            while left:
                text, deliver_as = left.pop(0)
                pi.send_user_message(text, deliver_as=deliver_as)

    return extension


def sequential_tool(pi: ExtensionAPI) -> None:
    """A tool that makes its batch sequential."""

    @pi.tool(mode="sequential")
    async def seq(says: str, on_update: Any) -> str:
        on_update(ToolResult(content="working"))
        return says


def ending_tool(pi: ExtensionAPI) -> None:
    """A tool that ends the run; the first of two calls waits for the second."""
    second_is_over = asyncio.Event()

    @pi.tool
    async def term(says: str, on_update: Any) -> ToolResult:
        on_update(ToolResult(content="working"))
        await asyncio.sleep(0)
        if says == "term1":
            await second_is_over.wait()
        return ToolResult(content=says, terminate=True)

    @pi.on("tool_execution_end")
    def ended(event: Any, ctx: Any) -> None:
        second_is_over.set()


def compacting_command(pi: ExtensionAPI) -> None:
    """A command that asks for a compaction and does not wait for it."""

    @pi.command("compactit")
    def compactit(args: str, ctx: Any) -> None:
        ctx.compact()


def answer(tokens: int, used: int) -> dict[str, Any]:
    """An answer of about so many tokens, after a request of so many."""
    return {"text": "word" * tokens, "usage": {"input": used, "output": tokens}}


ECHO = call("bash", command="echo hi")
FAILS = {"error": '500: {"message":"Internal server error overloaded","type":"server_error"}'}
TOO_LONG = {"error": "400: This model's maximum context length is 1000 tokens."}
SHORT_TALK = "[compaction]\nreserve-tokens = 127000\nkeep-recent-tokens = 250\n"
"""More than a thousand tokens are too many, and of those about 250 stay."""
SLOW = {"text": "a long answer", "pace_s": 0.01}
TWO = calls(call("bash", command="sleep 1.5; echo A"), call("bash", command="echo B"))
CASES: dict[str, Case] = {
    "01": Case("plain", ["Hello there"], nothing),
    "02": Case("one_tool", [ECHO, "done"], nothing),
    "03": Case("blocked_tool", [ECHO, "done"], blocks),
    "04": Case("tool_error", [call("bash", command="echo boom; exit 3"), "done"], nothing),
    "05": Case("parallel", [TWO, "done"], nothing),
    "06": Case("sequential", [calls(call("seq", says="seq1"), call("seq", says="seq2")), "done"],
               sequential_tool),
    "07": Case("abort_stream", [SLOW], aborts_at("message_update", "TextDelta")),
    "08": Case("abort_tool", [call("bash", command="sleep 20"), "never said"],
               aborts_at("tool_execution_update", "")),
    "09": Case("steer", [ECHO, "done"], sends_at("tool_execution_start", ("STEERTXT", "steer"))),
    "10": Case("followup", [ECHO, "one", "two"],
               sends_at("tool_execution_start", ("FOLLOWTXT", "follow_up"))),
    "11": Case("steer_and_followup", [ECHO, "one", "two"],
               sends_at("tool_execution_start", ("STEERTXT", "steer"), ("FOLLOWTXT", "follow_up"))),
    "14": Case("followup_from_agent_end", ["one", "two"],
               sends_at("agent_end", ("@@plain again", "follow_up"))),
    "15": Case("compaction_threshold", [answer(100, 50), answer(200, 1500), "summary", answer(5, 400)],
               nothing, ("first", "second", "third"), SHORT_TALK),
    "16": Case("compaction_overflow", [answer(100, 50), answer(200, 300), TOO_LONG, "summary", "done"],
               nothing, ("first", "second", "go"), SHORT_TALK),
    "17": Case("compaction_manual", [answer(100, 50), answer(200, 300), "summary"], compacting_command,
               ("go", "two", "/compactit"), SHORT_TALK),
    "19": Case("retry_success", [FAILS, FAILS, "done"], nothing, settings="[retry]\nbase-delay-ms = 1\n"),
    "25": Case("terminate", [calls(call("term", says="term1"), call("term", says="term2"))], ending_tool),
}  # fmt: skip
"""By the number of the host page, part 13.A."""
