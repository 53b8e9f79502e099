"""`pi --web`: the interactive mode in a real browser, for whoever has the token and nobody else."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from pi_core.cli.web import own_words
from tests.support.agent_cli import COMMAND, AgentCli, agent_cli
from tests.support.live_page import PATIENCE_S, live_page


@dataclass
class Served:
    """A server at work."""

    process: asyncio.subprocess.Process
    address: str

    @property
    def bare(self) -> str:
        """The address without its token."""
        return self.address.partition("?")[0]


@asynccontextmanager
async def served(cli: AgentCli) -> AsyncIterator[Served]:
    """`pi --web` of a person, on a free port."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--web", "--port", "0",
        cwd=cli.project, env=cli.environ(), stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            said = (await process.stdout.readline()).decode()
        yield Served(process, said.split()[-1])
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0


@pytest.mark.slow
async def test_a_browser_is_a_terminal(tmp_path: Path) -> None:
    """What is typed there is sent and tools run; nothing is asked of any other machine."""
    cli = agent_cli(tmp_path)
    made = cli.project / "made"
    async with served(cli) as pi, live_page(pi.address, tmp_path) as page:
        await page.until("document.body.classList.contains('-first-byte')")
        async with asyncio.timeout(PATIENCE_S):
            while not made.exists():  # what is typed before there is an editor is lost
                await page.click()
                await page.type("write: made := from the browser")
                await page.enter()
                await asyncio.sleep(0.5)
        assert all(url.startswith((pi.bare, "data:")) for url in page.requests)
    assert made.read_text(encoding="utf-8").startswith("from the browser")


@pytest.mark.slow
@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
async def test_nobody_else_is_let_in(tmp_path: Path, headers: dict[str, str]) -> None:
    """Not without the token, not under another name, not from another page; the cookie is enough later."""
    async with (
        served(agent_cli(tmp_path)) as pi,
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http,
    ):
        for path in ("", "ws", "static/js/textual.js"):
            assert 403 == (await http.get(pi.bare + path)).status
        assert 403 == (await http.get(pi.bare + "?token=wrong")).status
        assert 403 == (await http.get(pi.address, headers=headers)).status
        assert 200 == (await http.get(pi.address)).status
        assert 200 == (await http.get(pi.bare)).status


@pytest.mark.slow
async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """With what to do about it; the exit code is 1."""
    cli = agent_cli(tmp_path)
    async with served(cli) as pi:
        port = pi.bare.rstrip("/").rpartition(":")[2]
        second = await asyncio.to_thread(cli.run, "--web", "--port", port)
        assert (1, True) == (second.code, f"port {port} cannot be used" in second.err)


def test_a_port_that_is_none_is_a_mistake(tmp_path: Path) -> None:
    """The exit code is 2."""
    ran = agent_cli(tmp_path).run("--web", "--port", "many")
    assert (2, True) == (ran.code, "--port needs a number" in ran.err)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["--web"], []),
        (["--web", "--port", "80", "-c"], ["-c"]),
        (["--port=80", "--web", "--", "--web"], ["--", "--web"]),
        (["--model", "x", "--web"], ["--model", "x"]),
    ],
)
def test_the_servers_words_are_not_the_sessions(words: list[str], left: list[str]) -> None:
    """Everything else goes to each visit."""
    assert left == own_words(words)
