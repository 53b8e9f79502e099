"""Writes the typed overloads of `pi.on`, one pair an event; `python -m tests.core.extensions.on_overloads`.

Touches: files.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hookspecs.events import EVENTS
from hookspecs.laws import LAWS, EventLaw

TARGET = Path(__file__).resolve().parents[3] / "pi_core" / "extensions" / "listening.py"

HEAD = '''"""The typed face of `pi.on`: an event's name decides what its handler is handed and may answer.

Written by `python -m tests.core.extensions.on_overloads` from the laws; edit that.

Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, overload

import hookspecs as h
from pi_core.extensions.subscription import Subscription

T = TypeVar("T")
E = TypeVar("E")
Answer: TypeAlias = T | Mapping[str, Any] | Awaitable[T | Mapping[str, Any] | None] | None
"""What a handler may return: an answer, its wire form as a dict, nothing; or an awaitable of those."""
Handler: TypeAlias = Callable[[E, h.ExtensionContext], Answer[T]]
Observer: TypeAlias = Callable[[E, h.ExtensionContext], object]


class How(TypedDict, total=False):
    """The place of a handler among those of all extensions."""

    first: bool
    last: bool


'''

OPENING = '''class Listening(Protocol):
    """`on`, for every event by its name and by its class."""

'''

TAIL = '''    @overload
    def on(self, event: type[E], **how: Unpack[How]) -> Keep[E]: ...
    @overload
    def on(self, event: type[E], handler: Observer[E], **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(
        self, event: str, *, optional: Literal[True], first: bool = ..., last: bool = ...
    ) -> KeepAny: ...
    @overload
    def on(
        self,
        event: str,
        handler: Callable[..., Any],
        *,
        optional: Literal[True],
        first: bool = ...,
        last: bool = ...,
    ) -> Subscription: ...
    def on(self, event: Any, handler: Any = None, **how: Any) -> Any:
        """Listen to an event, given by name or by class.

        As a decorator it returns the function, called with a handler a Subscription that ends it. The
        handler is called as `handler(event, ctx)` and may be async. `first` and `last` move it before
        or behind the handlers of all other extensions; `optional` accepts an event that this version
        does not have. Raises: UnknownEventError, RegistrationError for a handler of another form.
        """
        ...
'''


def handler_type(row: EventLaw) -> str:
    """The type of a handler of one event."""
    cls = f"h.{EVENTS[row.event][1]}"
    if row.event == "project_trust":
        return f"Callable[[{cls}, h.ProjectTrustContext], Answer[h.Trust]]"
    if not row.answer or row.event == "before_provider_request":
        return f"Observer[{cls}]"
    return f"Handler[{cls}, {' | '.join(f'h.{name}' for name in row.answer)}]"


def render() -> str:
    """The source text, before formatting."""
    lines = [HEAD]
    for event, row in LAWS.items():
        name = EVENTS[event][1].removesuffix("Event") + "F"
        lines.append(f'{name} = TypeVar("{name}", bound={handler_type(row)!r})\n'.replace("'", '"'))
    lines.append('F = TypeVar("F", bound=Callable[..., Any])\nX = TypeVar("X")\n\n\n')
    lines.append(KEEPERS)
    lines.append(
        'class Listening(Protocol):\n    """`on`, for every event by its name and by its class."""\n\n'
    )
    for event, row in LAWS.items():
        name = EVENTS[event][1].removesuffix("Event") + "F"
        lines.append(
            f'    @overload\n    def on(self, event: Literal["{event}"],'
            f" **how: Unpack[How]) -> Callable[[{name}], {name}]: ...\n"
            f'    @overload\n    def on(self, event: Literal["{event}"], handler: {handler_type(row)},'
            " **how: Unpack[How]) -> Subscription: ...\n"
        )
    lines.append(TAIL)
    return "".join(lines)


KEEPERS = '''class Keep(Protocol[X]):
    """Takes a handler of the event and gives it back."""

    def __call__(
        self, handler: Callable[[X, h.ExtensionContext], T], /
    ) -> Callable[[X, h.ExtensionContext], T]: ...


class KeepAny(Protocol):
    """Takes a handler and gives it back."""

    def __call__(self, handler: F, /) -> F: ...


'''


def formatted(text: str) -> str:
    """The text as the formatter leaves it."""
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"],
        input=text, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


if __name__ == "__main__":
    TARGET.write_text(formatted(render()), encoding="utf-8")
