"""Everything below a folder that a person would call part of the project.

Hidden names are shown, ignored ones and the folder `.git` are not; links to
folders are not followed.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.ignore_rules import IgnoreRules, rules_above


@dataclass(frozen=True, slots=True)
class Found:
    """An entry: its absolute path, and its path below the folder with forward slashes."""

    path: str
    relative: str
    is_dir: bool


def walk(folder: str, signal: AbortSignal | None = None) -> Iterator[Found]:
    """The entries below a folder, in the order of their names; a folder before what is in it.

    Raises: AbortedError between folders. Folders that cannot be read are passed over.
    """
    yield from _walk(folder, "", rules_above(folder), signal)


def _walk(folder: str, prefix: str, rules: IgnoreRules, signal: AbortSignal | None) -> Iterator[Found]:
    if signal is not None:
        signal.raise_if_aborted()
    rules = rules.entering(folder)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        is_dir = _is_dir(entry)
        if entry.name == ".git" or rules.hides(entry.path, is_dir=is_dir):
            continue
        yield Found(entry.path, prefix + entry.name, is_dir)
        if is_dir:
            yield from _walk(entry.path, f"{prefix}{entry.name}/", rules, signal)


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
