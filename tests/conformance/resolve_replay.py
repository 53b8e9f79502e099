"""Builds a recorded package scenario on disk, resolves it, and puts the result in the recorded form.

JSON settings become TOML, and checkouts stand where ours do: `agent/git/…` is read as `agent/checkouts/…`
and `proj/.pi/git/…` as `agent/checkouts/of-project/…`, in trees, settings and expectations alike.

Touches: files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import tomlkit

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import SourceError
from pi_pkg.locations import RESOURCE_TYPES, Locations
from pi_pkg.resources.model import PackageRoot, PackageScope, ResolvedResources, ResolveInputs
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.model import Layer, Settings
from pi_pkg.settings.store import read_settings
from pi_pkg.sources.model import GitSource
from pi_pkg.sources.parse import parse_source
from tests.conformance.host_rows import HERE, Row

Listing: TypeAlias = dict[str, list[dict[str, Any]]]
FILES: Final = ("resolve", "resolve.defects")
MOVED: Final = (("agent/git/", "agent/checkouts/"), ("proj/.pi/git/", "agent/checkouts/of-project/"))
"""Recorded places of checkouts, and ours."""


def rows() -> list[Row]:
    """All recorded scenarios in file order, translated to our places."""
    found = []
    for name in FILES:
        text = (HERE / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
        for theirs, ours in MOVED:
            text = text.replace(theirs, ours)
        found += [json.loads(line) for line in text.split("\n") if line]
    return found


def expected(row: Row) -> Listing:
    """The recorded result of the newer version."""
    return {**row["expect"], **row.get("v16_expect", {})}


def tags(row: Row) -> list[str]:
    """The defects that the recorded result rests on."""
    named = row.get("defect", [])
    return [named] if isinstance(named, str) else named


class Scenario:
    """One scenario below a fresh folder."""

    def __init__(self, root: Path, row: Row) -> None:
        self.root = root
        self.row = row
        cwd = row.get("cwd", "proj")
        self.locations = Locations(root / "agent", root / cwd, root / "home")
        self._build()

    def settings(self) -> Settings:
        return read_settings(self.locations, trusted=self.row["trusted"])

    def resolve(self, settings: Settings | None = None) -> ResolvedResources:
        settings = settings or self.settings()
        roots = (*self._checkouts(settings.user), *self._checkouts(settings.project))
        return resolve(ResolveInputs(self.locations, settings.user, settings.project, tuple(roots)))

    def listing(self, resolved: ResolvedResources) -> Listing:
        """The recorded form: per type the ordered records, paths relative to the root."""
        return {
            kind: [self._record(item.path, item.enabled, item.provenance) for item in resolved.of(kind)]
            for kind in RESOURCE_TYPES
        }

    def _record(self, path: str, enabled: bool, provenance: Any) -> dict[str, Any]:
        record = {
            "path": os.path.relpath(path, self.root),
            "enabled": enabled,
            "scope": provenance.scope,
            "origin": provenance.origin,
            "source": provenance.source.replace(str(self.root), "$ROOT"),
        }
        if provenance.base_dir is not None:
            record["base"] = os.path.relpath(provenance.base_dir, self.root)
        return record

    def _build(self) -> None:
        for folder in (self.locations.agent_dir, self.locations.home, self.locations.project_dir):
            folder.mkdir(parents=True, exist_ok=True)
        links = {}
        for name, value in self.row["tree"].items():
            path = self.root / name
            if isinstance(value, Mapping) and "symlink" in value:
                links[path] = self.root / value["symlink"]
                continue
            self._write(path, value)
        for path, target in links.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        self._write_settings(self.locations.user_settings, self.row["user_settings"])
        if "project_settings" in self.row:
            self._write_settings(self.locations.project_settings, self.row["project_settings"])

    def _write(self, path: Path, value: Any) -> None:
        if value is None:
            path.mkdir(parents=True, exist_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(value, str):
            path.write_bytes(value.encode("utf-8"))
        elif value.get("broken_manifest"):
            path.write_text("[tool.pi\n", encoding="utf-8")
        elif value["manifest"] is None:
            path.write_text('[tool.other]\nkey = "value"\n', encoding="utf-8")
        else:
            table = self._substituted(value["manifest"])
            path.write_text(tomlkit.dumps({"tool": {"pi": table}}), encoding="utf-8")

    def _write_settings(self, path: Path, values: Mapping[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(tomlkit.dumps(self._substituted(values)), encoding="utf-8")

    def _substituted(self, values: Mapping[str, Any]) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(json.dumps(values).replace("$ROOT", str(self.root)))
        return document

    def _checkouts(self, layer: Layer | None) -> Iterator[PackageRoot]:
        """The checkouts of a layer's git entries that stand in the tree."""
        if layer is None:
            return
        scope: PackageScope = layer.scope
        place = self.locations.checkouts / ("of-project" if scope == "project" else "")
        for entry in layer.packages:
            try:
                source = parse_source(entry.source, base=Path(layer.path).parent, home=self.locations.home)
            except SourceError:
                continue
            if isinstance(source, GitSource) and (root := place / source.host / source.path).is_dir():
                yield PackageRoot(entry.source, source.identity, "git", scope, root)


def codes(findings: tuple[Diagnostic, ...]) -> list[str]:
    """The codes of findings, in order."""
    return [finding.code for finding in findings]
