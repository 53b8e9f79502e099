"""Reloads the session of a runtime whenever a file that it was loaded from changes.

A change during a run is taken up when nothing goes on any more. A reload that cannot be is reported,
and the next change is another try.

Touches: what watching and reloading touch.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.resources.watched import Watched
from pi_core.resources.watching import Changes, changes
from pi_core.session.runtime import SessionRuntime


@asynccontextmanager
async def reloading_on_change(runtime: SessionRuntime, source: Changes = changes) -> AsyncIterator[None]:
    """Reload on changes while the block runs."""
    task = asyncio.ensure_future(_follow(runtime, source))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _follow(runtime: SessionRuntime, source: Changes) -> None:
    moved = asyncio.Event()
    forget = runtime.on_session(lambda session: moved.set())
    try:
        while True:
            moved.clear()
            await _follow_one(runtime, source, moved)
    except Exception as error:  # noqa: BLE001 - reported; the session goes on without being watched
        _report(runtime, error)
    finally:
        forget()


async def _follow_one(runtime: SessionRuntime, source: Changes, moved: asyncio.Event) -> None:
    """Reload on changes until something else has to be watched."""
    watched = _watched(runtime)
    moving = asyncio.ensure_future(moved.wait())
    async with aclosing(source(watched)) as found:
        change = None
        try:
            while _watched(runtime) == watched:
                change = asyncio.ensure_future(anext(found))
                await asyncio.wait({change, moving}, return_when=asyncio.FIRST_COMPLETED)
                if not change.done():
                    return
                change.result()
                await _reload(runtime)
        finally:
            left = {task for task in (change, moving) if task is not None}
            for task in left:
                task.cancel()
            await asyncio.wait(left)


async def _reload(runtime: SessionRuntime) -> None:
    try:
        await runtime.reload()
    except Exception as error:  # noqa: BLE001 - reported; the present generation goes on
        _report(runtime, error)


def _watched(runtime: SessionRuntime) -> Watched:
    return runtime.session.parts.generation.watched


def _report(runtime: SessionRuntime, error: BaseException) -> None:
    report = runtime.session.parts.channel.report
    report(Failure("<runtime>", "watch", text_of_error(error), error=error))
