"""What the print mode writes."""

from __future__ import annotations

import os
from typing import Any

import pytest

from hookspecs.messages import AssistantMessage, TextContent, ThinkingContent, ToolCallContent
from pi_core.modes.base import QUIET, Output, finding_teller, tell_finding
from pi_core.modes.print_mode import print_answer
from pi_core.session.events import AgentSettled, AutoRetryStart, DiagnosticFound, ExtensionError
from pi_pkg import Diagnostic


@pytest.mark.parametrize(
    ("answer", "code", "out", "err"),
    [
        (
            AssistantMessage(
                content=[
                    ThinkingContent(thinking="hm"),
                    TextContent(text="one"),
                    ToolCallContent(id="1", name="x", arguments={}),
                    TextContent(text="two"),
                ]
            ),
            0,
            "one\ntwo\n",
            "",
        ),
        (AssistantMessage(stop_reason="error", error_message="no luck"), 1, "", "pi: no luck\n"),
        (AssistantMessage(stop_reason="aborted"), 1, "", "pi: the request ended: aborted\n"),
    ],
    ids=["text blocks only", "error", "aborted"],
)
def test_the_answer_or_why_there_is_none(
    answer: Any, code: int, out: str, err: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Text blocks go to standard output, a failure to standard error with code 1."""
    descriptor = os.dup(1)
    returned = print_answer(answer, Output(descriptor))
    os.close(descriptor)
    assert (code, (out, err)) == (returned, tuple(capfd.readouterr()))


def test_findings_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Path, event and sentence of a failure on a line, a finding with its hint; other events say nothing."""
    failed = Diagnostic("error", "handler-raised", "turn_end", "no")
    tell_finding(ExtensionError(extension_path="a.py", event="turn_end", error="oops", diagnostic=failed))
    tell_finding(DiagnosticFound(diagnostic=Diagnostic("warning", "c", "s", "Odd.", path="b", hint="Do.")))
    tell_finding(AgentSettled(aborted=False))
    assert "extension error (a.py, turn_end): oops\npi: warning: b: Odd. Do.\n" == capsys.readouterr().err


def test_equal_failures_are_told_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """A handler that fails with every piece of a stream is told the first, the tenth, the hundredth time."""
    failed = Diagnostic("error", "handler-raised", "message_update", "no")
    tell = finding_teller()
    for _ in range(123):
        tell(ExtensionError(extension_path="a", event="message_update", error="no", diagnostic=failed))
    tell(ExtensionError(extension_path="b", event="message_update", error="no", diagnostic=failed))
    line = "extension error (a, message_update): no"
    assert [
        line,
        f"{line} (10 times)",
        f"{line} (100 times)",
        "extension error (b, message_update): no",
    ] == capsys.readouterr().err.splitlines()


def test_a_wait_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A request that is made again: why, and how long a person waits for it."""
    tell_finding(AutoRetryStart(attempt=2, max_attempts=3, delay_ms=4000, error_message="500 overloaded"))
    assert "pi: 500 overloaded; trying again in 4 s (2 of 3)\n" == capsys.readouterr().err


@pytest.mark.parametrize("code", sorted(QUIET))
def test_what_is_no_news_is_not_said(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Stale handles and the wake of an abort stay in the stream and the log."""
    tell_finding(DiagnosticFound(diagnostic=Diagnostic("info", code, "turn_end", "x")))
    assert "" == capsys.readouterr().err
