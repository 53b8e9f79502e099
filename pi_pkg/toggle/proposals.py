"""Which changes of a settings file might switch a resource, the smallest first.

A resource of the file's own scope is switched where it is declared or discovered. In a project, a resource
of the user is switched by a delta: an entry that says nothing but this, or a path that brings the resource
into the project's scope first.

Touches: files (that a resource is a folder, where links lead).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pi_pkg.errors import SourceError
from pi_pkg.locations import ResourceType
from pi_pkg.resources.conventions import PACKAGE_FILE
from pi_pkg.resources.model import Resource
from pi_pkg.resources.patterns import Subject, relative, slashed
from pi_pkg.settings.entries import AddEntry, DropEntry, Edit, PlainEntry, SetList, entry_position
from pi_pkg.settings.model import PackageEntry
from pi_pkg.sources.identity import identity_of, stored_form
from pi_pkg.sources.parse import environment_name, parse_source
from pi_pkg.toggle.marks import Items, Names, filter_changes, given_back, list_changes, taken_over
from pi_pkg.toggle.model import Place

Edits: TypeAlias = tuple[Edit, ...]


def proposals(resource: Resource, values: Mapping[str, Any], place: Place, *, on: bool) -> list[Edits]:
    """Changes of a document that might do it; each has to be proven.

    Args:
        resource: what is to be switched.
        values: the document as it is.
        place: whose document it is.
        on: the state to bring about.
    """
    found = list(_smallest(resource, values, place, on))
    if resource.provenance.origin == "package":
        listed = list(_top_level(resource, values, place, on))  # such a list has a say over packages, too
        found += [*listed, *(first + second for first in found for second in listed)]
    return sorted(found, key=lambda edits: _additions(edits, values))


def _additions(edits: Edits, values: Mapping[str, Any]) -> int:
    """How many texts are new: taking something back comes before saying something more."""
    count = 0
    for edit in edits:
        match edit:
            case AddEntry():
                count += 1
            case SetList(items=items, entry=position, kind=kind):
                before = items_of(values if position is None else values["packages"][position], kind) or ()
                count += sum(item not in before for item in items or ())
    return count


def _smallest(resource: Resource, values: Mapping[str, Any], place: Place, on: bool) -> Iterator[Edits]:
    own = resource.provenance.scope == place.scope
    if resource.provenance.origin == "top-level":
        yield from _top_level(resource, values, place, on)
    elif own or place.scope == "user":
        yield from _own_package(resource, values, place, on)
    else:
        yield from _delta(resource, values, place, on)


# The lists of the top level.


def _top_level(resource: Resource, values: Mapping[str, Any], place: Place, on: bool) -> Iterator[Edits]:
    items = items_of(values, resource.type)
    if resource.provenance.scope == place.scope:
        names = _names(resource, _base(resource, place), place, anywhere=True)
        if place.scope == "project":
            yield from ((SetList(resource.type, change),) for change in given_back(items, names, on=on))
        changes = list_changes(items, names, on=on)
    else:
        changes = taken_over(items, _names(resource, None, place, anywhere=True), on=on)
    for change in changes:
        yield (SetList(resource.type, change),)


def _base(resource: Resource, place: Place) -> str:
    """What a list's entries about the resource are relative to."""
    is_found = resource.provenance.source == "auto"
    return (resource.provenance.base_dir if is_found else None) or place.folder


# The filters of packages.


def _own_package(resource: Resource, values: Mapping[str, Any], place: Place, on: bool) -> Iterator[Edits]:
    names = _names(resource, resource.provenance.base_dir or "", place)
    position = entry_position(values, resource.provenance.source, place.scope)
    if position is None:
        for change in filter_changes(None, names, on=on):
            yield (AddEntry(_entry(resource, resource.provenance.source, change)),)
        return
    item = values["packages"][position]
    is_sparse = isinstance(item, Mapping) and item.get("autoload") is False
    change_list = list_changes if is_sparse else filter_changes
    for change in change_list(items_of(item, resource.type), names, on=on):
        yield (SetList(resource.type, change, position), *_tidied(item, resource, change, position, place))


