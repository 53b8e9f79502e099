"""The words of the package commands. Whoever adds a command adds its module and one line here.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

COMMANDS: Final[Mapping[str, str]] = {
    "install": "install",
    "remove": "remove",
    "uninstall": "remove",
    "list": "list_packages",
    "update": "update",
    "sync": "sync",
    "rollback": "rollback",
    "config": "config",
    "trust": "trust",
}
"""Words that, standing first, make a command line ours, and the module of this folder that is the command
(`pi_pkg.cli.call.CommandModule` says what it offers). Of several words for one module the first is the
command's name."""
