"""What a package says about itself, read without running any of it.

A source tree speaks through `pyproject.toml`, an import package through `pi.toml`, a package of the
JavaScript world through `package.json`, whose extensions cannot be loaded here.

Touches: files.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pi_pkg.diagnostics import Diagnostic, Severity
from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.resources.entry_points import from_project
from pi_pkg.resources.model import Manifest

MAX_BYTES: Final = 1_000_000
"""A larger manifest is refused: nobody wrote it by hand."""

_BUILD_HINT: Final = "Install it with --build to let its build run."


@dataclass(slots=True)
class _Reading:
    """One manifest while it is read; findings gather in `diagnostics`."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def report(
        self, severity: Severity, code: str, message: str, path: str, *, hint: str | None = None
    ) -> None:
        self.diagnostics.append(Diagnostic(severity, code, "resolve", message, path=path, hint=hint))


def read_manifest(root: Path | str) -> Manifest | None:
    """The manifest of a source tree or an import package, or None if the folder holds none.

    `[tool.pi]` counts before a `pi.toml` beside it, and that before `package.json`. A file that cannot be
    read counts as absent and is a diagnostic; so is a value of the wrong type, which is dropped. Whether
    the manifest names any resource is `Manifest.declares_resources`.
    """
    folder, reading = os.fspath(root), _Reading()
    pyproject = os.path.join(folder, "pyproject.toml")
    project = _read_toml(pyproject, reading)
    found = None if project is None else _of_project(project, pyproject, reading)
    if found is None or not found.declares_resources:
        found = _beside(folder, found, reading)
    if found is None:
        return None if not reading.diagnostics else Manifest(diagnostics=tuple(reading.diagnostics))
    if found.project_name is None:
        _mention_setup(folder, reading)
    return replace(found, diagnostics=tuple(reading.diagnostics))


def read_package_manifest(package: str) -> Manifest | None:
    """The `pi.toml` of an import package, or None if it has none."""
    reading, path = _Reading(), os.path.join(package, "pi.toml")
    table = _read_toml(path, reading)
    if table is None:
        return Manifest(diagnostics=tuple(reading.diagnostics)) if reading.diagnostics else None
    return replace(_of_table(table, path, reading), diagnostics=tuple(reading.diagnostics))


def _read_toml(path: str, reading: _Reading) -> Mapping[str, Any] | None:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes")
        return tomllib.loads(data.decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as problem:
        reading.report("warning", "manifest-unreadable", f"{path} cannot be read: {problem}.", path)
        return None


def _of_project(document: Mapping[str, Any], path: str, reading: _Reading) -> Manifest:
    tool = document.get("tool")
    table = tool.get("pi") if isinstance(tool, Mapping) else None
    manifest = _of_table(table, path, reading) if isinstance(table, Mapping) else Manifest(path=path)
    project = document.get("project")
    if not isinstance(project, Mapping):
        return manifest
    _report_dynamic(project, path, reading)
    name = project.get("name")
    return replace(
        manifest,
        entry_points=from_project(project),
        dependencies=_strings(project.get("dependencies")),
        project_name=name if isinstance(name, str) else None,
    )


def _report_dynamic(project: Mapping[str, Any], path: str, reading: _Reading) -> None:
    """Say what only a build would know. A dynamic version hides nothing from resolution."""
    dynamic = set(_strings(project.get("dynamic")))
    for name in ("dependencies", "entry-points", "version"):
        if name in dynamic:
            severity: Severity = "info" if name == "version" else "warning"
            message = f"{path} declares its {name} as dynamic: only running its build tells."
            reading.report(severity, "manifest-dynamic", message, path, hint=_BUILD_HINT)


def _mention_setup(folder: str, reading: _Reading) -> None:
    path = os.path.join(folder, "setup.py")
    if os.path.isfile(path):
        message = f"{path} is a program: its dependencies and entry points are not known without running it."
        reading.report("warning", "manifest-dynamic", message, path, hint=_BUILD_HINT)


def _beside(folder: str, found: Manifest | None, reading: _Reading) -> Manifest | None:
    """The resources that `pi.toml`, else `package.json`, name where pyproject.toml names none."""
    path = os.path.join(folder, "pi.toml")
    table = _read_toml(path, reading)
    other = _of_table(table, path, reading) if table is not None else _of_package_json(folder, reading)
    if other is None or found is None:
        return found or other
    if not other.declares_resources and found.path is not None:
        return found
    return replace(
        other,
        entry_points=found.entry_points,
        dependencies=found.dependencies,
        project_name=found.project_name,
    )


def _of_package_json(folder: str, reading: _Reading) -> Manifest | None:
    path = os.path.join(folder, "package.json")
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return None
    import json  # start-up time: few packages carry a package.json

    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    table = document.get("pi") if isinstance(document, Mapping) else None
    if not isinstance(table, Mapping):
        return None
    manifest = _of_table(table, path, reading)
    if not manifest.extensions:
        return manifest
    message = f"{path} names extensions written in JavaScript, which cannot be loaded here."
    reading.report("warning", "javascript-extensions", message, path)
    return replace(manifest, extensions=())


def _of_table(table: Mapping[str, Any], path: str, reading: _Reading) -> Manifest:
    """The manifest in a table; wrongly typed values are reported and count as not written."""
    listed = {kind: _listed(table, kind, path, reading) for kind in RESOURCE_TYPES}
    return Manifest(
        extensions=listed["extensions"],
        skills=listed["skills"],
        prompts=listed["prompts"],
        themes=listed["themes"],
        requires_host=_text(table, "requires-host", path, reading),
        tested_host=_text(table, "tested-host", path, reading),
        changelog=_text(table, "changelog", path, reading),
        guard=_flag(table, "guard", path, reading),
        path=path,
    )


def _listed(table: Mapping[str, Any], key: str, path: str, reading: _Reading) -> tuple[str, ...] | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, list):
        _wrong(key, "a list of strings", path, reading)
        return None
    strings = _strings(value)
    if len(strings) < len(value):
        _wrong(key, "a list of strings only", path, reading)
    return strings


def _text(table: Mapping[str, Any], key: str, path: str, reading: _Reading) -> str | None:
    value = table.get(key)
    if value is None or isinstance(value, str):
        return value
    _wrong(key, "a string", path, reading)
    return None


def _flag(table: Mapping[str, Any], key: str, path: str, reading: _Reading) -> bool:
    """A flag; one that is neither true nor false counts as true, since it asks for a protection."""
    value = table.get(key, False)
    if isinstance(value, bool):
        return value
    _wrong(key, "true or false", path, reading)
    return True


def _wrong(key: str, wanted: str, path: str, reading: _Reading) -> None:
    reading.report("warning", "manifest-invalid", f"{key!r} in {path} has to be {wanted}.", path)


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
