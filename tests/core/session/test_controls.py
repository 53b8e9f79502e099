"""What hosts turn while a session lives, and what they read of it."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI, ProviderConfig
from pi_core.errors import ModelChoiceError
from pi_core.session.session import Session
from pi_core.session.stats import TokenCounts
from tests.core.session.test_compaction import hears
from tests.support.golden_cases import SHORT_TALK, answer
from tests.support.session_bench import Factory, SessionBench, call


def provider(*names: str) -> Factory:
    """An extension with models of its own, all of which reason."""

    def extension(pi: ExtensionAPI) -> None:
        models = [{"id": name, "name": name, "reasoning": True} for name in names]
        config = ProviderConfig(api="scripted", api_key="k", base_url="http://x.invalid", models=models)
        pi.register_provider("acme", config)

    return extension


def settings_of(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "agent" / "settings.toml").read_text(encoding="utf-8"))


async def test_a_queue_is_cleared(tmp_path: Path) -> None:
    """Its texts come back, hosts see it empty, and nothing of it is delivered."""

    async def run(session: Session) -> None:
        running = asyncio.ensure_future(session.prompt("go"))
        await bench.until("message_end user")
        await session.steer("s")
        await session.follow_up("f")
        assert 2 == session.pending_message_count
        assert (["s"], ["f"]) == session.clear_queue()
        assert ("queue_update [[], []]", 0) == (bench.stream[-1], session.pending_message_count)
        await running

    bench = SessionBench(tmp_path, [{"text": "some words", "pace_s": 0.001}])
    await bench.run(then=run)
    assert ["go"] == bench.said("user")


async def test_13_messages_wait_one_by_one(tmp_path: Path) -> None:
    """13: each has a turn of its own, and the queue shrinks by one each time, in one run."""

    async def run(session: Session) -> None:
        running = asyncio.ensure_future(session.prompt("go"))
        await bench.until("message_end user")
        for text in ("f1", "f2"):
            await session.follow_up(text)
        await session.steer("s")
        await running

    bench = SessionBench(tmp_path, ["1", "2", "3", "4"])
    await bench.run(then=run)
    updates = [line for line in bench.stream if line.startswith("queue_update")]
    assert [[["s"], ["f1", "f2"]], [[], ["f1", "f2"]], [[], ["f2"]], [[], []]] == [
        [*map(list, record)] for record in _queues(updates)[2:]
    ]
    assert "agent_end user assistant user assistant user assistant user assistant" == bench.stream[-2]


def _queues(lines: list[str]) -> list[Any]:
    import json

    return [json.loads(line.removeprefix("queue_update ")) for line in lines]


async def test_the_mode_of_a_queue_counts_at_once_and_later(tmp_path: Path) -> None:
    """All messages come in one turn; the settings keep it, and a session reads it from there."""

    async def run(session: Session) -> None:
        session.set_follow_up_mode("all")
        running = asyncio.ensure_future(session.prompt("go"))
        await bench.until("message_end user")
        for text in ("f1", "f2"):
            await session.follow_up(text)
        await running
        assert ("one-at-a-time", "all") == session.queue_modes

    bench = SessionBench(tmp_path, ["1", "2"], settings='steering-mode = "one-at-a-time"\n')
    await bench.run(then=run)
    assert "agent_end user assistant user user assistant" == bench.stream[-2]
    kept = (tmp_path / "agent" / "settings.toml").read_text(encoding="utf-8")

    async def look(session: Session) -> None:
        assert ("one-at-a-time", "all") == session.queue_modes

    await SessionBench(tmp_path, settings=kept).run(then=look)


async def test_a_persons_model_is_the_next_default(tmp_path: Path) -> None:
    """An extension's is not; both are told as set."""
    told: list[Any] = []

    async def run(session: Session) -> None:
        one, two = (session.controls.find_model("acme", name) for name in ("one", "two"))
        await session.controls.set_model(two, by_person=False)
        assert {} == settings_of(tmp_path)
        assert (True, one) == (await session.set_model(one), session.model)
        with pytest.raises(ModelChoiceError):
            session.controls.find_model("acme", "none")

    await SessionBench(tmp_path, [], provider("one", "two"), hears("model_select", told)).run(then=run)
    assert {"default-provider": "acme", "default-model": "one"} == settings_of(tmp_path)["model"]
    assert ["set", "set"] == [event.source for event in told]


