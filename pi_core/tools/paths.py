"""What a path typed by a model means.

Models mark a file with `@`, use the home shorthand, and copy names with blanks
and quotes that look alike; a file system tells them apart.

Touches: files.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from pi_core.errors import ToolError

_BLANKS: Final = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_BEFORE_MERIDIEM: Final = re.compile(r" (?=[AaPp][Mm]\.)")


def expand_path(text: str, home: str | None) -> str:
    """The path without `@` in front, with plain blanks, and with `~` as `home`. May be relative.

    Raises: ToolError for what no file system takes.
    """
    if "\0" in text:
        raise ToolError(f"{text!r} is no path: it holds a null byte.")
    path = _BLANKS.sub(" ", text.removeprefix("@"))
    if home is not None and (path == "~" or path.startswith(("~/", "~" + os.sep))):
        return home + path[1:]
    return path


def resolve_path(text: str, cwd: str, home: str | None = None) -> str:
    """The absolute path that is meant, without dots in it; links are kept."""
    return os.path.normpath(os.path.join(cwd, expand_path(text, home)))


def resolve_existing_path(text: str, cwd: str, home: str | None = None) -> str:
    """As `resolve_path`, or a name that exists and looks the same, if that one does not.

    Tried in order: the name as it was typed, plain blanks, a narrow blank before AM and PM (as
    screenshots are named on macOS), decomposed accents, a curly apostrophe, both of these.
    """
    for candidate in _look_alikes(text, cwd, home):
        if os.path.lexists(candidate):
            return candidate
    return resolve_path(text, cwd, home)


def _look_alikes(text: str, cwd: str, home: str | None) -> Iterator[str]:
    plain = resolve_path(text, cwd, home)
    yield plain
    yield os.path.normpath(os.path.join(cwd, text.removeprefix("@")))
    yield _BEFORE_MERIDIEM.sub("\u202f", plain)
    decomposed = unicodedata.normalize("NFD", plain)
    yield decomposed
    yield plain.replace("'", "\u2019")
    yield decomposed.replace("'", "\u2019")
