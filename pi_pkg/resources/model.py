"""The values that discovery and resolution pass on: package roots, manifests, resources, and what goes in.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.values import dataclass, field

if TYPE_CHECKING:
    from pathlib import Path

    from pi_pkg.diagnostics import Diagnostic
    from pi_pkg.locations import Locations
    from pi_pkg.provenance import Provenance
    from pi_pkg.settings.model import Layer

__all__ = [
    "HOST_VERSION",
    "RESOURCE_TYPES",
    "EntryPoint",
    "Manifest",
    "PackageKind",
    "PackageRoot",
    "PackageScope",
    "ResolveInputs",
    "ResolvedResources",
    "Resource",
    "ResourceType",
]

HOST_VERSION: Final = "1.6.0"
"""This pi. The package manager and its host are one distribution; a test holds their numbers together."""

PackageKind = Literal["pypi", "git", "local", "environment"]
PackageScope = Literal["user", "project", "temporary", "environment"]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One advertised name: group `pi` points at an import package, `pi.extensions` at `module:attr`."""

    group: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class PackageRoot:
    """A package that stands on disk, installed or checked out, and where to read it."""

    source: str
    """The source string as its settings file (or the command line) spells it."""
    identity: str
    """What makes two sources one package; equal to the parsed source's identity."""
    kind: PackageKind
    scope: PackageScope
    root: Path | None
    """The source tree (git, local); None or the site folder for an installed distribution."""
    version: str | None = None
    commit: str | None = None
    pinned: bool = False
    entry_points: tuple[EntryPoint, ...] = ()
    """As recorded at install; a source tree's own declaration is read again when it stands here empty."""
    import_root: Path | None = None
    """Folder that has to be on `sys.path` for its modules: the site folder, or the tree's `src`."""

    @property
    def is_tree(self) -> bool:
        """Whether its own files say what it holds; otherwise its installed entry points do."""
        return self.kind in ("git", "local") and not self.source.lower().endswith(".whl")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a package declares about itself; None for a type means undeclared, () declared and empty."""

    extensions: tuple[str, ...] | None = None
    skills: tuple[str, ...] | None = None
    prompts: tuple[str, ...] | None = None
    themes: tuple[str, ...] | None = None
    requires_host: str | None = None
    """A version specifier for the host, verbatim."""
    tested_host: str | None = None
    guard: bool = False
    """If it cannot load, tools are refused."""
    changelog: str | None = None
    """Path relative to the package root; "" switches it off."""
    entry_points: tuple[EntryPoint, ...] = ()
    """Declared in the tree's own pyproject.toml; empty for an installed distribution."""
    dependencies: tuple[str, ...] = ()
    """`[project].dependencies` of a tree, verbatim."""
    project_name: str | None = None
    """`[project].name` of a tree; None if it is not a distribution's source."""
    path: str | None = None
    """The file that was read."""
    diagnostics: tuple[Diagnostic, ...] = ()
    javascript: tuple[str, ...] = ()
    """Paths and globs of extensions in another language, which are shown and cannot load."""

    def listed(self, kind: ResourceType) -> tuple[str, ...] | None:
        """The entries of one type, in file order; None if the manifest does not name the type."""
        match kind:
            case "extensions":
                return self.extensions
            case "skills":
                return self.skills
            case "prompts":
                return self.prompts
            case "themes":
                return self.themes

    @property
    def declares_resources(self) -> bool:
        """Whether any type is named; without one the conventional folders count."""
        return not (self.extensions is self.skills is self.prompts is self.themes is None)


@dataclass(frozen=True, slots=True)
class Resource:
    """One file (or extension folder) that a session may load, switched on or off."""

    type: ResourceType
    path: str
    """Absolute, links kept as found; a package extension is named by its `__init__.py`."""
    enabled: bool
    provenance: Provenance
    module: str | None = None
    """Dotted name, if the file is part of an importable package; None: load it by location."""
    attribute: str | None = None
    """Factory or plugin object inside the module; None means the default name."""
    import_root: str | None = None
    """Folder that makes `module`, and what the extension's own distribution holds, importable."""
    rule: str | None = None
    """Why it is off: the file and the pattern that decided. None while it is on."""
    guard: bool = False
    """Its package asks that tools be refused if it cannot load."""
    name: str | None = None
    """Name of the entry point that advertised it."""
    blocked: bool = False
    """It is off because it cannot load here, not because anybody switched it off."""


@dataclass(frozen=True, slots=True)
class ResolvedResources:
    """Everything in rank order, each real file once, disabled ones included."""

    extensions: tuple[Resource, ...] = ()
    skills: tuple[Resource, ...] = ()
    prompts: tuple[Resource, ...] = ()
    themes: tuple[Resource, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    import_roots: tuple[str, ...] = ()
    """Folders that enabled extensions need on `sys.path`, project before user, each once."""

    def of(self, kind: ResourceType) -> tuple[Resource, ...]:
        """The list of one type."""
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
class ResolveInputs:
    """All that resolution may look at; nothing is read from the environment."""

    locations: Locations
    user: Layer
    project: Layer | None = None
    """None: the project is not trusted, and neither its settings nor its folders exist."""
    packages: tuple[PackageRoot, ...] = ()
    """What the generations, checkouts and the environment hold, matched to entries by scope and identity.
    A local source needs none unless its tree declares dependencies."""
    cli: tuple[str, ...] = ()
    """`-e` sources in order, relative to the working folder."""
    explicit: Mapping[ResourceType, tuple[str, ...]] = field(default_factory=dict)
    """`--skill`, `--prompt-template` and `--theme` paths; they rank last."""
    discover: frozenset[ResourceType] = frozenset(RESOURCE_TYPES)
    """Types that may come from anywhere but the command line (`--no-skills` takes one out)."""
    exclude: tuple[str, ...] = ()
    """Names of extensions that this run leaves out, wherever they come from."""
    host_version: str = HOST_VERSION
    """The version that `requires-host` is held against."""
