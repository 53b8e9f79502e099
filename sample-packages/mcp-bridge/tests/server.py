"""An MCP server for the tests, made with the SDK: one tool that works, and some that do not."""

from __future__ import annotations

import os
import sys
import time

from mcp.server import MCPServer

server = MCPServer("tests")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def refuse() -> str:
    """Always fails."""
    raise ValueError("not today")


@server.tool()
def crash() -> str:
    """Ends the server."""
    print("the disk is full", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
def hang() -> str:
    """Answers too late."""
    time.sleep(30)
    return "late"


@server.tool()
def flood() -> str:
    """Answers with far too much."""
    return "x" * 1_000_000


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
