"""A conversation that grows too long gets a summary in the place of its beginning."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import AssistantMessage, TextContent, Usage
from pi_core.api import Cancel, Compaction, Done, ExtensionAPI
from pi_core.errors import CompactionError
from pi_core.history.entries import CompactionEntry, MessageEntry
from pi_core.session.session import Session
from tests.support.golden_cases import SHORT_TALK, TOO_LONG, answer
from tests.support.session_bench import Factory, SessionBench, call

TALK = [answer(100, 50), answer(200, 300)]
FULL = [answer(100, 50), answer(200, 1500)]
FAILED = "session_compact_failed"


def hears(event: str, into: list[Any]) -> Factory:
    """An extension that keeps every event of a name."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on(event, lambda event, ctx: into.append(event), optional=True)

    return extension


def answers(event: str, given: Any) -> Factory:
    """An extension with one answer."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on(event, lambda event, ctx: given, optional=True)

    return extension


def ends(bench: SessionBench) -> list[dict[str, Any]]:
    """How compactions ended: what else than the reason was told."""
    told, known = bench.of_type("compaction_end"), ("type", "reason")
    return [{name: value for name, value in each.items() if name not in known} for each in told]


async def compact(session: Session) -> None:
    await session.compact()


async def refused(session: Session) -> None:
    with pytest.raises(CompactionError):
        await session.compact()


def summaries(bench: SessionBench) -> list[CompactionEntry]:
    return [entry for entry in bench.store.get_entries() if isinstance(entry, CompactionEntry)]


async def test_what_a_compaction_leaves(tmp_path: Path) -> None:
    """The summary, then what is kept; the session goes on with exactly what its history says."""
    bench = SessionBench(tmp_path, [*TALK, "the summary"], settings=SHORT_TALK)

    async def look(session: Session) -> None:
        result = await session.compact("be short")
        assert ("the summary", False) == (result.summary, session.is_compacting)
        assert ["compactionSummary", "assistant", "user", "assistant"] == [m.role for m in session.messages]
        assert list(session.messages) == bench.store.build_context().messages

    await bench.run("one", "two", then=look)
    assert [None] == [entry.from_hook for entry in summaries(bench)]


async def test_17_a_second_compaction_has_nothing_to_do(tmp_path: Path) -> None:
    """17: the caller is refused, the end says why, and extensions are not asked."""

    async def twice(session: Session) -> None:
        await session.compact()
        with pytest.raises(CompactionError, match=r"^Already compacted$"):
            await session.compact()

    bench = await SessionBench(tmp_path, [*TALK, "s"], settings=SHORT_TALK).run("one", "two", then=twice)
    assert ["compaction_start manual", "compaction_end manual"] * 2 == bench.stream[-4:]
    assert {"aborted": False, "willRetry": False, "errorMessage": "Already compacted"} == ends(bench)[-1]
    assert 1 == sum(line.startswith("session_before_compact") for line in bench.seen)


@pytest.mark.parametrize("reason", ["threshold", "manual"])
async def test_18_an_extension_cancels(reason: str, tmp_path: Path) -> None:
    """18, B06: the end says so, nothing was asked or stored; a caller is refused."""
    failed: list[Any] = []
    script, then = (FULL, None) if reason == "threshold" else (TALK, refused)
    extensions = answers("session_before_compact", Cancel()), hears(FAILED, failed)
    bench = SessionBench(tmp_path, script, *extensions, settings=SHORT_TALK)
    await bench.run("one", "two", then=then)
    assert ([{"aborted": True, "willRetry": False}], []) == (ends(bench), summaries(bench))
    assert [(reason, True, None)] == [(e.reason, e.aborted, e.error_message) for e in failed]
    assert not any(line.startswith("session_compact") for line in bench.seen)


async def test_an_extension_writes_the_summary(tmp_path: Path) -> None:
    """B07, B03: it is stored as it is given, an empty answer takes it not away, no model is asked."""
    told: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_before_compact")
        def write(event: Any, ctx: Any) -> Compaction:
            kept = event.preparation.first_kept_entry_id
            return Compaction(summary="CUSTOM", first_kept_entry_id=kept, tokens_before=7, usage={"input": 3})

    extensions = extension, answers("session_before_compact", {}), hears("session_compact", told)
    bench = await SessionBench(tmp_path, TALK, *extensions, settings=SHORT_TALK).run("1", "2", then=compact)
    assert [("CUSTOM", 7, True, Usage(input=3))] == [
        (entry.summary, entry.tokens_before, entry.from_hook, entry.usage) for entry in summaries(bench)
    ]
    assert [(True, "manual", False)] == [(e.from_extension, e.reason, e.will_retry) for e in told]


async def test_handlers_are_shown_copies(tmp_path: Path) -> None:
    """What a handler edits of the entries that it is shown stays in the history as it is."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_before_compact")
        def edit(event: Any, ctx: Any) -> None:
            for entry in event.branch_entries:
                if isinstance(entry, MessageEntry):
                    entry.message.timestamp = 77

    bench = SessionBench(tmp_path, [*TALK, "s"], extension, settings=SHORT_TALK)
    await bench.run("one", "two", then=compact)
    kept = [entry for entry in bench.store.get_entries() if isinstance(entry, MessageEntry)]
    assert 4 == len(kept)
    assert 77 not in [entry.message.timestamp for entry in kept]


