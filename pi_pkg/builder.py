"""Brings code to the disk with the tools of this machine, as the user's settings say.

Touches: files, git, network.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_pkg.install.backends.choose import choose_backend
from pi_pkg.install.execute import build_generation
from pi_pkg.install.git import Git
from pi_pkg.install.index import GenerationIndex
from pi_pkg.install.index_config import effective_index
from pi_pkg.install.plan import Root
from pi_pkg.install.progress import Step
from pi_pkg.install.roots import prepare_roots
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.sources.model import Source


@dataclass(frozen=True, slots=True)
class MachineBuilder:
    """The builder of every change: uv or pip, and git."""

    locations: Locations
    user: Layer
    """Whose `[install]` table says which backend, which indexes and what may be built."""
    environ: Mapping[str, str]
    allowed: tuple[str, ...] = ()
    """Distributions that may be built from source, beside those in the settings."""
    progress: Callable[[str], None] | None = None

    def root(self, source: Source, *, current: GenerationIndex | None, fresh: bool) -> Root:
        """A source as a generation wants it; a git source is fetched."""
        git = Git(self.environ, self._report)
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
            report=self._report,
            renew=renew,
            build=(*listed, *self.allowed),
        )

    def _report(self, step: Step) -> None:
        if self.progress is not None:
            self.progress(step.message)

    def _install_table(self) -> Mapping[str, object]:
        table = self.user.values.get("install")
        return table if isinstance(table, Mapping) else {}