async def test_models_are_switched_through(tmp_path: Path) -> None:
    """Forward and back, round the end, among those that the settings name; a pattern's level comes along."""
    told: list[Any] = []

    async def run(session: Session) -> None:
        await session.set_model(session.controls.find_model("acme", "one"))
        seen = [model.id for _ in range(2) if (model := await session.cycle_model())]
        back = await session.cycle_model(-1)
        assert (["three", "one"], "three", "high") == (seen, back and back.id, session.thinking_level)

    bench = SessionBench(
        tmp_path,
        [],
        provider("one", "two", "three"),
        hears("model_select", told),
        settings='[model]\nenabled-models = ["acme/one", "acme/thr*:high"]\n',
    )
    await bench.run(then=run)
    assert ["cycle"] * 3 == [event.source for event in told][-3:]


async def test_a_lone_model_is_not_switched(tmp_path: Path) -> None:
    """And neither is the level of one that does not reason."""

    async def run(session: Session) -> None:
        assert (None, None, ("off",)) == (
            await session.cycle_model(), session.cycle_thinking_level(), session.available_thinking_levels(),
        )  # fmt: skip

    await SessionBench(tmp_path, ["1"]).run(then=run)


async def test_levels_of_thinking_are_switched_through(tmp_path: Path) -> None:
    """From the most back to none; a level is told to hosts and extensions, and is the next default."""
    told: list[Any] = []

    async def run(session: Session) -> None:
        await session.set_model(session.controls.find_model("acme", "one"))
        levels = session.available_thinking_levels()
        session.set_thinking_level(levels[-1])
        assert (levels[0], levels[1]) == (session.cycle_thinking_level(), session.cycle_thinking_level())
        await session.wait_for_idle()
        assert [levels[-1], levels[0], levels[1]] == [event.level for event in told]
        assert levels[1] == settings_of(tmp_path)["model"]["default-thinking-level"]

    extensions = provider("one"), hears("thinking_level_select", told)
    bench = await SessionBench(tmp_path, [], *extensions).run(then=run)
    assert 3 == len(bench.of_type("thinking_level_changed"))


async def test_a_choice_that_cannot_be_kept_counts_all_the_same(tmp_path: Path) -> None:
    """It is reported."""

    async def run(session: Session) -> None:
        (tmp_path / "agent" / "settings.toml").write_text("broken = [", encoding="utf-8")
        session.set_auto_compaction(False)
        assert not session.auto_compaction_enabled
        assert "setting-not-saved" in [finding.code for finding in session.diagnostics]

    await SessionBench(tmp_path).run(then=run)


async def test_a_reload_has_the_last_word(tmp_path: Path) -> None:
    """What the file says then counts, also for queues."""

    async def run(session: Session) -> None:
        session.set_steering_mode("all")
        session.set_auto_compaction(False)
        (tmp_path / "agent" / "settings.toml").write_text("", encoding="utf-8")
        await session.reload()
        assert (("one-at-a-time", "one-at-a-time"), True) == (
            session.queue_modes, session.auto_compaction_enabled,
        )  # fmt: skip

    await SessionBench(tmp_path).run(then=run)


async def test_what_was_said_is_counted(tmp_path: Path) -> None:
    """Messages by role, calls, tokens and money of all requests, summaries included, and the present size."""
    script = [
        {**call("bash", command="echo hi"), "usage": {"input": 10, "output": 2}},
        answer(300, 100),
        answer(4, 50),
    ]

    async def run(session: Session) -> None:
        await session.compact()
        stats = session.stats()
        assert (1, 2, 1, 1, 4) == (
            stats.user_messages, stats.assistant_messages, stats.tool_calls, stats.tool_results,
            stats.total_messages,
        )  # fmt: skip
        assert TokenCounts(input=160, output=306, total=466) == stats.tokens
        assert (bench.store.session_id, None) == (stats.session_id, stats.session_file)
        assert stats.context_usage is not None
        assert "word" * 300 == session.last_assistant_text()

    bench = SessionBench(tmp_path, script, settings=SHORT_TALK)
    await bench.run("go", then=run)


async def test_nothing_said_is_nothing_to_show(tmp_path: Path) -> None:
    """No text, no name, no message."""

    async def run(session: Session) -> None:
        assert (None, None, 0, False) == (
            session.last_assistant_text(), session.session_name, session.stats().total_messages,
            session.is_compacting,
        )  # fmt: skip
        session.set_session_name("a\nname")
        assert "a name" == session.session_name

    bench = await SessionBench(tmp_path).run(then=run)
    assert ["a name"] == [record["name"] for record in bench.of_type("session_info_changed")]


async def test_a_limit_that_cannot_count_is_told(tmp_path: Path) -> None:
    """The session works with the default, and says so at its start."""
    text = "[compaction]\nreserve_tokens = 9\n[retry]\ntries = 9\n"

    async def look(session: Session) -> None:
        codes = {finding.code for finding in session.diagnostics}
        assert {"bad-compaction", "bad-retry"} <= codes

    await SessionBench(tmp_path, settings=text).run(then=look)
