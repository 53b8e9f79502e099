"""Brings code to the disk with the tools of this machine, as the user's settings say.

Touches: files, git, network.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_pkg.errors import InstallError
from pi_pkg.install.backends.choose import choose_backend
from pi_pkg.install.execute import build_generation
from pi_pkg.install.git import Git
from pi_pkg.install.index import GenerationIndex
from pi_pkg.install.index_config import effective_index
from pi_pkg.install.lookup import Answer, IndexLookup, concurrently, newest_commit
from pi_pkg.install.plan import Root
from pi_pkg.install.process import RunProcess, stoppable
from pi_pkg.install.progress import Report, Step, silent
from pi_pkg.install.roots import prepare_roots
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.sources.model import GitSource, PypiSource, Source


def never() -> bool:
    """Nobody stops it."""
    return False


@dataclass(frozen=True, slots=True)
class MachineBuilder:
    """The builder of every change: uv or pip, and git."""

    locations: Locations
    user: Layer
    """Whose `[install]` table says which backend, which indexes and what may be built."""
    environ: Mapping[str, str]
    allowed: tuple[str, ...] = ()
    """Distributions that may be built from source, beside those in the settings."""
    progress: Report = silent
    stopped: Callable[[], bool] = never
    """Asked now and then; once true, it is as if Ctrl-C had been pressed."""

    def root(self, source: Source, *, current: GenerationIndex | None, fresh: bool) -> Root:
        """A source as a generation wants it; a git source is fetched."""
        git = Git(self.environ, self.progress, self._run)
        renew = {source.identity} if fresh else set()
        (root,) = prepare_roots(
            [source], checkouts=self.locations.checkouts, git=git, current=current, renew=renew
        )
        return root

    def build(self, scope_dir: Path, roots: Sequence[Root], *, renew: Collection[str]) -> GenerationIndex:
        """A generation of all roots, not yet in force."""
        table = self._install_table()
        named = table.get("build")
        listed = tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()
        return build_generation(
            scope_dir,
            roots,
            backend=choose_backend(table.get("backend"), self.environ),
            index_config=effective_index(table, self.environ, base=self.locations.agent_dir),
            environ=self.environ,
            report=self.progress,
            renew=renew,
            build=(*listed, *self.allowed),
            run=self._run,
        )

    def newest(self, sources: Sequence[Source], *, current: GenerationIndex | None) -> Mapping[str, Answer]:
        """What the indexes and remotes in force have now, by identity."""
        stop = threading.Event()
        run = stoppable(lambda: stop.is_set() or self.stopped())
        asked = [source for source in sources if isinstance(source, PypiSource)]
        git = Git(self.environ, silent, run)
        tasks = {
            source.identity: partial(
                newest_commit, git, source, current.package(source.identity) if current else None
            )
            for source in sources
            if isinstance(source, GitSource)
        }
        if sources:
            self.progress(Step("fetch", f"looking for newer versions of {_counted(len(sources))}"))
        return {**self._from_index(asked, run, stop), **concurrently(tasks, stop)}

    def _from_index(
        self, asked: Sequence[PypiSource], run: RunProcess, stop: threading.Event
    ) -> Mapping[str, Answer]:
        if not asked:
            return {}
        table = self._install_table()
        try:
            backend = choose_backend(table.get("backend"), self.environ)
            index = effective_index(table, self.environ, base=self.locations.agent_dir)
            return IndexLookup(backend, index, self.environ, run, stop).newest(asked)
        except InstallError as error:
            return {source.identity: error for source in asked}

    @property
    def _run(self) -> RunProcess:
        return stoppable(self.stopped)

    def _install_table(self) -> Mapping[str, object]:
        table = self.user.values.get("install")
        return table if isinstance(table, Mapping) else {}


def _counted(number: int) -> str:
    return "1 package" if number == 1 else f"{number} packages"
