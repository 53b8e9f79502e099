"""From what a session tells to blocks of the log: while it happens, and from a history.

Touches: the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from hookspecs.definitions import ToolResult
from hookspecs.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_core.agent import events as e
from pi_core.extensions.reports import RUNTIME_OWNER
from pi_core.history.context import message_of
from pi_core.history.entries import CustomEntry, Entry
from pi_core.modes.base import QUIET, Repeats, counted
from pi_core.modes.tui.answer import Answer
from pi_core.modes.tui.blocks.notes import CustomBlock, EntryBlock, ShellBlock, SummaryBlock
from pi_core.modes.tui.blocks.notice import NoticeBlock
from pi_core.modes.tui.blocks.prose import PromptBlock
from pi_core.modes.tui.blocks.rendering import Renderers
from pi_core.modes.tui.blocks.tool import ToolBlock
from pi_core.modes.tui.log.block import Block
from pi_core.session import events as s
from pi_pkg import Diagnostic


class LogPort(Protocol):
    """The log as the feed sees it."""

    def append(self, block: Block) -> None: ...
    def touch(self, block: Block) -> None: ...


class Feed:
    """Writes one session into a log. A new one is made for every session."""

    def __init__(self, log: LogPort, renderers: Renderers) -> None:
        self._log = log
        self._renderers = renderers
        self._answer: Answer | None = None
        self._calls: dict[str, ToolBlock] = {}
        self._last: Block | None = None
        self._repeats = Repeats()
        self.prompts: list[PromptBlock] = []
        """What the person said, in order; for jumping from one to the next."""

    # a history

    def restore(self, entries: Iterable[Entry]) -> None:
        """Write what was said before, root first."""
        for entry in entries:
            if isinstance(entry, CustomEntry):
                self.put(EntryBlock(entry, self._renderers))
                continue
            message = message_of(entry)
            if isinstance(message, AssistantMessage):
                Answer(self).finish(message)
            elif message is not None:
                self._add(message)
        self._let_go()

    # what happens

    def hear(self, event: s.SessionEvent) -> None:
        """Write down what is told."""
        match event:
            case e.MessageStart(message=message):
                self._begin(message)
            case e.MessageUpdate(assistant_message_event=update):
                if self._answer is not None:
                    self._answer.update(update)
            case e.MessageEnd(message=message):
                self._end(message)
            case e.ToolExecutionStart():
                self._call(event.tool_call_id, event.tool_name, event.args).state = "running"
                self._touch_call(event.tool_call_id)
            case e.ToolExecutionUpdate():
                self._call(event.tool_call_id, event.tool_name, event.args).result = event.partial_result
                self._touch_call(event.tool_call_id)
            case e.ToolExecutionEnd():
                self._came_back(event)
            case e.AgentEnd():
                self._let_go()
            case s.EntryAppended(entry=CustomEntry() as entry):
                self.put(EntryBlock(entry, self._renderers))
            case s.EntryAppended(entry=entry):
                self._summary(message_of(entry))
            case s.ExtensionError() | s.DiagnosticFound():
                self._finding(event)
            case s.CompactionEnd():
                self._compacted(event)
            case s.AutoRetryStart():
                said = f"Tried again in {event.delay_ms / 1000:.0f} s"  # the failure stands above
                self.put(
                    NoticeBlock(f"{said} ({event.attempt} of {event.max_attempts}).", "warning", gap=False)
                )
            case _:
                pass

    def _begin(self, message: Message) -> None:
        if isinstance(message, AssistantMessage):
            self._answer = Answer(self)
        elif not isinstance(message, ToolResultMessage):
            self._add(message)

    def _end(self, message: Message) -> None:
        if isinstance(message, AssistantMessage):
            (self._answer or Answer(self)).finish(message)
            self._answer = None
        elif isinstance(message, ToolResultMessage):
            self._result(message)

    def _add(self, message: Message) -> None:
        """A message that comes whole."""
        match message:
            case UserMessage(content=content):
                images = (
                    [] if isinstance(content, str) else [b for b in content if isinstance(b, ImageContent)]
                )
                block = PromptBlock(text_of(content), len(images))
                self.prompts.append(block)
                self.put(block)
            case CustomMessage(display=True):
                self.put(CustomBlock(message, self._renderers))
            case BashExecutionMessage():
                self.put(ShellBlock(message))
            case ToolResultMessage():
                self._result(message)
            case _:
                self._summary(message)

    def _summary(self, message: Message | None) -> None:
        match message:
            case CompactionSummaryMessage(summary=summary, tokens_before=tokens):
                self.put(_summary_of(summary, tokens))
            case BranchSummaryMessage(summary=summary):
                self.put(SummaryBlock("summary of a branch that was left", summary))
            case _:
                pass

    def _compacted(self, event: s.CompactionEnd) -> None:
        if event.result is not None:
            self.put(_summary_of(event.result.summary, event.result.tokens_before))
        elif event.aborted:
            self.put(NoticeBlock("The conversation was not summarised: stopped.", "warning"))
        elif event.error_message:
            self.put(NoticeBlock(f"The conversation was not summarised: {event.error_message}", "error"))

    def _finding(self, event: s.ExtensionError | s.DiagnosticFound) -> None:
        finding = event.diagnostic
        times = self._repeats.shown(event) if isinstance(event, s.ExtensionError) else 1
        if times and finding.code not in QUIET:
            self.put(NoticeBlock(counted(finding_text(finding), times), finding.severity))

    # tool calls

    def call(self, call_id: str, name: str) -> ToolBlock:
        """The block of a call; it is made at its first mention."""
        block = self._calls.get(call_id)
        if block is None:
            block = self._calls[call_id] = ToolBlock(name, self._renderers)
            self.put(block)
        return block

    def _call(self, call_id: str, name: str, args: Any) -> ToolBlock:
        block = self.call(call_id, name)
        block.args = args
        return block

    def _touch_call(self, call_id: str) -> None:
        self._log.touch(self._calls[call_id])

    def _came_back(self, event: e.ToolExecutionEnd) -> None:
        block = self.call(event.tool_call_id, event.tool_name)
        block.result = event.result
        block.state = "failed" if event.is_error else "done"
        block.duration_ms = event.duration_ms
        self._log.touch(block)

    def _result(self, message: ToolResultMessage) -> None:
        block = self.call(message.tool_call_id, message.tool_name)
        block.result = ToolResult(
            content=message.content,
            details=message.details,
            structured_content=message.structured_content,
            is_error=message.is_error,
        )
        block.state = "failed" if message.is_error else "done"
        block.duration_ms = message.duration_ms
        self._log.touch(block)

    def _let_go(self) -> None:
        """No call is under way any more; one that never ran says so."""
        for block in self._calls.values():
            if block.state in ("written", "running"):
                block.state = "dropped"
                self._log.touch(block)
        self._calls.clear()

    # the log

    def put(self, block: Block) -> None:
        """One more block. Rows without a body stand close together."""
        if isinstance(block, ToolBlock) and isinstance(self._last, ToolBlock):
            block.gap = not (block.compact and self._last.compact)
        self._last = block
        self._log.append(block)

    def touch(self, block: Block) -> None:
        """A block has changed."""
        self._log.touch(block)


def _summary_of(summary: str, tokens_before: int) -> SummaryBlock:
    return SummaryBlock(f"what was before is summarised here ({tokens_before:,} tokens)", summary)


def finding_text(finding: Diagnostic) -> str:
    """What was found, where, and what to do."""
    known = not finding.path or finding.path in finding.message or finding.path == RUNTIME_OWNER
    place = "" if known else f"{finding.path}: "
    return f"{place}{finding.message}" + (f"\n{finding.hint}" if finding.hint else "")
