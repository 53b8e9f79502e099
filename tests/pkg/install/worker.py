"""A process of its own that works on a scope: `build URL NAME…`, `add TREE`, `hold` its lock for ever,
or `use` its generation until the standard input ends.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from pi_pkg.install.backends.choose import choose_backend
from pi_pkg.install.execute import build_generation
from pi_pkg.install.generation import commit_generation, hold_generation, scope_lock
from pi_pkg.install.host import running_host
from pi_pkg.install.index import GenerationIndex, read_index
from pi_pkg.install.index_config import effective_index
from pi_pkg.install.plan import PypiRoot, Root, TreeRoot


def build(scope_dir: Path, roots: list[Root], url: str | None = None) -> GenerationIndex:
    environ = {"PATH": os.environ["PATH"], "HOME": str(scope_dir.parent), "NO_PROXY": "127.0.0.1"}
    config = effective_index({"index-url": url} if url else {}, environ, base=scope_dir, pip_files=())
    return build_generation(
        scope_dir, roots, backend=choose_backend("uv", environ), index_config=config, environ=environ,
        host=running_host([]),
    )  # fmt: skip


def add(scope_dir: Path, tree: Path) -> None:
    """What an install does: read, build, commit, all under the lock."""
    with scope_lock(scope_dir):
        current = read_index(scope_dir)
        paths = [Path(package.root) for package in current.packages] if current else []
        roots: list[Root] = [TreeRoot(f"local:{path}", str(path), path, "local") for path in (*paths, tree)]
        commit_generation(scope_dir, build(scope_dir, roots).generation)


def main(scope_dir: Path, action: str, *arguments: str) -> None:
    if action == "build":
        url, *names = arguments
        commit_generation(
            scope_dir,
            build(scope_dir, [PypiRoot(f"pypi:{name}", name, name) for name in names], url).generation,
        )
    elif action == "add":
        add(scope_dir, Path(arguments[0]))
    elif action == "use":
        with hold_generation(scope_dir) or sys.exit(1) as held:
            sys.stdout.write(f"{held.generation}\n")
            sys.stdout.flush()
            sys.stdin.read()
    else:
        with scope_lock(scope_dir):
            sys.stdout.write("held\n")
            sys.stdout.flush()
            time.sleep(600)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
