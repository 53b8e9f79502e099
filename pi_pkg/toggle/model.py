"""What is to be switched, in which file, and what came of it.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pi_pkg.errors import PackageError
from pi_pkg.locations import Locations, ResourceType
from pi_pkg.resources.model import ResolvedResources, Resource
from pi_pkg.resources.ranking import DEFAULT_ATTRIBUTE
from pi_pkg.settings.model import LayerScope
from pi_pkg.values import dataclass

Key: TypeAlias = tuple[ResourceType, str, str]
"""What tells one resource from all others: its kind, its path, and the object in the file."""

States: TypeAlias = Mapping[Key, bool]
"""All resources, on or off."""

Did: TypeAlias = Literal["enabled", "disabled", "unchanged", "refused"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a change is written."""

    locations: Locations
    scope: LayerScope

    @property
    def settings(self) -> Path:
        """The file."""
        return self.locations.user_settings if self.scope == "user" else self.locations.project_settings

    @property
    def folder(self) -> str:
        """What relative paths in the file count from."""
        return str(self.settings.parent)


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing to switch."""

    token: str
    on: bool


@dataclass(frozen=True, slots=True)
class Toggled:
    """What happened about one wish."""

    token: str
    """As given."""
    did: Did
    scope: LayerScope
    path: str
    """The settings file."""
    resources: tuple[str, ...] = ()
    """Tokens of the resources concerned."""
    error: PackageError | None = None
    """Why it was refused."""

    @property
    def ok(self) -> bool:
        return self.did != "refused"

    def to_json(self) -> dict[str, Any]:
        """The item of `observed` in the JSON form."""
        return {
            "token": self.token,
            "did": self.did,
            "scope": self.scope,
            "path": self.path,
            "resources": list(self.resources),
        }


def key_of(resource: Resource) -> Key:
    """The key of a resource."""
    return resource.type, resource.path, resource.attribute or DEFAULT_ATTRIBUTE


def states_of(found: ResolvedResources) -> dict[Key, bool]:
    """The states of all resources."""
    every = (*found.extensions, *found.skills, *found.prompts, *found.themes)
    return {key_of(item): item.enabled for item in every}


def token_of(resource: Resource) -> str:
    """How a resource is called by every command that lists one."""
    return f"{resource.type}:{resource.path}"
