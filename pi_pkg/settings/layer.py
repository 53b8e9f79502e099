"""A parsed settings document becomes a layer: what is usable, and a finding for everything that is not.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import SettingsError
from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.settings.findings import Findings, shown
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry

if TYPE_CHECKING:
    from pi_pkg.settings.places import Steps

USER_ONLY: Final = ("default-project-trust", "install", "budgets", "clashes", "keys")
"""Keys that only the user may set: a cloned project must not choose an index or its own trust."""

_ENTRY_KEYS: Final = frozenset({"source", "autoload", *RESOURCE_TYPES})
_READ_HERE: Final = frozenset({"packages", *RESOURCE_TYPES})


def layer_of(values: Mapping[str, Any], *, path: str, scope: LayerScope, text: str | None = None) -> Layer:
    """The layer that a document makes; what cannot be used is left out and reported.

    `text` is the document as written, so that findings can name lines.
    """
    findings = Findings(path, scope, text)
    kept = dict(_kept(values, scope, findings))
    if kept.keys() - _READ_HERE:
        from pi_pkg.settings.check import checked  # start-up time: many files name packages only

        kept = checked(kept, findings, without=_READ_HERE)
    for kind in RESOURCE_TYPES:
        if kind in kept:
            kept[kind] = _strings(kept, (kind,), findings)
    kept = {name: value for name, value in kept.items() if value is not None}
    extensions, skills, prompts, themes = (tuple(kept.get(kind, ())) for kind in RESOURCE_TYPES)
    packages = tuple(_entries(kept.get("packages"), findings))
    return Layer(scope, path, kept, packages, extensions, skills, prompts, themes, tuple(findings))


def unreadable_layer(error: SettingsError, *, path: str, scope: LayerScope) -> Layer:
    """The layer of a file that cannot be read: empty, with the error as its finding."""
    finding = Diagnostic(
        "error", error.code, "settings", error.message, scope=scope, path=path, hint=error.hint
    )
    return Layer(scope, path, diagnostics=(finding,), error=error)


def _kept(values: Mapping[str, Any], scope: LayerScope, findings: Findings) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if scope == "project" and key in USER_ONLY:
            findings.warn(
                "settings-key-user-only",
                f"{key!r} has no effect in a project: only the user decides it.",
                (key,),
                hint="Move it to the settings of the user.",
            )
        else:
            yield key, value


def _entries(value: Any, findings: Findings) -> Iterator[PackageEntry]:
    if value is None:
        return
    if not isinstance(value, list):
        found = "a string" if isinstance(value, str) else f"a {type(value).__name__}"
        findings.warn(
            "settings-packages-no-list",
            f"'packages' is {found}, so no package is read from it.",
            ("packages",),
            hint='Write a list: packages = ["pypi:NAME"].',
        )
        return
    for number, item in enumerate(value):
        entry = PackageEntry(item) if isinstance(item, str) else _entry(item, number, findings)
        if entry is not None:
            yield entry


def _entry(item: Any, number: int, findings: Findings) -> PackageEntry | None:
    at = ("packages", number)
    source = item.get("source") if isinstance(item, Mapping) else None
    if not isinstance(source, str):
        found = "has no 'source' string" if isinstance(item, Mapping) else f"is {shown(item)}"
        findings.warn(
            "settings-entry-invalid",
            f"item {number + 1} of 'packages' {found}, so it is left out.",
            at,
            hint='Write a source, or a table { source = "…" }.',
        )
        return None
    for key in item.keys() - _ENTRY_KEYS:
        message = f"{key!r} means nothing in a package entry."
        findings.warn("settings-entry-key", message, (*at, key), source=source)
    autoload = item.get("autoload", True)
    if not isinstance(autoload, bool):
        found = f"'autoload' is {shown(autoload)}, which is neither true nor false; it counts as true."
        findings.warn("settings-type", found, (*at, "autoload"), source=source)
        autoload = True
    lists = [_strings(item, (*at, kind), findings, source) for kind in RESOURCE_TYPES]
    extensions, skills, prompts, themes = (None if found is None else tuple(found) for found in lists)
    return PackageEntry(source, extensions, skills, prompts, themes, autoload)


def _strings(
    table: Mapping[str, Any], at: Steps, findings: Findings, source: str | None = None
) -> list[str] | None:
    """The strings of a list, None where there is no list; anything else in it is reported and left out."""
    key = at[-1]
    value = table.get(str(key))
    if value is None:
        return None
    if not isinstance(value, list):
        found = f"{key!r} is {shown(value)}, not a list; it is left out."
        findings.warn("settings-type", found, at, source=source)
        return None
    for number, item in enumerate(value):
        if not isinstance(item, str):
            found = f"{key!r} holds {shown(item)}, which is no string; it is left out."
            findings.warn("settings-type", found, (*at, number), source=source)
    return [item for item in value if isinstance(item, str)]
