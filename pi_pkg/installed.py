"""What the generations in force hold, and whether it is what the settings ask for.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import Locations
from pi_pkg.provenance import Scope
from pi_pkg.resources.model import EntryPoint, PackageRoot
from pi_pkg.settings.model import Layer, LayerScope, Settings
from pi_pkg.sources.model import GitSource, PypiSource, Source
from pi_pkg.sources.parse import parse_source
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.install.index import GenerationIndex, InstalledPackage

_POINTER: Final = "current.json"


@dataclass(frozen=True, slots=True)
class Standing:
    """The generations in force together."""

    roots: tuple[PackageRoot, ...]
    """The packages that can be used, the project's first."""
    usable: tuple[tuple[Scope, GenerationIndex], ...]
    """Scope and record of each generation that was built for this interpreter, the project's first."""
    diagnostics: tuple[Diagnostic, ...] = ()


def standing(
    locations: Locations, settings: Settings, held: Mapping[LayerScope, str] | None = None
) -> Standing:
    """What is installed for the layers in force.

    Left out is what another Python built, and what its entry does not ask for any more.

    Args:
        locations: the places.
        settings: the layers in force.
        held: generations to read instead of those that the pointers name now.
    """
    roots: list[PackageRoot] = []
    usable: list[tuple[Scope, GenerationIndex]] = []
    findings: list[Diagnostic] = []
    for layer in settings.layers():
        index = index_of(locations, layer, (held or {}).get(layer.scope))
        if index is None:
            continue
        if fits_interpreter(index):
            usable.append((layer.scope, index))
        else:
            findings.append(_other_interpreter(index, layer))
        stale = _stale(index, layer, locations.home)
        findings += [_not_as_declared(entry, package, layer) for entry, package in stale]
        out = {package.identity for _, package in stale}
        roots += [
            package_root(package, layer.scope, locations.home)
            for package in index.packages
            if package.identity not in out and (fits_interpreter(index) or package.provider == "tree")
        ]
    return Standing(tuple(roots), tuple(usable), tuple(findings))


def index_of(locations: Locations, layer: Layer, generation: str | None = None) -> GenerationIndex | None:
    """The record of what is in force for a layer; None where there is none."""
    if generation is None and not _may_have_code(locations, layer):
        return None
    folder = scope_dir(locations, layer.scope)
    if generation is None and not has_generation(folder):
        return None
    from pi_pkg.install.index import read_index  # start-up time: without a generation there is no record

    return read_index(folder, generation)


def _may_have_code(locations: Locations, layer: Layer) -> bool:
    """Whether anything that a scope declares can stand in a generation. Cheaper than the name of a project's
    folder, which is a digest."""
    if layer.packages or layer.extensions:
        return True
    return os.path.isdir(locations.resource_dir(layer.scope, "extensions"))


def has_generation(folder: Path) -> bool:
    """Whether a generation of a scope folder may be in force; cheaper than reading its record."""
    return os.path.exists(folder / _POINTER)


def scope_dir(locations: Locations, scope: LayerScope) -> Path:
    """The folder that holds the generations of a scope."""
    return locations.user_envs if scope == "user" else locations.project_envs


def fits_interpreter(index: GenerationIndex) -> bool:
    """Whether a generation was built for the running interpreter, and for this kind of machine if it
    matters."""
    from pi_pkg.install.tags import fits_here  # start-up time: without a generation nobody asks

    return fits_here(index.python_tag)


def package_root(
    package: InstalledPackage, scope: Literal["user", "project", "temporary"], home: Path
) -> PackageRoot:
    """An installed package as resolution wants it."""
    return PackageRoot(
        source=package.source,
        identity=package.identity,
        kind=package.kind,
        scope=scope,
        root=Path(package.root),
        version=package.version,
        commit=package.commit,
        pinned=is_pinned(package, home),
        entry_points=tuple(EntryPoint(*row) for row in package.entry_points),
        import_root=None if package.import_root is None else Path(package.import_root),
    )


def is_pinned(package: InstalledPackage, home: Path) -> bool:
    """Whether updates leave it where it is: an exact version, a tag or a commit."""
    if package.kind == "git":
        return package.ref_kind in {"tag", "commit"}
    return package.kind == "pypi" and parse_source(package.source, base=home, home=home).pinned


def answers(source: Source, package: InstalledPackage, home: Path) -> bool:
    """Whether an installed package of the same identity is what a source asks for now."""
    if package.source == source.text:
        return True
    match source:
        case PypiSource():
            earlier = parse_source(package.source, base=home, home=home)
            had = set(earlier.extras) if isinstance(earlier, PypiSource) else set()
            return had >= set(source.extras) and _allows(source.specifier, package.version)
        case GitSource():
            return package.ref == source.ref
        case _:
            return True


def _allows(specifier: str, version: str | None) -> bool:
    if not specifier or version is None:
        return True
    from pi_pkg.resources.host import BadSpecifier, allows  # start-up time: only an edited entry asks

    try:
        return allows(specifier, version)
    except BadSpecifier:
        return False


def _stale(index: GenerationIndex, layer: Layer, home: Path) -> list[tuple[str, InstalledPackage]]:
    """Entries that ask for another version or ref than the one that is recorded, and that record."""
    recorded = {package.source for package in index.packages}
    edited = [entry.source for entry in layer.packages if entry.source not in recorded]
    if not edited:
        return []
    from pi_pkg.declared import read_entry  # start-up time: only an edited entry asks

    found: dict[str, tuple[str, InstalledPackage]] = {}
    for text in edited:
        item = read_entry(text, layer, home)
        package = None if item is None else index.package(item.identity)
        if item is not None and package is not None and not answers(item.source, package, home):
            found[item.identity] = (text, package)
    return list(found.values())


def _not_as_declared(entry: str, package: InstalledPackage, layer: Layer) -> Diagnostic:
    there = package.source if package.commit else f"version {package.version}"
    return Diagnostic(
        "warning", "package-outdated", "install", f"{entry!r} is left out: what is installed is {there}.",
        entry, layer.scope, layer.path, hint="Install what the settings name: pi sync",
    )  # fmt: skip


def _other_interpreter(index: GenerationIndex, layer: Layer) -> Diagnostic:
    from pi_pkg.install.tags import machine_tag, python_tag  # start-up time: as above

    names: Iterable[str] = (package.source for package in index.packages if package.provider != "tree")
    return Diagnostic(
        "error",
        "generation-incompatible",
        "install",
        f"the packages of this scope were installed for {index.python_tag}, this is "
        f"{machine_tag() if index.python_tag.startswith(python_tag()) else python_tag()}: "
        f"{', '.join(names) or 'none'} cannot load.",
        scope=layer.scope,
        path=layer.path,
        hint="Install them for this one: pi sync",
    )
