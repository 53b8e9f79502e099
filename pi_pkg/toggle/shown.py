"""All resources in force as `pi config` shows them: packages first, then what stands alone.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.resources.model import ResolvedResources, Resource
from pi_pkg.toggle.model import token_of
from pi_pkg.values import dataclass

_SCOPES = ("user", "project", "environment", "temporary")


@dataclass(frozen=True, slots=True)
class Group:
    """The resources of one package, or of one scope outside of packages."""

    scope: str
    source: str
    is_package: bool
    resources: tuple[Resource, ...]
    """By kind, then by path."""


def groups_of(found: ResolvedResources) -> tuple[Group, ...]:
    """Packages before the rest, the user's before the project's, then by source."""
    members: dict[tuple[bool, str, str], list[Resource]] = {}
    for kind in RESOURCE_TYPES:
        for item in found.of(kind):
            provenance = item.provenance
            stands_alone = provenance.origin == "top-level"
            source = "" if stands_alone else provenance.source
            members.setdefault((stands_alone, provenance.scope, source), []).append(item)
    order = sorted(members, key=lambda key: (key[0], _SCOPES.index(key[1]), key[2]))
    return tuple(
        Group(scope, source, not alone, tuple(_sorted(members[alone, scope, source])))
        for alone, scope, source in order
    )


def _sorted(resources: Iterable[Resource]) -> list[Resource]:
    return sorted(resources, key=lambda item: (RESOURCE_TYPES.index(item.type), item.path))


def resource_json(item: Resource) -> dict[str, Any]:
    """The item of `observed` in the JSON form."""
    return {
        "token": token_of(item),
        "kind": item.type,
        "path": item.path,
        "name": item.name,
        "enabled": item.enabled,
        "scope": item.provenance.scope,
        "origin": item.provenance.origin,
        "source": item.provenance.source,
        "rule": item.rule,
    }
