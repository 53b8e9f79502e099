"""What is in force, one item a package.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.provenance import Scope
from pi_pkg.values import dataclass, field

State: TypeAlias = Literal["ok", "missing", "broken", "incompatible", "disabled"]
"""Whether a declared package can load: `missing` is not installed as declared, `broken` cannot be read,
`incompatible` cannot live with this interpreter, this pi or another scope, `disabled` has everything
switched off."""

Relation: TypeAlias = Literal["overrides-user", "changes-user", "overridden-by-project", "changed-by-project"]
"""How an entry stands to one of the other scope for the same package."""


@dataclass(frozen=True, slots=True)
class ListedResource:
    """One resource of a listed package."""

    path: str
    enabled: bool
    token: str
    """Names it to other commands: `KIND:PATH`."""
    rule: str | None
    """Why it is off."""

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "enabled": self.enabled, "token": self.token, "rule": self.rule}


@dataclass(frozen=True, slots=True)
class ListedPackage:
    """One package that settings declare, or that stands beside pi."""

    source: str
    identity: str | None
    kind: Literal["pypi", "git", "local", "environment"] | None
    """None for a string that is no source."""
    scope: Scope
    declared_in: str | None
    """The settings file; None for a package beside pi."""
    version: str | None
    commit: str | None
    pinned: bool
    state: State
    root: str | None
    """Where it stands; None while it is missing."""
    filtered: bool = False
    """Whether its entry says more than its source."""
    resources: Mapping[ResourceType, tuple[ListedResource, ...]] = field(default_factory=dict)
    relation: Relation | None = None
    remove: tuple[str, ...] = ()
    """The command that takes its entry out, word by word; empty for a package beside pi."""

    def to_json(self) -> dict[str, Any]:
        """The documented item of `list --json`."""
        return {
            "source": self.source,
            "identity": self.identity,
            "kind": self.kind,
            "scope": self.scope,
            "declared_in": self.declared_in,
            "version": self.version,
            "commit": self.commit,
            "pinned": self.pinned,
            "state": self.state,
            "root": self.root,
            "filtered": self.filtered,
            "relation": self.relation,
            "remove": list(self.remove),
            "resources": {
                kind: [resource.to_json() for resource in self.resources.get(kind, ())]
                for kind in RESOURCE_TYPES
            },
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """Every package in force: the user's, the project's, then those beside pi; each in its own order."""

    packages: tuple[ListedPackage, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
