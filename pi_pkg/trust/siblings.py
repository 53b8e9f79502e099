"""The files that an extension of one file imports from beside it, for they are run with it.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator


def siblings_of(file: str) -> tuple[str, ...]:
    """Files and folders beside a `.py` file that it, or one of them, imports relatively; sorted."""
    found: set[str] = set()
    pending = [file]
    while pending:
        for path in _imported(pending.pop()):
            if path != file and path not in found:
                found.add(path)
                if path.endswith(".py"):
                    pending.append(path)
    return tuple(sorted(found))


def _imported(file: str) -> Iterator[str]:
    folder = os.path.dirname(file)
    for name in _relative_names(file):
        for path in (os.path.join(folder, name), os.path.join(folder, f"{name}.py")):
            if os.path.lexists(path):
                yield path


def _relative_names(file: str) -> set[str]:
    """First names of `from . import NAME` and `from .NAME import …`; empty for what is no Python."""
    import ast  # start-up time: only a declared file of its own needs it

    try:
        with open(file, "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            module = [node.module] if node.module else [alias.name for alias in node.names]
            names |= {name.partition(".")[0] for name in module}
    return names - {"*"}
