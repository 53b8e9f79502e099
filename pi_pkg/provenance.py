"""Where a resource comes from, carried beside it from discovery to the last message about it.

Pure.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pi_pkg.values import dataclass

Scope: TypeAlias = Literal["user", "project", "temporary", "environment"]
"""Who asked for it: the user's settings, the project's, the command line, or pi's own environment."""

Origin: TypeAlias = Literal["package", "top-level"]
"""Whether it came inside a package or stands on its own."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of one resource; hashable, compared by value."""

    path: str
    """Absolute path of the file or folder, or a label such as `<inline:1>`."""
    source: str
    """The package source as configured, or `auto`, `local`, `cli`, `inline`."""
    scope: Scope
    """Who asked for it."""
    origin: Origin
    """Inside a package, or on its own."""
    base_dir: str | None = None
    """Folder that patterns are relative to; None where there is none (a path named outright)."""
