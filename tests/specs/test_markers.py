"""The marker that authors put on their hook functions.

Pure.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from typing import Any

import pluggy
import pytest

from hookspecs import EVENTS, PROJECT_NAME, PiSpecs, hookimpl, is_async_wrapper


def marks(function: Any) -> dict[str, Any]:
    return dict(getattr(function, f"{PROJECT_NAME}_impl"))


def test_a_bare_marker_marks_a_plain_implementation() -> None:
    """Without arguments nothing is special, and the function stays itself."""

    @hookimpl
    def pi_tool_call(event: Any, ctx: Any) -> str:
        return "mine"

    assert "mine" == pi_tool_call(None, None)
    assert not any(marks(pi_tool_call).values())


def test_options_are_kept() -> None:
    """Order, optional hooks and another name are pluggy's own options."""

    @hookimpl(tryfirst=True, optionalhook=True, specname="pi_tool_call")
    def guard(event: Any, ctx: Any) -> None: ...

    found = marks(guard)
    assert (True, False, True, "pi_tool_call") == (
        found["tryfirst"],
        found["trylast"],
        found["optionalhook"],
        found["specname"],
    )


def test_a_plain_generator_is_pluggys_wrapper() -> None:
    """A sync wrapper is marked the way pluggy marks it."""

    @hookimpl(wrapper=True)
    def pi_tool_call(event: Any, ctx: Any) -> Generator[None, Any, Any]:
        return (yield)

    assert (True, False) == (marks(pi_tool_call)["wrapper"], is_async_wrapper(pi_tool_call))


def test_an_async_generator_is_our_wrapper() -> None:
    """pluggy would refuse it, so for pluggy it is a plain implementation, and our flag tells."""

    @hookimpl(wrapper=True, trylast=True)
    async def pi_tool_call(event: Any, ctx: Any) -> AsyncGenerator[None, Any]:
        yield

    assert (False, True) == (marks(pi_tool_call)["wrapper"], marks(pi_tool_call)["trylast"])
    assert is_async_wrapper(pi_tool_call)


def test_a_wrapper_without_a_yield_is_an_error() -> None:
    """It is refused where it is written, with its name."""
    with pytest.raises(TypeError, match="guard is marked as a wrapper but has no yield"):

        @hookimpl(wrapper=True)
        def guard(event: Any, ctx: Any) -> None: ...


def test_pluggy_accepts_the_specifications() -> None:
    """Every event is a hook of the plugin manager, with the arguments event and ctx."""
    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(PiSpecs)
    for event in EVENTS:
        caller = getattr(manager.hook, f"pi_{event}")
        assert caller.spec is not None
        assert ("event", "ctx") == tuple(caller.spec.argnames)
