"""A package command line as a value, and the plain form of the one that is typed most.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pi_pkg.values import dataclass, field


class UsageError(Exception):
    """A command line that has no meaning. `usage` is the line that shows the accepted form."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class HelpAsked(Exception):
    """`--help` was given; the text is what to show."""


@dataclass(frozen=True, slots=True)
class PackageCommand:
    """One command line as values. What only one command knows is in `options`."""

    name: str
    """The command, by its first name."""
    sources: tuple[str, ...] = ()
    """What it is about, as given, in order."""
    project: bool = False
    """Whether the project's scope is meant (`-l`)."""
    user: bool = False
    """Whether the user's scope alone is meant (`--user`)."""
    approve: bool | None = None
    """`-a` is True, `-na` False; the last one counts."""
    json: bool = False
    dry_run: bool = False
    yes: bool = False
    all: bool = False
    """Show what is switched off, too."""
    offline: bool = False
    """Look nothing up (`--offline`)."""
    build: tuple[str, ...] = ()
    """Distributions that may be built from source."""
    options: Any = field(default=None, compare=False, repr=False)
    """The parsed arguments (an `argparse.Namespace`); None for a plain `pi list`."""


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
