"""How addresses of repositories may begin.

Pure.
"""

from __future__ import annotations

from typing import Final

SCHEMES: Final = frozenset({"http", "https", "ssh", "git", "file"})
"""URL schemes that git is asked to fetch from; everything else is refused."""

SHORTHANDS: Final = {
    "github": "github.com",
    "gitlab": "gitlab.com",
    "bitbucket": "bitbucket.org",
    "codeberg": "codeberg.org",
    "gist": "gist.github.com",
    "sourcehut": "git.sr.ht",
}
"""`word:owner/repo` stands for that host."""
