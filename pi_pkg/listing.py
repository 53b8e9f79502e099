"""Every package that settings declare or that stands beside pi, with its state and what it contributes.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pi_pkg.installed import standing
from pi_pkg.inventory import beside_pi
from pi_pkg.listed import ListedPackage, ListedResource, Listing, Relation, State
from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.provenance import Scope
from pi_pkg.resources.conventions import JAVASCRIPT
from pi_pkg.resources.model import PackageRoot, ResolvedResources, Resource
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry, Settings
from pi_pkg.sources.identity import identity_of

_Contributed: TypeAlias = Mapping[ResourceType, Sequence[Resource]]
_Kind: TypeAlias = Literal["pypi", "git", "local", "environment"]


def listing(locations: Locations, settings: Settings, found: ResolvedResources) -> Listing:
    """The user's entries, the project's, then what stands beside pi and no entry names; each in order."""
    lister = _Lister(locations, settings, found)
    return Listing(tuple(lister.items()), found.diagnostics)


class _Lister:
    """One listing while it is made."""

    def __init__(self, locations: Locations, settings: Settings, found: ResolvedResources) -> None:
        self.locations = locations
        self.settings = settings
        there = standing(locations, settings)
        self.roots: Mapping[tuple[Scope, str], PackageRoot] = {
            (root.scope, root.identity): root for root in (*there.roots, *beside_pi(locations))
        }
        self.foreign = {item.scope for item in there.diagnostics if item.code == "generation-incompatible"}
        """Scopes whose generation another Python built."""
        self.contributed = _by_package(found)
        self.entries = {layer.scope: list(self._identified(layer)) for layer in settings.layers()}

    def items(self) -> Iterator[ListedPackage]:
        for layer in reversed(list(self.settings.layers())):
            for identity, entry in self.entries[layer.scope]:
                yield self._declared(identity, entry, layer)
        yield from self._beside()

    def _identified(self, layer: Layer) -> Iterator[tuple[str | None, PackageEntry]]:
        base, home = Path(layer.path).parent, self.locations.home
        for entry in layer.packages:
            yield identity_of(entry.source, base=base, home=home), entry

    def _declared(self, identity: str | None, entry: PackageEntry, layer: Layer) -> ListedPackage:
        kind = _kind(identity)
        scope: Scope = "environment" if kind == "environment" else layer.scope
        root = self.roots.get((scope, identity or ""))
        contributed = self.contributed.get((entry.source, scope), {})
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
            state=_state(identity, root, place, contributed, layer.scope in self.foreign),
            root=place if place is not None and os.path.exists(place) else None,
            filtered=not entry.is_string,
            resources=_listed(contributed),
            relation=self._relation(identity, entry, layer),
            remove=self._removal(identity, entry, layer),
        )

    def _relation(self, identity: str | None, entry: PackageEntry, layer: Layer) -> Relation | None:
        """How an entry stands to one of the other scope for the same package."""
        other: LayerScope = "user" if layer.scope == "project" else "project"
        theirs = [one for key, one in self.entries.get(other, []) if key == identity is not None]
        if not theirs:
            return None
        if layer.scope == "project":
            return "overrides-user" if entry.autoload else "changes-user"
        return "overridden-by-project" if theirs[-1].autoload else "changed-by-project"

    def _removal(self, identity: str | None, entry: PackageEntry, layer: Layer) -> tuple[str, ...]:
        """The command that takes the entry out, from whatever folder of the project or the user."""
        is_path = identity is not None and identity.startswith("local:")
        base = Path(layer.path).parent
        source = os.path.normpath(base / entry.source) if is_path and _plain(entry.source) else entry.source
        return ("pi", "remove", *(["-l"] if layer.scope == "project" else []), source)

    def _beside(self) -> Iterator[ListedPackage]:
        """Packages of pi's own environment that contribute something and that no entry names."""
        named = {identity for entries in self.entries.values() for identity, _ in entries}
        for (scope, identity), root in self.roots.items():
            contributed = self.contributed.get((identity, "environment"), {})
            if scope != "environment" or identity in named or not any(contributed.values()):
                continue
            state = _state(identity, root, str(root.root), contributed, False)
            yield ListedPackage(
                identity, identity, "environment", scope, None, root.version, None, False, state,
                str(root.root), False, _listed(contributed),
            )  # fmt: skip


def _plain(source: str) -> bool:
    """Whether a path is written relative to the settings file."""
    return "://" not in source and not source.startswith("~")


def _by_package(found: ResolvedResources) -> Mapping[tuple[str, Scope], dict[ResourceType, list[Resource]]]:
    """What each package contributes, by the source and scope of its entry."""
    grouped: dict[tuple[str, Scope], dict[ResourceType, list[Resource]]] = {}
    for kind in RESOURCE_TYPES:
        for item in found.of(kind):
            if item.provenance.origin == "package":
                key = item.provenance.source, item.provenance.scope
                grouped.setdefault(key, {}).setdefault(kind, []).append(item)
    return grouped


def _listed(contributed: _Contributed) -> dict[ResourceType, tuple[ListedResource, ...]]:
    return {
        kind: tuple(
            ListedResource(item.path, item.enabled, f"{kind}:{item.path}", item.rule)
            for item in contributed.get(kind, ())
        )
        for kind in RESOURCE_TYPES
    }


def _state(
    identity: str | None,
    root: PackageRoot | None,
    place: str | None,
    contributed: _Contributed,
    foreign: bool,
) -> State:
    if identity is None:
        return "broken"
    if place is None:
        return "incompatible" if foreign else "missing"
    if not os.path.exists(place):
        return "broken" if root is not None and root.kind != "local" else "missing"
    every = [resource for items in contributed.values() for resource in items]
    any_on = any(resource.enabled for resource in every)
    blocked = [
        item for item in every if item.blocked and not (any_on and item.path.endswith(JAVASCRIPT))
    ]  # a package of the JavaScript world is of use without its code
    if blocked:
        return "missing" if all("pi sync" in (item.rule or "") for item in blocked) else "incompatible"
    return "disabled" if every and not any_on else "ok"


def _kind(identity: str | None) -> _Kind | None:
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
