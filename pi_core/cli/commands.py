"""The commands of the agent: words that, standing first, are neither a prompt nor about packages.

Whoever adds a command adds its module, with `run(words, locations, environ) -> int`, and one line here.

Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `pi list` reads this file, and `typing` costs more than the rest of it
if TYPE_CHECKING:
    from typing import Final

COMMANDS: Final = {"auth": "pi_core.cli.auth", "trace": "pi_core.cli.trace"}
"""Word → the module that is the command."""
