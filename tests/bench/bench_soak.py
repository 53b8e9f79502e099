"""A session of two thousand turns with twenty extensions: its memory, and how fast its turns are.

What grows with the turns is the history, which is in memory as a whole.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.support.soak import Soaked, soak

EARLY, LATE = 200, 2000


def rows() -> list[tuple[str, float, float | None]]:
    """Megabytes after some and after many turns, kilobytes an entry in between, turns a second."""
    seen: dict[int, tuple[float, int]] = {}

    def look(soaked: Soaked) -> None:
        for turns in (EARLY, LATE):
            if soaked.turns >= turns and turns not in seen:
                seen[turns] = (resident_mb(), len(soaked.store.get_entries()))

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        soaked = asyncio.run(soak(Path(folder), LATE, seed=7, at=look))
        took_s = time.perf_counter() - began
    (early_mb, early), (late_mb, late) = seen[EARLY], seen[LATE]
    return [
        (f"MB after {EARLY} turns", early_mb, None),
        (f"MB after {LATE} turns", late_mb, None),
        ("KB an entry of the history", (late_mb - early_mb) * 1024 / (late - early), 8),
        ("turns a second", soaked.turns / took_s, None),
    ]


def resident_mb() -> float:
    """The memory that this process has now; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0.0
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1024 / 1024
