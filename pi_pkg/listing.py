"""Every package that settings declare or that stands beside pi, with its state and what it contributes.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pi_pkg.inventory import beside_pi, fits_interpreter, index_of, package_roots
from pi_pkg.listed import ListedPackage, ListedResource, Listing, State
from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.provenance import Scope
from pi_pkg.resources.model import PackageRoot, ResolvedResources
from pi_pkg.settings.model import Layer, PackageEntry, Settings
from pi_pkg.sources.identity import identity_of


def listing(locations: Locations, settings: Settings, found: ResolvedResources) -> Listing:
    """The user's entries, the project's, then what stands beside pi and no entry names; each in order."""
    lister = _Lister(locations, settings, found)
    return Listing(tuple(lister.items()), found.diagnostics)


class _Lister:
    """One listing while it is made."""

    def __init__(self, locations: Locations, settings: Settings, found: ResolvedResources) -> None:
        self.locations = locations
        self.settings = settings
        self.found = found
        roots, _ = package_roots(locations, settings)
        self.roots: Mapping[tuple[Scope, str], PackageRoot] = {
            (root.scope, root.identity): root for root in (*roots, *beside_pi(locations))
        }
        self.named: set[str] = set()
        """Identities of what stands beside pi and has an entry."""

    def items(self) -> Iterator[ListedPackage]:
        for layer in reversed(list(self.settings.layers())):
            index = index_of(self.locations, layer)
            stale = index is not None and not fits_interpreter(index)
            for entry in layer.packages:
                yield self._declared(entry, layer, stale)
        yield from self._beside()

    def _declared(self, entry: PackageEntry, layer: Layer, stale: bool) -> ListedPackage:
        identity = identity_of(entry.source, base=Path(layer.path).parent, home=self.locations.home)
        kind = _kind(identity)
        scope: Scope = layer.scope
        if kind == "environment" and identity is not None:
            scope = "environment"
            self.named.add(identity)
        root = self.roots.get((scope, identity or ""))
        resources = self._resources(entry.source, scope)
        place = None if root is None else str(root.root)
        if place is None and identity is not None and kind == "local":
            place = identity.partition(":")[2]
        return ListedPackage(
            source=entry.source,
            identity=identity,
            kind=kind,
            scope=scope,
            declared_in=layer.path,
            version=root.version if root else None,
            commit=root.commit if root else None,
            pinned=root.pinned if root else False,
            state=_state(identity, root, place, resources, stale),
            root=place if place is not None and os.path.exists(place) else None,
            filtered=not entry.is_string,
            resources=resources,
        )

    def _beside(self) -> Iterator[ListedPackage]:
        """Packages of pi's own environment that contribute something and that no entry names."""
        for (scope, identity), root in self.roots.items():
            resources = self._resources(identity, "environment")
            if scope != "environment" or identity in self.named or not any(resources.values()):
                continue
            state = _state(identity, root, str(root.root), resources, False)
            yield ListedPackage(
                identity, identity, "environment", scope, None, root.version, None, False, state,
                str(root.root), False, resources,
            )  # fmt: skip

    def _resources(self, source: str, scope: Scope) -> dict[ResourceType, tuple[ListedResource, ...]]:
        return {
            kind: tuple(
                ListedResource(item.path, item.enabled, f"{kind}:{item.path}", item.rule)
                for item in self.found.of(kind)
                if item.provenance.source == source
                and item.provenance.scope == scope
                and item.provenance.origin == "package"
            )
            for kind in RESOURCE_TYPES
        }


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
