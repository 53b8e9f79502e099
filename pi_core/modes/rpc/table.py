"""Every command that there is, by its name.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pi_core.modes.rpc import prompting, sessions, shell, state, turning
from pi_core.modes.rpc.call import Command

COMMANDS: Final[Mapping[str, Command]] = {
    command.name: command
    for room in (prompting, state, turning, shell, sessions)
    for command in room.COMMANDS
}
