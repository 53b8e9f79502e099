"""How large a context is, and when that is too much."""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs.messages import (
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    ThinkingContent,
    ToolCallContent,
    Usage,
    UserMessage,
)
from pi_core.compaction.tokens import (
    CompactionSettings,
    branch_tokens,
    compaction_findings,
    compaction_settings,
    context_tokens,
    estimate_tokens,
    should_compact,
    usage_tokens,
)
from pi_core.history.entries import ContextEditEntry
from tests.core.compaction.kit import answer, base, chain, compaction, result, user

SIZES: list[tuple[int, Message]] = [
    (0, UserMessage(content="")),
    (1, UserMessage(content="a")),
    (2, UserMessage(content="abcde")),
    (1, UserMessage(content="😀😀")),
    (2, UserMessage(content="😀😀😀")),
    (1200, UserMessage(content=[ImageContent(data="x" * 9999, mime_type="image/png")])),
    (2, answer("abcd", ToolCallContent(id="a long id that does not count", name="ls", arguments={}))),
    (6, answer("", ToolCallContent(id="1", name="read", arguments={"path": "ä", "n": 12}))),
    (1, result("abcd")),
    (2, BashExecutionMessage(command="abcd", output="efgh", exclude_from_context=True)),
    (1, CompactionSummaryMessage(summary="abcd", tokens_before=9)),
    (1, BranchSummaryMessage(summary="abcd", from_id="x")),
    (1, CustomMessage(custom_type="a long type", content="abcd", details={"a": 1})),
]


@pytest.mark.parametrize(("expected", "message"), SIZES)
def test_four_characters_are_a_token(expected: int, message: Message) -> None:
    """Text, reasoning and calls as JSON count by their UTF-16 units, rounded up; an image as 4800."""
    assert expected == estimate_tokens(message)


def test_reasoning_counts() -> None:
    """What a model thought is sent again, and its signature is not counted."""
    message = answer("")
    message.content = [ThinkingContent(thinking="abcd", thinking_signature="x" * 100)]
    assert 1 == estimate_tokens(message)


def test_the_last_usage_is_believed() -> None:
    """Only what came after the answer is estimated."""
    counted = context_tokens([user(1000), answer(used=50), user(3), result("abcd")])
    assert (50, 4, 1) == (counted.usage_tokens, counted.trailing_tokens, counted.last_usage_index)
    assert 54 == counted.tokens


@pytest.mark.parametrize("bad", [answer(used=99, stop="error"), answer(used=99, stop="aborted"), answer()])
def test_a_failed_answer_counts_nothing(bad: Any) -> None:
    """The usage of an answer that failed, was aborted or says nothing is passed over."""
    counted = context_tokens([user(), answer(used=50), bad])
    assert (1, 50) == (counted.last_usage_index, counted.usage_tokens)


def test_without_usage_all_is_estimated() -> None:
    """A model that counts nothing is counted by length."""
    counted = context_tokens([user(2), answer(), user(3)])
    assert (6, 0, None) == (counted.tokens, counted.usage_tokens, counted.last_usage_index)


def test_usage_without_a_total_is_the_sum_of_its_parts() -> None:
    """Cache reads and writes count as input."""
    assert 10 == usage_tokens(Usage(input=1, output=2, cache_read=3, cache_write=4))


def test_usage_before_a_compaction_is_old() -> None:
    """A kept answer still names the size of the whole conversation, which is gone."""
    branch = chain(user(9), user(2), answer(used=5000), compaction("abcd", "e1"))
    assert 1 + 2 + 1 == branch_tokens(branch).tokens
    assert 70 + 1 == branch_tokens([*branch, *chain(answer(used=70), user())]).tokens


def test_usage_counts_again_only_where_an_edit_changed_nothing() -> None:
    """An edit makes the usage of later answers old; those before the edited message stay true."""
    first = chain(user(), answer(used=50), user(8), answer(used=90))
    edit = ContextEditEntry(**{**base(), "id": "edit"}, target_id="e2")
    assert 50 + 1 == branch_tokens([*first, edit]).tokens
    dropped = ContextEditEntry(**{**base(), "id": "edit"}, target_id="e3")
    assert 50 + 8 == branch_tokens([*first, dropped]).tokens


@pytest.mark.parametrize(
    ("expected", "tokens", "window", "enabled"),
    [
        (False, 900, 1000, True),
        (True, 901, 1000, True),
        (False, 901, 1000, False),
        (False, 10**9, 0, True),
    ],
)
def test_compaction_begins_where_the_reserve_does(
    expected: bool, tokens: int, window: int, enabled: bool
) -> None:
    """More than window minus reserve is too much, unless it is switched off or nobody knows the window."""
    settings = CompactionSettings(enabled=enabled, reserve_tokens=100)
    assert expected is should_compact(tokens, window, settings)


def test_settings_stand_in_their_table() -> None:
    """Keys are in kebab-case, and what is missing has its default."""
    assert CompactionSettings() == compaction_settings({})
    found = compaction_settings({"compaction": {"enabled": False, "keep-recent-tokens": 7}})
    assert CompactionSettings(enabled=False, keep_recent_tokens=7) == found
    assert (16384, 20000) == (CompactionSettings().reserve_tokens, CompactionSettings().keep_recent_tokens)


@pytest.mark.parametrize(
    "table",
    [7, {"enabled": 1}, {"reserve-tokens": -1}, {"reserve-tokens": True}, {"keep-recent-tokens": "9"}],
)
def test_a_value_that_cannot_count_keeps_the_default_and_is_told(table: Any) -> None:
    """A wrong setting stops nothing."""
    assert CompactionSettings() == compaction_settings({"compaction": table})
    [finding] = compaction_findings({"compaction": table})
    assert "bad-compaction" == finding.code


def test_an_unknown_key_is_told() -> None:
    """A misspelt setting would else be silent; the known ones are named."""
    [finding] = compaction_findings({"compaction": {"reserve_tokens": 5}})
    assert "reserve-tokens" in finding.message


@pytest.mark.parametrize("window", [0, 64_000, 128_000, 1_000_000])
def test_an_ordinary_window_has_the_usual_defaults(window: int) -> None:
    """And so has one that nobody knows."""
    assert CompactionSettings() == compaction_settings({}, window)


@pytest.mark.parametrize("window", [100, 4096, 8192, 16_384, 32_000, 40_000])
def test_a_small_window_has_room_to_work_in(window: int) -> None:
    """What is kept and what is reserved leave a quarter of the window and more between two compactions."""
    small = compaction_settings({}, window)
    assert small.reserve_tokens + small.keep_recent_tokens <= window * 3 // 4
    assert small.keep_recent_tokens > 0


def test_what_a_person_sets_counts_in_every_window() -> None:
    """Only defaults follow the window; the default of what is kept follows a reserve that is given."""
    table = {"reserve-tokens": 7000, "keep-recent-tokens": 6000}
    both = compaction_settings({"compaction": table}, 8000)
    assert (7000, 6000) == (both.reserve_tokens, both.keep_recent_tokens)
    assert 500 == compaction_settings({"compaction": {"reserve-tokens": 7000}}, 8000).keep_recent_tokens
    assert 0 == compaction_settings({"compaction": {"reserve-tokens": 9000}}, 8000).keep_recent_tokens
