"""Our own look at a built generation before it may come in force. Installers let all of this pass.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path, PurePosixPath
from typing import Final

from pi_pkg.install.generation import Environment
from pi_pkg.install.host import Distribution, Host, module_owner, origin_of, recorded_rows
from pi_pkg.install.index import EntryPointRow
from pi_pkg.install.plan import Unmet, Wish, survey

# Left in wheels by accident so often that refusing them helps nobody; no package needs its own.
_LITTER: Final = frozenset({"test", "tests", "doc", "docs", "example", "examples", "benchmarks", "scripts"})
_MODULE_SUFFIXES: Final = (".py", ".pyc", *EXTENSION_SUFFIXES)
_LOADED_GROUPS: Final = frozenset({"pi", "pi.extensions"})

Snapshot = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A generation that is to be judged."""

    env: Environment
    host: Host
    wishes: tuple[Wish, ...]
    """All that the scope asks for."""
    inside: Mapping[str, Distribution]
    """Every distribution in it by canonical name, the records of trees included."""
    trees: Mapping[str, str] = field(default_factory=dict)
    """Source by canonical name, for those that are trees."""
    from_files: frozenset[str] = frozenset()
    """Canonical names that were asked for as a wheel file."""
    entry_points: tuple[tuple[str, EntryPointRow], ...] = ()
    """Source and entry point, for each package of the scope that holds its own code."""


def take_snapshot(env: Environment) -> Snapshot:
    """What a fresh environment is made of: its configuration and its interpreters, by relative path."""
    files = [env.folder / "pyvenv.cfg", *sorted(env.scripts.iterdir())]
    return {path.relative_to(env.folder).as_posix(): _content(path) for path in files}


@dataclass(frozen=True, slots=True)
class _Row:
    """One recorded file."""

    owner: Distribution
    path: str
    """Absolute, normalised."""
    digest: str
    """As recorded; may be empty."""
    inner: str | None
    """Relative to the folder of modules; None if it is not in there."""

    @property
    def is_compiled(self) -> bool:
        return os.path.basename(os.path.dirname(self.path)) == "__pycache__"

    @property
    def source(self) -> str:
        """The source that a compiled file belongs to."""
        folder, name = os.path.split(self.path)
        return os.path.join(os.path.dirname(folder), f"{name.partition('.')[0]}.py")


def problems_of(candidate: Candidate, fresh: Snapshot) -> tuple[str, ...]:
    """Everything that speaks against putting it in force, one sentence without its full stop each.

    `fresh` is the snapshot of the environment before anything was installed. Empty means it is good.
    """
    rows = tuple(_rows(candidate))
    checks = (
        _changed_environment(candidate.env, fresh),
        _strange_files(candidate.env, rows, fresh),
        _overlaps(candidate.env, rows),
        _twins(rows),
        _shadows(candidate, rows),
        _origins(candidate),
        _copies_of_host(candidate),
        _ownerless_entry_points(candidate),
        map(unmet_sentence, survey(candidate.wishes, candidate.inside, candidate.host.distributions).unmet),
    )
    return tuple(dict.fromkeys(problem for check in checks for problem in check))


def unmet_sentence(unmet: Unmet) -> str:
    """What is wished for and what is there."""
    found = f"but {unmet.name} {unmet.found} is there" if unmet.found else "but it is not there"
    return f"{unmet.wish.asker} needs {unmet.wish.requirement}, {found}"


# The environment itself.
def _changed_environment(env: Environment, fresh: Snapshot) -> Iterator[str]:
    for name, content in fresh.items():
        if _content(env.folder / name) != content:
            yield f"a package replaced {name} of the environment"
    known = {PurePosixPath(name).name for name in fresh}
    for path in sorted(env.scripts.iterdir()):
        if path.name not in known and path.name.lower().startswith(("python", "activate")):
            yield f"a package put {path.name} beside the environment's interpreter"


def _content(path: Path) -> bytes:
    if path.is_symlink():
        return b"-> " + os.fsencode(os.readlink(path))
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _strange_files(env: Environment, rows: Sequence[_Row], fresh: Snapshot) -> Iterator[str]:
    own = {str(env.folder / name) for name in fresh}
    top, library = str(env.folder), str(env.site_packages.parent)
    known = {(row.owner.name, row.path) for row in rows}
    for row in rows:
        if not row.path.startswith(top + os.sep):
            yield f"{_named(row.owner)} holds a file outside the environment: {row.path}"
        elif os.path.dirname(row.path) == top or row.path in own:
            yield f"{_named(row.owner)} holds {os.path.basename(row.path)}, which belongs to the environment"
        elif row.inner is None and row.path.startswith(library + os.sep):
            yield f"{_named(row.owner)} holds a file beside the installed modules: {row.path}"
        elif row.is_compiled and (row.owner.name, row.source) not in known:
            name = os.path.basename(row.path)
            yield f"{_named(row.owner)} holds compiled code of a module that is not its own: {name}"


