"""The laws of a host's own events, which are pluggy's: the first answer, or all of them.

An answer may be anything but None, which is no opinion. A handler that fails is reported and has no say.

Pure.
"""

from __future__ import annotations

from typing import Any

from hookspecs.laws import EventLaw
from hookspecs.values import dataclass
from pi_core.dispatch.algebra import BaseFold, BaseLaw, Fold
from pi_core.dispatch.answers import Shape
from pi_core.dispatch.plan import Handler, Report, Wrapper

_ANYTHING = Shape((), frozenset())


@dataclass(frozen=True, slots=True)
class AllAnswers(BaseLaw):
    """The result is a list of the answers, in the order of the handlers; empty if nobody answered."""

    def begin(self, event: Any, report: Report) -> Fold:
        return AllFold(self, event, report)

    def nobody(self, event: Any) -> list[Any]:
        return []

    def is_result(self, value: Any) -> bool:
        return isinstance(value, list)


class AllFold(BaseFold):
    """Keeps every answer."""

    __slots__ = ("answers",)

    def __init__(self, law: AllAnswers, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.answers: list[Any] = []

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        self.answers.append(answer)
        return False

    def end(self) -> list[Any]:
        return self.answers


@dataclass(frozen=True, slots=True)
class FirstAnswer(BaseLaw):
    """The result is the first answer, and nobody is asked after it; None if there is none."""

    def begin(self, event: Any, report: Report) -> Fold:
        return FirstFold(self, event, report)

    def is_result(self, value: Any) -> bool:
        return True


class FirstFold(BaseFold):
    """Keeps one answer."""

    __slots__ = ("answer",)

    def __init__(self, law: FirstAnswer, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.answer: Any = None

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        self.answer = answer
        return True

    def end(self) -> Any:
        return self.answer


def own_law(event: str, *, first: bool) -> BaseLaw:
    """The law of an event that pi does not know: `first` is what `firstresult` says in pluggy."""
    if first:
        return FirstAnswer(EventLaw(event, "first"), _ANYTHING)
    return AllAnswers(EventLaw(event, "collect"), _ANYTHING)
