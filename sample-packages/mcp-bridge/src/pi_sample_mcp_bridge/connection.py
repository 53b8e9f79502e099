"""One connection: from the handshake to the end of the server, and the tools that come and go with it.

Touches: the server's process, or its address.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TextIO

import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from pi_core.api import ExtensionAPI, ToolDefinition, ToolResult
from pi_sample_mcp_bridge.results import result_of, tool_name
from pi_sample_mcp_bridge.servers import Server
from pi_sample_mcp_bridge.stderr import reading

HANDSHAKE_S = 30.0
"""How long a server may take to say who it is: some are fetched first."""
PING_S = 5.0
"""How often a silent server is asked whether it is there."""
MAX_TOOLS = 500


class ServerGone(Exception):
    """The server ended, or does not answer. Raised in the connection's task, so that it is reported."""


class Connection:
    """Lives in one task, `live`. `settled` is set once its tools are there or will not come."""

    def __init__(self, pi: ExtensionAPI, server: Server) -> None:
        self.server = server
        self.settled = asyncio.Event()
        self.ended = asyncio.Event()
        self._pi = pi
        self._stop = asyncio.Event()
        self._lost = asyncio.Event()
        self._names: list[str] = []
        self._client: Any = None
        self._problem: str | None = None
        self._handshake: asyncio.Timeout | None = None

    async def live(self) -> None:
        """Connect, offer the tools, and stay until the end. Raises: ServerGone."""
        with reading() as log:
            try:
                async with self._connected(log.file) as self._client:
                    await self._offer(await tools_of(self._client, self.server.timeout_s))
                    self.settled.set()
                    await self._watch()
            except BaseException as error:
                if isinstance(error, asyncio.CancelledError):
                    raise
                if self._stop.is_set():
                    return
                self._problem = f"the MCP server {self.server.name} is gone: {reason(error)}{log.told()}"
                raise ServerGone(self._problem) from None
            finally:
                self._client = None
                self._withdraw()
                self.settled.set()
                self.ended.set()

    def stop(self) -> None:
        """Let `live` come to its end, also where the server has not said a word yet."""
        self._stop.set()
        if self._handshake is not None:
            self._handshake.reschedule(0)

    @asynccontextmanager
    async def _connected(self, log: TextIO) -> AsyncIterator[Any]:
        """A client after its handshake. Raises: TimeoutError if the server says nothing."""
        try:
            async with asyncio.timeout(HANDSHAKE_S) as self._handshake, connected(self.server, log) as client:
                self._handshake.reschedule(None)
                self._handshake = None
                yield client
        finally:
            self._handshake = None

    def told(self) -> str:
        """How it stands, in a line."""
        if self._client is not None and self._names:
            return f"{self.server.name}: {len(self._names)} tools"
        return self._problem or f"{self.server.name}: connecting"

    async def _watch(self) -> None:
        """Return when the end is wanted. Raises: what the server's silence is made of."""
        while not self._stop.is_set():
            try:
                async with asyncio.timeout(PING_S):
                    await _either(self._stop, self._lost)
            except TimeoutError:
                pass  # nothing has happened for a while, so the server is asked
            if self._stop.is_set():
                return
            self._lost.clear()
            async with asyncio.timeout(self.server.timeout_s):
                await self._client.send_ping()

    async def _offer(self, tools: Sequence[Any]) -> None:
        for tool in tools:
            name = tool_name(self.server.name, tool.name)
            self._names.append(name)
            self._pi.register_tool(
                ToolDefinition(
                    name=name,
                    description=tool.description or tool.name,
                    parameters=tool.input_schema,
                    execute=self._caller(tool.name),
                )
            )

    def _withdraw(self) -> None:
        """Take the tools out of the model's sight; where the session is gone there is nothing to take."""
        try:
            self._pi.set_active_tools([n for n in self._pi.get_active_tools() if n not in self._names])
        except RuntimeError:
            pass

    def _caller(self, tool: str) -> Any:
        async def execute(
            tool_call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any
        ) -> ToolResult:
            if self._client is None:
                raise ServerGone(self._problem or f"the MCP server {self.server.name} is not connected")
            try:
                async with asyncio.timeout(self.server.timeout_s):
                    return result_of(await self._client.call_tool(tool, dict(params)))
            except TimeoutError:
                limit = f"{self.server.timeout_s:g} s"
                raise TimeoutError(f"{self.server.name} did not answer within {limit}") from None
            except Exception as error:
                self._lost.set()  # perhaps it is gone, so it is asked at once
                raise RuntimeError(f"{self.server.name}: {reason(error)}") from error

        return execute


@asynccontextmanager
async def connected(server: Server, log: TextIO) -> AsyncIterator[Any]:
    """A client after its handshake."""
    if server.url is not None:
        limits = httpx2.Timeout(server.timeout_s, connect=10)
        async with (
            httpx2.AsyncClient(headers=dict(server.headers), timeout=limits) as http,
            Client(streamable_http_client(server.url, http_client=http)) as client,
        ):
            yield client
        return
    command = StdioServerParameters(
        command=server.command or "", args=list(server.args), env=dict(server.env)
    )
    async with Client(stdio_client(command, errlog=log)) as client:
        yield client


async def tools_of(client: Any, timeout_s: float) -> list[Any]:
    """All pages of the list, up to a limit."""
    tools: list[Any] = []
    cursor: str | None = None
    async with asyncio.timeout(timeout_s):
        while len(tools) < MAX_TOOLS:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
    return tools[:MAX_TOOLS]


def reason(error: BaseException) -> str:
    """The first thing that went wrong, in words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"there is no program {error.filename}"
    if isinstance(error, TimeoutError) and not str(error):
        return "it did not answer in time"
    return str(error) or type(error).__name__


async def _either(*events: asyncio.Event) -> None:
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for waiter in waiting:
            waiter.cancel()
