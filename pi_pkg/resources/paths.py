"""Path texts become absolute paths, and real paths are looked up once a folder.

Touches: files (links).
"""

from __future__ import annotations

import os
import stat
from typing import Final

_LONG: Final = 1000
"""Paths of more characters are looked up at once, not folder by folder."""
_LONGEST: Final = 40_000
"""No system knows paths of more characters."""


def absolute(text: str, *, base: str, home: str) -> str:
    """The absolute, normalised path that a list entry or an argument names; links are kept.

    Blanks around it do not count and Unicode blanks inside are plain ones; `~` is the home folder;
    a `file://` URL is its path.
    """
    path = plain_blanks(text.strip())
    if path.startswith("file://"):
        path = _file_url_path(path)
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        path = home + path[1:]
    return os.path.normpath(os.path.join(base, path))


def plain_blanks(text: str) -> str:
    """A text with every kind of blank character replaced by an ordinary one."""
    if text.isascii():
        return text
    import unicodedata  # start-up time: nearly all paths are ASCII

    return "".join(" " if unicodedata.category(char) == "Zs" else char for char in text)


def _file_url_path(url: str) -> str:
    from urllib.parse import unquote  # start-up time: file URLs are rare in settings

    path = url.partition("://")[2].partition("?")[0].partition("#")[0]
    return unquote(path if path.startswith("/") else "/" + path.partition("/")[2])


class RealPaths:
    """Real paths of absolute, normalised ones. Remembers folders, so that siblings cost one look-up each."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """The path with all links resolved; what does not exist stays as it is below what does."""
        known = self._known.get(path)
        return self.inspect(path)[0] if known is None else known

    def inspect(self, path: str) -> tuple[str, int]:
        """The real path, and the mode of what it leads to: 0 if there is nothing."""
        try:
            mode = os.lstat(path).st_mode
        except (OSError, ValueError):
            mode = 0
        parent, _, name = path.rpartition(os.sep)
        if not mode or stat.S_ISLNK(mode) or not name or os.sep not in parent or len(path) > _LONG:
            real = _real_path(path)
            mode = _mode_behind(path) if mode else 0
        else:
            real = f"{self.of(parent)}{os.sep}{name}"
        self._known[path] = real
        return real, mode

    def learn(self, path: str, real: str) -> None:
        """Take over a real path that somebody else has looked up."""
        self._known[path] = real


def _real_path(path: str) -> str:
    """The real path; the path itself if it is none (a NUL inside, not to be encoded, longer than any)."""
    if len(path) > _LONGEST:
        return path
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _mode_behind(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


def is_within(real: str, folder: str) -> bool:
    """Whether a real path is a folder or below it."""
    return real == folder or real.startswith(folder if folder.endswith(os.sep) else folder + os.sep)
