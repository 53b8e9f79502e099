"""Which changes of a settings file might switch a whole package, what it will bring later included.

Touches: files (through the reading of sources).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pi_pkg.locations import ResourceType
from pi_pkg.settings.entries import AddEntry, SetList, entry_position
from pi_pkg.settings.model import PackageEntry
from pi_pkg.toggle.model import Place
from pi_pkg.toggle.proposals import Edits, delta_position, delta_source, items_of, tidied
from pi_pkg.toggle.tokens import Meant

_ALL = "!**"
"""Switches off everything, in a filter of `autoload = false`."""


def whole_package(meant: Meant, values: Mapping[str, Any], place: Place, *, on: bool) -> Iterator[Edits]:
    """Changes that do not name a single resource; each has to be proven.

    Switching off leaves no kind of what the package offers now; kinds with a filter of their own are not
    touched here, for the filter would be lost. Switching on takes back what switching off wrote.
    """
    first = meant.resources[0]
    kinds = tuple(dict.fromkeys(item.type for item in meant.resources))
    is_own = first.provenance.scope == place.scope or place.scope == "user"
    source = str(meant.package) if is_own else delta_source(first, place)
    position = (
        entry_position(values, source, place.scope) if is_own else delta_position(source, values, place)
    )
    if position is None:
        if not on:
            yield (AddEntry(_entry_without(source, kinds, sparse=not is_own)),)
        return
    item = values["packages"][position]
    is_sparse = isinstance(item, Mapping) and item.get("autoload") is False
    lists = list((_sparse if is_sparse else _filtered)(item, kinds, position, on=on))
    if lists:
        gone = {edit.kind for edit in lists if edit.items is None}
        yield (*lists, *tidied(item, gone, position, place))


def _entry_without(source: str, kinds: tuple[ResourceType, ...], *, sparse: bool) -> PackageEntry:
    lists: dict[str, Any] = dict.fromkeys(kinds, (_ALL,) if sparse else ())
    return PackageEntry(source, autoload=not sparse, **lists)


def _filtered(item: object, kinds: tuple[ResourceType, ...], position: int, *, on: bool) -> Iterator[SetList]:
    for kind in kinds:
        items = items_of(item, kind)
        if on and items == ():
            yield SetList(kind, None, position)
        elif not on and items is None:
            yield SetList(kind, (), position)


def _sparse(item: object, kinds: tuple[ResourceType, ...], position: int, *, on: bool) -> Iterator[SetList]:
    for kind in kinds:
        items = items_of(item, kind) or ()
        rest = tuple(text for text in items if text != _ALL)
        if on and rest != items:
            yield SetList(kind, rest or None, position)
        elif not on:
            yield SetList(kind, (*rest, _ALL), position)
