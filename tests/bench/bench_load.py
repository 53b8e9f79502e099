"""What loading extensions costs beside importing the same files with importlib alone.

Ratios are of the fastest rounds, interleaved, in one process. Warm: the bytecode is there. Cold: it is
not, and both write it. A load includes its factories and, where there is one, the handler of each.

Touches: files, sys.modules.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from pi_core.extensions.actions import Runtime
from pi_core.extensions.loader import LoadRequest, load_extensions
from pi_pkg import Provenance

Row = tuple[str, float, float | None]

BUDGET = 2.0
TRIVIAL = "def extension(pi):\n    pass\n"
HANDLER = """
def extension(pi):
    pi.on("turn_start", handler)

def handler(event, ctx):
    return None
"""
BARE = "bench_bare_"


def rows() -> list[Row]:
    """Label, measured value, budget."""
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        with tempfile.TemporaryDirectory() as folder:
            return _rows(Path(folder))
    finally:
        sys.dont_write_bytecode = writes


def _rows(folder: Path) -> list[Row]:
    measured: list[Row] = []
    for text, what in ((TRIVIAL, "trivial"), (HANDLER, "with a handler")):
        for count in (1, 50, 200):
            files = sources(folder / f"{what.split()[0]}{count}", text, count)
            for cold in (True, False):
                bare, ours = fastest(files, cold=cold)
                label = f"{count} extensions, {what}, {'cold' if cold else 'warm'}: against importlib"
                measured.append((label, ours / bare, BUDGET if count == 200 and not cold else None))
    measured.append(("the state that a load shares, in ms", runtime_ms(), None))
    return measured


def sources(folder: Path, text: str, count: int) -> list[str]:
    """Extension files in a folder of their own."""
    folder.mkdir()
    files = [folder / f"extension_{number:03}.py" for number in range(count)]
    for file in files:
        file.write_text(text, encoding="utf-8")
    return [str(file) for file in files]


def fastest(files: Sequence[str], *, cold: bool) -> tuple[float, float]:
    """Seconds of importlib alone, and of a load, each in its fastest round."""
    rounds = 12 if cold else max(25, 2000 // len(files))
    actions: list[Callable[[], float]] = [lambda: bare(files), lambda: load(files)]
    best = [float("inf"), float("inf")]
    for action in actions:
        action()  # writes the bytecode for the warm rounds
        forget()
    for _ in range(rounds):
        for index, action in enumerate(actions):
            if cold:
                shutil.rmtree(Path(files[0]).parent / "__pycache__")
            best[index] = min(best[index], action())
            forget()
    return best[0], best[1]


def bare(files: Sequence[str]) -> float:
    """Import the files under names of their own; returns the seconds."""
    started = time.perf_counter()
    for number, file in enumerate(files):
        spec = spec_from_file_location(f"{BARE}{number}", file)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return time.perf_counter() - started


def load(files: Sequence[str]) -> float:
    """Load the files as extensions; returns the seconds."""
    requests = [LoadRequest(path=file, provenance=_found(file)) for file in files]
    runtime = Runtime()

    async def timed() -> float:
        started = time.perf_counter()
        loaded = await load_extensions(requests, runtime, cwd="/")
        spent = time.perf_counter() - started
        assert len(loaded.extensions) == len(files)
        return spent

    return asyncio.run(timed())


def _found(file: str) -> Provenance:
    return Provenance(file, "auto", "user", "top-level")


def forget() -> None:
    """Take the imported modules out again."""
    for name in [name for name in sys.modules if name.startswith((BARE, "pi_ext_"))]:
        del sys.modules[name]


def runtime_ms() -> float:
    """What a load costs before its first extension."""
    best = float("inf")
    for _ in range(25):
        started = time.perf_counter()
        Runtime()
        best = min(best, time.perf_counter() - started)
    return best * 1000
