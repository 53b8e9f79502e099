"""What a package says about itself, read without running any of it.

A source tree speaks through `pyproject.toml`, an import package through `pi.toml`, a package of the
JavaScript world through `package.json`, whose extensions cannot be loaded here.

Touches: files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pi_pkg.diagnostics import Diagnostic, Severity
from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.resources.documents import Document, Documents
from pi_pkg.resources.entry_points import GROUPS, from_project
from pi_pkg.resources.marks import quoted
from pi_pkg.resources.model import EntryPoint, Manifest

if TYPE_CHECKING:
    from pi_pkg.resources.places import Places

_BUILD_HINT: Final = "Install it with --build to let its build run."
MOST_TOLD: Final = 20
"""Keys of one table that are reported one by one."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST: Final = 4096
"""Characters of a list item; no path and no pattern is longer."""
_LISTS: Final = frozenset(RESOURCE_TYPES)
_KNOWN: Final = frozenset({*RESOURCE_TYPES, "requires-host", "tested-host", "guard", "changelog"})


class _Draft:
    """One manifest while its files are read; findings gather in `diagnostics`."""

    def __init__(self, folder: str, documents: Documents | None) -> None:
        self.folder = folder
        self.documents = documents or Documents()
        self.path: str | None = None
        self.table: tuple[str, ...] = ()
        """Keys that lead to the table being read, inside its file."""
        self.listed: dict[ResourceType, tuple[str, ...]] = {}
        self.requires_host: str | None = None
        self.tested_host: str | None = None
        self.guard = False
        self.changelog: str | None = None
        self.entry_points: tuple[EntryPoint, ...] = ()
        self.dependencies: tuple[str, ...] = ()
        self.project_name: str | None = None
        self.javascript: tuple[str, ...] = ()
        self.diagnostics: list[Diagnostic] = []
        self.places: Places | None = None
        """Where things stand in the file being read; looked up when something is wrong with it."""

    def manifest(self) -> Manifest | None:
        """The manifest, or None if no file was there."""
        if self.path is None and not self.diagnostics:
            return None
        listed = self.listed.get
        return Manifest(
            listed("extensions"), listed("skills"), listed("prompts"), listed("themes"),
            self.requires_host, self.tested_host, self.guard, self.changelog,
            self.entry_points, self.dependencies, self.project_name, self.path, tuple(self.diagnostics),
            self.javascript,
        )  # fmt: skip

    def report(
        self, severity: Severity, code: str, message: str, path: str, *, hint: str | None = None
    ) -> None:
        self.diagnostics.append(Diagnostic(severity, code, "resolve", message, path=path, hint=hint))

    def take(self, table: Mapping[str, Any], path: str, *steps: str) -> None:
        """Take over the table at some steps; wrongly typed values are reported and count as not written."""
        self.path, self.table = path, steps
        for kind in RESOURCE_TYPES:
            if kind in table:
                value = table[kind]
                if isinstance(value, list):
                    self.listed[kind] = self.strings(value, kind)
                else:
                    self.wrong(kind, "a list of strings", value)
        if table.keys() <= _LISTS:
            return
        self.requires_host = self._text(table, "requires-host", self.requires_host)
        self.tested_host = self._text(table, "tested-host", self.tested_host)
        self.changelog = self._text(table, "changelog", self.changelog)
        self.guard = self._flag(table, "guard") or self.guard

    def strings(self, items: list[Any], key: str) -> tuple[str, ...]:
        """The usable strings of a list; the first of the others is reported, with how many there are."""
        odd = [number for number, item in enumerate(items, 1) if not _is_usable(item)]
        if not odd:
            return tuple(items)
        item = items[odd[0] - 1]
        more = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
        place = self._place(key, odd[0] - 1)
        message = f"{place}: item {odd[0]} of {key!r} {_oddity(item)}; it is left out{more}."
        self.report("warning", "manifest-invalid", message, self.path or self.folder)
        return tuple(filter(_is_usable, items))

    def _text(self, table: Mapping[str, Any], key: str, known: str | None) -> str | None:
        value = table.get(key, known)
        if value is None or isinstance(value, str):
            return value
        self.wrong(key, "a string", value)
        return known

    def _flag(self, table: Mapping[str, Any], key: str) -> bool:
        """A flag; one that is neither true nor false counts as true, since it asks for a protection."""
        value = table.get(key, False)
        if isinstance(value, bool):
            return value
        self.wrong(key, "true or false", value)
        return True

    def wrong(self, key: str, wanted: str, value: object) -> None:
        """Report a value of the wrong type, in the table being read."""
        message = f"{self._place(key)}: {quoted(key)} has to be {wanted}, not {_named_type(value)}."
        self.report("warning", "manifest-invalid", message, self.path or self.folder)

    def mention_unknown(self, table: Mapping[str, Any]) -> None:
        """Report keys that mean nothing, with the one that was probably meant."""
        for key in sorted(table.keys() - _KNOWN)[:MOST_TOLD]:
            from difflib import get_close_matches  # start-up time: only for a manifest with a stray key

            meant = get_close_matches(key[:80], sorted(_KNOWN), 1)
            hint = f"Write {meant[0]}." if meant else None
            message = f"{self._place(key)}: {quoted(key)} means nothing in a manifest."
            self.report("info", "manifest-unknown-key", message, self.path or self.folder, hint=hint)

    def _place(self, *steps: str | int) -> str:
        """The file and, where it can be told, line and column of a value in the table being read."""
        path = self.path or self.folder
        if self.places is None or self.places.path != path:
            from pi_pkg.resources.places import Places  # start-up time: only for a manifest with a finding

            self.places = Places(path)
        found = self.places.of((*self.table, *steps))
        return path if found is None else f"{path}:{found[0]}:{found[1]}"


