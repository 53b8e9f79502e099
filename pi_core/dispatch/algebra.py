"""The laws of composition as small values, and the folds that they begin.

A law is what an event promises about many handlers. For one dispatch it begins a fold:
the fold hands out what the next handler sees, hears its answer, and ends in a result.
Nothing here awaits or calls a handler; the driver does, and it is the same for every law.

Pure.
"""

from __future__ import annotations

from typing import Any, Protocol

from hookspecs.laws import EventLaw
from hookspecs.values import dataclass
from pi_core.dispatch.answers import Shape
from pi_core.dispatch.plan import Failure, FailureKind, Handler, HandlerFailed, Report, Wrapper


class Fold(Protocol):
    """One dispatch in progress.

    `fresh`: every handler gets an event of its own. `silence`: that a handler said nothing is heard too.
    """

    fresh: bool
    silence: bool

    def hand(self) -> Any:
        """The event for the next handler; asked for only if `fresh`."""
        ...

    def view(self) -> Any:
        """The event for the wrappers, before the first handler; asked for only if `fresh`."""
        ...

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        """Take an answer in. True: nobody is asked after this one."""
        ...

    def failed(self, handler: Handler) -> None:
        """The handler raised; its answer will not come."""
        ...

    def end(self) -> Any:
        """The result of the dispatch."""
        ...


class Law(Protocol):
    """What an event promises about many handlers."""

    @property
    def row(self) -> EventLaw:
        """The law as data, part of the public contract."""
        ...

    @property
    def refuses(self) -> bool:
        """Whether a failing handler makes the dispatch fail."""
        ...

    @property
    def listens(self) -> bool:
        """Whether answers count at all; without, a dispatch needs no fold."""
        ...

    def begin(self, event: Any, report: Report) -> Fold:
        """A fold for one dispatch of this event."""
        ...

    def nobody(self, event: Any) -> Any:
        """The result when there is no listener: copies nothing, and costs as good as nothing."""
        ...

    def adopt(self, value: Any, event: Any, wrapper: Wrapper, report: Report) -> Any:
        """The result that a wrapper puts in place of the real one."""
        ...


@dataclass(frozen=True, slots=True)
class BaseLaw:
    """What laws have in common; a result that replaces another is read as a sole handler's answer."""

    row: EventLaw
    shape: Shape
    refuses: bool = False
    listens: bool = True

    def begin(self, event: Any, report: Report) -> Fold:
        raise NotImplementedError

    def nobody(self, event: Any) -> Any:
        return None

    def is_result(self, value: Any) -> bool:
        return value is None

    def adopt(self, value: Any, event: Any, wrapper: Wrapper, report: Report) -> Any:
        if self.is_result(value):
            return value
        fold = self.begin(event, report)
        if fold.fresh:
            fold.hand()
        fold.hear(value, wrapper)
        return fold.end()


class BaseFold:
    """Reading and reporting, shared by the folds that take answers."""

    __slots__ = ("event", "law", "report")

    fresh = False
    silence = False

    def __init__(self, law: BaseLaw, event: Any, report: Report) -> None:
        self.law = law
        self.event = event
        self.report = report

    def hand(self) -> Any:
        return self.event

    def view(self) -> Any:
        return self.hand()

    def failed(self, handler: Handler) -> None:
        return

    def note(self, handler: Handler | Wrapper, kind: FailureKind, message: str) -> Failure:
        """Report something that is not an exception, and go on."""
        failure = Failure(handler.owner, self.law.row.event, message, kind)
        self.report(failure)
        return failure

    def wrong(self, handler: Handler | Wrapper, message: str) -> None:
        """Report an answer that cannot count. Raises HandlerFailed where the event refuses on failure."""
        failure = self.note(handler, "wrong-answer", message)
        if self.law.refuses:
            raise HandlerFailed(failure)

    def read(self, answer: Any, handler: Handler | Wrapper) -> dict[str, Any] | None:
        """The fields of an answer, unknown ones reported; None for no opinion or a wrong type."""
        if answer is None:
            return None
        shape = self.law.shape
        found = shape.read(answer)
        if found is None:
            what = f"{self.law.row.event} was answered with a {type(answer).__name__}"
            self.wrong(handler, f"{what}; expected {shape.expected()}")
            return None
        unknown = shape.unknown(found)
        if unknown:
            known = ", ".join(sorted(shape.known)) or "none"
            what = f"the answer to {self.law.row.event} has unknown keys {', '.join(unknown)}"
            self.note(handler, "unknown-key", f"{what}; known are {known}")
        return found


@dataclass(frozen=True, slots=True)
class Notify(BaseLaw):
    """Everybody is told; answers are ignored; the result is None."""

    listens: bool = False

    def adopt(self, value: Any, event: Any, wrapper: Wrapper, report: Report) -> Any:
        return None
