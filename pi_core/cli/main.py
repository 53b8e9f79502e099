"""The command `pi`: the first word decides whether packages are managed or the agent runs.

Touches: environment, standard output, standard error.
"""

from __future__ import annotations

import sys

from pi_core.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def run() -> None:
    """The entry point of the installed command."""
    sys.exit(main(sys.argv[1:]))


def main(words: Sequence[str]) -> int:
    """Run one command line and return its exit code. Reads the process's environment and home folder."""
    if words and words[0] in ("--version", "-v"):
        print(VERSION)
        return 0
    try:
        if words and _is_package_command(words[0]):
            return _manage_packages(words)
        from pi_core.cli.agent import run_agent  # `pi --version` and `pi list` never need the agent

        return run_agent(words)
    except KeyboardInterrupt:
        return 130


def _is_package_command(word: str) -> bool:
    from pi_pkg.cli import COMMANDS  # `pi --version` does not pay for it

    return word in COMMANDS


def _manage_packages(words: Sequence[str]) -> int:
    import os  # `pi --version` needs no environment

    from pi_core.bootstrap import locations_from  # as above

    from pi_pkg.cli import main as manage

    return manage(
        words, locations=locations_from(os.environ), environ=os.environ, stdout=sys.stdout, stderr=sys.stderr
    )


if __name__ == "__main__":
    run()
