"""What a scope asks for, as values: the roots that are resolved together.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pi_pkg.install.index import RefKind


@dataclass(frozen=True, slots=True)
class PypiRoot:
    """A distribution that the resolver chooses from an index."""

    identity: str
    """`pypi:NAME`, the name canonical."""
    source: str
    """The source as configured."""
    requirement: str
    """PEP 508 requirement without a URL: `name[extra]>=1,<2`."""


@dataclass(frozen=True, slots=True)
class TreeRoot:
    """Something on this machine that is used where it stands: a folder, a `.py` file; or a wheel to unpack.

    A git source is a tree too: its checkout, or a folder in it.
    """

    identity: str
    """Identity of the source."""
    source: str
    """The source as configured."""
    path: Path
    """Absolute path of the folder, `.py` file or `.whl` file."""
    kind: Literal["git", "local"]
    """Where the tree came from."""
    commit: str | None = None
    """Full commit id of a checkout; None for a local tree."""
    ref_kind: RefKind | None = None
    """What the ref was on the remote; None for a local tree."""
    ref: str | None = None
    """The ref as asked for; None is the remote's default branch."""
    url: str | None = None
    """Clone URL without credentials, for the origin record (PEP 610); None for a local tree."""
    subdirectory: str | None = None
    """Folder inside the repository, in `/` form; None is its root."""


Root: TypeAlias = PypiRoot | TreeRoot
