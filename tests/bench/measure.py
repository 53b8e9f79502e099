"""How benchmarks take their time: interleaved, and by the minimum or the median.

Touches: processes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

BIN = Path(sys.executable).parent


def interleaved(actions: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Median seconds of each action; one round runs each once, so that drift hits all alike."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for action, spent in zip(actions, times, strict=True):
            start = time.perf_counter()
            action()
            spent.append(time.perf_counter() - start)
    return [median(spent) for spent in times]


def command(
    arguments: Sequence[str], *, cwd: Path, environ: Mapping[str, str]
) -> Callable[[], subprocess.CompletedProcess[bytes]]:
    """An action that runs a command and insists on exit code 0."""

    def run() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            arguments, cwd=cwd, env=dict(environ), capture_output=True, stdin=subprocess.DEVNULL, check=True
        )

    return run


def bare_python() -> list[str]:
    """The denominator of all start-up figures: an interpreter of this environment that does nothing."""
    return [sys.executable, "-c", "pass"]


def quiet_environ(home: Path) -> dict[str, str]:
    """An environment without the machine's package and git settings, and with a home of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(home), "PIP_CONFIG_FILE": os.devnull, "GIT_CONFIG_GLOBAL": os.devnull}


def peak_memory_mb(arguments: Sequence[str], *, cwd: Path, environ: Mapping[str, str]) -> float:
    """The most memory that a command had at once, in megabytes; 0 where the system does not tell."""
    script = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    if sys.platform == "win32":
        return 0.0
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, *arguments], cwd=cwd, env=dict(environ), capture_output=True,
        stdin=subprocess.DEVNULL, text=True, check=True,
    )  # fmt: skip
    return int(done.stdout) / (1024 * 1024 if sys.platform == "darwin" else 1024)
