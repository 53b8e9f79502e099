"""Parsed sources become roots: git refs are resolved and fetched, unless what is recorded still counts.

Touches: files, processes, network (through git).
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final, assert_never

from pi_pkg.install.errors import GitError
from pi_pkg.install.generation import TRASH_PREFIX, generations
from pi_pkg.install.git import Checkout, Git, Repository, checkout_folder, subdirectory_of
from pi_pkg.install.index import GenerationIndex, read_index
from pi_pkg.install.plan import EVERYTHING, PypiRoot, Root, TreeRoot
from pi_pkg.shown import public_form
from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source

_GRACE_S: Final = 3600.0
_COMMIT_LENGTHS: Final = (40, 64)


def prepare_roots(
    sources: Sequence[Source],
    *,
    checkouts: Path,
    git: Git,
    current: GenerationIndex | None = None,
    renew: Collection[str] = (),
) -> tuple[Root, ...]:
    """The roots of a scope, in the order of its sources.

    A git source that `current` holds for the same ref keeps its commit, without a look at the network,
    unless `renew` names its identity (or is EVERYTHING). So installing one package never moves another.

    Raises GitError or DiskError.
    """
    return tuple(_root(source, checkouts, git, current, renew) for source in sources)


def _root(
    source: Source, checkouts: Path, git: Git, current: GenerationIndex | None, renew: Collection[str]
) -> Root:
    match source:
        case PypiSource():
            return PypiRoot(source.identity, source.text, source.requirement)
        case LocalSource():
            return TreeRoot(source.identity, source.text, Path(source.path), "local")
        case GitSource():
            repository = Repository(source.clone_url, source.host, source.path)
            fresh = source.identity in renew or EVERYTHING in renew
            known = None if fresh else _recorded(source, repository, checkouts, git, current)
            found = known or git.checkout(checkouts, repository, source.ref, source.subdirectory)
            return TreeRoot(
                identity=source.identity,
                source=public_form(source.text),
                path=subdirectory_of(found, source.subdirectory, repository.shown),
                kind="git",
                commit=found.commit,
                ref_kind=found.ref_kind,
                ref=source.ref,
                url=public_form(source.clone_url),
                subdirectory=source.subdirectory,
            )
        case _:
            assert_never(source)


def _recorded(
    source: GitSource, repository: Repository, checkouts: Path, git: Git, current: GenerationIndex | None
) -> Checkout | None:
    """The checkout that the current generation uses for this source and ref. If somebody deleted it, the
    same commit is brought again; None if the remote has it no more."""
    package = None if current is None else current.package(source.identity)
    if package is None or package.commit is None or package.ref_kind is None or package.ref != source.ref:
        return None
    folder = checkout_folder(checkouts, repository) / package.commit
    if not folder.is_dir():
        try:
            git.checkout(checkouts, repository, package.commit, source.subdirectory)
        except GitError:
            return None
    return Checkout(package.commit, folder, package.ref_kind)


def collect_checkouts(
    checkouts: Path, scope_dirs: Iterable[Path], *, grace_s: float = _GRACE_S
) -> tuple[str, ...]:
    """Remove the checkouts that no generation of these scopes uses, and return their paths, sorted.

    Every scope that may use the folder must be named, old generations count. What is younger than
    `grace_s` stays: its generation may be on the way.
    """
    used = set()
    for scope_dir in scope_dirs:
        for name in generations(scope_dir):
            index = read_index(scope_dir, name)
            used |= {package.commit for package in index.packages if package.commit} if index else set()
    removed = []
    for folder in _checkout_folders(checkouts):
        if folder.name not in used and time.time() - folder.stat().st_mtime >= grace_s:
            shutil.rmtree(folder, ignore_errors=True)
            _remove_empty_parents(folder, checkouts)
            removed.append(str(folder))
    return tuple(removed)


def _checkout_folders(folder: Path) -> list[Path]:
    """Folders named by a commit, and abandoned ones, at any depth; sorted."""
    found = []
    try:
        children = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []
    for child in children:
        if child.name.startswith(TRASH_PREFIX) or (
            len(child.name) in _COMMIT_LENGTHS and set(child.name) <= set("0123456789abcdef")
        ):
            found.append(child)
        else:
            found += _checkout_folders(child)
    return found


def _remove_empty_parents(folder: Path, top: Path) -> None:
    for parent in folder.parents:
        if parent == top:
            return
        try:
            parent.rmdir()
        except OSError:
            return  # another commit or repository stands there
