"""How a list of patterns may change to switch one resource on or off, the smallest change first.

Which of the changes is right depends on everything else in the list, so each is a proposal that somebody
has to prove.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from pi_pkg.values import dataclass

Items: TypeAlias = tuple[str, ...] | None
"""The texts of a list; None: there is no list."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a list may call one resource."""

    written: tuple[str, ...]
    """How we write it, the preferred form first; all are exact, in `/` form."""
    known: frozenset[str]
    """Every form that may stand there, the written ones included."""

    def marked(self, entry: str, mark: str) -> bool:
        """Whether an entry is this resource under a mark."""
        return entry.startswith(mark) and entry[1:].removeprefix("./") in self.known


def filter_changes(items: Items, names: Names, *, on: bool) -> Iterator[Items]:
    """Of a package's filter: no list is everything, an empty one nothing."""
    ours, theirs = ("+", "-") if on else ("-", "+")
    rest = _without(items, names, theirs)
    if rest != items:
        yield rest or None
    if not on and items and len(items) == 1 and items[0] in names.known:
        yield ()
    if on and items == ():
        yield from ((name,) for name in names.written if _is_no_glob(name))
        yield from (("!**", f"+{name}") for name in names.written)
        return
    yield from _marked(rest, names, ours)


def list_changes(items: Items, names: Names, *, on: bool) -> Iterator[Items]:
    """Of a top-level list, or an `autoload = false` filter: no list and an empty one say nothing."""
    ours, theirs = ("+", "-") if on else ("-", "+")
    rest = _without(items, names, theirs)
    if rest != items:
        yield rest or None
    yield from _marked(rest, names, ours)


def given_back(items: Items, names: Names, *, on: bool) -> Iterator[Items]:
    """What `taken_over` did is taken back: the path and the mark together say no more than that."""
    theirs = "-" if on else "+"
    says = [item for item in items or () if _says(item, names)]
    if (
        len(says) == 2
        and any(item in names.known for item in says)
        and any(names.marked(item, theirs) for item in says)
    ):
        yield tuple(item for item in items or () if item not in says) or None


def taken_over(items: Items, names: Names, *, on: bool) -> Iterator[Items]:
    """Of a project's list of the top level that speaks about a resource of the user."""
    listed = tuple(item for item in items or () if not _says(item, names))
    if listed != (items or ()):
        yield listed or None
    for name in names.written:
        if on:
            yield (*listed, f"+{name}")
        yield (*listed, name, f"{'+' if on else '-'}{name}")


def _without(items: Items, names: Names, mark: str) -> Items:
    return None if items is None else tuple(item for item in items if not names.marked(item, mark))


def _marked(items: Items, names: Names, mark: str) -> Iterator[Items]:
    """With the mark behind everything else, where it prevails even if the order counts."""
    rest = tuple(item for item in items or () if not names.marked(item, mark))
    yield from ((*rest, f"{mark}{name}") for name in names.written)


def _says(item: str, names: Names) -> bool:
    return item in names.known or names.marked(item, "+") or names.marked(item, "-")


def _is_no_glob(name: str) -> bool:
    return not any(char in name for char in "*?[]{}!+-@()#\\")
