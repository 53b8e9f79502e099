"""A package command as a value, and the plain form of the one that is typed most.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pi_pkg.values import dataclass


class UsageError(Exception):
    """A command line that has no meaning. `usage` is the line that shows the accepted form."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class HelpAsked(Exception):
    """`--help` was given; the text is what to show."""


@dataclass(frozen=True, slots=True)
class PackageCommand:
    """One command line as values."""

    name: str
    """`install`, `remove` or `list`."""
    sources: tuple[str, ...]
    """As given, in order."""
    project: bool = False
    """Whether the project's scope is meant (`-l`)."""
    approve: bool | None = None
    """`-a` is True, `-na` False; the last one counts."""
    json: bool = False
    dry_run: bool = False
    yes: bool = False
    all: bool = False
    """Show what is switched off, too."""
    build: tuple[str, ...] = ()
    """Distributions that may be built from source."""


_APPROVALS: Final = {"-a": True, "--approve": True, "-na": False, "--no-approve": False}


def plain_list(argv: Sequence[str]) -> PackageCommand | None:
    """`pi list` with nothing but known flags; None for everything that needs the real parser.

    The parser's library costs as much as all the rest of that command.
    """
    words = argv[1:]
    if argv[0] != "list" or not all(word in {"--json", "--all", *_APPROVALS} for word in words):
        return None
    approvals = [_APPROVALS[word] for word in words if word in _APPROVALS]
    approve = approvals[-1] if approvals else None
    return PackageCommand("list", (), approve=approve, json="--json" in words, all="--all" in words)
