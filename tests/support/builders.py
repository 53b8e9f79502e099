"""A builder without installers: it writes the record of a generation, and can fail where a test wants.

Touches: files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_pkg.errors import InstallError
from pi_pkg.install.generation import generations
from pi_pkg.install.index import INDEX_NAME, GenerationIndex, InstalledPackage, encode, read_index
from pi_pkg.install.lookup import Answer, Newest
from pi_pkg.install.plan import PypiRoot, Root, TreeRoot
from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source


@dataclass
class RecordingBuilder:
    """Gives every package the version that `versions` says, `1` by default. `log` tells what was asked."""

    versions: dict[str, str] = field(default_factory=dict)
    refuses: Collection[str] = ()
    """Identities that cannot be built."""
    log: list[str] = field(default_factory=list)
    on_build: Callable[[], None] | None = None
    """Runs at the end of each build, while nothing is in force yet."""

    def root(self, source: Source, *, current: GenerationIndex | None, fresh: bool) -> Root:
        self.log.append(f"root {source.text}{' fresh' if fresh else ''}")
        match source:
            case PypiSource():
                return PypiRoot(source.identity, source.text, source.requirement)
            case GitSource() if source.identity in self.refuses:
                raise InstallError(f"no answer from {source.identity}.")
            case GitSource():
                return TreeRoot(source.identity, source.text, Path("/checkout"), "git", commit="c" * 40)
            case LocalSource():
                return TreeRoot(source.identity, source.text, Path(source.path), "local")

    def build(self, scope_dir: Path, roots: Sequence[Root], *, renew: Collection[str]) -> GenerationIndex:
        """As the real one: what is not renewed stays, and where nothing changes the one in force is it."""
        current = read_index(scope_dir)
        if current is not None and current.python_tag != sys.implementation.cache_tag:
            current = None
        packages = tuple(self._package(root, current, renew) for root in roots)
        if current is not None and current.packages == packages:
            return current
        self.log.append(f"build {' '.join(root.source for root in roots)}")
        for root, package in zip(roots, packages, strict=True):
            carried = current is not None and package in current.packages
            if root.identity in self.refuses and not carried:
                raise InstallError(f"cannot build {root.identity}.")
        number = int(max(generations(scope_dir), default="000000")[:6]) + 1
        name = f"{number:06d}-0000000a"
        folder = scope_dir / name
        folder.mkdir(parents=True)
        (folder / ".inuse").touch()
        index = GenerationIndex(name, packages, str(folder), sys.implementation.cache_tag or "", "host")
        (folder / INDEX_NAME).write_bytes(encode(index, folder))
        if self.on_build is not None:
            self.on_build()
        return index

    def newest(self, sources: Sequence[Source], *, current: GenerationIndex | None) -> dict[str, Answer]:
        """What `versions` says, in the form that fits the source."""
        self.log.append(f"look {' '.join(source.text for source in sources)}")
        return {source.identity: self._newest(source) for source in sources}

    def _newest(self, source: Source) -> Answer:
        if source.identity in self.refuses:
            return InstallError(f"no answer about {source.identity}.")
        if isinstance(source, GitSource):
            return Newest("c" * 40, "branch")
        version = self.versions.get(source.identity, "1")
        if isinstance(source, PypiSource) and source.pinned:
            return Newest(source.specifier.lstrip("="), beyond=version)
        return Newest(version)

    def _package(
        self, root: Root, current: GenerationIndex | None, renew: Collection[str]
    ) -> InstalledPackage:
        known = current.package(root.identity) if current else None
        if known is not None and root.identity not in renew and known.source == root.source:
            return known
        return self._installed(root)

    def _installed(self, root: Root) -> InstalledPackage:
        version = self.versions.get(root.identity, "1")
        if isinstance(root, PypiRoot):
            return InstalledPackage(
                root.identity, root.source, "pypi", root.identity[5:], version, None, None, "/site", None, ()
            )
        return InstalledPackage(
            root.identity, root.source, root.kind, None, version, root.commit, None, str(root.path), None, (),
            provider="tree",
        )  # fmt: skip
