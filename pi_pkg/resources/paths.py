"""Path texts become absolute paths, and real paths are looked up once a folder.

Touches: files (links).
"""

from __future__ import annotations

import os
import stat
import unicodedata


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
        if known is None:
            known = self._known[path] = self._look_up(path)
        return known

    def below(self, folder: str, name: str, *, is_link: bool) -> str:
        """The real path of an entry that a listing already described."""
        path = os.path.join(folder, name)
        return self.of(path) if is_link else os.path.join(self.of(folder), name)

    def learn(self, path: str, real: str) -> None:
        """Take over a real path that somebody else has looked up."""
        self._known[path] = real

    def _look_up(self, path: str) -> str:
        parent, name = os.path.split(path)
        if not name or parent == path:
            return path
        try:
            is_link = stat.S_ISLNK(os.lstat(path).st_mode)
        except (OSError, ValueError):
            is_link = False
        return os.path.realpath(path) if is_link else os.path.join(self.of(parent), name)


def is_within(real: str, folder: str) -> bool:
    """Whether a real path is a folder or below it."""
    return real == folder or real.startswith(folder if folder.endswith(os.sep) else folder + os.sep)
