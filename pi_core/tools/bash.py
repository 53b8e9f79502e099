"""The `bash` tool: runs a shell command and shows the end of what it prints.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from hookspecs.definitions import ToolDefinition, ToolResult, UpdateSink
from hookspecs.messages import TextContent
from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.errors import ToolError
from pi_core.process import ProcessResult
from pi_core.tools.operations import LocalShell, Operations
from pi_core.tools.output_tail import OutputTail, cut_notice

UPDATE_INTERVAL_S: Final = 0.1
BASH_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "description": "The command to run in bash."},
        "timeout": {
            "type": "number",
            "description": "Seconds after which the command is stopped; without it there is no limit.",
        },
    },
    "required": ["command"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BashSettings:
    """How commands run. All of it may be left out.

    `shell_path`: the shell instead of bash. `command_prefix`: a line that runs before every
    command. `environ`: the environment; None inherits the process's. `session_environ`: asked
    before every command for variables on top (PI_SESSION_ID and the like); needs an `environ` to
    stand on. `output_directory`: where outputs too long to show are kept; None is the system's
    folder for temporary files.
    """

    shell_path: str | None = None
    command_prefix: str | None = None
    environ: Mapping[str, str] | None = None
    session_environ: Callable[[], Mapping[str, str]] | None = None
    output_directory: str | None = None

    def __post_init__(self) -> None:
        if self.session_environ is not None and self.environ is None:
            raise ValueError("session_environ needs the environ that it is added to")

    def full_command(self, command: str) -> str:
        return f"{self.command_prefix}\n{command}" if self.command_prefix else command

    def full_environ(self) -> Mapping[str, str] | None:
        if self.session_environ is None or self.environ is None:
            return self.environ
        return {**self.environ, **self.session_environ()}


def bash_tool(
    cwd: str, *, settings: BashSettings | None = None, operations: Operations | None = None
) -> ToolDefinition:
    """The tool for a working folder. `operations` default to this machine's.

    A command that fails, takes too long or is aborted gives an error result that holds its output.
    """
    how = settings or BashSettings()
    runner = (operations and operations.shell) or LocalShell(how.shell_path)

    async def execute(
        tool_call_id: str,
        params: Mapping[str, Any],
        signal: AbortSignal | None,
        on_update: UpdateSink | None,
        ctx: Any,
    ) -> ToolResult:
        timeout_s = params.get("timeout")
        output = OutputTail(directory=how.output_directory)
        updates = _Updates(on_update, output)
        updates.send_empty()
        try:
            ended = await runner.run(
                how.full_command(str(params["command"])),
                cwd=cwd,
                env=how.full_environ(),
                timeout_s=timeout_s if timeout_s and timeout_s > 0 else None,
                signal=signal,
                on_output=updates.add,
            )
        finally:
            updates.close()
            shown = output.close()
        if ended.spawn_error is not None:
            raise ToolError(f"Cannot run the command in {cwd}: {ended.spawn_error}.")
        status = _status(ended, timeout_s)
        text = "\n\n".join(
            part for part in (shown.content, cut_notice(shown, output.path, whole=output.whole)) if part
        )
        return ToolResult(
            content=[TextContent(text=_with_status(text, status, ended))],
            details=output.details(shown),
            is_error=status is not None,
        )

    return ToolDefinition(
        name="bash",
        label="bash",
        description=(
            "Runs a command in bash, in the working folder, and returns what it prints. Of a long output "
            "the last 2000 lines or 50KB are shown, and a file holds all of it."
        ),
        parameters=BASH_PARAMETERS,
        execute=execute,
        prompt_snippet="Run a shell command (ls, grep, find, tests, git, …)",
        prompt_guidelines=("Show file paths plainly when you work with files.",),
    )


class _Updates:
    """Tells of growing output at most ten times a second; the first piece is told at once."""

    def __init__(self, sink: UpdateSink | None, output: OutputTail) -> None:
        self._sink = sink
        self._output = output
        self._pending: asyncio.TimerHandle | None = None
        self._last_s: float | None = None

    def send_empty(self) -> None:
        """Tell that the command has begun, before it has printed anything."""
        if self._sink is not None:
            self._sink(ToolResult(content=[]))

    def add(self, text: str) -> None:
        self._output.add(text)
        if self._sink is None or self._pending is not None:
            return
        loop = asyncio.get_running_loop()
        wait_s = 0.0 if self._last_s is None else self._last_s + UPDATE_INTERVAL_S - loop.time()
        if wait_s <= 0:
            self._send()
        else:
            self._pending = loop.call_later(wait_s, self._send)

    def close(self) -> None:
        """No more updates: the result says the rest."""
        if self._pending is not None:
            self._pending.cancel()
        self._sink = None

    def _send(self) -> None:
        self._pending = None
        self._last_s = asyncio.get_running_loop().time()
        if self._sink is not None:
            shown = self._output.snapshot()
            content = [TextContent(text=shown.content)]
            self._sink(ToolResult(content=[*content], details=self._output.details(shown)))


def _status(ended: ProcessResult, timeout_s: float | None) -> str | None:
    """The line that says how a command went wrong; None when it went well."""
    if ended.aborted:
        return "Command aborted"
    if ended.timed_out:
        return f"Command timed out after {timeout_s:g} seconds"
    return f"Command exited with code {ended.code}" if ended.code != 0 else None


def _with_status(text: str, status: str | None, ended: ProcessResult) -> str:
    if status is None:
        return text or "(no output)"
    if not text and ended.killed:
        return status
    return f"{text or '(no output)'}\n\n{status}"
