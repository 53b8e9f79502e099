"""What one run brought here for its `-e` sources, and holds while it imports from it.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.install.generation import Held
    from pi_pkg.install.index import GenerationIndex
    from pi_pkg.resources.model import PackageRoot


@dataclass(frozen=True, slots=True)
class Fetched:
    """The packages of the command line that are not used where they stand."""

    packages: tuple[PackageRoot, ...] = ()
    """In the order of the sources."""
    index: GenerationIndex | None = None
    """The record of the generation that holds them; None if none was needed."""
    held: Held | None = None
    """Keeps that generation from being collected; to be closed by whoever asked: leaving `with` does it."""

    def __enter__(self) -> Fetched:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the generation; harmless when done twice."""
        if self.held is not None:
            self.held.close()
