"""Installing a small wheel from an index on the loopback, against the backend's own command.

Both are whole processes with warm caches; the backend alone gets an environment that stands ready, `pi
install` makes one, checks it, puts it in force and writes the settings.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.bench.measure import BIN, quiet_environ
from tests.support.index import SimpleIndex

ROUNDS = 9


def rows() -> list[tuple[str, float, float | None]]:
    with tempfile.TemporaryDirectory() as folder, SimpleIndex(Path(folder, "index")) as index:
        index.wheel("small", entry_points={"pi": {"small": "small"}})
        pip_bare, pip_ours = measured(Path(folder, "pip"), index.url, "pip", pip_alone)
        uv_bare, uv_ours = measured(Path(folder, "uv"), index.url, "uv", uv_alone)
    return [
        ("pi install with pip ÷ pip install alone", pip_ours / pip_bare, 1.3),
        ("pi install with uv − uv pip install alone, ms", (uv_ours - uv_bare) * 1000, 250.0),
        ("pip install alone, ms", pip_bare * 1000, None),
        ("uv pip install alone, ms", uv_bare * 1000, None),
    ]


def pip_alone(python: Path, url: str) -> list[str]:
    only = ["--only-binary", ":all:", "--index-url", url]
    return [
        sys.executable,
        "-I",
        "-m",
        "pip",
        "--python",
        str(python),
        "--no-input",
        "install",
        *only,
        "small",
    ]


def uv_alone(python: Path, url: str) -> list[str]:
    only = ["--no-build", "--default-index", url]
    return [str(BIN / "uv"), "--no-config", "pip", "install", "--python", str(python), *only, "small"]


def measured(
    folder: Path, url: str, backend: str, alone: Callable[[Path, str], list[str]]
) -> tuple[float, float]:
    """Least seconds of the backend alone and of `pi install`, in turns; the first round warms the caches."""
    environ = {
        **quiet_environ(folder),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_CACHE_DIR": str(folder / "cache"),
        "UV_CACHE_DIR": str(folder / "cache"),
        "NO_PROXY": "127.0.0.1",
    }
    bare, ours = [], []
    for number in range(ROUNDS + 1):
        ready, home = folder / f"env{number}", folder / f"home{number}"
        venv.EnvBuilder(with_pip=False, symlinks=True).create(ready)
        settings(home, url, backend)
        bare.append(spent(alone(ready / "bin" / "python", url), folder, environ))
        ours.append(spent([str(BIN / "pi"), "install", "pypi:small"], home, {**environ, "HOME": str(home)}))
    return min(bare[1:]), min(ours[1:])


def settings(home: Path, url: str, backend: str) -> None:
    agent = home / ".pi" / "agent"
    agent.mkdir(parents=True)
    text = f'[install]\nindex-url = "{url}"\nbackend = "{backend}"\n'
    (agent / "settings.toml").write_text(text, encoding="utf-8")


def spent(arguments: Sequence[str], folder: Path, environ: Mapping[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(
        arguments, cwd=folder, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    return time.perf_counter() - started
