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


def problems_of(candidate: Candidate, fresh: Snapshot) -> tuple[str, ...]:
    """Everything that speaks against putting it in force, one sentence without its full stop each.

    `fresh` is the snapshot of the environment before anything was installed. Empty means it is good.
    """
    checks = (
        _changed_environment(candidate.env, fresh),
        _strange_files(candidate),
        _overlaps(candidate),
        _shadows(candidate),
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


def _strange_files(candidate: Candidate) -> Iterator[str]:
    env = candidate.env
    sources = {(item.name, path) for item, path, _ in _recorded(candidate)}
    for distribution, path, _ in _recorded(candidate):
        if not path.is_relative_to(env.folder):
            yield f"{_named(distribution)} holds a file outside the environment: {path}"
        elif path.parent == env.folder:
            yield f"{_named(distribution)} holds {path.name}, which belongs to the environment"
        elif _in_library(path, env) and not path.is_relative_to(env.site_packages):
            yield f"{_named(distribution)} holds a file beside the installed modules: {path}"
        elif _is_compiled(path) and (distribution.name, _source_of(path)) not in sources:
            yield f"{_named(distribution)} holds compiled code of a module that is not its own: {path.name}"


def _is_compiled(path: Path) -> bool:
    return path.parent.name == "__pycache__"


def _source_of(path: Path) -> Path:
    return path.parent.parent / f"{path.name.partition('.')[0]}.py"


def _in_library(path: Path, env: Environment) -> bool:
    return path.is_relative_to(env.site_packages.parent)


# Between distributions.
def _overlaps(candidate: Candidate) -> Iterator[str]:
    owners: dict[Path, tuple[Distribution, str]] = {}
    for distribution, path, digest in _recorded(candidate):
        if _is_compiled(path):
            continue  # goes with its source
        owner, known = owners.setdefault(path, (distribution, digest))
        if owner.name != distribution.name and not (digest and digest == known):
            name = os.path.relpath(path, candidate.env.site_packages)
            yield f"{_named(owner)} and {_named(distribution)} both bring {name}"


def _shadows(candidate: Candidate) -> Iterator[str]:
    owned: dict[str, str | None] = {}
    for distribution, path, _ in _recorded(candidate):
        if distribution.name in candidate.trees or not path.is_relative_to(candidate.env.site_packages):
            continue
        parts = path.relative_to(candidate.env.site_packages).parts
        top = _module_name(parts)
        if top is None or top in _LITTER:
            continue
        if top not in owned:
            owned[top] = module_owner(candidate.host, top)
        owner = owned[top]
        if owner is not None:
            yield f"{_named(distribution)} brings the module {top}, which {owner} provides"
        elif _on_host(parts, candidate.host):
            yield f"{_named(distribution)} brings {'/'.join(parts)}, which pi's own environment has too"


def _module_name(parts: Sequence[str]) -> str | None:
    """The top-level module that a file in the folder of modules belongs to; None if to none."""
    if len(parts) > 1:
        return parts[0] if parts[0].isidentifier() and parts[0] != "__pycache__" else None
    name = parts[0]
    stem = name.partition(".")[0]
    return stem if name.endswith(_MODULE_SUFFIXES) and stem.isidentifier() else None


def _on_host(parts: Sequence[str], host: Host) -> bool:
    """Whether the host has this file in a namespace that both share."""
    return len(parts) > 1 and any(os.path.exists(os.path.join(path, *parts)) for path in host.paths)


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
    """Entry points whose module would be somebody else's at import."""
    askers: dict[str, str] = {}
    for source, (group, name, value) in candidate.entry_points:
        if group not in _LOADED_GROUPS:
            continue
        top = value.partition(":")[0].strip().partition(".")[0]
        owner = module_owner(candidate.host, top)
        first = askers.setdefault(top, source)
        if owner is not None:
            yield f"{source} advertises {name} = {value}, but the module {top} is provided by {owner}"
        elif first != source:
            yield f"{first} and {source} both bring the module {top}"


# Reading.
def _recorded(candidate: Candidate) -> Iterator[tuple[Distribution, Path, str]]:
    """Each recorded file: its distribution, absolute path, and digest as recorded (may be empty)."""
    for distribution in candidate.inside.values():
        for name, digest in recorded_rows(distribution):
            yield distribution, Path(os.path.normpath(distribution.location / name)), digest


def _named(distribution: Distribution) -> str:
    return f"{distribution.name} {distribution.version}"