def read_manifest(root: Path | str, documents: Documents | None = None) -> Manifest | None:
    """The manifest of a source tree, or None if the folder holds none.

    `[tool.pi]` counts before a `pi.toml` beside it, and that before `package.json`; neither of these two is
    read where entry points are declared. A file that cannot be
    read counts as absent and is a diagnostic; so is a value of the wrong type, which is dropped. Whether
    the manifest names any resource is `Manifest.declares_resources`.
    """
    draft = _Draft(os.fspath(root), documents)
    _read_pyproject(draft)
    if not draft.listed and not draft.entry_points and not _read_pi_toml(draft):
        _read_package_json(draft)
    if draft.project_name is None:
        _mention_setup(draft)
    return draft.manifest()


def read_package_manifest(package: str, documents: Documents | None = None) -> Manifest | None:
    """The `pi.toml` of an import package, or None if it has none."""
    draft = _Draft(package, documents)
    _read_pi_toml(draft)
    return draft.manifest()


def _read_pyproject(draft: _Draft) -> None:
    path = f"{draft.folder}{os.sep}pyproject.toml"
    document = _read_toml(path, draft)
    if document is None:
        return
    draft.path = path
    tool = document.get("tool")
    table = tool.get("pi") if isinstance(tool, dict) else None
    if isinstance(table, dict):
        draft.take(table, path, "tool", "pi")
        draft.mention_unknown(table)
    elif table is not None:
        draft.table = ("tool",)
        draft.wrong("pi", "a table", table)
    project = document.get("project")
    draft.table = ()
    if isinstance(project, dict):
        draft.table = ("project",)
        _take_project(project, path, draft)
    elif project is not None:
        draft.wrong("project", "a table", project)


def _take_project(project: Mapping[str, Any], path: str, draft: _Draft) -> None:
    """What a distribution's source says statically. A dynamic version hides nothing from resolution."""
    name = project.get("name")
    draft.project_name = name if isinstance(name, str) else None
    if "entry-points" in project:
        draft.entry_points = from_project(project)
        _mention_odd_entry_points(project["entry-points"], draft)
    draft.dependencies = _project_strings(project, "dependencies", draft)
    dynamic = _project_strings(project, "dynamic", draft)
    for key in ("dependencies", "entry-points", "version"):
        if key in dynamic:
            severity: Severity = "info" if key == "version" else "warning"
            message = f"{path} declares its {key} as dynamic: only running its build tells."
            draft.report(severity, "manifest-dynamic", message, path, hint=_BUILD_HINT)


def _project_strings(project: Mapping[str, Any], key: str, draft: _Draft) -> tuple[str, ...]:
    value = project.get(key)
    if isinstance(value, list):
        return draft.strings(value, key)
    if value is not None:
        draft.wrong(key, "a list of strings", value)
    return ()


def _mention_odd_entry_points(tables: object, draft: _Draft) -> None:
    if not isinstance(tables, dict):
        return draft.wrong("entry-points", "a table", tables)
    for group in GROUPS:
        table = tables.get(group, {})
        draft.table = ("project", "entry-points")
        if not isinstance(table, dict):
            draft.wrong(group, "a table", table)
            continue
        draft.table = ("project", "entry-points", group)
        odd = [name for name, value in table.items() if not isinstance(value, str)]
        for name in odd[:MOST_TOLD]:
            draft.wrong(name, "a string", table[name])
    draft.table = ("project",)
    return None


def _mention_setup(draft: _Draft) -> None:
    path = f"{draft.folder}{os.sep}setup.py"
    if os.path.isfile(path):
        message = f"{path} is a program: its dependencies and entry points are not known without running it."
        draft.report("warning", "manifest-dynamic", message, path, hint=_BUILD_HINT)


def _read_pi_toml(draft: _Draft) -> bool:
    """Take over a `pi.toml`; whether there is one."""
    path = f"{draft.folder}{os.sep}pi.toml"
    table = _read_toml(path, draft)
    if table is not None:
        draft.take(table, path)
        draft.mention_unknown(table)
    return table is not None


def _read_package_json(draft: _Draft) -> None:
    """Take over the `pi` object of a `package.json`; a file that cannot be read is none of ours."""
    path = f"{draft.folder}{os.sep}package.json"
    try:
        document = draft.documents.json(path)
    except (OSError, ValueError, RecursionError):
        return
    table = document.get("pi") if document else None
    if not isinstance(table, dict):
        return
    draft.take(table, path, "pi")
    draft.javascript = draft.listed.get("extensions", () if draft.listed else ("extensions",))
    if draft.listed.get("extensions"):
        draft.listed["extensions"] = ()
        message = f"{path} names extensions written in JavaScript, which cannot be loaded here."
        draft.report("warning", "javascript-extensions", message, path)


def _read_toml(path: str, draft: _Draft) -> Document | None:
    try:
        return draft.documents.toml(path)
    except RecursionError:
        problem = "it is nested too deeply"
    except (OSError, ValueError) as error:
        problem = str(error)
    draft.report("warning", "manifest-unreadable", f"{path} cannot be read: {problem}.", path)
    return None


def _is_usable(item: object) -> bool:
    """Whether a list item can name something: a text of sensible length without control characters."""
    return (
        isinstance(item, str)
        and 0 < len(item) <= _LONGEST
        and (item.isprintable() or not _CONTROL.search(item))
    )


def _oddity(item: object) -> str:
    if not isinstance(item, str):
        return f"has to be a string, not {_named_type(item)}"
    if len(item) > _LONGEST:
        return f"has {len(item)} characters"
    return f"holds a control character ({item[:80]!r})" if item else "is empty"


def _named_type(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a table"
        case None:
            return "null"
        case _:
            return "a date or time"
