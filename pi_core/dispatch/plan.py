"""Who listens to an event, in which order, and what is told when a listener fails.

A plan is an immutable snapshot: what is registered during a dispatch counts from the
next one on.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias

from hookspecs.values import dataclass

FailureKind: TypeAlias = Literal[
    "raised",
    "wrong-answer",
    "unknown-key",
    "odd-decision",
    "role-changed",
    "system-head-removed",
    "invalid-entries",
    "read-only",
    "wrapper",
    "overdue",
    "interrupted",
    "slow",
    "blocking",
    "ui-unavailable",
]


@dataclass(frozen=True, slots=True)
class Handler:
    """One registration: `call(event, ctx)`, sync or async, of the extension at path `owner`.

    `target` is what the author registered, kept for identity; `call` may be a shim around it.
    """

    call: Callable[[Any, Any], Any]
    owner: str
    event: str
    target: Any = None


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A generator function around a whole dispatch; `is_async` if it is an async one."""

    call: Callable[[Any, Any], Any]
    owner: str
    event: str
    is_async: bool = False
    target: Any = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The listeners of one event in the order in which they run; wrappers from the outside in."""

    handlers: tuple[Handler, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    calls: tuple[tuple[Callable[[Any, Any], Any], Handler], ...] = field(
        init=False, repr=False, compare=False
    )
    """The handlers with their functions beside them, which saves the loop a look-up each."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "calls", tuple((handler.call, handler) for handler in self.handlers))


NOBODY: Final = Plan()


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in an extension during an event.

    `message` is the text of the error, or our own sentence when the handler did not raise;
    `error` carries the traceback and is None in that case.
    """

    extension: str
    event: str
    message: str
    kind: FailureKind = "raised"
    error: BaseException | None = None


class HandlerFailed(Exception):
    """A handler of an event that refuses on failure failed, so what was asked must not happen.

    Its text is that of the failure, which was reported already.
    """

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


class HandlerInterrupted(Exception):
    """A handler or wrapper was stopped before its end. `kind` says why: its time was up, or an abort."""

    def __init__(self, message: str, kind: FailureKind = "overdue") -> None:
        self.kind: FailureKind = kind
        super().__init__(message)


class HandlerCancelled(Exception):
    """A handler or wrapper ended by a cancellation that was not the caller's."""

    def __init__(self, cancellation: BaseException) -> None:
        super().__init__("what it waited for was cancelled")
        self.with_traceback(cancellation.__traceback__)


class ReadOnlyField(AttributeError):
    """A handler assigned a field of its event that is computed."""


Report: TypeAlias = Callable[[Failure], None]
"""Receives every failure as it happens. If it raises, the dispatch raises."""

Fields: TypeAlias = Mapping[str, Any]


def kind_of_error(error: BaseException, usual: FailureKind = "raised") -> FailureKind:
    """As what an exception out of a handler is reported."""
    if isinstance(error, HandlerInterrupted):
        return error.kind
    return "read-only" if isinstance(error, ReadOnlyField) else usual


def text_of_error(error: BaseException) -> str:
    """The text of an exception, or its class where it has none. The number of an exit alone says nothing."""
    if isinstance(error, SystemExit) and not isinstance(error.code, str):
        return f"sys.exit({'' if error.code is None else error.code}) was called"
    return str(error) or type(error).__name__
