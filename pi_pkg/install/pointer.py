"""The file that says which generation of a scope is in force, also while its settings are being replaced.

A generation and the settings that name its packages are two files, and a process can end between them. So
the pointer goes first and names both generations: the new one counts as soon as the settings are not what
they were. The one instant in which everything turns over is then the replacement of the settings.

Touches: files.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from pi_pkg.values import dataclass

POINTER_NAME: Final = "current.json"
RECORD_NAME: Final = "pi-index.json"
"""A generation is complete once it holds this file."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """What the file says."""

    generation: str | None
    """In force; None for none."""
    before: str | None = None
    """In force as long as the settings are what they were; None for none."""
    settings: str | None = None
    """Absolute path of the settings; None once there is nothing to wait for."""
    digest: str | None = None
    """What the settings were; None if there were none."""

    @property
    def is_settled(self) -> bool:
        return self.settings is None

    @property
    def named(self) -> frozenset[str]:
        """Every generation that may be in force."""
        return frozenset(name for name in (self.generation, self.before) if name is not None)

    def in_force(self, scope_dir: Path) -> str | None:
        """The generation that counts now. One that is not there any more never counts before one that is."""
        if self.settings is None:
            return self.generation
        first, second = self.generation, self.before
        if digest_of(Path(self.settings)) == self.digest:
            first, second = second, first
        if first is not None and second is not None and not (scope_dir / first / RECORD_NAME).exists():
            return second
        return first

    def encode(self) -> bytes:
        """The form of the file."""
        document: dict[str, Any] = {"generation": self.generation}
        if self.settings is not None:
            document |= {"before": self.before, "settings": self.settings, "digest": self.digest}
        return (json.dumps(document) + "\n").encode()


def read_pointer(scope_dir: Path) -> Pointer | None:
    """What the pointer of a scope says; None where nothing was installed or it is unreadable."""
    try:
        document = json.loads((scope_dir / POINTER_NAME).read_bytes())
        names = [document["generation"], document.get("before")]
        settings, digest = document.get("settings"), document.get("digest")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if not all(name is None or (isinstance(name, str) and is_plain(name)) for name in names):
        return None
    if not all(text is None or isinstance(text, str) for text in (settings, digest)):
        return None
    return Pointer(names[0], names[1], settings, digest)


def digest_of(settings: Path) -> str | None:
    """A digest of a settings file as it is now; None if there is none, empty if nobody can read it."""
    import hashlib  # start-up time: only while settings are being replaced

    try:
        return hashlib.sha256(settings.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def is_plain(name: str) -> bool:
    """Whether a name is that of a folder right here."""
    return bool(name) and name == os.path.basename(name) and not name.startswith(".")
