"""The summary holds facts only, and grows from one compaction to the next."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pi_sample_custom_compaction import extension, reasons
from pi_sample_custom_compaction.extract import MAX_ASKED, Extract, text_of_extract

from pi_core.api import (
    AssistantMessage,
    SessionBeforeCompact,
    TextContent,
    ToolCallContent,
    ToolResultMessage,
    UserMessage,
)
from pi_core.testing.plugin import HarnessMaker


def called(name: str, failed: bool = False, **arguments: str) -> list[Any]:
    """An answer with one call, and its result."""
    call = ToolCallContent(id=name, name=name, arguments=arguments)
    return [
        AssistantMessage(content=[call]),
        ToolResultMessage(tool_call_id=name, tool_name=name, is_error=failed),
    ]


TALK = [
    UserMessage(content="Fix the test"),
    *called("read", path="a.py"),
    *called("edit", path="a.py"),
    *called("bash", command="pytest", failed=True),
    AssistantMessage(content=[TextContent(text="Half done.")]),
]
SUMMARY = """\
## What the user asked, oldest first
- Fix the test

## Files changed
- a.py

## What failed
- bash pytest

## The last answer
Half done."""


def event(
    messages: list[Any], branch: list[Any] | None = None, reason: Any = "manual"
) -> SessionBeforeCompact:
    prepared = SimpleNamespace(
        messages_to_summarize=messages, turn_prefix_messages=[], first_kept_entry_id="k", tokens_before=9
    )
    return SessionBeforeCompact(preparation=prepared, branch_entries=branch or [], reason=reason)


def test_facts_become_sections(pi_harness: HarnessMaker) -> None:
    """What was only read and then changed counts as changed."""
    answer = pi_harness(extension).emit(event(TALK))
    assert answer.compaction.summary == SUMMARY
    assert answer.compaction.first_kept_entry_id == "k"


def test_a_second_compaction_goes_on_from_the_first(pi_harness: HarnessMaker) -> None:
    """The details of the first are the beginning of the second."""
    pi = pi_harness(extension)
    first = pi.emit(event(TALK)).compaction
    entry = SimpleNamespace(type="compaction", details=first.details)
    second = pi.emit(event([UserMessage(content="And the docs")], [entry])).compaction
    assert second.details["extract"]["asked"] == ("Fix the test", "And the docs")
    assert second.details["extract"]["changed"] == ("a.py",)


def test_what_the_settings_leave_out_is_pi_s_own_affair(pi_harness: HarnessMaker) -> None:
    """No answer lets the model write the summary."""
    pi = pi_harness(extension, settings={"custom-compaction": {"on": ["threshold"]}})
    assert pi.emit(event(TALK)) is None
    assert pi.emit(event(TALK, reason="threshold")).compaction.summary == SUMMARY


@pytest.mark.parametrize("table", [None, {"on": "all"}, 3])
def test_odd_settings_mean_all_reasons(table: Any) -> None:
    assert reasons(table) == ("manual", "threshold", "overflow")


@given(st.lists(st.text(min_size=1), max_size=80))
def test_an_extract_survives_its_details_and_stays_small(asked: list[str]) -> None:
    """Nothing is lost on the way into the session and back, and no list grows for ever."""
    extract = Extract().after([UserMessage(content=text) for text in asked])
    assert Extract.from_details(extract.to_details()) == extract
    assert len(extract.asked) <= MAX_ASKED
    assert text_of_extract(extract)
