"""Settings as values: package entries, one file's layer, and the layers together.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import SettingsError
from pi_pkg.locations import ResourceType
from pi_pkg.values import dataclass, field

LayerScope: TypeAlias = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class PackageEntry:
    """One item of `packages`. For each kind: None is all, an empty tuple is none, else patterns in order."""

    source: str
    """The source as written; relative paths are relative to the settings file's folder."""
    extensions: tuple[str, ...] | None = None
    skills: tuple[str, ...] | None = None
    prompts: tuple[str, ...] | None = None
    themes: tuple[str, ...] | None = None
    autoload: bool = True
    """False: nothing but what the patterns name; in a project, a delta over the user's entry."""

    @property
    def is_string(self) -> bool:
        """Whether the plain string says the same."""
        return self.autoload and all(
            patterns is None for patterns in (self.extensions, self.skills, self.prompts, self.themes)
        )

    def patterns(self, kind: ResourceType) -> tuple[str, ...] | None:
        """The filter of one kind: None is all, empty is none."""
        match kind:
            case "extensions":
                return self.extensions
            case "skills":
                return self.skills
            case "prompts":
                return self.prompts
            case "themes":
                return self.themes


@dataclass(frozen=True, slots=True)
class Layer:
    """What one settings file says. A missing file is an empty layer without an error."""

    scope: LayerScope
    path: str
    """The file, existing or not. Relative paths in the layer are relative to its folder."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The parsed document, keys as written; in a project without the user-only keys. Not to be changed."""
    packages: tuple[PackageEntry, ...] = ()
    """Readable items of `packages`, in order, duplicates kept."""
    extensions: tuple[str, ...] = ()
    """Paths and patterns of the top-level list, in order; likewise the other three."""
    skills: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    """What was ignored and why, the unreadable file included."""
    error: SettingsError | None = None
    """Why the file could not be read; every other field is then empty."""

    def listed(self, kind: ResourceType) -> tuple[str, ...]:
        """The top-level list of one kind."""
        match kind:
            case "extensions":
                return self.extensions
            case "skills":
                return self.skills
            case "prompts":
                return self.prompts
            case "themes":
                return self.themes


@dataclass(frozen=True, slots=True)
class Settings:
    """The layers in force. `project` is None when the project is not trusted: then it does not exist."""

    user: Layer
    project: Layer | None
    effective: Mapping[str, Any]
    """Project over user, merged; read-only by agreement."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Findings of both layers, user first."""
        return self.user.diagnostics + (() if self.project is None else self.project.diagnostics)

    def layers(self) -> Iterator[Layer]:
        """The layers in force, project first, as resolution reads them."""
        if self.project is not None:
            yield self.project
        yield self.user

    def get(self, *keys: str, default: Any = None) -> Any:
        """The effective value at a path of keys, or the default where a step is missing or no table."""
        value: Any = self.effective
        for key in keys:
            if not isinstance(value, Mapping) or key not in value:
                return default
            value = value[key]
        return value
