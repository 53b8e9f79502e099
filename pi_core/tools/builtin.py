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
from pi_core.tools.ls import ls_tool
from pi_core.tools.operations import FileOperations, ShellOperations
from pi_core.tools.read import read_tool
from pi_core.tools.write import write_tool

DEFAULT_ACTIVE_TOOLS: Final = ("read", "bash", "edit", "write")
"""The others are offered to a model only when somebody activates them."""


def builtin_tools(
    cwd: str,
    *,
    home: str | None = None,
    bash: BashSettings | None = None,
    files: FileOperations | None = None,
    shell: ShellOperations | None = None,
) -> dict[str, ToolDefinition]:
    """The built-in tools for a working folder, by name, in the order in which they are shown.

    `home` is what `~` means in paths; `files` and `shell` stand in for this machine's.
    """
    tools = (
        read_tool(cwd, home=home, files=files),
        bash_tool(cwd, settings=bash, shell=shell),
        edit_tool(cwd, home=home, files=files),
        write_tool(cwd, home=home, files=files),
        grep_tool(cwd, home=home),
        find_tool(cwd, home=home),
        ls_tool(cwd, home=home),
    )
    return {tool.name: tool for tool in tools}
