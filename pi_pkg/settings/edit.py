"""Changes of a settings document that leave every other byte alone.

Each function changes the tomlkit document it is given and says whether it changed anything.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, TypeAlias

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.items import AoT, Array, InlineTable, Item, Table

from pi_pkg.settings.model import PackageEntry

Matches: TypeAlias = Callable[[str], bool]
"""Whether an entry's source, as written in the file, is the package in question."""
Change: TypeAlias = Callable[[TOMLDocument], object]
"""A change of a document in place."""


def set_value(document: TOMLDocument, keys: Sequence[str], value: Any) -> bool:
    """Set the value at a path of keys; tables on the way are made, and replace what is no table."""
    if _found(document, keys) == value and _has(document, keys):
        return False
    table: MutableMapping[str, Any] = document
    for key in keys[:-1]:
        if not isinstance(table.get(key), MutableMapping):
            table[key] = tomlkit.table() if table is document else tomlkit.inline_table()
        table = table[key]
    table[keys[-1]] = value
    return True


def unset_value(document: TOMLDocument, keys: Sequence[str]) -> bool:
    """Delete the key at a path; tables on the way stay, even empty."""
    if not _has(document, keys):
        return False
    table: Any = document
    for key in keys[:-1]:
        table = table[key]
    del table[keys[-1]]
    return True


def put_package(document: TOMLDocument, entry: PackageEntry, matches: Matches) -> bool:
    """Declare a package. The first matching entry gets the new source in its place and keeps its filters;
    further ones go, or the package would be declared twice; without one the entry is appended.
    """
    packages = _packages(document)
    places = _places(packages, matches)
    if not places:
        append_entry(document, entry)
        return True
    changed = _set_source(packages, places[0], entry.source)
    for place in reversed(places[1:]):
        del packages[place]
    return changed or len(places) > 1


def append_entry(document: TOMLDocument, entry: PackageEntry) -> None:
    """Declare a package behind the others, whatever they are."""
    packages = _packages(document)
    packages.append(_item(entry, packages))


def add_key(document: TOMLDocument, table: MutableMapping[str, Any], key: str, value: Any) -> None:
    """Add a key to a table of the document, without the empty line that the library puts before the next
    table: taking the key away again leaves the text as it was.
    """
    before = [(item, item.trivia.indent) for _, item in document.body if isinstance(item, Table | AoT)]
    table[key] = value
    for item, indent in before:
        item.trivia.indent = indent


def put_packages(document: TOMLDocument, entries: Sequence[tuple[PackageEntry, Matches]]) -> None:
    """Declare several packages, in order."""
    for entry, matches in entries:
        put_package(document, entry, matches)


def remove_package(document: TOMLDocument, matches: Matches) -> bool:
    """Take out every entry that matches; an emptied list stays as an empty list."""
    if not isinstance(document.get("packages"), Array | AoT):
        return False
    packages = _packages(document)
    places = _places(packages, matches)
    for place in reversed(places):
        del packages[place]
    return bool(places)


def _packages(document: TOMLDocument) -> Array | AoT:
    """The list of packages, made where there is none; a value that is no list makes room."""
    found = document.get("packages")
    if isinstance(found, Array | AoT):
        return found
    fresh = tomlkit.array()
    fresh.multiline(True)
    add_key(document, document, "packages", fresh)
    made = document["packages"]
    assert isinstance(made, Array)
    return made


def _places(packages: Array | AoT, matches: Matches) -> list[int]:
    sources = [item if isinstance(item, str) else _source_of(item) for item in packages]
    return [place for place, source in enumerate(sources) if source is not None and matches(source)]


def _source_of(item: Any) -> str | None:
    source = item.get("source") if isinstance(item, MutableMapping) else None
    return source if isinstance(source, str) else None


def _set_source(packages: Array | AoT, place: int, source: str) -> bool:
    item: Any = packages[place]
    if isinstance(item, str):
        if item == source:
            return False
        packages[place] = source
        return True
    if item["source"] == source:
        return False
    item["source"] = source
    return True


def _item(entry: PackageEntry, packages: Array | AoT) -> Any:
    if entry.is_string and isinstance(packages, Array):
        return entry.source
    table: Any = tomlkit.inline_table() if isinstance(packages, Array) else tomlkit.table()
    table["source"] = entry.source
    if not entry.autoload:
        table["autoload"] = False
    for kind in ("extensions", "skills", "prompts", "themes"):
        patterns = getattr(entry, kind)
        if patterns is not None:
            table[kind] = list(patterns)
    return table


def _has(document: TOMLDocument, keys: Sequence[str]) -> bool:
    value: Any = document
    for key in keys:
        if not isinstance(value, MutableMapping) or key not in value:
            return False
        value = value[key]
    return True


def _found(document: TOMLDocument, keys: Sequence[str]) -> Any:
    value: Any = document
    for key in keys:
        if not isinstance(value, MutableMapping):
            return None
        value = value.get(key)
    return value.unwrap() if isinstance(value, Item | InlineTable) else value
