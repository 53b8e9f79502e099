"""What the loads of one run have in common: imported modules, where they come from, what was said of trust.

A session that follows another uses the modules as they are. A reload prepares everything anew beside
it, and either takes over or leaves no trace.

Touches: sys.path, sys.modules, locks of package generations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pi_core.extensions.module_cache import ModuleCache
from pi_core.resources.import_path import ImportPath
from pi_pkg import Answer, Fetched, Surface, Vote


class Shared:
    """What outlives a load. `fetched` is what the command line asked for, once it was brought here."""

    def __init__(self) -> None:
        self.modules = ModuleCache()
        self.path = ImportPath()
        self.fetched: Fetched | None = None
        self._votes: dict[str, tuple[Surface, tuple[Vote, ...]]] = {}
        self._answers: dict[str, tuple[Surface, Answer]] = {}

    def following(self) -> Following:
        """The same for the next generation. Then comes either `adopt` or `discard`."""
        return Following(self)

    def close(self) -> None:
        """Let go of everything."""
        self.modules.clear()
        self.path.close()
        if self.fetched is not None:
            self.fetched.close()

    # trust

    def remember_votes(self, folder: str, surface: Surface, votes: Sequence[Vote]) -> None:
        """Keep what extensions said about a project with this content. It is stored already, if at all."""
        if surface.digest is not None:
            self._votes[folder] = surface, tuple(replace(vote, remember=False) for vote in votes)

    def votes(self, folder: str, surface: Surface) -> tuple[Vote, ...] | None:
        """What extensions said about the project as it is; None if they were not asked."""
        known = self._votes.get(folder)
        return known[1] if known is not None and known[0].digest == surface.digest else None

    def remember_answer(self, folder: str, surface: Surface, answer: Answer) -> None:
        """Keep what the person said about a project with this content, for the run."""
        if surface.digest is not None:
            self._answers[folder] = surface, answer

    def answer(self, folder: str, surface: Surface) -> Answer | None:
        """What the person said about the project as it is; None if nobody was asked."""
        known = self._answers.get(folder)
        return known[1] if known is not None and known[0].digest == surface.digest else None


class Following(Shared):
    """What the next generation will share, prepared while the present one goes on working."""

    def __init__(self, present: Shared) -> None:
        super().__init__()
        self._present = present
        self._votes, self._answers = present._votes, present._answers
        self.fetched = present.fetched
        self.modules = present.modules.next_generation()
        self.path = ImportPath(present.path)

    def adopt(self) -> None:
        """The present generation is over: its modules and folders go, and these take their place."""
        present = self._present
        present.modules.clear()
        present.path.close()
        present.modules, present.path, present.fetched = self.modules, self.path, self.fetched

    def discard(self) -> None:
        """The next generation is not to be: everything is as it was."""
        self.modules.clear()
        self.path.close()
        self._present.modules.restore()
