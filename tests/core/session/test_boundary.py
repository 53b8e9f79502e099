"""What extensions add between two turns and before a session settles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import CustomMessage
from pi_core.api import Boundary, ExtensionAPI
from pi_core.session.drafts import CompactionDraft, CustomDraft, EditDraft, MessageDraft, read_draft
from tests.support.session_bench import SessionBench, text_of


async def test_a_turn_that_an_extension_prolongs(tmp_path: Path) -> None:
    """V01, V02: an entry added at turn_end and the wish to go on make a second request."""
    left = ["once"]

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("turn_end")
        def go_on(event: Any, ctx: Any) -> Any:
            if not left:
                return None
            left.clear()
            assert event.message_entry_id == ctx.session.get_leaf_id()
            draft = {"type": "custom_message", "customType": "t", "content": "more", "display": True}
            return Boundary(entries=[*event.entries, draft], continue_=True)

    bench = await SessionBench(tmp_path, ["1", "2"], extension).run("go")
    kinds = [getattr(entry, "message", entry) for entry in bench.store.get_entries()[2:]]
    assert ["user", "assistant", "custom_message", "assistant"] == [
        getattr(kind, "role", None) or kind.type for kind in kinds
    ]
    assert 1 == bench.stream.count("agent_start")


async def test_a_session_that_an_extension_keeps_from_settling(tmp_path: Path) -> None:
    """V03: an entry added before settling and the wish to go on make another run, then it settles."""
    outcomes: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("agent_before_settle")
        def go_on(event: Any, ctx: Any) -> Any:
            outcomes.append(event.outcome)
            draft = {"type": "custom_message", "customType": "t", "content": "more"}
            return Boundary(entries=[draft], continue_=True) if len(outcomes) == 1 else None

    bench = await SessionBench(tmp_path, ["1", "2"], extension).run("go")
    assert (["completed", "completed"], 2, 1) == (
        outcomes, bench.stream.count("agent_start"), bench.stream.count("agent_settled"),
    )  # fmt: skip


async def test_a_wrong_draft_changes_nothing(tmp_path: Path) -> None:
    """Entries that are invalid at the end are all left out, and the run does not go on."""

    def extension(pi: ExtensionAPI) -> None:
        good = {"type": "custom", "customType": "t"}
        pi.on("turn_end", lambda event, ctx: Boundary(entries=[good, {"type": "label"}], continue_=True))

    bench = await SessionBench(tmp_path, ["1", "2"], extension).run("go")
    assert (["1"], True) == (bench.said("assistant"), "cannot be added here" in bench.errors()[0][1])
    assert not bench.of_type("entry_appended")


async def test_an_earlier_message_is_edited_for_the_model(tmp_path: Path) -> None:
    """A context_edit draft changes what the next request reads, not what is stored."""
    requests: list[list[str]] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("turn_end")
        def edit(event: Any, ctx: Any) -> Any:
            user = next(entry.id for entry in ctx.session.get_branch() if entry.type == "message")
            return {
                "entries": [{"type": "context_edit", "targetId": user, "replacement": {"content": "EDIT"}}]
            }

        @pi.on("before_provider_request")
        def keep(event: Any, ctx: Any) -> None:
            requests.append([text_of(message["content"]) for message in event.payload["messages"]])

    bench = await SessionBench(tmp_path, ["1", "2"], extension).run("a", "b")
    assert [["a"], ["EDIT", "1", "b"]] == requests
    assert ["a", "b"] == bench.said("user")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "custom", "customType": "t", "data": 1}, CustomDraft("t", 1)),
        ({"type": "custom", "custom_type": "t"}, CustomDraft("t")),
        (
            {"type": "custom_message", "customType": "t", "content": "x", "display": False},
            MessageDraft(CustomMessage(custom_type="t", content="x", display=False, timestamp=7)),
        ),
        ({"type": "context_edit", "targetId": "a", "replacement": None}, EditDraft("a", None)),
        (
            {"type": "compaction", "summary": "s", "firstKeptEntryId": "a", "tokensBefore": 3},
            CompactionDraft("s", "a", 3),
        ),
    ],
)
def test_a_draft_is_read_in_either_spelling(value: Any, expected: Any) -> None:
    """The four kinds of entry that may be added, as mappings."""
    assert expected == read_draft(value, 7)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"type": "label"}, "cannot be added here"),
        ({"type": "custom"}, "custom_type must be a text"),
        ({"type": "context_edit", "targetId": "a", "replacement": {}}, "a replacement needs content"),
        (3, "a int is no entry"),
    ],
)
def test_a_draft_that_makes_no_sense_is_refused(value: Any, problem: str) -> None:
    """The error says what is wrong with it."""
    with pytest.raises(ValueError, match=problem):
        read_draft(value, 7)
