"""Resolution of 200 packages with four resources each, against a bare walk that reads the same TOML.

The budgets are stated against another implementation: in milliseconds where it was measured, and as shares
of the bare walk, which is 0.6 of it; so 0.85 of it is 1.42 bare walks, and a half is 0.83.

Touches: files, processes.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from statistics import median

from pi_pkg.locations import Locations
from pi_pkg.resources.memory import TreeMemory
from pi_pkg.resources.model import HOST_VERSION, ResolveInputs
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.model import Layer, PackageEntry
from tests.bench.measure import command, interleaved, quiet_environ

PACKAGES = 200
ROUNDS = 15
COLD_ROUNDS = 7
COLD_MS = 46.0
"""0.85 of what the other implementation needs the first time."""
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


def bare_walk(packages: list[Path], *, with_toml: bool = True) -> int:
    """Parse each manifest, list each folder it names, resolve each package's links."""
    found = 0
    names = ["extensions", "skills", "prompts", "themes"]
    for package in packages:
        root = os.path.realpath(package)
        if with_toml:
            with open(os.path.join(root, "pyproject.toml"), "rb") as file:
                manifest = tomllib.load(file)["tool"]["pi"]
            names = [name for listed in manifest.values() for name in listed]
        folders = [os.path.join(root, name) for name in names]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.is_dir():
                        folders.append(entry.path)
                    else:
                        found += 1
    return found


def inputs_below(root: Path) -> ResolveInputs:
    """A user whose settings list every package below a folder."""
    agent = root / "agent"
    entries = tuple(PackageEntry(f"../packages/p{number}") for number in range(PACKAGES))
    layer = Layer("user", str(agent / "settings.toml"), packages=entries)
    return ResolveInputs(Locations(agent, root / "project", root / "home"), layer)


def first_ms(root: Path, memory: Path | None) -> float:
    """What the first resolution of a process takes, its imports done."""
    remembered = None
    started = time.perf_counter()
    if memory is not None:
        remembered = TreeMemory(memory, HOST_VERSION)
    resolve(inputs_below(root), remembered)
    return (time.perf_counter() - started) * 1000


def cold_ms(root: Path, memory: Path | None) -> float:
    """The median over fresh processes."""
    program = "import sys; from tests.bench.bench_resolve import main; main(*sys.argv[1:])"
    arguments = [sys.executable, "-c", program, str(root), str(memory or "")]
    run = command(arguments, cwd=Path.cwd(), environ=quiet_environ(root))
    return median(float(run().stdout) for _ in range(COLD_ROUNDS))


def main(root: str, memory: str) -> None:
    """The program of those processes."""
    print(first_ms(Path(root), Path(memory) if memory else None))


def remember(inputs: ResolveInputs, file: Path) -> None:
    """Fill the memory, as a run does that comes a while after the last change."""
    memory = TreeMemory(file, HOST_VERSION, now_ns=lambda: time.time_ns() + 60 * 10**9)
    resolve(inputs, memory)
    assert memory.save()


def rows() -> list[tuple[str, float, float | None]]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder))
        packages, inputs, file = build(root), inputs_below(root), root / "agent/memory.json"
        assert PACKAGES == len(resolve(inputs).extensions)
        assert PACKAGES * 4 == bare_walk(packages) == bare_walk(packages, with_toml=False)
        remember(inputs, file)
        bare, walk, ours, remembered = interleaved(
            [
                lambda: bare_walk(packages),
                lambda: bare_walk(packages, with_toml=False),
                lambda: resolve(inputs),
                lambda: resolve(inputs, TreeMemory(file, HOST_VERSION)),
            ],
            ROUNDS,
        )
        cold, cold_remembered = cold_ms(root, None), cold_ms(root, file)
    return [
        ("bare walk of 200 packages with TOML (ms)", bare * 1000, None),
        ("first resolve of a process, 200 packages (ms)", cold, COLD_MS),
        ("the same, nothing changed since an earlier run (ms)", cold_remembered, 27.0),
        ("share of walking folders in a resolve", walk / ours, None),
        ("resolve of 200 packages / bare walk", ours / bare, 0.85 / 0.6),
        ("the same, nothing changed since an earlier run", remembered / bare, 0.5 / 0.6),
    ]
