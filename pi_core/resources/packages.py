"""The packages of one session: brought here where the command line asks for it, and held while they are used.

Touches: files, git, network (through the package manager).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from pi_core.errors import ExtensionLoadError
from pi_core.resources.shared import Shared
from pi_pkg import (
    Fetched,
    Held,
    Locations,
    PackageError,
    PackageManager,
    ResolvedResources,
    ResourceType,
    Settings,
    Wanted,
    resolved,
)
from pi_pkg.cli.progress import Progress

OFFLINE_VARIABLE: Final = "PI_OFFLINE"


class Packages:
    """What one load resolves, and the generations that it imports from."""

    def __init__(
        self, locations: Locations, environ: Mapping[str, str], shared: Shared, progress: Progress
    ) -> None:
        self._locations = locations
        self._progress = progress
        self._shared = shared
        self._stop = threading.Event()
        offline = environ.get(OFFLINE_VARIABLE, "").lower() in {"1", "true", "yes"}
        self._manager = PackageManager(
            locations, environ, progress=progress, stopped=self._stop.is_set, offline=offline
        )
        self._held: dict[str, Held] = {}

    async def fetch(self, sources: Sequence[str]) -> None:
        """Bring here what the sources of the command line need, once a run. When cancelled, installers end.

        Raises: ExtensionLoadError.
        """
        if not sources or self._shared.fetched is not None:
            return
        try:
            self._shared.fetched = await asyncio.to_thread(self._manager.fetch, sources)
        except asyncio.CancelledError:
            self._stop.set()
            raise
        except PackageError as error:
            raise ExtensionLoadError([(", ".join(sources), str(error))]) from error
        finally:
            self._progress.close()

    def hold(self, *, trusted: bool) -> None:
        """Keep what is in force; of a scope that is held already, what was in force then."""
        for scope, held in self._manager.hold(trusted=trusted).items():
            if scope in self._held:
                held.close()
            else:
                self._held[scope] = held

    def resolved(
        self,
        settings: Settings,
        sources: tuple[str, ...],
        explicit: Mapping[ResourceType, tuple[str, ...]],
        discover: frozenset[ResourceType],
        exclude: tuple[str, ...] = (),
    ) -> ResolvedResources:
        """Everything that may load, from what is held."""
        held = {layer.scope: self._held[layer.scope].generation for layer in settings.layers()
                if layer.scope in self._held}  # fmt: skip
        wanted = Wanted(
            sources, explicit, discover, exclude,
            fetched=self._shared.fetched or Fetched(), held=held, to_import=True,
        )  # fmt: skip
        return resolved(self._locations, settings, wanted)

    def close(self) -> None:
        """Let go of the scopes' generations; harmless when done twice."""
        for held in self._held.values():
            held.close()
        self._held.clear()
