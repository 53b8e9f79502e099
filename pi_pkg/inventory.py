"""What is installed and what it contributes, read from settings, records and folders; no code is run.

Touches: files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.resources.environment import environment_packages
from pi_pkg.resources.model import EntryPoint, PackageRoot, ResolvedResources, ResolveInputs
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.model import Layer, LayerScope, Settings
from pi_pkg.sources.parse import parse_source
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.install.index import GenerationIndex, InstalledPackage


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the resources a caller asks for beside the settings."""

    sources: tuple[str, ...] = ()
    """`-e` sources, relative to the working folder."""
    explicit: Mapping[ResourceType, tuple[str, ...]] | None = None
    """`--skill`, `--prompt-template` and `--theme` paths."""
    discover: frozenset[ResourceType] = frozenset(RESOURCE_TYPES)
    """Types that may come from anywhere but the command line."""


def resolved(
    locations: Locations,
    settings: Settings,
    wanted: Wanted | None = None,
    *,
    temporary: Sequence[PackageRoot] = (),
) -> ResolvedResources:
    """Every resource in force, in rank order, with the findings of settings and records."""
    wanted = wanted or Wanted()
    roots, findings = package_roots(locations, settings)
    inputs = ResolveInputs(
        locations,
        settings.user,
        settings.project,
        (*temporary, *roots, *beside_pi(locations)),
        wanted.sources,
        wanted.explicit or {},
        wanted.discover,
    )
    found = resolve(inputs)
    return ResolvedResources(
        found.extensions, found.skills, found.prompts, found.themes,
        (*settings.diagnostics, *findings, *found.diagnostics), found.import_roots,
    )  # fmt: skip


def beside_pi(locations: Locations) -> tuple[PackageRoot, ...]:
    """What the user installed next to pi itself; no generation of ours counts as that."""
    return environment_packages(sys.path, outside=locations.agent_dir)


def package_roots(
    locations: Locations, settings: Settings
) -> tuple[tuple[PackageRoot, ...], tuple[Diagnostic, ...]]:
    """What the generations in force hold, the project's first; what another Python built is left out."""
    roots: list[PackageRoot] = []
    findings: list[Diagnostic] = []
    for layer in settings.layers():
        index = index_of(locations, layer)
        if index is None:
            continue
        usable = fits_interpreter(index)
        if not usable:
            findings.append(_other_interpreter(index, layer))
        roots += [
            package_root(package, layer.scope, locations.home)
            for package in index.packages
            if usable or package.provider == "tree"
        ]
    return tuple(roots), tuple(findings)


def index_of(locations: Locations, layer: Layer) -> GenerationIndex | None:
    """The record of what is in force for a layer; None where there is none, or nothing is declared."""
    if not layer.packages:
        return None
    from pi_pkg.install.index import read_index  # start-up time: without packages there is no record

    return read_index(scope_dir(locations, layer.scope))


def scope_dir(locations: Locations, scope: LayerScope) -> Path:
    """The folder that holds the generations of a scope."""
    return locations.user_envs if scope == "user" else locations.project_envs


def fits_interpreter(index: GenerationIndex) -> bool:
    """Whether a generation was built for the running interpreter."""
    return index.python_tag == sys.implementation.cache_tag


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


def _other_interpreter(index: GenerationIndex, layer: Layer) -> Diagnostic:
    names: Iterable[str] = (package.source for package in index.packages if package.provider != "tree")
    return Diagnostic(
        "error",
        "generation-incompatible",
        "install",
        f"the packages of this scope were installed for {index.python_tag}, this is "
        f"{sys.implementation.cache_tag}: {', '.join(names) or 'none'} cannot load.",
        scope=layer.scope,
        path=layer.path,
        hint="Install one of them again; all are rebuilt with it.",
    )
