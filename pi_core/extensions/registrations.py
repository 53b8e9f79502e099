"""What one extension registered: a passive record, staged until its factory returned.

The record is written by the extension's API object and read by the registry and
the runner. While `state` is "loading" nobody but its API object looks at it; a
failed one is thrown away whole.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal, TypeAlias

from hookspecs.definitions import (
    CommandDefinition,
    FlagDefinition,
    ProviderConfig,
    ShortcutDefinition,
    ToolDefinition,
)
from hookspecs.values import dataclass
from pi_core.extensions.clashes import Kind, Naming
from pi_core.extensions.owners import owner_names
from pi_pkg import Diagnostic, Provenance

State: TypeAlias = Literal["loading", "active", "failed"]
Door: TypeAlias = Literal["on", "hookimpl"]
WrapperKind: TypeAlias = Literal["none", "sync", "async"]
FlagValue: TypeAlias = bool | str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Registration:
    """One handler on one event. Registering one function twice makes two of these."""

    extension: Extension
    event: str
    target: Callable[..., Any]
    """What the author wrote, never marked or wrapped by us."""
    sequence: int
    """Counts from 0 within the extension, in order of registration."""
    door: Door = "on"
    """A handler of `on` is called with (event, ctx), a `hookimpl` with those of the two that it names."""
    first: bool = False
    last: bool = False
    optional: bool = False
    """Whether the event may be unknown to this host."""
    wrapper: WrapperKind = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderChange:
    """A wish of an extension about providers. `config` is None for an own provider object and a removal."""

    verb: Literal["register", "native", "unregister"]
    name: str
    extension: Extension
    config: ProviderConfig | None = None
    provider: Any = None


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class Extension:
    """Everything that one extension registered, and where it comes from.

    Mappings are ordered by first registration; a later definition of the same name takes the
    place of the earlier one. Compared by identity: two loads of one file are two extensions.
    """

    path: str
    """As configured; a label such as `<inline:1>` where there is no file."""
    provenance: Provenance
    explicit: bool = False
    """Whether a person asked for it by name for this run."""
    state: State = "loading"
    stands_in_for: Diagnostic | None = None
    """Why the extension itself is not here, on the stand-in of a guard that could not load."""
    handlers: list[Registration] = field(default_factory=list)
    """Staged or active; a removed one is taken out."""
    tools: dict[str, ToolDefinition] = field(default_factory=dict)
    commands: dict[str, CommandDefinition] = field(default_factory=dict)
    flags: dict[str, FlagDefinition] = field(default_factory=dict)
    shortcuts: dict[str, ShortcutDefinition] = field(default_factory=dict)
    """By the key as the author spelled it."""
    message_renderers: dict[str, Callable[..., Any]] = field(default_factory=dict)
    entry_renderers: dict[str, Callable[..., Any]] = field(default_factory=dict)
    tool_renderers: list[Callable[..., Any]] = field(default_factory=list)
    staged_flags: dict[str, FlagValue] = field(default_factory=dict)
    """First default of each flag, until the commit puts it into the shared values."""
    staged_providers: list[ProviderChange] = field(default_factory=list)
    """Wishes in order, until the commit queues them."""
    naming: Naming | None = None
    """What the person's rules make of its names; None leaves them as they are."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Warnings of a load that went well."""
    load_ms: float = 0.0
    """Import and factory together, in milliseconds."""
    sequences: int = 0

    def next_sequence(self) -> int:
        """The number of the next registration."""
        self.sequences += 1
        return self.sequences - 1

    def public(self, kind: Kind, name: str) -> str | None:
        """The name under which others know one of its registrations; None for one that is switched off."""
        return name if self.naming is None else self.naming.public(kind, name)

    def owners(self) -> tuple[str, ...]:
        """By which names people call it, the shortest first; see `owner_names`."""
        return owner_names(self.path, self.provenance) if self.naming is None else self.naming.owners

    def __repr__(self) -> str:
        return f"<Extension {self.path} {self.state}>"
