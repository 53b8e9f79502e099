"""A conversation as a text to write about."""

from __future__ import annotations

import pytest

from hookspecs.messages import (
    BashExecutionMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    UserMessage,
)
from pi_core.compaction.conversation import RESULT_CHARACTERS, as_text
from pi_core.utf16 import utf16_length
from tests.core.compaction.kit import answer, call, result, user

PARTS: list[tuple[str, Message]] = [
    ("[User]\nfour", user()),
    ("[Assistant]\nfour", answer()),
    ('[Tool call: read]\n{"path":"a.py"}', answer("", call("read", "a.py"))),
    ("[Tool result: read]\nfour", result()),
    ("[Tool error: bash]\nno", result("no", "bash", is_error=True)),
    ("[Note: plan]\nfour", CustomMessage(custom_type="plan", content="four")),
    ("[Summary of what was before]\ns", CompactionSummaryMessage(summary="s", tokens_before=1)),
    ("[User ran a command]\nls\na.py", BashExecutionMessage(command="ls", output="a.py")),
    ("[User ran a command (exit code 2)]\nls", BashExecutionMessage(command="ls", output="", exit_code=2)),
    ("", BashExecutionMessage(command="ls", output="a.py", exclude_from_context=True)),
    ("", user(0)),
]


@pytest.mark.parametrize(("expected", "message"), PARTS)
def test_each_message_has_its_label(expected: str, message: Message) -> None:
    """Who spoke stands above what was said; what no model reads is left out."""
    assert expected == as_text([message])


def test_an_image_is_a_word() -> None:
    """Pictures are not sent to be summarised."""
    image = ImageContent(data="x" * 5000, mime_type="image/png")
    assert "[User]\nsee\n[image]" == as_text([UserMessage(content=[TextContent(text="see"), image])])


def test_sealed_reasoning_is_left_out() -> None:
    """Open reasoning is told, redacted one says nothing."""
    message = answer("")
    message.content = [ThinkingContent(thinking="hm"), ThinkingContent(thinking="%&", redacted=True)]
    assert "[Assistant thinks]\nhm" == as_text([message])


def test_results_are_cut() -> None:
    """A result is told up to 2000 characters, and how much is missing is said."""
    text = as_text([result("😀" * 1500)])
    assert "😀" * 1000 in text
    assert "😀" * 1001 not in text
    assert "[… 1000 more characters cut]" in text


def test_what_fits_is_whole() -> None:
    """Without a limit, or below it, nothing of what people and models said is cut."""
    long = user(5000)
    assert as_text([long]) == as_text([long], 6000)
    assert "four" * 5000 in as_text([long])


def test_the_oldest_goes_where_all_does_not_fit() -> None:
    """The newest messages stay, and a note says how many are missing."""
    text = as_text([user(100, f"{n:04}") for n in range(20)], 450)
    assert text.startswith("[16 earlier messages are left out: they do not fit]")
    assert "0016" in text
    assert "0015" not in text


def test_one_huge_message_does_not_push_out_the_others() -> None:
    """A pasted log is cut to a quarter of the room before anything is left out."""
    text = as_text([user(1, "first"), user(100_000), answer("last")], 1000)
    assert "first" in text
    assert "last" in text
    assert utf16_length(text) < 4 * 1000


def test_a_capped_result_is_all_that_a_result_may_be() -> None:
    """The cut holds for the whole of a result with several blocks."""
    many = result("")
    many.content = [TextContent(text="x" * 1500) for _ in range(10)]
    assert utf16_length(as_text([many])) < RESULT_CHARACTERS + 100
