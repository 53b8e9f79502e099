"""The rules of abort signals.

Pure.
"""

from __future__ import annotations

import asyncio

import pytest

from pi_core.abort import AbortController, AbortedError, any_signal


def test_listeners_run_once_in_order() -> None:
    """An abort tells everybody once, in the order in which they came."""
    seen: list[str] = []
    controller = AbortController()
    controller.signal.on_abort(lambda: seen.append("first"))
    controller.signal.on_abort(lambda: seen.append("second"))
    controller.abort("why")
    controller.abort("again")
    assert ["first", "second"] == seen
    assert "why" == controller.signal.reason


def test_late_listener_runs_at_once() -> None:
    """Who comes after the abort is told at once."""
    seen: list[str] = []
    controller = AbortController()
    controller.abort()
    controller.signal.on_abort(lambda: seen.append("late"))
    assert ["late"] == seen


def test_removed_listener_is_not_told() -> None:
    """A listener that was taken off stays silent."""
    seen: list[str] = []
    controller = AbortController()
    remove = controller.signal.on_abort(lambda: seen.append("gone"))
    remove()
    remove()
    controller.abort()
    assert [] == seen


def test_failing_listener_does_not_silence_the_next() -> None:
    """Everybody is told before a failure is raised."""
    seen: list[str] = []
    controller = AbortController()
    controller.signal.on_abort(lambda: 1 / 0)
    controller.signal.on_abort(lambda: seen.append("told"))
    with pytest.raises(ExceptionGroup):
        controller.abort()
    assert ["told"] == seen


async def test_wait_returns_at_the_abort() -> None:
    """Waiting ends with the abort, and at once after it."""
    controller = AbortController()
    asyncio.get_running_loop().call_soon(controller.abort)
    await asyncio.wait_for(controller.signal.wait(), 5)
    await asyncio.wait_for(controller.signal.wait(), 5)
    assert controller.signal.aborted


def test_raise_if_aborted() -> None:
    """Work that checks its signal stops with the reason at hand."""
    controller = AbortController()
    controller.signal.raise_if_aborted()
    controller.abort("stop it")
    with pytest.raises(AbortedError, match="Operation aborted") as caught:
        controller.signal.raise_if_aborted()
    assert "stop it" == caught.value.reason


def test_any_signal_follows_the_first() -> None:
    """A combined signal takes the reason of the first that is aborted."""
    one, two = AbortController(), AbortController()
    both = any_signal(one.signal, None, two.signal)
    assert not both.aborted
    two.abort("two")
    one.abort("one")
    assert (True, "two") == (both.aborted, both.reason)
