"""The tools that every session has.

Pure.
"""

from __future__ import annotations

from typing import Final

from hookspecs.definitions import ToolDefinition
from pi_core.tools.bash import BashSettings, bash_tool
from pi_core.tools.edit import edit_tool
from pi_core.tools.find import find_tool
from pi_core.tools.grep import grep_tool
from pi_core.tools.images import ImageSettings
from pi_core.tools.ls import ls_tool
from pi_core.tools.operations import Operations
from pi_core.tools.read import read_tool
from pi_core.tools.write import write_tool

DEFAULT_ACTIVE_TOOLS: Final = ("read", "bash", "edit", "write")
"""The others are offered to a model only when somebody activates them."""


def builtin_tools(
    cwd: str,
    *,
    home: str | None = None,
    bash: BashSettings | None = None,
    images: ImageSettings | None = None,
    operations: Operations | None = None,
) -> dict[str, ToolDefinition]:
    """The built-in tools for a working folder, by name, in the order in which they are shown.

    `home` is what `~` means in paths; `operations` stand in for this machine's.
    """
    machine = operations or Operations()
    tools = (
        read_tool(cwd, home=home, images=images, operations=machine),
        bash_tool(cwd, settings=bash, operations=machine),
        edit_tool(cwd, home=home, operations=machine),
        write_tool(cwd, home=home, operations=machine),
        grep_tool(cwd, home=home, operations=machine),
        find_tool(cwd, home=home, operations=machine),
        ls_tool(cwd, home=home, operations=machine),
    )
    return {tool.name: tool for tool in tools}
