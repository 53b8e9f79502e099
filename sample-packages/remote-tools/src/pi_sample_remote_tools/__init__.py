"""All tools on another machine."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Mapping, Sequence

from pi_core.api import (
    AbortSignal,
    Bash,
    BeforeAgentStart,
    ExtensionAPI,
    ExtensionContext,
    SessionStart,
    UserBash,
    builtin_tools,
    operations_through,
)


class Machine:
    """Runs commands in `folder`, through a program that takes the command as one more argument."""

    def __init__(self, program: Sequence[str], folder: str) -> None:
        self.program = tuple(program)
        self.folder = folder

    async def exec(
        self,
        command: str,
        cwd: str,
        *,
        on_data: Callable[[bytes], None],
        signal: AbortSignal,
        env: Mapping[str, str] | None,
    ) -> int:
        """Run to the end and give the exit code.

        `cwd` may be a folder of this machine, and `env` its variables: neither means anything there.
        """
        there = f"cd {shlex.quote(self.folder)} && {{ {command}\n}}"
        running = await asyncio.create_subprocess_exec(
            *self.program,
            there,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        unlisten = signal.on_abort(running.kill)
        try:
            assert running.stdout is not None
            while piece := await running.stdout.read(65536):
                on_data(piece)
            return await running.wait()
        finally:
            unlisten()


def extension(pi: ExtensionAPI) -> None:
    pi.register_flag("on", type="string", description="the program that runs commands on the other machine")
    pi.register_flag("on-folder", type="string", default="/", description="the working folder there")
    machines: list[Machine] = []

    @pi.on("session_start")
    def begin(event: SessionStart, ctx: ExtensionContext) -> None:
        program, folder = pi.get_flag("on"), str(pi.get_flag("on-folder"))
        if not isinstance(program, str) or not program.strip():
            return
        machine = Machine(shlex.split(program), folder)
        machines[:] = [machine]
        tools = builtin_tools(folder, operations=operations_through(machine, folder=folder))
        for tool in tools.values():
            pi.register_tool(tool)  # in the place of the tool of that name; what was off stays off

    @pi.on("user_bash")
    def typed(event: UserBash, ctx: ExtensionContext) -> Bash | None:
        return Bash(operations=machines[0]) if machines else None

    @pi.on("before_agent_start")
    def tell(event: BeforeAgentStart, ctx: ExtensionContext) -> None:
        if machines:
            sections = event.system_prompt_options.sections
            sections["cwd"] = f"Current working folder, on another machine: {machines[0].folder}"
