"""Waiting that an abort ends, and nothing else does."""

from __future__ import annotations

import asyncio

import pytest

from pi_core.abort import AbortController, AbortedError
from pi_core.providers.interruption import Interruption


async def endless() -> None:
    await asyncio.Event().wait()


async def seven() -> int:
    return 7


async def no_time() -> None:
    raise TimeoutError("of the work")


async def test_work_that_ends_is_what_it_comes_to() -> None:
    """Without a signal, and with one that stays silent."""
    async with Interruption(None) as free, Interruption(AbortController().signal) as bound:
        assert (7, 7) == (await free.wait(seven), await bound.wait(seven))


async def test_an_abort_interrupts_the_waiting_task_only() -> None:
    """The wait raises; the task is not cancelled, and goes on."""
    controller = AbortController()
    asyncio.get_running_loop().call_soon(controller.abort)
    async with Interruption(controller.signal) as waiting:
        with pytest.raises(AbortedError):
            await waiting.wait(endless)
    task = asyncio.current_task()
    assert task is not None
    assert 0 == task.cancelling()


async def test_work_does_not_begin_after_an_abort() -> None:
    """Not even work that would end at once."""
    controller = AbortController()
    controller.abort()
    async with Interruption(controller.signal) as waiting:
        with pytest.raises(AbortedError):
            await waiting.wait(seven)


async def test_an_abort_from_another_thread_counts() -> None:
    """A signal may be raised anywhere."""
    controller = AbortController()
    aborting = asyncio.create_task(asyncio.to_thread(controller.abort))
    async with Interruption(controller.signal) as waiting:
        with pytest.raises(AbortedError):
            await waiting.wait(endless)
    await aborting


async def test_the_end_of_the_task_is_no_abort() -> None:
    """Whoever cancels the task cancels it."""

    async def work() -> None:
        async with Interruption(AbortController().signal) as waiting:
            await waiting.wait(endless)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_work_may_run_out_of_time_itself() -> None:
    """Its own error comes through."""
    async with Interruption(AbortController().signal) as waiting:
        with pytest.raises(TimeoutError, match="of the work"):
            await waiting.wait(no_time)


async def test_an_abort_between_two_waits_does_nothing_yet() -> None:
    """It is the next wait that raises."""
    controller = AbortController()
    async with Interruption(controller.signal) as waiting:
        await waiting.wait(seven)
        controller.abort()
        await asyncio.sleep(0)
        with pytest.raises(AbortedError):
            await waiting.wait(seven)
