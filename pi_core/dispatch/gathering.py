"""The laws that gather: paths from everybody, edits of one shared object, drafts at a boundary.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookspecs.values import dataclass
from pi_core.dispatch.algebra import BaseFold, BaseLaw, Fold
from pi_core.dispatch.answers import decides
from pi_core.dispatch.fields import another
from pi_core.dispatch.outcomes import BoundaryOutcome, CollectedResources, OwnedPath
from pi_core.dispatch.plan import Handler, Report, Wrapper, text_of_error

_PATHS = ("skill_paths", "prompt_paths", "theme_paths")


@dataclass(frozen=True, slots=True)
class Mutate(BaseLaw):
    """One shared object is edited in place; answers are ignored. The result is that object."""

    def begin(self, event: Any, report: Report) -> Fold:
        return MutateFold(self, event, report)

    def nobody(self, event: Any) -> Any:
        return event.headers

    def is_result(self, value: Any) -> bool:
        return isinstance(value, dict)


class MutateFold(BaseFold):
    """A fresh event around the same headers each time: assigning `event.headers` changes nothing."""

    __slots__ = ("headers",)

    fresh = True

    def __init__(self, law: Mutate, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.headers = event.headers

    def hand(self) -> Any:
        return another(self.event, {"headers": self.headers})

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        return False

    def end(self) -> Any:
        return self.headers


@dataclass(frozen=True, slots=True)
class Collect(BaseLaw):
    """Paths are concatenated in the order of the handlers, each with its owner."""

    def begin(self, event: Any, report: Report) -> Fold:
        return CollectFold(self, event, report)

    def nobody(self, event: Any) -> CollectedResources:
        return CollectedResources()

    def is_result(self, value: Any) -> bool:
        return isinstance(value, CollectedResources)


class CollectFold(BaseFold):
    """Three lists that only grow. A field that is no list of texts is left out and reported."""

    __slots__ = ("lists",)

    fresh = True

    def __init__(self, law: Collect, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.lists: dict[str, list[OwnedPath]] = {name: [] for name in _PATHS}

    def hand(self) -> Any:
        return another(self.event, {})

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler) or {}
        for name in _PATHS:
            paths = found.get(name)
            if paths is None:
                continue
            if _is_texts(paths):
                self.lists[name] += [OwnedPath(str(path), handler.owner) for path in paths]
            else:
                self.wrong(handler, f"{name} must be a list of texts; it is left out")
        return False

    def end(self) -> CollectedResources:
        return CollectedResources(*(tuple(self.lists[name]) for name in _PATHS))


def _is_texts(value: Any) -> bool:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        return False
    return all(isinstance(item, str) or hasattr(item, "__fspath__") for item in value)


@dataclass(frozen=True, slots=True)
class BoundaryLaw(BaseLaw):
    """Draft entries and the wish to continue are passed on and checked after every handler.

    The host's `preview` on the event builds the next context from the entries, and raises if
    they are invalid. Entries that are invalid at the end discard everything.
    """

    def begin(self, event: Any, report: Report) -> Fold:
        return BoundaryFold(self, event, report)

    def nobody(self, event: Any) -> BoundaryOutcome:
        return BoundaryOutcome(event.entries, event.continue_, event.context)

    def is_result(self, value: Any) -> bool:
        return isinstance(value, BoundaryOutcome)


class BoundaryFold(BaseFold):
    """An invalid list stays the running value, so that a later handler can repair it."""

    __slots__ = ("context", "continue_", "entries", "handed", "valid")

    fresh = True
    silence = True

    def __init__(self, law: BoundaryLaw, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.entries: Any = list(event.entries)
        self.continue_: bool = event.continue_
        self.context: Any = self._preview()
        self.valid = True
        self.handed: Any = None

    def _preview(self) -> Any:
        """The context that the entries would make. Raises if they are invalid."""
        if not isinstance(self.entries, list):
            raise TypeError("not a list")
        build = getattr(self.event, "preview", None)
        return build(self.entries) if build is not None else None

    def hand(self) -> Any:
        changes = {"entries": self.entries, "continue_": self.continue_, "context": self.context}
        self.handed = another(self.event, changes)
        return self.handed

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler) or {}
        if "entries" in found:
            self.entries = found["entries"]
        if "continue_" in found:
            wish = found["continue_"]
            if wish is not None and not isinstance(wish, bool):
                what = f"continue should be a bool and is a {type(wish).__name__}"
                self.note(handler, "odd-decision", what)
            self.continue_ = decides(wish)
        self._check(handler)
        return False

    def failed(self, handler: Handler) -> None:
        self._check(handler)

    def _check(self, handler: Handler | Wrapper) -> None:
        try:
            self.context = self._preview()
            self.valid = True
        except Exception as error:  # noqa: BLE001 - the host's check says no by raising
            self.valid = False
            self.note(handler, "invalid-entries", text_of_error(error))

    def end(self) -> BoundaryOutcome:
        if not self.valid:
            return BoundaryOutcome([], False, self.context, False)
        return BoundaryOutcome(self.entries, self.continue_, self.context, True)
