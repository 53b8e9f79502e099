"""A user, a project and packages on disk, and what resolution makes of them.

Touches: files.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.resources.memory import TreeMemory
from pi_pkg.resources.model import HOST_VERSION, PackageRoot, ResolvedResources, ResolveInputs
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.store import read_settings

LETTERS: dict[str, ResourceType] = {kind[0].upper(): kind for kind in RESOURCE_TYPES}
"""E, S, P and T, as the tables of the reference abbreviate."""


def identified(cases: Iterable[tuple[str, ...]]) -> list[Any]:
    """Parameter sets out of table rows whose first column is the case's id."""
    return [pytest.param(*case[1:], id=case[0]) for case in cases]


class World:
    """Siblings `home`, `agent`, `proj` below one folder; the project is trusted unless told otherwise."""

    def __init__(self, root: Path, *, cwd: str = "proj") -> None:
        self.root = Path(os.path.realpath(root))
        self.locations = Locations(self.root / "agent", self.root / cwd, self.root / "home")
        for folder in (self.locations.agent_dir, self.locations.project_dir, self.locations.home):
            folder.mkdir(parents=True, exist_ok=True)

    def files(self, *paths: str) -> None:
        """Files with a line of text, paths relative to the root; a final slash makes an empty folder."""
        for path in paths:
            if path.endswith("/"):
                (self.root / path).mkdir(parents=True, exist_ok=True)
            else:
                self.write(path, "text\n")

    def write(self, path: str, text: str) -> Path:
        """A file, its text without common indentation."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")
        return target

    def link(self, path: str, target: str) -> None:
        """A link; both paths are relative to the root."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(self.root / target)

    def manifest(self, package: str, table: str) -> None:
        """The `[tool.pi]` table of a source tree."""
        self.write(f"{package}/pyproject.toml", f"[tool.pi]\n{textwrap.dedent(table)}\n")

    def user(self, text: str) -> None:
        """The user's settings file; ROOT stands for the root."""
        self.write("agent/settings.toml", text.replace("ROOT", str(self.root)))

    def project(self, text: str) -> None:
        """The project's settings file; ROOT stands for the root."""
        place = self.locations.project_settings.relative_to(self.root)
        self.write(place.as_posix(), text.replace("ROOT", str(self.root)))

    def resolve(
        self,
        *,
        trusted: bool = True,
        packages: tuple[PackageRoot, ...] = (),
        cli: tuple[str, ...] = (),
        explicit: dict[ResourceType, tuple[str, ...]] | None = None,
        discover: frozenset[ResourceType] = frozenset(RESOURCE_TYPES),
        exclude: tuple[str, ...] = (),
        host_version: str = HOST_VERSION,
        memory: TreeMemory | None = None,
    ) -> ResolvedResources:
        settings = read_settings(self.locations, trusted=trusted)
        inputs = ResolveInputs(
            self.locations, settings.user, settings.project, packages, cli, explicit or {}, discover, exclude,
            host_version,
        )  # fmt: skip
        return resolve(inputs, memory)

    def listing(self, letter: str, resolved: ResolvedResources | None = None) -> list[str]:
        """The resources of one type in order, `path on` or `path off`, relative to the root."""
        items = (resolved or self.resolve()).of(LETTERS[letter])
        return [f"{self.relative(item.path)} {'on' if item.enabled else 'off'}" for item in items]

    def states(self, letters: str = "ESPT", resolved: ResolvedResources | None = None) -> str:
        """All resources of some types on one line, `E a.py on; S foo off`, below their package folder."""
        resolved = resolved or self.resolve()
        found = []
        for letter in letters:
            for item in resolved.of(LETTERS[letter]):
                short = item.path.removeprefix(item.provenance.base_dir or "").lstrip("/")
                short = short.partition("/")[2].removesuffix("/SKILL.md") or "."
                found.append(f"{letter} {short} {'on' if item.enabled else 'off'}")
        return "; ".join(found)

    def codes(self, resolved: ResolvedResources | None = None) -> list[str]:
        """The codes of the diagnostics, in order."""
        return [finding.code for finding in (resolved or self.resolve()).diagnostics]

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.root)
