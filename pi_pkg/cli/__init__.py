"""The package commands of `pi`: one word, one thing observed.

Touches: standard output, standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from pi_pkg.cli.registry import COMMANDS

if TYPE_CHECKING:
    from pi_pkg.locations import Locations

__all__ = ["COMMANDS", "main"]


def main(
    argv: Sequence[str],
    *,
    locations: Locations,
    environ: Mapping[str, str],
    stdout: TextIO,
    stderr: TextIO,
) -> int:
    """Run one package command; `argv` begins with its word.

    Returns:
        0 done, 1 failed or refused, 2 wrong usage.
    """
    from pi_pkg.cli.running import run  # who only asks for COMMANDS pays for nothing

    return run(argv, locations=locations, environ=environ, stdout=stdout, stderr=stderr)
