"""Changes of filters and lists as values, and how each is made in a document without touching the rest.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from pi_pkg.locations import ResourceType
from pi_pkg.settings.model import LayerScope, PackageEntry
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Array


@dataclass(frozen=True, slots=True)
class SetList:
    """Make a list consist of some texts. Those that stay keep their place and their comments."""

    kind: ResourceType
    items: tuple[str, ...] | None
    """In order; None takes the list away."""
    entry: int | None = None
    """Position of the package entry whose filter it is; None: the list of the top level."""


@dataclass(frozen=True, slots=True)
class AddEntry:
    """Declare a package behind the others."""

    entry: PackageEntry


@dataclass(frozen=True, slots=True)
class DropEntry:
    """Take out the package entry at a position."""

    position: int


@dataclass(frozen=True, slots=True)
class PlainEntry:
    """Write the package entry at a position as a plain string, if nothing but its source is left."""

    position: int


Edit: TypeAlias = SetList | AddEntry | DropEntry | PlainEntry


def apply_edits(document: TOMLDocument, edits: Iterable[Edit]) -> None:
    """Make the changes, in order."""
    from pi_pkg.settings.edit import append_entry  # start-up time: readers edit nothing

    for edit in edits:
        match edit:
            case SetList():
                _set_list(document, edit)
            case AddEntry():
                append_entry(document, edit.entry)
            case DropEntry():
                _drop_entry(document, edit.position)
            case PlainEntry():
                _make_plain(document, edit.position)
            case _:
                assert_never(edit)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text of a document after some changes.

    Raises:
        ValueError: the editing library does not understand the text.
    """
    import tomlkit  # start-up time: readers use tomllib

    document = tomlkit.parse(text)
    apply_edits(document, edits)
    return document.as_string()


def entry_position(values: Mapping[str, Any], source: str, scope: LayerScope) -> int | None:
    """Where the entry with a source stands in `packages`: of several the user's first, the project's last."""
    packages = values.get("packages")
    found = [
        position
        for position, item in enumerate(packages if isinstance(packages, list) else ())
        if source == (item if isinstance(item, str) else isinstance(item, Mapping) and item.get("source"))
    ]
    if not found:
        return None
    return found[0] if scope == "user" else found[-1]


def _packages(document: TOMLDocument) -> Any:
    return document["packages"]


def _drop_entry(document: TOMLDocument, position: int) -> None:
    """Take out an entry; a list that is empty then goes with it, unless somebody wrote a comment there."""
    packages = _packages(document)
    del packages[position]
    if not packages and "#" not in packages.as_string():
        del document["packages"]


def _set_list(document: TOMLDocument, edit: SetList) -> None:
    from tomlkit.items import Array  # start-up time: readers use tomllib

    from pi_pkg.settings.edit import add_key  # start-up time: as above

    table: MutableMapping[str, Any] = document if edit.entry is None else _entry_table(document, edit.entry)
    found = table.get(edit.kind)
    if isinstance(found, Array) and (edit.items is not None or "#" in found.as_string()):
        _adjust(found, edit.items or ())
    elif edit.items is not None:
        add_key(document, table, edit.kind, list(edit.items))
    elif found is not None:
        _del_key(table, edit.kind)


def _del_key(table: MutableMapping[str, Any], key: str) -> None:
    """Delete a key, and in a table on one line the blank that would be left before the brace."""
    from tomlkit.items import InlineTable, Null, Whitespace  # start-up time: as above

    is_tight = isinstance(table, InlineTable) and not table.as_string().startswith("{ ")
    del table[key]
    if isinstance(table, InlineTable) and is_tight:
        body = table.value.body
        for place in reversed(range(len(body))):
            if isinstance(body[place][1], Whitespace):
                body[place] = (None, Null())
            elif not isinstance(body[place][1], Null):
                return


def _adjust(array: Array, items: tuple[str, ...]) -> None:
    """Take out what is not wanted, then append what is missing."""
    missing = list(items)
    for position in reversed(range(len(array))):
        if array[position] in missing:
            del missing[len(missing) - 1 - missing[::-1].index(array[position])]
        else:
            del array[position]
    if [*array, *missing] != list(items):  # in another order than before
        array.clear()
        missing = list(items)
    for item in missing:
        array.append(item)


def _entry_table(document: TOMLDocument, position: int) -> MutableMapping[str, Any]:
    """The table of an entry; a plain string becomes one."""
    import tomlkit  # start-up time: as above

    packages = _packages(document)
    if isinstance(packages[position], str):
        table = tomlkit.inline_table()
        table["source"] = str(packages[position])
        packages[position] = table
    found: MutableMapping[str, Any] = packages[position]
    return found


def _make_plain(document: TOMLDocument, position: int) -> None:
    from tomlkit.items import Array

    packages = _packages(document)
    if isinstance(packages, Array) and set(packages[position]) == {"source"}:
        packages[position] = str(packages[position]["source"])
