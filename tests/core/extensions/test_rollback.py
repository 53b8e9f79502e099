"""A load that fails leaves nothing: no registration, no module, no task, nothing on sys.path."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_core.extensions.actions import Runtime
from pi_core.extensions.errors import StaleContextError
from pi_core.extensions.runner import Runner
from tests.core.extensions.support import HELLO, inline, load, load_source, private_modules, refusal, write

GREEDY = """
    import asyncio
    async def extension(pi):
        pi.on("turn_start", lambda event, ctx: None)
        pi.register_flag("f", type="string", default="leak")
        pi.register_command("c", print)
        pi.register_provider("p", ProviderConfig(base_url="http://127.0.0.1:9"))
        pi.events.on("channel", print)
        pi.every(0.01, lambda: None)
        pi.spawn(asyncio.sleep(60))
        @pi.tool
        def t() -> str: "A tool."
        raise RuntimeError("after all that")
    from pi_core.api import ProviderConfig
"""


async def test_nothing_is_left_of_a_factory_that_raises(tmp_path: Path) -> None:
    """L15: handlers, flag defaults, tools, commands, providers, listeners and tasks are all gone."""
    runtime = Runtime()
    loaded = await load_source(tmp_path / "greedy.py", GREEDY, runtime=runtime)
    await asyncio.sleep(0)
    runner = Runner(loaded.extensions, runtime, cwd="/")
    assert not runner.has_handlers("turn_start")
    assert [] == runtime.hooks.registrations("turn_start")
    assert {} == runtime.flag_values
    assert ((), ()) == (runner.registry.tools(), runner.registry.commands())
    assert [] == runtime.bus._entries
    assert [] == runtime._queue
    assert [] == runtime.background.tasks()


async def test_the_api_object_of_a_failed_load_is_dead() -> None:
    """Whoever kept the API object of a failed extension gets an error from every method."""
    kept: list[Any] = []

    def factory(pi: Any) -> None:
        kept.append(pi)
        raise RuntimeError

    await load(inline(factory))
    uses: list[Callable[[Any], Any]] = [
        lambda pi: pi.on("turn_start", print),
        lambda pi: pi.register_command("c", print),
        lambda pi: pi.get_flag("f"),
        lambda pi: pi.events.emit("x"),
    ]
    for use in uses:
        with pytest.raises(StaleContextError, match="failed to load"):
            use(kept[0])


async def test_a_late_refusal_takes_everything_back(tmp_path: Path) -> None:
    """A hook that pluggy refuses at the commit rolls the whole extension back."""
    runtime = Runtime()
    await refusal(
        tmp_path / "late.py",
        """
        from pi_core.api import hookimpl
        @hookimpl
        def pi_turn_start(event): pass
        @hookimpl
        def pi_turn_end(event, ctx, extra): pass
        """,
        runtime=runtime,
    )
    assert [] == runtime.hooks.registrations("turn_start")
    assert [] == runtime.hooks.manager.list_name_plugin()


@pytest.mark.parametrize("source", ["1 / 0", "from . import part\n1 / 0", "def extension(pi): 1 / 0"])
async def test_sys_modules_is_as_before_after_a_failure(tmp_path: Path, source: str) -> None:
    """A failing import and a failing factory leave neither the module nor its siblings behind."""
    write(tmp_path / "part.py", "X = 1")
    before = set(sys.modules)
    await refusal(tmp_path / "bad.py", source)
    assert before == set(sys.modules)


async def test_a_failing_folder_leaves_no_module(tmp_path: Path) -> None:
    """The same for a package whose submodule raises."""
    write(tmp_path / "ext" / "__init__.py", "from . import fine, broken")
    write(tmp_path / "ext" / "fine.py", "")
    write(tmp_path / "ext" / "broken.py", "raise SystemExit")
    before = set(sys.modules)
    await load(tmp_path / "ext")
    assert before == set(sys.modules)


async def test_others_keep_what_they_have(tmp_path: Path) -> None:
    """A failure between two good extensions touches neither."""
    first, last = write(tmp_path / "a.py", HELLO), write(tmp_path / "z.py", HELLO)
    loaded = await load(first, write(tmp_path / "m.py", GREEDY), last)
    assert [str(first), str(last)] == [extension.path for extension in loaded.extensions]
    assert 1 == len(loaded.errors)


async def test_a_factory_that_waits_too_long_is_given_up() -> None:
    """Past the limit the factory is cancelled, reported, and the next one runs."""
    started = time.monotonic()
    ran: list[str] = []
    loaded = await load(
        inline(lambda pi: asyncio.sleep(60), 1),
        inline(lambda pi: ran.append("next"), 2),
        factory_timeout_s=0.05,
    )
    assert (["extension-timeout"], ["next"]) == ([error.code for error in loaded.errors], ran)
    assert time.monotonic() - started < 5


async def test_a_factory_that_swallows_its_cancellation_is_left_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that will not even be cancelled holds nobody; its later end is harmless."""
    monkeypatch.setattr("pi_core.extensions.loader.LEFT_BEHIND_AFTER_S", 0.02)
    released = asyncio.Event()

    async def stubborn(pi: object) -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                pass

    loaded = await load(inline(stubborn), factory_timeout_s=0.02)
    assert ["extension-timeout"] == [error.code for error in loaded.errors]
    (left,) = loaded.runtime.background.tasks()
    released.set()
    assert left in (await asyncio.wait({left}))[0]


async def test_our_own_cancellation_passes_through(tmp_path: Path) -> None:
    """When the task that loads is cancelled it ends cancelled, and the extension leaves no trace."""
    path = write(tmp_path / "slow.py", "import asyncio\nasync def extension(pi): await asyncio.sleep(60)")
    before = private_modules()
    runtime = Runtime()
    task = asyncio.create_task(load(path, runtime=runtime))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert before == private_modules()
    assert [] == runtime.background.tasks()


async def test_a_cancellation_of_the_factory_itself_is_a_failure() -> None:
    """A factory that awaits something cancelled fails like any other; our task is not cancelled."""

    async def factory(pi: object) -> None:
        inner = asyncio.ensure_future(asyncio.sleep(60))
        inner.cancel()
        await inner

    loaded = await load(inline(factory))
    assert ["extension-factory-failed"] == [error.code for error in loaded.errors]
    assert 0 == (asyncio.current_task() or asyncio.ensure_future(asyncio.sleep(0))).cancelling()
