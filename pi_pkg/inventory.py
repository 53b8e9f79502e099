"""What is installed and what it contributes, read from settings, records and folders; no code is run.

Touches: files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.listed import ListedPackage, ListedResource, Listing, State
from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.provenance import Scope
from pi_pkg.resources.environment import environment_packages
from pi_pkg.resources.model import EntryPoint, PackageRoot, ResolvedResources, ResolveInputs
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry, Settings
from pi_pkg.sources.identity import identity_of
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
        (*temporary, *roots, *environment_packages(sys.path, outside=locations.agent_dir)),
        wanted.sources,
        wanted.explicit or {},
        wanted.discover,
    )
    found = resolve(inputs)
    return ResolvedResources(
        found.extensions, found.skills, found.prompts, found.themes,
        (*settings.diagnostics, *findings, *found.diagnostics), found.import_roots,
    )  # fmt: skip


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


def listing(locations: Locations, settings: Settings, found: ResolvedResources) -> Listing:
    """Every declared package with its state and resources, then those beside pi."""
    roots, _ = package_roots(locations, settings)
    by_key = {(root.scope, root.identity): root for root in roots}
    items: list[ListedPackage] = []
    for layer in reversed(list(settings.layers())):
        index = index_of(locations, layer)
        stale = index is not None and not fits_interpreter(index)
        for entry in layer.packages:
            items.append(_listed(entry, layer, locations.home, by_key, found, stale))
    items += _beside(found, locations)
    return Listing(tuple(items), found.diagnostics)


def _listed(
    entry: PackageEntry,
    layer: Layer,
    home: Path,
    roots: Mapping[tuple[Scope, str], PackageRoot],
    found: ResolvedResources,
    stale: bool,
) -> ListedPackage:
    base = Path(layer.path).parent
    identity = identity_of(entry.source, base=base, home=home)
    root = roots.get((layer.scope, identity or ""))
    resources = _resources(found, entry.source, layer.scope)
    kind = _kind(identity)
    place = None if root is None else str(root.root)
    if place is None and identity is not None and kind == "local":
        place = identity.partition(":")[2]
    return ListedPackage(
        source=entry.source,
        identity=identity,
        kind=kind,
        scope=layer.scope,
        declared_in=layer.path,
        version=root.version if root else None,
        commit=root.commit if root else None,
        pinned=root.pinned if root else False,
        state=_state(identity, root, place, resources, stale),
        root=place if place is not None and os.path.exists(place) else None,
        filtered=not entry.is_string,
        resources=resources,
    )


def _state(
    identity: str | None,
    root: PackageRoot | None,
    place: str | None,
    resources: Mapping[ResourceType, tuple[ListedResource, ...]],
    stale: bool,
) -> State:
    if identity is None:
        return "broken"
    if place is None:
        return "incompatible" if stale else "missing"
    if not os.path.exists(place):
        return "broken" if root is not None and root.kind != "local" else "missing"
    every = [resource for items in resources.values() for resource in items]
    return "disabled" if every and not any(resource.enabled for resource in every) else "ok"


def _resources(
    found: ResolvedResources, source: str, scope: str
) -> dict[ResourceType, tuple[ListedResource, ...]]:
    return {
        kind: tuple(
            ListedResource(item.path, item.enabled, f"{kind}:{item.path}", item.rule)
            for item in found.of(kind)
            if item.provenance.source == source
            and item.provenance.scope == scope
            and item.provenance.origin == "package"
        )
        for kind in RESOURCE_TYPES
    }


def _beside(found: ResolvedResources, locations: Locations) -> Iterator[ListedPackage]:
    """Packages of pi's own environment that contribute something."""
    roots = {root.identity: root for root in environment_packages(sys.path, outside=locations.agent_dir)}
    sources = dict.fromkeys(
        item.provenance.source
        for kind in RESOURCE_TYPES
        for item in found.of(kind)
        if item.provenance.scope == "environment"
    )
    for source in sources:
        root = roots.get(source)
        resources = _resources(found, source, "environment")
        enabled = any(item.enabled for items in resources.values() for item in items)
        yield ListedPackage(
            source, source, "environment", "environment", None, root.version if root else None, None,
            False, "ok" if enabled else "disabled", str(root.root) if root else None, False, resources,
        )  # fmt: skip


def _kind(identity: str | None) -> Literal["pypi", "git", "local", "environment"] | None:
    match (identity or "").partition(":")[0]:
        case "pypi":
            return "pypi"
        case "git":
            return "git"
        case "local":
            return "local"
        case "env":
            return "environment"
        case _:
            return None


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
