"""One scope while it is changed: its settings, its generations, and the moment in which both turn over.

Touches: files.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pi_pkg.atomic import replace_file
from pi_pkg.changes.builder import Builder
from pi_pkg.changes.extension_trees import extension_trees
from pi_pkg.declared import Declared, declared_in
from pi_pkg.install.generation import (
    collect_garbage,
    commit_generation,
    scope_lock,
    turning_over,
    withdraw,
)
from pi_pkg.install.index import GenerationIndex, InstalledPackage, current_generation, read_index
from pi_pkg.install.progress import Report as Progress
from pi_pkg.install.progress import silent
from pi_pkg.install.roots import collect_checkouts
from pi_pkg.installed import answers, fits_interpreter, has_generation, scope_dir
from pi_pkg.locations import RESOURCE_TYPES, Locations
from pi_pkg.settings.edit import Change
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry
from pi_pkg.settings.store import SettingsStore
from pi_pkg.shown import public_form

ENTRIES_NAME: Final = "entries.json"
"""In the folder of a generation: what the settings declared when it was last in force."""
_SHORT_COMMIT: Final = 7


@dataclass(frozen=True, slots=True)
class ChangingScope:
    """What a change of one scope works on. Whoever uses it holds the scope's lock."""

    locations: Locations
    store: SettingsStore
    builder: Builder
    beside: Layer | None = None
    """The other scope's settings, if they are in force: a project's deltas speak about the user's."""
    keep_generations: int = 3
    progress: Progress = silent
    """Told when another command has to be waited for."""

    @property
    def name(self) -> LayerScope:
        return self.store.scope

    @property
    def folder(self) -> Path:
        return scope_dir(self.locations, self.store.scope)

    def turn(self) -> AbstractContextManager[None]:
        """The scope's lock, over everything from reading its settings to writing them."""
        return scope_lock(self.folder, report=self.progress)

    def readable(self) -> Layer:
        """The settings as they are now.

        Raises:
            SettingsError: they cannot be read.
        """
        layer = self.store.read()
        if layer.error is not None:
            raise layer.error
        return layer

    def is_empty(self, layer: Layer) -> bool:
        """Whether nothing is declared and nothing was ever installed."""
        return not layer.packages and not has_generation(self.folder)

    def declared(self, layer: Layer) -> tuple[Declared, ...]:
        """The packages that the settings want installed, in order of first mention."""
        user = self.beside if self.name == "project" else None
        return declared_in(layer, home=self.locations.home, user=user)

    def trees(
        self, layer: Layer, before: GenerationIndex | None, *, new: bool = False
    ) -> tuple[Declared, ...]:
        """Extension folders whose dependencies are installed with the packages: those that are recorded, and
        `new` ones too where that was asked for. Not those that the settings declare as packages."""
        declared = {item.identity for item in self.declared(layer)}
        recorded = {package.identity for package in before.packages} if before else set()
        if not new and recorded <= declared:
            return ()
        return tuple(
            item
            for item in extension_trees(self.locations, layer)
            if item.identity not in declared and (new or item.identity in recorded)
        )

    def in_force(self) -> GenerationIndex | None:
        """The record of what is installed; None where there is none."""
        return read_index(self.folder)

    def standing(self, item: Declared, before: GenerationIndex | None) -> InstalledPackage | None:
        """The record of a declared package, if it is there as declared and this interpreter can use it."""
        package = before.package(item.identity) if before and fits_interpreter(before) else None
        stands = package is not None and answers(item.source, package, self.locations.home)
        return package if stands else None

    def put_in_force(self, generation: str | None, layer: Layer, *changes: Change) -> None:
        """The files, and the settings where there are changes to them: both at one instant, or neither.

        `generation` None puts none in force. `layer` is what the settings said while the earlier one was.

        Raises:
            SettingsError: the settings cannot be written.
            InstallError: the pointer cannot be.
        """
        self._leave(generation, layer)
        if changes:
            with turning_over(self.folder, generation, self.store.file.path):
                self.store.edit(lambda document: [change(document) for change in changes])
        elif generation is None:
            withdraw(self.folder)
        else:
            commit_generation(self.folder, generation)

    def entries_of(self, generation: str) -> tuple[PackageEntry, ...]:
        """What the settings declared when a generation was last left; empty where nobody kept it."""
        try:
            rows = json.loads((self.folder / generation / ENTRIES_NAME).read_bytes())
            return tuple(_entry(row) for row in rows)
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def tidy(self) -> None:
        """Old generations go; what is in force, recent or held by a process stays."""
        collect_garbage(self.folder, self.keep_generations)
        collect_checkouts(self.locations.checkouts, every_scope_dir(self.locations))

    def _leave(self, generation: str | None, layer: Layer) -> None:
        """Keep beside the generation in force what the settings said while it was; and whose it is."""
        before = current_generation(self.folder)
        try:
            if before is not None and before != generation:
                rows = [_row(entry) for entry in layer.packages]
                replace_file(self.folder / before / ENTRIES_NAME, json.dumps(rows).encode())
            if self.name == "project":
                remember_project(self.locations)
        except OSError:
            pass  # a rollback then knows the sources but not their filters


def remember_project(locations: Locations) -> None:
    """Write down which project the data folder of this project is about. Raises OSError."""
    file = locations.project_data_dir / "project.json"
    data = json.dumps({"path": str(locations.project_dir)}).encode("utf-8", "surrogateescape")
    if not file.exists():
        replace_file(file, data)


def every_scope_dir(locations: Locations) -> list[Path]:
    """The folders of all scopes that share the checkouts of this user, other projects' included."""
    projects = locations.project_data_dir.parent.glob("*/envs")
    return [locations.user_envs, *projects, *locations.runs.glob("*")]


def shown_version(package: InstalledPackage | None) -> str | None:
    """What tells two states of a package apart: a short commit, else a version."""
    if package is None:
        return None
    return short(package.commit) if package.commit else package.version


def short(commit: str) -> str:
    """The first digits of a commit."""
    return commit[:_SHORT_COMMIT]


def _row(entry: PackageEntry) -> dict[str, Any]:
    row: dict[str, Any] = {kind: entry.patterns(kind) for kind in RESOURCE_TYPES}
    return {"source": public_form(entry.source), "autoload": entry.autoload, **row}


def _entry(row: dict[str, Any]) -> PackageEntry:
    patterns = {kind: None if row[kind] is None else tuple(row[kind]) for kind in RESOURCE_TYPES}
    return PackageEntry(row["source"], autoload=row["autoload"], **patterns)
