"""Which conversation follows another: forks, clones, stored and imported ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_core.api import ExtensionAPI
from pi_core.errors import ForkError, SessionFileError
from pi_core.history.sessions import create_session as new_store
from pi_core.history.sessions import open_session
from tests.support.runtime_bench import RuntimeBench


async def forkable(bench: RuntimeBench) -> tuple[str, str]:
    """Ids of the second message of the user and of the answer to it."""
    for text in ("one", "two"):
        await bench.say(text)
    entries = [entry for entry in bench.runtime.session.parts.store.get_entries() if entry.type == "message"]
    bench.take_notes()
    return entries[2].id, entries[3].id


@pytest.mark.parametrize("stored", [True, False], ids=["file", "memory"])
async def test_a_fork_before_a_message(tmp_path: Path, stored: bool) -> None:
    """B17, D03, 47: the new session ends before the message, whose text is returned; the reason is fork."""
    async with RuntimeBench(tmp_path, script=["1", "2"], stored=stored) as bench:
        user, _ = await forkable(bench)
        old = bench.runtime.session.parts.store
        forked = await bench.runtime.fork(user)
        store: Any = bench.runtime.session.parts.store
        assert (False, "two") == (forked.cancelled, forked.selected_text)
        assert ["one", "1"] == [entry.message.content[0].text for entry in store.get_branch()
                                if entry.type == "message"]  # fmt: skip
        assert (old.session_file, old.session_id != store.session_id) == (store.header.parent_session, True)
        files = [f" {path}" if path else "" for path in (store.session_file, old.session_file)]
        assert [
            f"session_before_fork {user} before", f"session_shutdown fork{files[0]}", "FACTORY",
            f"session_start fork{files[1]}", "resources_discover startup",
        ] == bench.take_notes()  # fmt: skip


async def test_a_fork_at_an_answer(tmp_path: Path) -> None:
    """B16: `at` takes any entry, the entry stays, no text is returned."""
    async with RuntimeBench(tmp_path, script=["1", "2"]) as bench:
        _, answer = await forkable(bench)
        forked = await bench.runtime.fork(answer, position="at")
        assert (None, 4) == (forked.selected_text, len(bench.runtime.session.messages))


async def test_a_clone_has_the_whole_branch(tmp_path: Path) -> None:
    """48, 54: a copy with another id, whose parent is the old file, which stays as it is."""
    async with RuntimeBench(tmp_path, script=["1", "2"]) as bench:
        await forkable(bench)
        before, text = bench.file, bench.file.read_text(encoding="utf-8")
        await bench.runtime.clone()
        assert (str(before), 4) == (
            bench.runtime.session.parts.store.header.parent_session, len(bench.runtime.session.messages),
        )  # fmt: skip
        assert text == before.read_text(encoding="utf-8")


@pytest.mark.parametrize("position", ["before", "at"])
async def test_a_fork_that_cannot_be(tmp_path: Path, position: Any) -> None:
    """B15: an answer with `before`, and an unknown id, are errors after the extensions were asked."""
    async with RuntimeBench(tmp_path, script=["1", "2"]) as bench:
        _, answer = await forkable(bench)
        entry = answer if position == "before" else "nothing"
        with pytest.raises(ForkError, match="Invalid entry ID for forking"):
            await bench.runtime.fork(entry, position=position)
        assert [f"session_before_fork {entry} {position}"] == bench.take_notes()
        assert False is bench.runtime.session.is_disposed


async def test_a_session_that_was_never_stored_is_not_forked(tmp_path: Path) -> None:
    """49: an error; nothing was told to end."""
    async with RuntimeBench(tmp_path) as bench:
        entry = bench.runtime.session.parts.store.get_leaf_id()
        assert entry is not None
        bench.take_notes()
        with pytest.raises(SessionFileError, match="not stored"):
            await bench.runtime.fork(entry, position="at")
        assert [f"session_before_fork {entry} at"] == bench.take_notes()


async def test_a_stored_session_is_resumed(tmp_path: Path) -> None:
    """54: the target is told before and at the end; its messages are there; listeners hear it."""
    other = new_store(tmp_path / "talks", str(tmp_path))
    async with RuntimeBench(tmp_path, script=["1"], store=other) as bench:
        await bench.say("one")
    async with RuntimeBench(tmp_path, script=["2"]) as bench:
        before = bench.file
        bench.take_notes()
        await bench.runtime.switch_session(other.session_file or "")
        assert [
            f"session_before_switch resume {bench.file}", f"session_shutdown resume {bench.file}", "FACTORY",
            f"session_start resume {before}", "resources_discover startup",
        ] == bench.take_notes()  # fmt: skip
        await bench.say("two")
        assert 4 == len(bench.runtime.session.messages)
        assert "message_end" in [event.type for event in bench.events]


@pytest.mark.parametrize("kind", ["no file", "no session", "folder gone"])
async def test_a_target_that_cannot_be_resumed(tmp_path: Path, kind: str) -> None:
    """The error comes before anything ends, and the session goes on."""
    target = tmp_path / "x.jsonl"
    if kind == "no session":
        target.write_text("{}\n", encoding="utf-8")
    if kind == "folder gone":
        store = new_store(tmp_path, str(tmp_path / "gone"))
        target = Path(store.session_file or "")
        store._create([])
    async with RuntimeBench(tmp_path, script=["ok"]) as bench:
        bench.take_notes()
        with pytest.raises(SessionFileError):
            await bench.runtime.switch_session(target)
        assert [f"session_before_switch resume {target}"] == bench.take_notes()
        await bench.say("go")
        assert 2 == len(bench.runtime.session.messages)


async def test_the_present_file_is_opened_again(tmp_path: Path) -> None:
    """A session may be resumed in itself; what its end adds to the file is there."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("session_shutdown", lambda event, ctx: pi.append_entry("bye", event.reason))

    async with RuntimeBench(tmp_path, extension, script=["1"]) as bench:
        await bench.say("one")
        await bench.runtime.switch_session(bench.file)
        assert "custom" == bench.runtime.session.parts.store.get_entries()[-1].type


async def test_a_file_is_imported(tmp_path: Path) -> None:
    """The file is copied beside the others and resumed; the original stays alone."""
    elsewhere = new_store(tmp_path / "elsewhere", str(tmp_path))
    async with RuntimeBench(tmp_path, script=["1"], store=elsewhere) as bench:
        await bench.say("one")
    source = Path(elsewhere.session_file or "")
    async with RuntimeBench(tmp_path, script=["2"]) as bench:
        await bench.runtime.import_jsonl(source)
        assert (tmp_path / "talks" / source.name, 2) == (bench.file, len(bench.runtime.session.messages))
        await bench.say("two")
    assert 2 == sum(entry.type == "message" for entry in open_session(source).get_entries())
