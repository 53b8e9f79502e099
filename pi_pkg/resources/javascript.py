"""Extensions written in JavaScript or TypeScript: shown with their package, never loaded.

Touches: files.
"""

from __future__ import annotations

import os
from typing import Final

from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.collect import Collector
from pi_pkg.resources.conventions import JAVASCRIPT
from pi_pkg.resources.marks import is_marked
from pi_pkg.resources.model import Manifest
from pi_pkg.resources.named import Names
from pi_pkg.resources.paths import is_within
from pi_pkg.resources.scan import Folder

_INDEXES: Final = ("index.ts", "index.js")


def javascript_files(collector: Collector, folder: str, manifest: Manifest) -> list[Candidate]:
    """The files that a `package.json` names as extensions, in the order of its entries, each once."""
    where = manifest.path or folder
    within = collector.real.of(folder)
    names = Names(collector, folder, where, within)
    found: dict[str, Candidate] = {}
    for entry in manifest.javascript:
        for path in () if is_marked(entry) else names.paths(entry):
            for file in _below(collector, path):
                real = collector.real.of(file)
                if is_within(real, within):
                    reason = f"{where}: it is written in JavaScript, which cannot be loaded here"
                    found.setdefault(file, Candidate(file, real, blocked=reason))
    marked = [entry for entry in manifest.javascript if is_marked(entry)]
    return names.kept(list(found.values()), marked)


def _below(collector: Collector, path: str) -> list[str]:
    """A script as it is; of a folder its index, else its scripts and the indexes of the folders in it."""
    if not os.path.isdir(path):
        return [path] if path.endswith(JAVASCRIPT) and os.path.isfile(path) else []
    seen = collector.scan("extensions", path)
    if index := _index(seen):
        return [index]
    found = []
    for entry in seen.entries:
        if entry.is_dir():
            inner = _index(collector.scan("extensions", entry.path))
            found += [inner] if inner else []
        elif entry.name.endswith(JAVASCRIPT) and entry.is_file():
            found.append(entry.path)
    return found


def _index(seen: Folder) -> str | None:
    paths = {entry.name: entry.path for entry in seen.entries}
    return next((paths[name] for name in _INDEXES if name in paths), None)
