"""The record of a generation, written once when it is built and read without any library at each start.

A scope folder holds generations side by side and `current.json`, the pointer that names the one in
force. Each generation holds `pi-index.json`, whose paths inside the generation are relative to it.

Touches: files.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pi_pkg.install.pointer import RECORD_NAME, is_plain, read_pointer
from pi_pkg.values import dataclass

Kind: TypeAlias = Literal["pypi", "git", "local"]
RefKind: TypeAlias = Literal["branch", "tag", "commit"]
Provider: TypeAlias = Literal["generation", "tree", "environment"]
EntryPointRow: TypeAlias = tuple[str, str, str]
"""Group, name, value."""

INDEX_NAME: Final = RECORD_NAME
INDEX_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class InstalledPackage:
    """One root of the scope as it was installed."""

    identity: str
    """Identity of its source."""
    source: str
    """The source as configured when the generation was built."""
    kind: Kind
    """Kind of its source."""
    dist: str | None
    """Canonical distribution name; None for a tree without a `[project]` name."""
    version: str | None
    """Version of the distribution; None where it cannot be known without running code."""
    commit: str | None
    """Full commit id of a git source."""
    ref_kind: RefKind | None
    """What the ref was on the remote: a branch moves with updates, a tag or commit is a pin."""
    root: str
    """Absolute path: the tree, or the folder of importable modules that holds the distribution."""
    import_root: str | None
    """Absolute path that must be on the import path for its entry points; None if it needs none."""
    entry_points: tuple[EntryPointRow, ...]
    """All entry points it advertises, sorted; may be empty."""
    provider: Provider = "generation"
    """Who holds the code: this generation, a tree in place, or pi's own environment."""
    ref: str | None = None
    """The ref of a git source as it was asked for; None is the remote's default branch."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth telling about a built generation; `code` is a kebab-case diagnostic code."""

    code: str
    message: str
    severity: Literal["error", "warning", "info"] = "warning"
    source: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class GenerationIndex:
    """What a generation holds."""

    generation: str
    """Folder name inside the scope folder; names sort in the order of building."""
    packages: tuple[InstalledPackage, ...]
    """The roots, in the order of the settings; may be empty."""
    site_packages: str
    """Absolute path to append to the import path."""
    python_tag: str
    """Tag of the interpreter it was built for, such as `cpython-311`; of the machine, too, if it holds
    compiled modules."""
    host_fingerprint: str
    """Digest of the host's distributions it was checked against."""
    digest: str = ""
    """Digest of everything that was asked for; equal digests are equal generations."""
    distributions: tuple[tuple[str, str], ...] = ()
    """Canonical name and version of every distribution inside, dependencies too, sorted."""
    notes: tuple[Note, ...] = ()
    """Findings of the build, in order; may be empty."""

    def package(self, identity: str) -> InstalledPackage | None:
        """The package with this identity, if the generation has it."""
        return next((package for package in self.packages if package.identity == identity), None)


def current_generation(scope_dir: Path) -> str | None:
    """The generation in force, or None where nothing was installed or the pointer is unreadable."""
    pointer = read_pointer(scope_dir)
    return None if pointer is None else pointer.in_force(scope_dir)


def read_index(scope_dir: Path, generation: str | None = None) -> GenerationIndex | None:
    """The record of a generation, of the one in force by default.

    None where there is none or where it is damaged: either way the scope has to be built again.
    Never waits for a lock.
    """
    if generation is not None:
        return _read(scope_dir, generation)
    name = current_generation(scope_dir)
    while name is not None:
        found = _read(scope_dir, name)
        before, name = name, current_generation(scope_dir)
        if found is not None or before == name:
            return found
        # The pointer moved on, and what it named before was collected in between.
    return None


def _read(scope_dir: Path, name: str) -> GenerationIndex | None:
    if not is_plain(name):
        return None
    try:
        document = json.loads((scope_dir / name / INDEX_NAME).read_bytes())
        return _decode(document, scope_dir / name)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def encode(index: GenerationIndex, folder: Path) -> bytes:
    """The file form of a record. `folder` is the generation's own; paths below it are written relative."""
    document = {
        "version": INDEX_VERSION,
        "generation": index.generation,
        "python-tag": index.python_tag,
        "host-fingerprint": index.host_fingerprint,
        "digest": index.digest,
        "site-packages": _relative(index.site_packages, folder),
        "packages": [_encode_package(package, folder) for package in index.packages],
        "distributions": [list(row) for row in index.distributions],
        "notes": [{name: getattr(note, name) for name in Note.__slots__} for note in index.notes],
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "surrogateescape")


def _encode_package(package: InstalledPackage, folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = {name: getattr(package, name) for name in InstalledPackage.__slots__}
    document["root"] = _relative(package.root, folder)
    document["import_root"] = _relative(package.import_root, folder)
    document["entry_points"] = [list(row) for row in package.entry_points]
    return document


def _decode(document: Any, folder: Path) -> GenerationIndex:
    if document["version"] != INDEX_VERSION:
        raise ValueError(document["version"])
    return GenerationIndex(
        generation=document["generation"],
        packages=tuple(_decode_package(item, folder) for item in document["packages"]),
        site_packages=_absolute(document["site-packages"], folder),
        python_tag=document["python-tag"],
        host_fingerprint=document["host-fingerprint"],
        digest=document["digest"],
        distributions=tuple((name, version) for name, version in document["distributions"]),
        notes=tuple(Note(**item) for item in document["notes"]),
    )


def _decode_package(document: dict[str, Any], folder: Path) -> InstalledPackage:
    import_root = document["import_root"]
    fields = {
        **document,
        "root": _absolute(document["root"], folder),
        "import_root": None if import_root is None else _absolute(import_root, folder),
        "entry_points": tuple((group, name, value) for group, name, value in document["entry_points"]),
    }
    return InstalledPackage(**fields)


def _relative(path: str | None, folder: Path) -> str | None:
    if path is None:
        return None
    prefix = str(folder) + os.sep
    return path[len(prefix) :].replace(os.sep, "/") if path.startswith(prefix) else path


def _absolute(path: str, folder: Path) -> str:
    return path if os.path.isabs(path) else os.path.join(folder, *path.split("/"))
