"""A parsed settings document becomes a layer: what is usable, and a finding for everything that is not.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import SettingsError
from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry

USER_ONLY: Final = ("default-project-trust", "install", "budgets", "clashes", "keys")
"""Keys that only the user may set: a cloned project must not choose an index or its own trust."""

_ENTRY_KEYS: Final = frozenset({"source", "autoload", *RESOURCE_TYPES})


class _Findings(list[Diagnostic]):
    """Collects what is wrong with one file."""

    def __init__(self, path: str, scope: LayerScope) -> None:
        super().__init__()
        self.path = path
        self.scope = scope

    def warn(self, code: str, message: str, *, source: str | None = None, hint: str | None = None) -> None:
        self.append(Diagnostic("warning", code, "settings", message, source, self.scope, self.path, hint))


def layer_of(values: Mapping[str, Any], *, path: str, scope: LayerScope) -> Layer:
    """The layer that a document makes; what cannot be used is left out and reported."""
    findings = _Findings(path, scope)
    kept = dict(_kept(values, scope, findings))
    extensions, skills, prompts, themes = (
        _strings(kept.get(kind), kind, findings) or () for kind in RESOURCE_TYPES
    )
    packages = tuple(_entries(kept.get("packages"), findings))
    return Layer(scope, path, kept, packages, extensions, skills, prompts, themes, tuple(findings))


def unreadable_layer(error: SettingsError, *, path: str, scope: LayerScope) -> Layer:
    """The layer of a file that cannot be read: empty, with the error as its finding."""
    finding = Diagnostic(
        "error", error.code, "settings", error.message, scope=scope, path=path, hint=error.hint
    )
    return Layer(scope, path, diagnostics=(finding,), error=error)


def _kept(values: Mapping[str, Any], scope: LayerScope, findings: _Findings) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if scope == "project" and key in USER_ONLY:
            findings.warn(
                "settings-key-user-only",
                f"{key!r} has no effect in a project: only the user decides it.",
                hint="Move it to the settings of the user.",
            )
        else:
            yield key, value


def _entries(value: Any, findings: _Findings) -> Iterator[PackageEntry]:
    if value is None:
        return
    if not isinstance(value, list):
        found = "a string" if isinstance(value, str) else f"a {type(value).__name__}"
        findings.warn(
            "settings-packages-no-list",
            f"'packages' is {found}, so no package is read from it.",
            hint='Write a list: packages = ["pypi:NAME"].',
        )
        return
    for number, item in enumerate(value, 1):
        entry = _entry(item, number, findings)
        if entry is not None:
            yield entry


def _entry(item: Any, number: int, findings: _Findings) -> PackageEntry | None:
    if isinstance(item, str):
        return PackageEntry(item)
    source = item.get("source") if isinstance(item, Mapping) else None
    if not isinstance(source, str):
        found = "has no 'source' string" if isinstance(item, Mapping) else f"is {item!r}"
        findings.warn(
            "settings-entry-invalid",
            f"item {number} of 'packages' {found}, so it is left out.",
            hint='Write a source, or a table { source = "…" }.',
        )
        return None
    for key in item.keys() - _ENTRY_KEYS:
        findings.warn("settings-entry-key", f"{key!r} means nothing in a package entry.", source=source)
    return _table_entry(source, item, findings)


def _table_entry(source: str, item: Mapping[str, Any], findings: _Findings) -> PackageEntry:
    autoload = item.get("autoload", True)
    if not isinstance(autoload, bool):
        findings.warn(
            "settings-type",
            f"'autoload' is {autoload!r}, which is neither true nor false; it counts as true.",
            source=source,
        )
        autoload = True
    extensions, skills, prompts, themes = (
        _strings(item.get(kind), kind, findings, source) for kind in RESOURCE_TYPES
    )
    return PackageEntry(source, extensions, skills, prompts, themes, autoload)


def _strings(value: Any, key: str, findings: _Findings, source: str | None = None) -> tuple[str, ...] | None:
    """The strings of a list, None where there is no list; anything else in it is reported and left out."""
    if value is None:
        return None
    if not isinstance(value, list):
        findings.warn("settings-type", f"{key!r} is {value!r}, not a list; it is left out.", source=source)
        return None
    for item in value:
        if not isinstance(item, str):
            findings.warn("settings-type", f"{key!r} holds {item!r}, which is no string.", source=source)
    return tuple(item for item in value if isinstance(item, str))
