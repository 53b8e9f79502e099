"""The servers of the settings, connected for as long as a session lives."""

from __future__ import annotations

import asyncio
import logging

from pi_core.api import CommandContext, ExtensionAPI, ExtensionContext, SessionShutdown, SessionStart
from pi_sample_mcp_bridge.connection import Connection
from pi_sample_mcp_bridge.servers import servers_of

START_S = 10.0
"""How long the start of a session waits for its servers; one that takes longer joins later."""
END_S = 4.0


def extension(pi: ExtensionAPI) -> None:
    """Connect at the start, close at the end; `/mcp` looks and connects again."""
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # a line for each line that is no message
    connections: dict[str, Connection] = {}

    def connect(name: str) -> Connection:
        servers, problems = servers_of(pi.get_settings().get("mcp"))
        if name not in servers:
            raise LookupError(problems.get(name) or f"the settings have no server {name!r}")
        connections[name] = connection = Connection(pi, servers[name])
        pi.spawn(connection.live(), name=f"mcp {name}")
        return connection

    @pi.on("session_start")
    async def start(event: SessionStart, ctx: ExtensionContext) -> None:
        servers, problems = servers_of(pi.get_settings().get("mcp"))
        waiting = {name: asyncio.ensure_future(connect(name).settled.wait()) for name in servers}
        if waiting:
            await asyncio.wait(waiting.values(), timeout=START_S)
        for name, waiter in waiting.items():
            if not waiter.done():
                waiter.cancel()
                problems[name] = f"the MCP server {name} has not answered yet; its tools come when it does"
        if problems and not ctx.has_ui:
            raise ValueError("; ".join(problems.values()))  # told in every mode, and nothing else stops
        for problem in problems.values():
            ctx.ui.notify(problem, "error")

    @pi.on("session_shutdown")
    async def end(event: SessionShutdown, ctx: ExtensionContext) -> None:
        await close(*connections.values())

    @pi.command("mcp", description="Show the MCP servers, or connect one again: /mcp [NAME]")
    async def show(args: str, ctx: CommandContext) -> None:
        name = args.strip()
        if name:
            await close(*([connections.pop(name)] if name in connections else []))
            await connect(name).settled.wait()
        lines = [connection.told() for connection in connections.values()]
        ctx.ui.notify("\n".join(lines) or "The settings name no MCP server.")


async def close(*connections: Connection) -> None:
    """Ask all of them to end, and wait for it within the limit."""
    for connection in connections:
        connection.stop()
    ending = [asyncio.ensure_future(connection.ended.wait()) for connection in connections]
    if ending:
        _, left = await asyncio.wait(ending, timeout=END_S)
        for waiter in left:
            waiter.cancel()
