"""Servers that never become one: they are told in a line, and nothing of them stays behind."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pi_sample_mcp_bridge as bridge
import pytest
from pi_sample_mcp_bridge import connection, extension
from pi_sample_mcp_bridge.servers import servers_of
from pi_sample_mcp_bridge.stderr import KEPT, reading

from pi_core.api import SessionShutdown, SessionStart
from pi_core.testing.plugin import HarnessMaker

START, END = SessionStart(reason="startup"), SessionShutdown(reason="quit")
FLOODS = {
    "no message": "import sys\nwhile True: sys.stdout.write('x' * 9999 + '\\n')",
    "errors": "import sys\nwhile True: sys.stderr.write('x' * 9999 + '\\n')",
    "silence": "import time\ntime.sleep(600)",
}


def settings(code: str) -> dict[str, Any]:
    return {"mcp": {"servers": {"local": {"command": sys.executable, "args": ["-c", code]}}}}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_server_that_never_says_who_it_is(
    pi_harness: HarnessMaker, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """It is gone after a while, which is one finding; its program ends."""
    monkeypatch.setattr(connection, "HANDSHAKE_S", 0.5)
    pi = pi_harness(extension, settings=settings(FLOODS[kind]), strict=False)
    pi.emit(START)
    (finding,) = pi.diagnostics
    assert "the MCP server local is gone: it did not answer in time" in finding.message
    assert len(finding.message) < 3 * KEPT
    pi.emit(END)


def test_one_that_is_late_is_told_and_ends_with_the_session(
    pi_harness: HarnessMaker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The session begins without it, and its program does not outlive the session."""
    monkeypatch.setattr(bridge, "START_S", 0.2)
    mark = tmp_path / "alive"
    code = f"import os, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    pi = pi_harness(extension, settings=settings(code), strict=False)
    pi.emit(START)
    assert ["the MCP server local has not answered yet"] == [
        finding.message.partition(": ")[2].partition(";")[0] for finding in pi.diagnostics
    ]
    pi.emit(END)
    assert 1 == len(pi.diagnostics), "an end that was wanted is no finding"
    if mark.exists():
        assert not Path(f"/proc/{mark.read_text()}").exists()


def test_settings_that_make_no_sense_are_told_without_a_screen(pi_harness: HarnessMaker) -> None:
    pi = pi_harness(extension, settings={"mcp": {"servers": {"a": {}}}}, strict=False)
    pi.emit(START)
    (finding,) = pi.diagnostics
    assert "mcp.servers.a: needs either a command or a url" in finding.message


def test_a_table_of_servers_that_is_none() -> None:
    assert ({}, {"": "mcp.servers must be a table and is 3"}) == servers_of({"servers": 3})
    assert ({}, {}) == servers_of(None)


def test_the_library_writes_nothing_past_us(pi_harness: HarnessMaker) -> None:
    """It logs each line that is no message, with a traceback, where nobody takes its records."""
    pi_harness(extension)
    assert any(isinstance(taker, logging.NullHandler) for taker in logging.getLogger("mcp").handlers)


def test_only_the_end_of_the_errors_is_kept() -> None:
    with reading() as log:
        log.file.write("a" * 100_000 + "z")
        log.file.flush()
        assert f"; it wrote: …{'a' * (KEPT - 1)}z" == log.told()
