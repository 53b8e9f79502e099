"""Where the modules of an editable distribution stand, as the files of its build backend say.

A backend leaves a path file beside the distribution (flit, hatchling, setuptools with a `src` folder), or a
finder whose table maps names to folders (setuptools without one). Only files that the distribution itself
records are read, as text; the lines that Python would run are passed over.

Touches: files.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from typing import Final

MAX_BYTES: Final = 1_000_000
_FINDER: Final = re.compile(r"__editable___\w*_finder\.py", re.ASCII)
_MAPPING: Final = re.compile(r"^MAPPING\b[^=\n]*=\s*(\{.*\})\s*$", re.MULTILINE)


def editable_roots(site: str, info: str) -> Iterator[str]:
    """The importable folders that an editable distribution adds, in the order of its record.

    Args:
        site: the folder that holds the distribution's metadata folder.
        info: name of that folder. Nothing comes of a distribution that was not installed as editable.
    """
    if not _is_editable(os.path.join(site, info, "direct_url.json")):
        return
    for line in _text(os.path.join(site, info, "RECORD")).splitlines():
        name = line.partition(",")[0].strip('"')
        if name.endswith(".pth") and name == os.path.basename(name):
            yield from _of_path_file(site, _text(os.path.join(site, name)))
        elif _FINDER.fullmatch(name):
            yield from _of_finder(_text(os.path.join(site, name)))


def _is_editable(path: str) -> bool:
    try:
        document = json.loads(_text(path) or "null")
    except (ValueError, RecursionError):
        return False
    details = document.get("dir_info") if isinstance(document, dict) else None
    return isinstance(details, dict) and details.get("editable") is True


def _of_path_file(site: str, text: str) -> Iterator[str]:
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith(("#", "import ", "import\t")) and "\0" not in line:
            yield os.path.normpath(os.path.join(site, line))


def _of_finder(text: str) -> Iterator[str]:
    """The folders above what the table maps, where a name is found below them as an import would look."""
    match = _MAPPING.search(text)
    try:
        table = ast.literal_eval(match[1]) if match else {}
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return
    for name, path in table.items() if isinstance(table, dict) else ():
        if isinstance(name, str) and isinstance(path, str) and "\0" not in path:
            below = os.path.join(os.sep, *name.split("."))
            if path.removesuffix(".py").endswith(below):
                yield os.path.normpath(path.removesuffix(".py").removesuffix(below) or os.sep)


def _text(path: str) -> str:
    """The text of a file, as much of it as anybody would write; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return ""
