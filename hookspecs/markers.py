"""The two pluggy markers: one for the specifications, one for authors' implementations.

pluggy refuses an async generator as a wrapper, so `hookimpl` registers it as a plain
implementation and leaves a flag of our own on it.

Pure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final, TypeVar, overload

import pluggy

F = TypeVar("F", bound=Callable[..., Any])

PROJECT_NAME: Final = "pi"
"""The pluggy project name: markers leave their options in `pi_spec` and `pi_impl`."""

ASYNC_WRAPPER_FLAG: Final = "pi_async_wrapper"

hookspec = pluggy.HookspecMarker(PROJECT_NAME)
_mark = pluggy.HookimplMarker(PROJECT_NAME)


@overload
def hookimpl(function: F, /) -> F: ...


@overload
def hookimpl(
    *,
    wrapper: bool = False,
    tryfirst: bool = False,
    trylast: bool = False,
    optionalhook: bool = False,
    specname: str | None = None,
) -> Callable[[F], F]: ...


def hookimpl(
    function: F | None = None,
    /,
    *,
    wrapper: bool = False,
    tryfirst: bool = False,
    trylast: bool = False,
    optionalhook: bool = False,
    specname: str | None = None,
) -> F | Callable[[F], F]:
    """Mark a function `pi_<event>(event, ctx)` as an implementation of that event.

    `wrapper=True` takes a generator function or an async generator function that surrounds the whole
    dispatch; `optionalhook=True` allows an event that this host does not know; `specname` names the
    event when the function is called otherwise. Raises TypeError if a wrapper is no generator function.
    """

    def decorate(target: F) -> F:
        asynchronous = wrapper and inspect.isasyncgenfunction(target)
        if wrapper and not asynchronous and not inspect.isgeneratorfunction(target):
            name = getattr(target, "__qualname__", repr(target))
            raise TypeError(f"{name} is marked as a wrapper but has no yield: a wrapper yields once")
        marked = _mark(
            target,
            wrapper=wrapper and not asynchronous,
            tryfirst=tryfirst,
            trylast=trylast,
            optionalhook=optionalhook,
            specname=specname,
        )
        if asynchronous:
            setattr(marked, ASYNC_WRAPPER_FLAG, True)
        return marked

    return decorate if function is None else decorate(function)


def is_async_wrapper(function: object) -> bool:
    """Whether `hookimpl` marked this function as an async wrapper."""
    return getattr(function, ASYNC_WRAPPER_FLAG, False) is True
