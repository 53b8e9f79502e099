"""Extensions that one run leaves out by name, wherever they come from.

Pure.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from difflib import get_close_matches

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.resources.conventions import PACKAGE_FILE
from pi_pkg.resources.ranking import Record


def exclude(names: Collection[str], records: Iterable[Record], report: Callable[[Diagnostic], None]) -> None:
    """Switch off the extensions of these names, over every other rule; a name of none is a warning.

    An extension goes by its entry point, by its file without the suffix or its folder, by its path, by the
    token that listings show, and by the source of its package, with or without the kind before the colon.
    """
    known: dict[str, list[Record]] = {}
    for record in records:
        for name in _names(record):
            known.setdefault(name, []).append(record)
    for asked in dict.fromkeys(names):
        for record in known.get(asked, ()):
            record.switch_off(f"--exclude {asked}")
        if asked not in known:
            near = get_close_matches(asked, [name for name in known if not os.path.isabs(name)], 1)
            hint = f"Did you mean {near[0]!r}?" if near else None
            message = f"--exclude {asked}: no extension has this name."
            report(Diagnostic("warning", "exclude-unmatched", "resolve", message, hint=hint))


def _names(record: Record) -> Iterator[str]:
    candidate, provenance = record.candidate, record.provenance
    folder, file = os.path.split(candidate.spoken)
    yield os.path.basename(folder) if file == PACKAGE_FILE else file.partition(".")[0]
    yield candidate.path
    yield f"extensions:{candidate.path}"
    if candidate.name is not None:
        yield candidate.name
    if provenance.origin == "package":
        yield provenance.source
        kind, mark, name = provenance.source.partition(":")
        if mark and kind.isalpha():
            yield name
