"""Packages of one run: what `-e` names and is not on this machine yet.

Touches: files, git, network (through the builder).
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pi_pkg.changes import Builder
from pi_pkg.errors import InstallError
from pi_pkg.install.generation import collect_garbage, commit_generation, scope_lock
from pi_pkg.install.index import GenerationIndex, read_index
from pi_pkg.inventory import package_root
from pi_pkg.locations import Locations
from pi_pkg.resources.model import PackageRoot
from pi_pkg.sources.model import LocalSource, Source
from pi_pkg.sources.parse import parse_source


def fetch_temporary(texts: Sequence[str], locations: Locations, builder: Builder) -> tuple[PackageRoot, ...]:
    """The packages behind `-e` sources that need an installation, in the order given.

    Distributions, repositories, wheels, and trees with dependencies are brought into a generation of
    their own, which the same sources find again. What moves is looked up anew each time; if that fails
    and they were here before, the earlier state counts. Paths that can be used in place need nothing.

    Raises:
        SourceError: a string that is no source.
        InstallError: something could not be brought here, and never was.
    """
    parsed = [parse_source(text, base=locations.project_dir, home=locations.home) for text in texts]
    needed = list({source.identity: source for source in parsed if needs_installation(source)}.values())
    if not needed:
        return ()
    index = _generation(needed, locations.runs / _key(needed), builder)
    return tuple(package_root(package, "temporary", locations.home) for package in index.packages)


def needs_installation(source: Source) -> bool:
    """Whether a source cannot be used where it stands."""
    if not isinstance(source, LocalSource):
        return True
    return source.path.lower().endswith(".whl") or _has_dependencies(Path(source.path))


def _generation(sources: Sequence[Source], scope_dir: Path, builder: Builder) -> GenerationIndex:
    with scope_lock(scope_dir):
        known = read_index(scope_dir)
        try:
            roots = [builder.root(source, current=known, fresh=True) for source in sources]
            moving = [source.identity for source in sources if not source.pinned]
            index = builder.build(scope_dir, roots, renew=moving)
            commit_generation(scope_dir, index.generation)
        except InstallError:
            if known is None:
                raise
            return known
        collect_garbage(scope_dir, 1)
        return index


def _key(sources: Sequence[Source]) -> str:
    """A folder name for a set of sources with their versions and refs."""
    text = "\n".join(sorted(source.canonical for source in sources))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _has_dependencies(tree: Path) -> bool:
    try:
        with open(os.path.join(tree, "pyproject.toml"), "rb") as stream:
            project = tomllib.load(stream).get("project")
    except (OSError, ValueError):
        return False
    return isinstance(project, dict) and bool(project.get("dependencies"))
