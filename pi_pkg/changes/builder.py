"""The port of every change: who looks at what is out there and brings code to the disk.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from pi_pkg.install.index import GenerationIndex
from pi_pkg.install.lookup import Answer
from pi_pkg.install.plan import Root
from pi_pkg.sources.model import Source


class Builder(Protocol):
    """Who brings code to the disk; puts nothing in force."""

    def root(self, source: Source, *, current: GenerationIndex | None, fresh: bool) -> Root:
        """A source as a generation wants it. A git source that is not fresh keeps the commit that
        `current` has for its ref. Raises InstallError."""

    def build(self, scope_dir: Path, roots: Sequence[Root], *, renew: Collection[str]) -> GenerationIndex:
        """A generation of all roots; those named by identity may move to newer versions, the others stay
        where they are. Where nothing would change it is the one in force, and no installer runs.
        Raises InstallError."""

    def newest(self, sources: Sequence[Source], *, current: GenerationIndex | None) -> Mapping[str, Answer]:
        """What each source of an index or a remote would get now, by identity; nothing is brought here."""
