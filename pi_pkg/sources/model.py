"""The three kinds of source, each a value that knows its identity.

Pure.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from pi_pkg.values import dataclass

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_EXACT = re.compile(r"={2,3}[^*,]+")


def canonical_name(name: str) -> str:
    """A distribution name as indexes compare it: lower case, runs of `-`, `_`, `.` as one dash (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closed(path: str) -> str:
    """A path as a source: one that ends in a blank, which would not count, ends in a slash."""
    return path if path == path.strip() else f"{path}/"


@dataclass(frozen=True, slots=True)
class PypiSource:
    """A distribution of a package index."""

    name: str
    """The name as written."""
    extras: tuple[str, ...]
    """Extras in order, canonical; may be empty."""
    specifier: str
    """PEP 440 specifier, translated where the source used another spelling; empty allows any version."""
    text: str
    """The source as written, without blanks around it."""

    @property
    def identity(self) -> str:
        return f"pypi:{canonical_name(self.name)}"

    @property
    def pinned(self) -> bool:
        """Whether exactly one version satisfies it."""
        return _EXACT.fullmatch(self.specifier) is not None

    @property
    def requirement(self) -> str:
        """The PEP 508 form: `name[extra]>=1,<2`."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        return f"{self.name}{extras}{self.specifier}"

    @property
    def canonical(self) -> str:
        """A source string that parses to an equal source, translated."""
        return f"pypi:{self.requirement}"


@dataclass(frozen=True, slots=True)
class GitSource:
    """A git repository, or a folder in one."""

    clone_url: str
    """What git is given; holds no option and no ref."""
    host: str
    """Lower-case host without user and port; empty for a repository on this machine."""
    path: str
    """Path on the host without slashes at its ends and without `.git`; case kept."""
    ref: str | None
    """Branch, tag or commit; None is the remote's default branch. What it is, only the remote knows."""
    subdirectory: str | None
    """Folder of the package inside the repository, in `/` form; None is its root."""
    text: str
    """The source as written, without blanks around it."""

    @property
    def identity(self) -> str:
        place = f"{self.host}/{self.path}" if self.host else f"file:///{self.path}"
        return f"git:{place}" + (f"#subdirectory={self.subdirectory}" if self.subdirectory else "")

    @property
    def pinned(self) -> bool:
        """Whether the ref is a full commit id. A tag is a pin too, but only the installed record knows it."""
        return self.ref is not None and _COMMIT.fullmatch(self.ref) is not None

    @property
    def public_url(self) -> str:
        """The clone URL without user and password, but for the user that ssh needs."""
        return re.sub(r"^(https?://)[^/@]*@", r"\1", self.clone_url)

    @property
    def canonical(self) -> str:
        """A source string that parses to an equal source."""
        ref = f"@{self.ref}" if self.ref else ""
        subdirectory = f"#subdirectory={self.subdirectory}" if self.subdirectory else ""
        address, mark, query = self.clone_url.partition("?")
        return f"git:{address}{ref}{mark}{query}{subdirectory}"


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A folder, a `.py` file or a wheel on this machine. It need not exist."""

    path: str
    """Absolute, normalised; links kept as written."""
    real_path: str
    """The same with links resolved: what the source is known by."""
    text: str
    """The source as written, without blanks around it."""

    @property
    def identity(self) -> str:
        return f"local:{self.real_path}"

    @property
    def pinned(self) -> bool:
        """A local source is used in place, it has no versions to choose from."""
        return False

    @property
    def canonical(self) -> str:
        """A source string that parses to an equal source."""
        return closed(self.path)


Source: TypeAlias = PypiSource | GitSource | LocalSource
