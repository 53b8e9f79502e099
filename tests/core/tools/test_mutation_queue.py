"""The rules by which changes of files wait for each other.

Touches: files.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pi_core.tools.edit import edit_tool
from pi_core.tools.mutation_queue import MutationQueue, file_mutation


async def test_one_file_many_names_other_file_free(tmp_path: Path) -> None:
    """Z12: changes of one file, one through a link and one that fails, are serial; others overlap them."""
    file, link, other = tmp_path / "f", tmp_path / "link", tmp_path / "other"
    file.touch()
    link.symlink_to(file)
    trace: list[str] = []

    async def change(name: str, path: Path, *, fail: bool = False) -> None:
        async with file_mutation(path):
            trace.append(f"{name}s")
            await asyncio.sleep(0.01)
            trace.append(f"{name}e")
            if fail:
                raise ValueError(name)

    await asyncio.gather(
        change("1", file, fail=True), change("2", link), change("3", file), change("c", other),
        return_exceptions=True,
    )  # fmt: skip
    assert ["1s", "1e", "2s", "2e", "3s", "3e"] == [step for step in trace if step[0] != "c"]
    assert trace.index("cs") < trace.index("1e")


async def test_cancelled_waiter_gives_its_place_up() -> None:
    """Who is cancelled while waiting does not hold up the ones behind."""
    queue = MutationQueue()
    first_may_end = asyncio.Event()
    got: list[str] = []

    async def hold(name: str, until: asyncio.Event | None = None) -> None:
        async with queue.hold("/same"):
            got.append(name)
            if until is not None:
                await until.wait()

    tasks = [asyncio.create_task(hold("first", first_may_end))]
    tasks += [asyncio.create_task(hold(name)) for name in ("second", "third")]
    await asyncio.sleep(0)
    tasks[1].cancel()
    first_may_end.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert ["first", "third"] == got


async def test_idle_files_are_forgotten() -> None:
    """A file that nobody changes takes no memory, after a failure neither."""
    queue = MutationQueue()
    seen: list[int] = []

    async def fail() -> None:
        async with queue.hold("/some/file"):
            seen.append(len(queue.busy_paths))
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        await fail()
    assert ([1], []) == (seen, queue.busy_paths)


async def test_two_loops_share_a_file() -> None:
    """Event loops in different threads wait for each other too."""
    queue = MutationQueue()
    steps: list[str] = []

    async def change(name: str) -> None:
        async with queue.hold("/same"):
            steps.append(f"{name} in")
            await asyncio.sleep(0.05)
            steps.append(f"{name} out")

    there = asyncio.to_thread(asyncio.run, change("thread"))
    await asyncio.gather(there, change("here"))
    assert [["in", "out"], ["in", "out"]] == [[s.split()[1] for s in steps[n : n + 2]] for n in (0, 2)]
    assert steps[0].split()[0] == steps[1].split()[0]


async def test_two_edits_of_one_file_both_hold(tmp_path: Path) -> None:
    """Two edits of one file in a parallel batch are both applied. (host C86)"""
    file = tmp_path / "f.txt"
    file.write_text("one\ntwo\n")
    tool = edit_tool(str(tmp_path))
    wanted = [("one", "1"), ("two", "2")]
    await asyncio.gather(
        *(
            tool.execute("c", {"path": "f.txt", "edits": [{"oldText": a, "newText": b}]}, None, None, None)
            for a, b in wanted
        )
    )
    assert "1\n2\n" == file.read_text()
