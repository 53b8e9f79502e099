"""What a package says about itself, read without running any of it.

A source tree speaks through `pyproject.toml`, an import package through `pi.toml`, a package of the
JavaScript world through `package.json`, whose extensions cannot be loaded here.

Touches: files.
"""

from __future__ import annotations

import os
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pi_pkg.diagnostics import Diagnostic, Severity
from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.resources.entry_points import from_project
from pi_pkg.resources.model import EntryPoint, Manifest

MAX_BYTES: Final = 1_000_000
"""A larger manifest is refused: nobody wrote it by hand."""

_BUILD_HINT: Final = "Install it with --build to let its build run."


class _Draft:
    """One manifest while its files are read; findings gather in `diagnostics`."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path: str | None = None
        self.listed: dict[ResourceType, tuple[str, ...]] = {}
        self.requires_host: str | None = None
        self.tested_host: str | None = None
        self.guard = False
        self.changelog: str | None = None
        self.entry_points: tuple[EntryPoint, ...] = ()
        self.dependencies: tuple[str, ...] = ()
        self.project_name: str | None = None
        self.diagnostics: list[Diagnostic] = []

    def manifest(self) -> Manifest | None:
        """The manifest, or None if no file was there."""
        if self.path is None and not self.diagnostics:
            return None
        listed = self.listed.get
        return Manifest(
            listed("extensions"), listed("skills"), listed("prompts"), listed("themes"),
            self.requires_host, self.tested_host, self.guard, self.changelog,
            self.entry_points, self.dependencies, self.project_name, self.path, tuple(self.diagnostics),
        )  # fmt: skip

    def report(
        self, severity: Severity, code: str, message: str, path: str, *, hint: str | None = None
    ) -> None:
        self.diagnostics.append(Diagnostic(severity, code, "resolve", message, path=path, hint=hint))

    def take(self, table: Mapping[str, Any], path: str) -> None:
        """Take over a table; wrongly typed values are reported and count as not written."""
        self.path = path
        for kind in RESOURCE_TYPES:
            if kind in table:
                self._take_list(kind, table[kind])
        self.requires_host = self._text(table, "requires-host", self.requires_host)
        self.tested_host = self._text(table, "tested-host", self.tested_host)
        self.changelog = self._text(table, "changelog", self.changelog)
        self.guard = self._flag(table, "guard") or self.guard

    def _take_list(self, kind: ResourceType, value: object) -> None:
        if not isinstance(value, list):
            return self._wrong(kind, "a list of strings")
        strings = _strings(value)
        if len(strings) < len(value):
            self._wrong(kind, "a list of strings only")
        self.listed[kind] = strings
        return None

    def _text(self, table: Mapping[str, Any], key: str, known: str | None) -> str | None:
        value = table.get(key, known)
        if value is None or isinstance(value, str):
            return value
        self._wrong(key, "a string")
        return known

    def _flag(self, table: Mapping[str, Any], key: str) -> bool:
        """A flag; one that is neither true nor false counts as true, since it asks for a protection."""
        value = table.get(key, False)
        if isinstance(value, bool):
            return value
        self._wrong(key, "true or false")
        return True

    def _wrong(self, key: str, wanted: str) -> None:
        path = self.path or self.folder
        self.report("warning", "manifest-invalid", f"{key!r} in {path} has to be {wanted}.", path)


def read_manifest(root: Path | str) -> Manifest | None:
    """The manifest of a source tree, or None if the folder holds none.

    `[tool.pi]` counts before a `pi.toml` beside it, and that before `package.json`; neither of these two is
    read where entry points are declared. A file that cannot be
    read counts as absent and is a diagnostic; so is a value of the wrong type, which is dropped. Whether
    the manifest names any resource is `Manifest.declares_resources`.
    """
    draft = _Draft(os.fspath(root))
    _read_pyproject(draft)
    if not draft.listed and not draft.entry_points and not _read_pi_toml(draft):
        _read_package_json(draft)
    if draft.project_name is None:
        _mention_setup(draft)
    return draft.manifest()


def read_package_manifest(package: str) -> Manifest | None:
    """The `pi.toml` of an import package, or None if it has none."""
    draft = _Draft(package)
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
        draft.take(table, path)
    project = document.get("project")
    if isinstance(project, dict):
        _take_project(project, path, draft)


def _take_project(project: Mapping[str, Any], path: str, draft: _Draft) -> None:
    """What a distribution's source says statically. A dynamic version hides nothing from resolution."""
    name = project.get("name")
    draft.project_name = name if isinstance(name, str) else None
    draft.entry_points = from_project(project)
    draft.dependencies = _strings(project.get("dependencies"))
    dynamic = _strings(project.get("dynamic"))
    for key in ("dependencies", "entry-points", "version"):
        if key in dynamic:
            severity: Severity = "info" if key == "version" else "warning"
            message = f"{path} declares its {key} as dynamic: only running its build tells."
            draft.report(severity, "manifest-dynamic", message, path, hint=_BUILD_HINT)


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
    return table is not None


def _read_package_json(draft: _Draft) -> None:
    path = f"{draft.folder}{os.sep}package.json"
    try:
        data = _read(path)
        import json  # start-up time: few packages carry a package.json

        document = json.loads(data)
    except (OSError, ValueError, RecursionError):
        return
    table = document.get("pi") if isinstance(document, dict) else None
    if not isinstance(table, dict):
        return
    draft.take(table, path)
    if draft.listed.get("extensions"):
        draft.listed["extensions"] = ()
        message = f"{path} names extensions written in JavaScript, which cannot be loaded here."
        draft.report("warning", "javascript-extensions", message, path)


def _read_toml(path: str, draft: _Draft) -> dict[str, Any] | None:
    try:
        return tomllib.loads(_read(path).removeprefix(BOM_UTF8).decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as problem:
        draft.report("warning", "manifest-unreadable", f"{path} cannot be read: {problem}.", path)
        return None


def _read(path: str) -> bytes:
    """The bytes of a file that is not larger than anybody would write by hand."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes")
        return file.read()


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
