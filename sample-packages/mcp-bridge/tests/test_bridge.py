"""Tools of real servers, over both transports; what goes wrong there stays there."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pi_sample_mcp_bridge import extension
from pi_sample_mcp_bridge.results import tool_name
from pi_sample_mcp_bridge.servers import servers_of

from pi_core.api import SessionShutdown, SessionStart
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

PROGRAM = Path(__file__).parent / "server.py"
START, END = SessionStart(reason="startup"), SessionShutdown(reason="quit")
LOCAL = {"command": sys.executable, "args": [str(PROGRAM)]}


def settings(**fields: Any) -> dict[str, Any]:
    return {"mcp": {"servers": {"local": {**LOCAL, **fields}}}}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server that is there already, on a port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert running.poll() is None
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        running.kill()
        running.wait()


def test_settings_are_judged_one_by_one() -> None:
    """A server that makes no sense is named and keeps nobody else out."""
    servers, problems = servers_of(
        {"servers": {"a": {"url": "http://x"}, "b": {}, "c": {**LOCAL, "timeout-s": -1}}}
    )
    assert list(servers) == ["a"]
    assert problems == {
        "b": "mcp.servers.b: needs either a command or a url",
        "c": "mcp.servers.c: timeout-s must be a number above 0 and is -1",
    }


def test_names_are_such_that_every_provider_takes_them() -> None:
    """Odd characters are replaced, long names cut."""
    assert tool_name("my.server", "read file") == "my_server_read_file"
    assert len(tool_name("s", "x" * 100)) == 64


def test_tools_of_a_program_can_be_called(pi_harness: HarnessMaker) -> None:
    """Values and failures come back as such."""
    pi = pi_harness(extension, settings=settings())
    pi.emit(START)
    assert "local_add" in pi.tools
    answer = pi.call_tool("local_add", a=2, b=3)
    assert answer.content[0].text == "5"
    refused = pi.call_tool("local_refuse")
    assert refused.is_error
    assert refused.content[0].text == "Error executing tool refuse"
    pi.emit(END)


def test_tools_of_an_address_can_be_called(pi_harness: HarnessMaker, address: str) -> None:
    """The same over HTTP."""
    table = {"mcp": {"servers": {"far": {"url": address}}}}
    pi = pi_harness(extension, settings=table)
    pi.emit(START)
    assert pi.call_tool("far_add", a=2, b=3).content[0].text == "5"
    pi.emit(END)


def test_a_server_that_crashes_takes_only_its_tools_along(pi_harness: HarnessMaker) -> None:
    """They are out of sight, and one diagnostic says what the server wrote last."""
    pi = pi_harness(extension, settings=settings(), strict=False)
    pi.emit(START)
    assert pi.call_tool("local_crash").is_error
    while not pi.diagnostics:
        pi.advance(0.01)
    assert pi.host.get_active_tools() == []
    (finding,) = pi.diagnostics
    assert "the MCP server local is gone" in finding.message
    assert "the disk is full" in finding.message


def test_a_server_that_hangs_is_not_waited_for(pi_harness: HarnessMaker) -> None:
    """The call fails within its time."""
    pi = pi_harness(extension, settings=settings(**{"timeout-s": 0.5}))
    pi.emit(START)
    late = pi.call_tool("local_hang")
    assert (late.is_error, late.content) == (True, "local did not answer within 0.5 s")
    pi.emit(END)


def test_a_flood_is_cut(pi_harness: HarnessMaker) -> None:
    """The model reads the beginning, and how much is missing."""
    pi = pi_harness(extension, settings=settings())
    pi.emit(START)
    text = pi.call_tool("local_flood").content[0].text
    assert text == "x" * 50_000 + "\n… (950000 more characters)"
    pi.emit(END)


def test_a_program_that_is_not_there_is_one_diagnostic(pi_harness: HarnessMaker) -> None:
    """The session starts all the same."""
    pi = pi_harness(extension, settings=settings(command="no-such-program"), strict=False)
    pi.emit(START)
    (finding,) = pi.diagnostics
    assert "the MCP server local is gone" in finding.message


def test_a_lost_server_can_be_had_again(pi_harness: HarnessMaker) -> None:
    """`/mcp NAME` connects anew, `/mcp` shows how it stands."""
    ui = RecordingUI()
    pi = pi_harness(extension, settings=settings(), ui=ui)
    pi.emit(START)
    pi.run_command("mcp", "local")
    assert ui.notices == ["local: 5 tools"]
    pi.emit(END)