def _delta(resource: Resource, values: Mapping[str, Any], place: Place, on: bool) -> Iterator[Edits]:
    """What a project says about a package of the user or beside pi."""
    names = _names(resource, resource.provenance.base_dir or "", place)
    source = delta_source(resource, place)
    position = delta_position(source, values, place)
    if position is None:
        for change in list_changes(None, names, on=on):
            yield (AddEntry(_entry(resource, source, change, autoload=False)),)
        return
    item = values["packages"][position]
    for change in list_changes(items_of(item, resource.type), names, on=on):
        yield (SetList(resource.type, change, position), *_tidied(item, resource, change, position, place))


def delta_position(source: str, values: Mapping[str, Any], place: Place) -> int | None:
    """Where a project's entry about the package stands, in whatever spelling; the last one counts."""
    identity = _identity(source, place)
    packages = values.get("packages")
    found = None
    for position, item in enumerate(packages if isinstance(packages, list) else ()):
        if isinstance(item, Mapping) and _identity(item.get("source"), place) == identity is not None:
            found = position
    return found


def delta_source(resource: Resource, place: Place) -> str:
    """The source as the project writes it: a path counts from the project's file."""
    text = resource.provenance.source
    locations = place.locations
    if environment_name(text):
        return text
    try:
        source = parse_source(text, base=locations.agent_dir, home=locations.home)
    except SourceError:
        return text
    return stored_form(source, settings_dir=Path(place.folder))


def _identity(text: object, place: Place) -> str | None:
    if not isinstance(text, str):
        return None
    return identity_of(text, base=Path(place.folder), home=place.locations.home)


def _entry(resource: Resource, source: str, items: Items, *, autoload: bool = True) -> PackageEntry:
    lists: dict[str, Any] = {resource.type: items}
    return PackageEntry(source, autoload=autoload, **lists)


def _tidied(item: object, resource: Resource, items: Items, position: int, place: Place) -> Edits:
    """What becomes of the entry once a list is what it is to be."""
    return tidied(item, {resource.type} if items is None else (), position, place)


def tidied(item: object, gone: Collection[str], position: int, place: Place) -> Edits:
    """What becomes of an entry that loses some of its lists: an empty delta goes with the last, and so does
    an entry about what stands beside pi; of another that says no more than its source a string is enough.
    """
    if not gone or not isinstance(item, Mapping):
        return ()
    rest = item.keys() - {"source", *gone}
    is_empty_delta = rest == {"autoload"} and item["autoload"] is False and place.scope == "project"
    if is_empty_delta or (not rest and environment_name(str(item["source"]))):
        return (DropEntry(position),)
    return () if rest else (PlainEntry(position),)


# Names.


def items_of(table: object, kind: ResourceType) -> Items:
    """The texts of a list as it stands; what is no text does not count."""
    found = table.get(kind) if isinstance(table, Mapping) else None
    return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list) else None


def _names(resource: Resource, base: str | None, place: Place, *, anywhere: bool = False) -> Names:
    """What a list may call a resource: relative to a folder if there is one, `anywhere` by its own path."""
    spoken = os.path.join(resource.path, PACKAGE_FILE) if os.path.isdir(resource.path) else resource.path
    written: list[str] = []
    if base is not None:
        written.append(relative(spoken, base))
        written += [] if resource.name is None else [resource.name]
    full = slashed(spoken)
    home = slashed(str(place.locations.home)).rstrip("/") + "/"
    at_home = f"~/{full.removeprefix(home)}" if full.startswith(home) else full
    if anywhere:
        written.append(at_home)
    known = Subject.of(spoken, base or os.path.dirname(spoken), tuple(written)).exact
    return Names(tuple(dict.fromkeys(written)), frozenset({*known, full, at_home}))
