"""Resolution of 200 packages with four resources each, against a bare walk that reads the same TOML.

The budget is stated against another implementation, which takes 1 / 0.6 of the bare walk; so 0.85 of it is
1.42 bare walks.

Touches: files.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from pathlib import Path

from pi_pkg.locations import Locations
from pi_pkg.resources.model import ResolveInputs
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.model import Layer, PackageEntry
from tests.bench.measure import interleaved

PACKAGES = 200
ROUNDS = 15
MANIFEST = """\
[project]
name = "pkg-{number}"
version = "1.0.{number}"
description = "One of many"

[tool.pi]
extensions = ["extensions"]
skills = ["skills"]
prompts = ["prompts"]
themes = ["themes"]
"""


def build(root: Path) -> list[Path]:
    """Packages of one extension, one skill, one prompt and one theme each."""
    found = []
    for number in range(PACKAGES):
        package = root / "packages" / f"p{number}"
        for name in (
            f"extensions/e{number}.py",
            f"skills/s{number}/SKILL.md",
            "prompts/q.md",
            "themes/t.json",
        ):
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            (package / name).write_text("text\n", encoding="utf-8")
        (package / "pyproject.toml").write_text(MANIFEST.format(number=number), encoding="utf-8")
        found.append(package)
    return found


def bare_walk(packages: list[Path]) -> int:
    """Parse each manifest, list each folder it names, resolve each package's links."""
    found = 0
    for package in packages:
        root = os.path.realpath(package)
        with open(os.path.join(root, "pyproject.toml"), "rb") as file:
            manifest = tomllib.load(file)["tool"]["pi"]
        folders = [os.path.join(root, name) for names in manifest.values() for name in names]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.is_dir():
                        folders.append(entry.path)
                    else:
                        found += 1
    return found


def rows() -> list[tuple[str, float, float | None]]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder))
        packages = build(root)
        agent = root / "agent"
        entries = tuple(PackageEntry(f"../packages/{package.name}") for package in packages)
        layer = Layer("user", str(agent / "settings.toml"), packages=entries)
        inputs = ResolveInputs(Locations(agent, root / "project", root / "home"), layer)
        assert PACKAGES == len(resolve(inputs).extensions)
        assert PACKAGES * 4 == bare_walk(packages)
        bare, ours = interleaved([lambda: bare_walk(packages), lambda: resolve(inputs)], ROUNDS)
    return [
        ("bare walk of 200 packages with TOML (ms)", bare * 1000, None),
        ("resolve of 200 packages / bare walk", ours / bare, 0.85 / 0.6),
    ]