# Between distributions.
def _overlaps(env: Environment, rows: Sequence[_Row]) -> Iterator[str]:
    owners: dict[str, _Row] = {}
    for row in rows:
        if row.is_compiled:
            continue  # goes with its source
        first = owners.setdefault(row.path, row)
        if first.owner.name != row.owner.name and not (row.digest and row.digest == first.digest):
            name = os.path.relpath(row.path, env.site_packages)
            yield f"{_named(first.owner)} and {_named(row.owner)} both bring {name}"


def _twins(rows: Sequence[_Row]) -> Iterator[str]:
    """Modules of one name in two files, of which only one is ever imported."""
    owners: dict[str, _Row] = {}
    for row in rows:
        name = None if row.inner is None or row.is_compiled else _importable(row.inner)
        if name is None:
            continue
        first = owners.setdefault(name, row)
        if first.owner.name != row.owner.name and first.path != row.path:
            yield f"{_named(first.owner)} and {_named(row.owner)} both bring the module {name}"


def _importable(inner: str) -> str | None:
    """The dotted name that a file in the folder of modules is imported by; None if it is no module."""
    folder, file = os.path.split(inner)
    stem = file.partition(".")[0]
    if not file.endswith(_MODULE_SUFFIXES) or not stem.isidentifier():
        return None
    parts = folder.split(os.sep) if folder else []
    return ".".join(parts if stem == "__init__" else [*parts, stem])


def _shadows(candidate: Candidate, rows: Sequence[_Row]) -> Iterator[str]:
    owned: dict[str, str | None] = {}
    shared: dict[str, bool] = {}
    for row in rows:
        parts = [] if row.inner is None else row.inner.split(os.sep)
        top = _module_name(parts)
        if top is None or top in _LITTER or row.owner.name in candidate.trees:
            continue
        if top not in owned:
            owned[top] = module_owner(candidate.host, top)
            shared[top] = _on_host([top], candidate.host)
        owner = owned[top]
        if owner is not None:
            yield f"{_named(row.owner)} brings the module {top}, which {owner} provides"
        elif shared[top] and len(parts) > 1 and _on_host(parts, candidate.host):
            yield f"{_named(row.owner)} brings {'/'.join(parts)}, which pi's own environment has too"


def _module_name(parts: Sequence[str]) -> str | None:
    """The top-level module that a file in the folder of modules belongs to; None if to none."""
    if not parts:
        return None
    if len(parts) > 1:
        return parts[0] if parts[0].isidentifier() and parts[0] != "__pycache__" else None
    name = parts[0]
    stem = name.partition(".")[0]
    return stem if name.endswith(_MODULE_SUFFIXES) and stem.isidentifier() else None


def _on_host(parts: Sequence[str], host: Host) -> bool:
    """Whether the host has this file or folder."""
    return any(os.path.exists(os.path.join(path, *parts)) for path in host.paths)


def _copies_of_host(candidate: Candidate) -> Iterator[str]:
    for name, distribution in candidate.inside.items():
        provided = candidate.host.distributions.get(name)
        if provided is not None:
            yield (
                f"{_named(distribution)} was installed although the environment that pi runs in has "
                f"{_named(provided)}"
            )


def _origins(candidate: Candidate) -> Iterator[str]:
    for name, distribution in candidate.inside.items():
        if name in candidate.trees or name in candidate.from_files:
            continue
        origin = origin_of(distribution)
        if origin is not None:
            yield f"{_named(distribution)} came from an address that a package names, not from an index"


def _ownerless_entry_points(candidate: Candidate) -> Iterator[str]:
    """Entry points whose module would be somebody else's at import.

    Distributions may share a namespace, since their files stand in one folder; trees each have their own.
    """
    askers: dict[str, str] = {}
    trees = set(candidate.trees.values())
    for source, (group, name, value) in candidate.entry_points:
        if group not in _LOADED_GROUPS:
            continue
        top = value.partition(":")[0].strip().partition(".")[0]
        owner = module_owner(candidate.host, top)
        first = askers.setdefault(top, source)
        if owner is not None:
            yield f"{source} advertises {name} = {value}, but the module {top} is provided by {owner}"
        elif first != source and not trees.isdisjoint((first, source)):
            yield f"{first} and {source} both bring the module {top}"


# Reading.
def _rows(candidate: Candidate) -> Iterator[_Row]:
    modules = str(candidate.env.site_packages) + os.sep
    for distribution in candidate.inside.values():
        location = str(distribution.location)
        for name, digest in recorded_rows(distribution):
            path = os.path.normpath(os.path.join(location, name))
            inner = path[len(modules) :] if path.startswith(modules) else None
            yield _Row(distribution, path, digest, inner)


def _named(distribution: Distribution) -> str:
    return f"{distribution.name} {distribution.version}"
