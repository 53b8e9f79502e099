"""What a session is made of: the conversation, which stays, and the generation, which a reload replaces.

Everything that belongs to one load of the extensions stands in one frozen value, so that a reload
swaps one reference and nobody ever sees half of the old and half of the new.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from hookspecs.values import dataclass
from pi_core.extensions.runner import Runner
from pi_core.history.store import SessionStore
from pi_core.resources.watched import Watched
from pi_core.session.channel import Channel
from pi_core.session.model_selection import ModelSelection
from pi_core.session.system_text import SystemText
from pi_core.session.toolset import Toolset
from pi_core.tools.bash import BashSettings
from pi_pkg import Diagnostic, Resource, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One load of extensions, settings, skills, templates and instructions, and what is built on it."""

    runner: Runner
    toolset: Toolset
    models: ModelSelection
    system: SystemText
    settings: Settings
    trusted: bool
    shell: BashSettings = field(default_factory=BashSettings)
    """How commands of the person run."""
    themes: tuple[Resource, ...] = ()
    """In rank order."""
    watched: Watched = field(default_factory=Watched)
    """Whose changes call for a reload."""
    findings: tuple[Diagnostic, ...] = ()
    """What was found while it was built, in the order of its building."""


def _not_saved(keys: Sequence[str], value: Any) -> None:
    """Where nothing is kept."""


@dataclass(slots=True, kw_only=True)
class SessionParts:
    """The conversation of a session and its present generation, which only a reload assigns."""

    store: SessionStore
    channel: Channel
    cwd: Path
    generation: Generation
    save_setting: Callable[[Sequence[str], Any], object] = _not_saved
    """Writes a value at a path of keys into the user's settings. Raises SettingsError."""

    @property
    def runner(self) -> Runner:
        """The extensions of the moment. To be asked for at every use, never kept."""
        return self.generation.runner

    def hears(self, event_name: str) -> bool:
        """Whether an extension listens that was not told the end yet: afterwards nothing is told any more."""
        return self.runner.runtime.stale is None and self.runner.has_handlers(event_name)

    @property
    def toolset(self) -> Toolset:
        return self.generation.toolset

    @property
    def models(self) -> ModelSelection:
        return self.generation.models

    @property
    def system(self) -> SystemText:
        return self.generation.system

    @property
    def settings(self) -> Settings:
        return self.generation.settings

    @property
    def trusted(self) -> bool:
        return self.generation.trusted


class Staged(Protocol):
    """A generation that is loaded and told nothing yet."""

    @property
    def generation(self) -> Generation: ...

    def adopt(self) -> None:
        """It is the one in force from now on: the modules of the one before are dropped."""
        ...


class Source(Protocol):
    """Where the generations of a session come from."""

    async def stage(self, parts: SessionParts) -> Staged:
        """Load the next generation beside the present one, which goes on working.

        Raises: SettingsError for unreadable settings; GuardLostError; TrustError. Nothing is left then.
        """
        ...

    def close(self) -> None:
        """No session follows: let go of what sessions share."""
        ...