async def test_a_summary_is_thought_about_as_the_answers_are(tmp_path: Path) -> None:
    """The request for a summary has the thinking level of the session; one for the short summary of a
    branch has none, since thoughts would take all its room."""
    levels: list[str] = []

    async def stream(model: Any, context: Any, options: Any) -> AsyncIterator[Any]:
        levels.append(options.thinking)
        usage = Usage(input=100, output=300)
        message = AssistantMessage(content=[TextContent(text="word" * 300)], usage=usage, stop_reason="stop")
        yield Done(message=message)

    def extension(pi: ExtensionAPI) -> None:
        models = [{"id": "m", "name": "m", "reasoning": True}]
        config = {"api": "acme", "apiKey": "k", "baseUrl": "http://x.invalid", "models": models}
        pi.register_provider("acme", {**config, "stream": stream})

    settings = SHORT_TALK + '[model]\ndefault-provider = "acme"\ndefault-model = "m"\n'
    settings += 'default-thinking-level = "high"\n'

    async def leave(session: Session) -> None:
        await session.compact()
        levels.append("|")
        await session.navigate_tree(bench.store.get_entries()[0].id, summarize=True)

    bench = SessionBench(tmp_path, [], extension, settings=settings)
    await bench.run("one", "two", then=leave)
    before, after = levels[: levels.index("|")], levels[levels.index("|") + 1 :]
    assert ({"high"}, ["off"]) == (set(before), after)
    assert len(before) > 2


async def test_a_failing_handler_has_no_say(tmp_path: Path) -> None:
    """B08: it is reported, and our own summary is written."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_before_compact")
        def broken(event: Any, ctx: Any) -> None:
            raise ValueError("hc")

    bench = SessionBench(tmp_path, [*TALK, "ours"], extension, settings=SHORT_TALK)
    await bench.run("1", "2", then=compact)
    assert ([("session_before_compact", "hc")], "ours") == (bench.errors(), summaries(bench)[0].summary)


async def test_56_a_compaction_stops_what_goes_on(tmp_path: Path) -> None:
    """56: the aborted turn is told to its end and stored, then the compaction begins."""
    slow = {"text": "a long answer", "delay_s": 3600}

    async def run(session: Session) -> None:
        prompt = asyncio.ensure_future(session.prompt("three"))
        await bench.until("message_end user")
        await session.compact()
        await prompt

    bench = SessionBench(tmp_path, [*TALK, slow, "s"], settings=SHORT_TALK)
    await bench.run("one", "two", then=run)
    assert [
        "turn_end aborted 0", "agent_end user assistant", "agent_settled aborted",
        "compaction_start manual", "compaction_end manual",
    ] == bench.stream[-5:]  # fmt: skip
    *_, asked, stopped, last = bench.store.get_entries()
    assert isinstance(asked, MessageEntry)
    assert isinstance(stopped, MessageEntry)
    assert ("user", "assistant", "compaction") == (asked.message.role, stopped.message.role, last.type)


async def test_a_long_history_is_shortened_before_a_prompt(tmp_path: Path) -> None:
    """The first request of an activity fits already."""
    off = SHORT_TALK + "enabled = false\n"

    async def run(session: Session) -> None:
        session.set_auto_compaction(True)
        await session.prompt("three")

    bench = SessionBench(tmp_path, [*FULL, "s", answer(5, 300)], settings=off)
    await bench.run("one", "two", then=run)
    assert ["compaction_start threshold", "compaction_end threshold", "agent_start"] == (
        bench.stream[bench.stream.index("compaction_start threshold") :][:3]
    )
    assert bench.stream.index("agent_settled") < bench.stream.index("compaction_start threshold")


async def test_a_run_is_shortened_between_its_turns(tmp_path: Path) -> None:
    """A compaction stands between the end of a turn and the start of the next; no call loses its result."""
    big = {**call("bash", command="echo hi"), "usage": {"input": 1500, "output": 10}}
    bench = SessionBench(tmp_path, [answer(300, 50), big, "s", answer(5, 300)], settings=SHORT_TALK)
    await bench.run("one", "two")
    at = bench.stream.index("compaction_start threshold")
    assert ["turn_end toolUse 1", "compaction_start threshold", "compaction_end threshold", "turn_start"] == (
        bench.stream[at - 1 : at + 3]
    )
    assert (1, "agent_settled") == (bench.stream.count("compaction_start threshold"), bench.stream[-1])


@pytest.mark.parametrize("script", [FULL, [*TALK, TOO_LONG]])
async def test_nothing_is_shortened_where_that_is_switched_off(script: list[Any], tmp_path: Path) -> None:
    """Neither what is full nor what does not fit."""
    bench = SessionBench(tmp_path, script, settings=SHORT_TALK + "enabled = false\n")
    await bench.run(*["go"] * len(script))
    assert [] == bench.of_type("compaction_start")


async def test_a_request_that_still_does_not_fit(tmp_path: Path) -> None:
    """16: once is tried to make it fit; the second time the end says what to do."""
    script = [*TALK, TOO_LONG, "s", TOO_LONG]
    bench = await SessionBench(tmp_path, script, settings=SHORT_TALK).run("one", "two", "go")
    assert 1 == len(bench.of_type("compaction_start"))
    assert (False, True) == (ends(bench)[1]["willRetry"], "does not fit" in ends(bench)[1]["errorMessage"])


async def test_an_answer_that_came_all_the_same(tmp_path: Path) -> None:
    """One that counted more than the window has is kept, and not asked for again."""
    script = [TALK[0], answer(300, 200_000), "s", answer(5, 300)]
    bench = await SessionBench(tmp_path, script, settings=SHORT_TALK).run("one", "two")
    assert ["compaction_start overflow", "compaction_end overflow", "agent_settled"] == bench.stream[-3:]
    assert False is ends(bench)[0]["willRetry"]
