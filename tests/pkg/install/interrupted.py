"""A program of its own that is interrupted while a backend waits for its index; tells what became of it.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from pi_pkg.install.backends.choose import choose_backend
from pi_pkg.install.execute import build_generation
from pi_pkg.install.host import running_host
from pi_pkg.install.index_config import effective_index
from pi_pkg.install.plan import PypiRoot
from pi_pkg.install.progress import Step
from tests.support.index import SimpleIndex


def main(folder: Path) -> None:
    index = SimpleIndex(folder / "index")
    index.wheel("slow")
    index.moving.clear()
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "NO_PROXY": "127.0.0.1"}

    def interrupt() -> None:
        while not index.requests:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    def report(step: Step) -> None:
        """Nobody listens."""

    threading.Thread(target=interrupt, daemon=True).start()
    raised = ""
    try:
        build_generation(
            folder / "envs", [PypiRoot("pypi:slow", "pypi:slow", "slow")],
            backend=choose_backend("auto", environ), environ=environ, report=report,
            index_config=effective_index({"index-url": index.url}, environ, base=folder, pip_files=()),
            host=running_host([]),
        )  # fmt: skip
    except BaseException as error:  # noqa: BLE001 - what is raised is what the test asks
        raised = type(error).__name__
    left = sorted(path.name for path in (folder / "envs").iterdir() if path.name != ".lock")
    sys.stdout.write(json.dumps({"raised": raised, "left": left, "alive": children_alive()}))
    sys.stdout.flush()
    os._exit(0)


def children_alive() -> bool:
    """Whether a child of ours still runs."""
    try:
        return os.waitpid(-1, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


if __name__ == "__main__":
    main(Path(sys.argv[1]))
