"""Packages of one run: what `-e` names and is not on this machine yet.

Touches: files, git, network (through the builder).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pi_pkg.changes.builder import Builder
from pi_pkg.errors import InstallError
from pi_pkg.fetched import Fetched
from pi_pkg.install.execute import is_whole
from pi_pkg.install.generation import collect_garbage, commit_generation, hold_generation, scope_lock
from pi_pkg.install.index import GenerationIndex, read_index
from pi_pkg.install.lookup import Newest, newer
from pi_pkg.installed import fits_interpreter, package_root
from pi_pkg.locations import Locations
from pi_pkg.sources.model import LocalSource, Source


def fetch_temporary(
    needed: Sequence[Source], locations: Locations, builder: Builder, *, offline: bool = False
) -> Fetched:
    """The packages of sources that need an installation, held until the result is closed.

    Distributions, repositories, wheels, and trees with dependencies are brought into a generation of
    their own, which the same sources find again. What moves is looked up anew each time, unless
    `offline`; if that fails and they were here before, the earlier state counts.

    Raises:
        InstallError: something could not be brought here, and never was.
    """
    scope_dir = locations.runs / _key(needed)
    with scope_lock(scope_dir):
        index = _generation(needed, scope_dir, builder, offline)
        held = hold_generation(scope_dir)
        collect_garbage(scope_dir, 1)
    packages = (package_root(package, "temporary", locations.home) for package in index.packages)
    return Fetched(tuple(packages), index, held)


def _generation(
    sources: Sequence[Source], scope_dir: Path, builder: Builder, offline: bool
) -> GenerationIndex:
    known = read_index(scope_dir)
    if known is not None and not (fits_interpreter(known) and is_whole(known)):
        known = None
    if offline:
        if known is None:
            names = ", ".join(source.text for source in sources)
            raise InstallError(f"{names} is not on this machine, and nothing is looked up (offline).")
        return known
    try:
        moving = _moving(sources, known, builder)
        roots = [builder.root(source, current=known, fresh=source.identity in moving) for source in sources]
        index = builder.build(scope_dir, roots, renew=moving)
        commit_generation(scope_dir, index.generation)
    except InstallError:
        if known is None:
            raise
        return known
    return index


def _moving(sources: Sequence[Source], known: GenerationIndex | None, builder: Builder) -> set[str]:
    """Identities of what is not here yet, or is there in a newer form. Raises InstallError."""
    moving = set()
    asked = []
    for source in sources:
        package = None if known is None else known.package(source.identity)
        if package is None:
            moving.add(source.identity)
        elif not isinstance(source, LocalSource) and not source.pinned:
            asked.append(source)
    for identity, answer in (builder.newest(asked, current=known) if asked else {}).items():
        if isinstance(answer, InstallError):
            raise answer
        package = known.package(identity) if known else None
        if package is None or _is_newer(answer, package.commit or package.version, package.kind == "git"):
            moving.add(identity)
    return moving


def _is_newer(answer: Newest, here: str | None, by_commit: bool) -> bool:
    if answer.latest is None or here is None:
        return True
    return answer.latest != here if by_commit else newer(answer.latest, here)


def _key(sources: Sequence[Source]) -> str:
    """A folder name for a set of sources with their versions and refs."""
    import hashlib  # start-up time: loads the crypto library

    text = "\n".join(sorted(source.canonical for source in sources))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
