"""A TOML file of ours: read without a lock, changed under one, never overwritten while unreadable.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_pkg.atomic import LOCK_TIMEOUT_S, Writer, locked, replace_file, sweep_aside
from pi_pkg.errors import SettingsError
from pi_pkg.settings.text import MAX_BYTES, SettingsText, decode, parse
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True, slots=True)
class TomlFile:
    """One file. Reading creates nothing; a change creates the file and its folder."""

    path: Path
    lock: Path | None = None
    """Lock file of the writers; None is `.NAME.lock` beside the file."""
    lock_timeout_s: float = LOCK_TIMEOUT_S
    write: Writer = replace_file
    """How bytes get to the disk."""

    def values(self) -> dict[str, Any]:
        """The document as it is now; empty for a missing file.

        Raises:
            SettingsError: the file cannot be read.
        """
        return self.document()[0]

    def document(self) -> tuple[dict[str, Any], str]:
        """The document as it is now, and its text.

        Raises:
            SettingsError: the file cannot be read.
        """
        text = self._text().text
        return parse(str(self.path), text), text

    def edit(self, change: Callable[[TOMLDocument], object]) -> bool:
        """Apply a change to what the file says now, under its lock; True if the file changed.

        What somebody else wrote meanwhile stays. Nothing is written if the text comes out equal.

        Raises:
            SettingsError: the file cannot be read, locked or written; its bytes are as before.
        """
        try:
            with locked(self._lock(), timeout_s=self.lock_timeout_s):
                return self._edit_locked(change)
        except OSError as problem:
            raise SettingsError(str(self.path), f"it cannot be written: {_reason(problem)}") from problem

    def _lock(self) -> Path:
        if self.lock is not None:
            return self.lock
        target = Path(os.path.realpath(self.path))
        return target.with_name(f".{target.name}.lock")

    def _edit_locked(self, change: Callable[[TOMLDocument], object]) -> bool:
        before = self._text()
        parse(str(self.path), before.text)
        document = self._editable(before.text)
        change(document)
        after = document.as_string()
        if after == before.text:
            return False
        self._check(after, document.unwrap())
        if self.path.exists():
            sweep_aside(self.path)
        self.write(self.path, before.encode(after))
        return True

    def _text(self) -> SettingsText:
        try:
            with open(self.path, "rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return SettingsText("")
        except OSError as problem:
            raise SettingsError(str(self.path), f"it cannot be read: {_reason(problem)}") from problem
        return decode(str(self.path), data)

    def _editable(self, text: str) -> TOMLDocument:
        import tomlkit  # start-up time: readers use tomllib
        from tomlkit.exceptions import TOMLKitError

        try:
            return tomlkit.parse(text)
        except TOMLKitError as problem:
            raise SettingsError(str(self.path), f"it cannot be edited safely: {problem}") from problem

    def _check(self, text: str, meant: dict[str, Any]) -> None:
        """The text that is about to be written says what was meant, in the reader's own eyes."""
        if parse(str(self.path), text) != meant:
            raise SettingsError(
                str(self.path),
                "the change could not be expressed in it without changing something else",
                hint="Nothing was written; edit the file by hand.",
            )


def _reason(problem: OSError) -> str:
    return problem.strerror or str(problem)
