"""The write port: files that decide something go through it, so that a full disk can be tried.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from pi_pkg.atomic import replace_file
from pi_pkg.install.errors import DiskError


class Disk(Protocol):
    """Writes whole files. Both methods raise DiskError, naming the file and the system's reason."""

    def write(self, path: Path, data: bytes) -> None:
        """Write a file that nobody reads yet; parents are made."""

    def replace(self, path: Path, data: bytes) -> None:
        """Put a whole new file in the place of another at one instant; it is on the disk afterwards."""


class RealDisk:
    """The disk of this machine."""

    def write(self, path: Path, data: bytes) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise disk_error(error, path) from error

    def replace(self, path: Path, data: bytes) -> None:
        try:
            replace_file(path, data)
        except OSError as error:
            raise disk_error(error, path) from error


def disk_error(error: OSError, path: Path) -> DiskError:
    """The error of ours for one of the system: names its file if it knows one, else `path`."""
    name = error.filename if isinstance(error.filename, str) else str(path)
    return DiskError(name, error.strerror or str(error))
