"""Earlier decisions, in `trust.toml`: one table a folder, named by its real path.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pi_pkg.atomic import Writer, replace_file
from pi_pkg.errors import SettingsError, TrustError
from pi_pkg.settings.file import TomlFile
from pi_pkg.trust.model import StoredDecision
from pi_pkg.values import dataclass

_TEXTS: Final = ("digest", "by", "when", "how")


def canonical_folder(path: Path) -> str:
    """The name of a folder in the store: its real path, so that links to it share one decision."""
    return os.path.normcase(os.path.realpath(path))


@dataclass(frozen=True, slots=True)
class TrustStore:
    """The file with the decisions."""

    path: Path
    write: Writer = replace_file

    def read(self) -> dict[str, StoredDecision]:
        """All decisions by folder; empty for a missing file.

        Raises:
            TrustError: the file cannot be read, or holds something else; names it.
        """
        try:
            values = self._file().values()
        except SettingsError as error:
            raise _unreadable(error) from error
        return {folder: self._decision(folder, value) for folder, value in values.items()}

    def nearest(self, folder: str) -> tuple[tuple[str, StoredDecision], ...]:
        """Decisions about a folder and the folders above it, nearest first.

        Raises:
            TrustError: as `read`.
        """
        known = self.read()
        above = [folder, *(str(parent) for parent in Path(folder).parents)]
        return tuple((place, known[place]) for place in above if place in known)

    def record(self, changes: Iterable[tuple[str, StoredDecision | None]]) -> None:
        """Store decisions, None forgets one; other tables and comments stay.

        Raises:
            TrustError: the file cannot be read or written; it is as before.
        """
        import tomlkit  # start-up time: readers use tomllib

        def change(document: tomlkit.TOMLDocument) -> None:
            for folder, decision in changes:
                document.pop(folder, None)
                if decision is not None:
                    table = tomlkit.table()
                    table.update(_table(decision))
                    document[folder] = table

        self.read()
        try:
            self._file().edit(change)
        except SettingsError as error:
            raise _unreadable(error) from error

    def _file(self) -> TomlFile:
        return TomlFile(self.path, write=self.write)

    def _decision(self, folder: str, value: Any) -> StoredDecision:
        if isinstance(value, bool):
            return StoredDecision(value)
        if not isinstance(value, Mapping) or not isinstance(value.get("trusted"), bool):
            raise TrustError(str(self.path), f"the entry of {folder!r} has no 'trusted = true' or 'false'")
        for key in _TEXTS:
            if not isinstance(value.get(key, ""), str):
                raise TrustError(str(self.path), f"{key!r} in the entry of {folder!r} is no string")
        by, when, how = (value.get(key, "") for key in _TEXTS[1:])
        guard = value.get("guard") is True
        return StoredDecision(value["trusted"], value.get("digest"), by, when, how, guard)


def _table(decision: StoredDecision) -> dict[str, Any]:
    table: dict[str, Any] = {"trusted": decision.trusted}
    for key in _TEXTS:
        if getattr(decision, key):
            table[key] = getattr(decision, key)
    if decision.guard:
        table["guard"] = True
    return table


def _unreadable(error: SettingsError) -> TrustError:
    place = f"{error.path}:{error.line}:{error.column}" if error.line else error.path
    hint = "Repair or delete the file; --approve works without it."
    return TrustError(place, error.problem, hint=hint)
