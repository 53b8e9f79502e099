"""A session goes on after another entry of its tree."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import Cancel, ExtensionAPI, TreeSummary
from pi_core.errors import SummaryError, UnknownEntryError
from pi_core.history.entries import BranchSummaryEntry, LabelEntry, MessageEntry
from pi_core.history.sessions import create_session, open_session
from pi_core.session.binding import Binding
from pi_core.session.navigating import Navigated
from pi_core.session.session import Session
from tests.core.session.test_compaction import answers, hears
from tests.support.session_bench import SessionBench

ENTRIES = 4
Then = Callable[[Session], Awaitable[None]]


def messages_of(session: Session) -> list[MessageEntry]:
    return [entry for entry in session.parts.store.get_entries() if isinstance(entry, MessageEntry)]


def summary_of(session: Session) -> BranchSummaryEntry | None:
    entries = session.parts.store.get_entries()
    return next((entry for entry in entries if isinstance(entry, BranchSummaryEntry)), None)


def to_first_answer(into: list[Navigated], **how: Any) -> Then:
    """Go back behind the first answer of two."""

    async def go(session: Session) -> None:
        into.append(await session.navigate_tree(messages_of(session)[1].id, **how))

    return go


async def test_52_a_move_without_a_summary(tmp_path: Path) -> None:
    """52: the extensions are asked and told, no host is, and the next prompt follows the target."""
    told: list[Any] = []

    async def run(session: Session) -> None:
        target, leaf = messages_of(session)[1], session.parts.store.get_leaf_id()
        heard = len(bench.events)
        assert Navigated() == await session.navigate_tree(target.id)
        assert ([(target.id, leaf, None, None)], heard) == (
            [(e.new_leaf_id, e.old_leaf_id, e.summary_entry, e.from_extension) for e in told],
            len(bench.events),
        )
        assert ["user", "assistant"] == [message.role for message in session.messages]
        await session.prompt("other")
        assert target.id == messages_of(session)[ENTRIES].parent_id

    bench = SessionBench(tmp_path, ["1", "2", "3"], hears("session_tree", told))
    await bench.run("one", "two", then=run)


async def test_going_to_a_message_is_to_say_it_anew(tmp_path: Path) -> None:
    """The leaf is the entry before it; its text is for the editor. Before the first there is nothing."""

    async def run(session: Session) -> None:
        first, answer, second, _ = messages_of(session)
        assert Navigated(editor_text="two") == await session.navigate_tree(second.id)
        assert answer.id == session.parts.store.get_leaf_id()
        assert Navigated(editor_text="one") == await session.navigate_tree(first.id)
        assert (first.parent_id, []) == (session.parts.store.get_leaf_id(), list(session.messages))

    await SessionBench(tmp_path, ["1", "2"]).run("one", "two", then=run)


async def test_b13_the_leaf_itself_is_no_move(tmp_path: Path) -> None:
    """B13: nobody is asked or told, and it is not cancelled."""
    told: list[Any] = []

    async def run(session: Session) -> None:
        assert Navigated() == await session.navigate_tree(session.parts.store.get_leaf_id() or "")
        with pytest.raises(UnknownEntryError):
            await session.navigate_tree("nosuchid")

    extensions = hears("session_before_tree", told), hears("session_tree", told)
    await SessionBench(tmp_path, ["1"], *extensions).run("one", then=run)
    assert [] == told


async def test_53_a_move_with_a_summary(tmp_path: Path) -> None:
    """53: one request, which has the hook for headers only; the summary is at the new leaf and is read."""
    told, hooks, moved = list[Any](), list[Any](), list[Navigated]()
    heard = [hears(name, hooks) for name in ("before_provider_headers", "before_provider_request")]

    async def run(session: Session) -> None:
        hooks.clear()
        await to_first_answer(moved, summarize=True)(session)
        assert ["before_provider_headers"] == [event.event_name for event in hooks]
        assert ["user", "assistant", "branchSummary"] == [message.role for message in session.messages]

    bench = SessionBench(tmp_path, ["1", "2", "what was left"], hears("session_tree", told), *heard)
    await bench.run("one", "two", then=run)
    entry = bench.store.get_entries()[-1]
    assert isinstance(entry, BranchSummaryEntry)
    assert ("what was left", None) == (entry.summary, entry.from_hook)
    assert (entry, entry, False) == (moved[0].summary_entry, told[0].summary_entry, told[0].from_extension)


async def test_extensions_see_what_is_left(tmp_path: Path) -> None:
    """The entries behind the common one, oldest first, and what the person asked for."""
    asked: list[Any] = []
    extension = hears("session_before_tree", asked)

    async def run(session: Session) -> None:
        _, answer, *left = messages_of(session)
        await session.navigate_tree(
            answer.id, custom_instructions="short", replace_instructions=True, label="L"
        )
        seen = asked[0].preparation
        assert (answer.id, left[-1].id, answer.id) == (
            seen.target_id, seen.old_leaf_id, seen.common_ancestor_id,
        )  # fmt: skip
        assert (left, False, "short", True, "L") == (
            list(seen.entries_to_summarize), seen.user_wants_summary, seen.custom_instructions,
            seen.replace_instructions, seen.label,
        )  # fmt: skip

    await SessionBench(tmp_path, ["1", "2"], extension).run("one", "two", then=run)


async def test_b09_an_extension_cancels(tmp_path: Path) -> None:
    """B09: the leaf stays, and session_tree is not told."""
    told, moved = list[Any](), list[Navigated]()
    extensions = answers("session_before_tree", Cancel()), hears("session_tree", told)
    bench = SessionBench(tmp_path, ["1", "2"], *extensions)
    await bench.run("one", "two", then=to_first_answer(moved, summarize=True))
    assert ([Navigated(cancelled=True)], []) == (moved, told)


GIVEN = TreeSummary(summary="XS", details={"a": 1}, label="L")


@pytest.mark.parametrize(
    ("given", "summarize", "summary", "from_extension"),
    [
        pytest.param(GIVEN, False, None, None, id="B10 only who asked for a summary gets one"),
        pytest.param(GIVEN, True, "XS", True, id="B11 an extension's own counts"),
        pytest.param(TreeSummary(label="L"), True, "ours", False, id="B12 a label alone goes to ours"),
    ],
)
async def test_b10_b11_b12_what_extensions_decide(
    given: TreeSummary, summarize: bool, summary: str | None, from_extension: bool | None, tmp_path: Path
) -> None:
    """B10, B11, B12: the label goes to the summary if there is one, else to the target."""
    told: list[Any] = []
    moved: list[Navigated] = []

    async def run(session: Session) -> None:
        target = messages_of(session)[1]
        await to_first_answer(moved, summarize=summarize)(session)
        entry = summary_of(session)
        label = session.parts.store.get_entries()[-1]
        assert isinstance(label, LabelEntry)
        assert summary == (None if entry is None else entry.summary)
        assert ("L", target.id if entry is None else entry.id) == (label.label, label.target_id)

    extensions = answers("session_before_tree", given), hears("session_tree", told)
    await SessionBench(tmp_path, ["1", "2", "ours"], *extensions).run("one", "two", then=run)
    assert [from_extension] == [event.from_extension for event in told]


async def test_a_summary_that_fails_moves_nothing(tmp_path: Path) -> None:
    """The caller learns why, and the leaf is where it was."""

    async def run(session: Session) -> None:
        leaf = session.parts.store.get_leaf_id()
        with pytest.raises(SummaryError, match="400: no"):
            await to_first_answer([], summarize=True)(session)
        assert (leaf, None, False) == (
            session.parts.store.get_leaf_id(), summary_of(session), session.is_compacting,
        )  # fmt: skip

    await SessionBench(tmp_path, ["1", "2", {"error": "400: no"}]).run("one", "two", then=run)


async def test_a_move_is_given_up(tmp_path: Path) -> None:
    """While its summary is written: it counts as cancelled, and nothing has changed."""
    moved: list[Navigated] = []
    asked = asyncio.Event()

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_before_tree", lambda event, ctx: asked.set())

    async def run(session: Session) -> None:
        moving = asyncio.ensure_future(to_first_answer(moved, summarize=True)(session))
        await asked.wait()
        assert session.is_compacting
        session.request_abort()
        await moving

    script = ["1", "2", {"text": "never", "delay_s": 3600}]
    await SessionBench(tmp_path, script, extension).run("one", "two", then=run)
    assert [Navigated(cancelled=True)] == moved


async def test_a_command_walks_the_tree(tmp_path: Path) -> None:
    """It learns whether the move was cancelled; the host gets the text for its editor."""
    outcomes: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("back")
        async def back(args: str, ctx: Any) -> None:
            entries = [entry for entry in ctx.session.get_branch() if entry.type == "message"]
            outcomes.append(await ctx.navigate_tree(entries[-2].id))

    session = await SessionBench(tmp_path, ["1"], extension).opening
    await session.bind_as(Binding(on_navigated=outcomes.append))
    await session.prompt("say this")
    await session.prompt("/back")
    assert ([("say this", False)], False) == (
        [(each.editor_text, each.cancelled) for each in outcomes[:1]], outcomes[1].cancelled,
    )  # fmt: skip
    await session.dispose()


async def test_a_move_waits_for_the_run(tmp_path: Path) -> None:
    """Nothing is changed under a run, and prompts wait for the move."""

    async def run(session: Session) -> None:
        target = messages_of(session)[1]
        prompt = asyncio.ensure_future(session.prompt("two"))
        await bench.until("message_end user")
        moving = asyncio.ensure_future(session.navigate_tree(target.id))
        await asyncio.gather(prompt, moving)
        assert ("assistant", target.id) == (
            messages_of(session)[-1].message.role, session.parts.store.get_leaf_id(),
        )  # fmt: skip

    bench = SessionBench(tmp_path, ["1", {"text": "2 and more", "pace_s": 0.001}])
    await bench.run("one", then=run)


async def test_a_summary_is_there_in_the_next_session(tmp_path: Path) -> None:
    """What was appended after a move is in the file, and a session that opens it goes on there."""
    store = create_session(tmp_path / "talks", str(tmp_path))
    bench = SessionBench(tmp_path, ["1", "2", "left"], store=store)
    await bench.run("one", "two", then=to_first_answer([], summarize=True, label="here"))
    again = open_session(Path(store.session_file or ""))
    assert store.build_context().messages == again.build_context().messages
    assert again.get_leaf_id() == store.get_leaf_id()


async def test_a_move_that_cannot_be_stored_has_not_taken_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session goes on where it was, with the conversation that it had."""

    def full(*given: Any) -> str:
        raise OSError(28, "No space left on device")

    async def run(session: Session) -> None:
        leaf, before = session.parts.store.get_leaf_id(), list(session.messages)
        monkeypatch.setattr(session.parts.store, "append_label", full)
        with pytest.raises(OSError, match="No space"):
            await to_first_answer([], label="L")(session)
        assert (leaf, before) == (session.parts.store.get_leaf_id(), list(session.messages))

    await SessionBench(tmp_path, ["1", "2"]).run("one", "two", then=run)
