"""The package commands in this process, with a home and a project of their own.

Touches: files, git, network (whatever the command does).
"""

from __future__ import annotations

import io
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pi_pkg.cli import main
from pi_pkg.locations import Locations
from pi_pkg.manager import PackageManager


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended and what it said on each stream."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output as the one JSON document."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def codes(self) -> list[str]:
        """Codes of the diagnostics in the document."""
        return [finding["code"] for finding in self.document["diagnostics"]]


@dataclass(frozen=True, slots=True)
class PackageCli:
    """`pi` as a person in `project` types it, whose home is `home`."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    project: Path | None = None
    """The working folder; None is `proj`."""

    @property
    def locations(self) -> Locations:
        project = self.project or self.folder / "proj"
        return Locations(self.folder / "agent", project, self.folder / "home")

    def at(self, project: Path) -> PackageCli:
        """The same person in another working folder."""
        return replace(self, project=project)

    @property
    def user_settings(self) -> Path:
        return self.locations.user_settings

    @property
    def project_settings(self) -> Path:
        return self.locations.project_settings

    def run(self, *words: str) -> Said:
        out, err = io.StringIO(), io.StringIO()
        code = main(words, locations=self.locations, environ=self.full_environ, stdout=out, stderr=err)
        return Said(code, out.getvalue(), err.getvalue())

    def manager(self, **options: Any) -> PackageManager:
        return PackageManager(self.locations, self.full_environ, **options)

    @property
    def full_environ(self) -> Mapping[str, str]:
        return {**os.environ, **self.environ}

    def write(self, files: Mapping[str, str]) -> None:
        """Files below the folder; parents are made."""
        for path, text in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def package(self, path: str, *names: str) -> Path:
        """A local package with one extension a name."""
        self.write({f"{path}/extensions/{name}.py": "def extension(pi): ...\n" for name in names or ("ext",)})
        return self.folder / path

    def declared(self, settings: Path | None = None) -> list[Any]:
        """The `packages` of a settings file, the user's by default."""
        found: list[Any] = tomllib.loads((settings or self.user_settings).read_text())["packages"]
        return found


def package_cli(folder: Path) -> PackageCli:
    """A fresh home, agent folder and project below `folder`."""
    cli = PackageCli(folder.resolve())
    for path in (cli.locations.home, cli.locations.project_dir):
        path.mkdir(parents=True)
    return cli
