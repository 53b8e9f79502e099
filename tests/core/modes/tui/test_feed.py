"""What a session tells becomes blocks: the same ones while it happens and from the history."""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs.definitions import ToolResult
from hookspecs.messages import (
    AssistantMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCallContent,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from pi_core.agent import events as e
from pi_core.history.entries import CompactionEntry, CustomEntry
from pi_core.history.sessions import memory_session
from pi_core.modes.tui.blocks.notes import EntryBlock
from pi_core.modes.tui.blocks.rendering import NoRenderers
from pi_core.modes.tui.blocks.tool import ToolBlock
from pi_core.modes.tui.feed import Feed
from pi_core.modes.tui.log.block import Block
from pi_core.modes.tui.style.builtin import dark
from pi_core.modes.tui.style.look import Look
from pi_core.providers import base as p
from pi_core.session import events as s
from pi_pkg import Diagnostic


class Paper:
    """A log that only keeps."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.touched: list[Block] = []

    def append(self, block: Block) -> None:
        self.blocks.append(block)

    def touch(self, block: Block) -> None:
        self.touched.append(block)

    @property
    def lines(self) -> list[str]:
        look = Look(dark())
        laid = []
        for block in self.blocks:
            strips = block.lines(60, look)
            laid += [""] * bool(strips and block.gap) + [strip.text.strip() for strip in strips]
        return laid


def feed() -> tuple[Feed, Paper]:
    paper = Paper()
    return Feed(paper, NoRenderers()), paper


def streamed(feed: Feed, *updates: p.UpdateEvent) -> AssistantMessage:
    message = AssistantMessage()
    feed.hear(e.MessageStart(message=message))
    for update in updates:
        feed.hear(e.MessageUpdate(message=message, assistant_message_event=update))
    return message


CALL = ToolCallContent(id="c1", name="bash", arguments={"command": "ls"})
ANSWER = AssistantMessage(
    content=[ThinkingContent(thinking="well"), TextContent(text="I look."), CALL], stop_reason="toolUse"
)
RESULT = ToolResultMessage(tool_call_id="c1", tool_name="bash", content=[TextContent(text="a.py")])
SHOWN = ["", "▌ list", "", "▸ Thinking  well", "", "I look.", "", "● bash $ ls", "a.py"]


def test_a_turn_is_shown_as_it_happens() -> None:
    """Prompt, thought, words, call and result, each in its place."""
    hearing, paper = feed()
    hearing.hear(e.MessageStart(message=UserMessage(content="list")))
    streamed(
        hearing,
        p.ThinkingStart(content_index=0),
        p.ThinkingDelta(content_index=0, delta="well"),
        p.ThinkingEnd(content_index=0, content="well"),
        p.TextDelta(content_index=1, delta="I "),
        p.TextDelta(content_index=1, delta="look."),
        p.TextEnd(content_index=1, content="I look."),
        p.ToolCallStart(content_index=2, id="c1", tool_name="bash"),
        p.ToolCallDelta(content_index=2, delta='{"command": "ls"}'),
        p.ToolCallEnd(content_index=2, tool_call=CALL),
    )
    assert [*SHOWN[:7], "○ bash $ ls"] == paper.lines
    hearing.hear(e.MessageEnd(message=ANSWER))
    hearing.hear(e.ToolExecutionStart(tool_call_id="c1", tool_name="bash", args=CALL.arguments))
    partial = ToolResult(content="a")
    hearing.hear(
        e.ToolExecutionUpdate(
            tool_call_id="c1", tool_name="bash", args=CALL.arguments, partial_result=partial
        )
    )
    assert [*SHOWN[:7], "◐ bash $ ls", "a"] == paper.lines
    done = ToolResult(content="a.py")
    hearing.hear(e.ToolExecutionEnd(tool_call_id="c1", tool_name="bash", result=done, is_error=False))
    hearing.hear(e.MessageEnd(message=RESULT))
    assert SHOWN == paper.lines


def test_a_history_is_shown_as_it_happened() -> None:
    """The same lines as while it went on."""
    store = memory_session("/")
    for message in (UserMessage(content="list"), ANSWER, RESULT):
        store.append_message(message)
    hearing, paper = feed()
    hearing.restore(store.get_branch())
    assert SHOWN == paper.lines


@pytest.mark.parametrize("final", ["another text", "", "one two three"])
def test_the_final_message_wins(final: str) -> None:
    """Whoever rewrites an answer at its end has it shown so."""
    hearing, paper = feed()
    streamed(hearing, p.TextDelta(content_index=0, delta="one two"))
    hearing.hear(e.MessageEnd(message=AssistantMessage(content=[TextContent(text=final)])))
    assert [final] * bool(final) == [line for line in paper.lines if line]


@pytest.mark.parametrize(
    ("stop", "said", "sign"),
    [
        ("error", "no such host", "✕ no such host"),
        ("aborted", None, "! Stopped."),
        ("length", None, "! The answer was cut off at the model's output limit."),
    ],
)
def test_an_answer_that_did_not_end_well_says_so(stop: Any, said: str | None, sign: str) -> None:
    """Under what there is of it, also if it failed at once."""
    hearing, paper = feed()
    hearing.hear(e.MessageEnd(message=AssistantMessage(stop_reason=stop, error_message=said)))
    assert ["", sign] == paper.lines


def test_a_call_that_never_came_back_is_no_running_one() -> None:
    """When the run ends, nothing runs."""
    hearing, paper = feed()
    hearing.hear(e.MessageEnd(message=ANSWER))
    hearing.hear(e.AgentEnd(messages=[]))
    assert "dropped" == next(block.state for block in paper.blocks if isinstance(block, ToolBlock))


def test_rows_without_a_body_stand_together() -> None:
    """A gap separates what belongs to something else."""
    hearing, paper = feed()
    for number, name in enumerate(("read", "ls", "bash", "read")):
        hearing.call(f"c{number}", name)
    assert [True, False, True, True] == [block.gap for block in paper.blocks]


def test_messages_of_extensions_are_shown_if_they_want_to_be() -> None:
    """Entries only by a renderer."""
    hearing, paper = feed()
    hearing.hear(e.MessageStart(message=CustomMessage(custom_type="note", content="seen")))
    hearing.hear(e.MessageStart(message=CustomMessage(custom_type="note", content="unseen", display=False)))
    entry = CustomEntry(id="1", parent_id=None, timestamp="", custom_type="state")
    hearing.hear(s.EntryAppended(entry=entry))
    assert ["", "┃ note", "┃ seen"] == paper.lines
    assert isinstance(paper.blocks[-1], EntryBlock)


def test_images_of_a_prompt_are_counted() -> None:
    """They stand under it."""
    hearing, paper = feed()
    content: list[UserContent] = [TextContent(text="see"), ImageContent(data="", mime_type="image/png")]
    hearing.hear(e.MessageStart(message=UserMessage(content=content)))
    assert ["", "▌ see", "▌ [1 image]"] == paper.lines


def test_a_summary_stands_where_it_was_made() -> None:
    """What came before it stays in the log."""
    hearing, paper = feed()
    hearing.restore(
        [CompactionEntry(id="1", parent_id=None, timestamp="", summary="all", tokens_before=12345)]
    )
    assert paper.lines[1].startswith("── what was before is summarised here (12,345 tokens) ──")


@pytest.mark.parametrize(
    ("end", "line"),
    [
        (
            {"result": s.CompactionResult(summary="all", first_kept_entry_id="1", tokens_before=9)},
            "── what was before",
        ),
        ({"aborted": True}, "! The conversation was not summarised: stopped."),
        ({"error_message": "no model"}, "✕ The conversation was not summarised: no model"),
    ],
)
def test_a_compaction_says_how_it_went(end: dict[str, Any], line: str) -> None:
    """The summary stands in the log, or why there is none."""
    hearing, paper = feed()
    hearing.hear(s.CompactionEnd(reason="manual", **end))
    assert paper.lines[1].startswith(line)


def test_findings_are_notices_and_quiet_ones_are_not() -> None:
    """With what to do about them."""
    hearing, paper = feed()
    loud = Diagnostic("error", "package-missing", "resolve", "It is gone.", path="/x", hint="Install it.")
    quiet = Diagnostic("info", "stale-context", "run", "old")
    for finding in (loud, quiet):
        hearing.hear(s.DiagnosticFound(diagnostic=finding))
    assert ["", "✕ /x: It is gone.", "Install it."] == paper.lines


def test_a_long_answer_becomes_blocks_of_their_own() -> None:
    """Those that are finished are not touched again."""
    hearing, paper = feed()
    text = "A paragraph that is long enough to matter, and then some more of it.\n\n" * 60
    streamed(
        hearing, *(p.TextDelta(content_index=0, delta=text[at : at + 12]) for at in range(0, len(text), 12))
    )
    assert len(paper.blocks) > 10
    del paper.touched[:]
    hearing.hear(e.MessageEnd(message=AssistantMessage(content=[TextContent(text=text)])))
    assert len(paper.touched) <= 1
