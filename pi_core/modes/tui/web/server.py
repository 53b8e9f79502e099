"""Serves the interactive mode to browsers of this machine that know the token.

A visit needs the token once, in its address; a cookie holds it from then on. Requests under another
host's name, or from another page, are refused: a page that the person has open elsewhere must not reach
an agent that runs commands.

Touches: the network, on loopback; processes.
"""

from __future__ import annotations

import asyncio
import secrets
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final

from aiohttp import web
from textual_serve.server import Server

HOST: Final = "127.0.0.1"
COOKIE: Final = "pi-token"
SERVED: Final = "--served"
"""Tells the process of a visit that a browser is its terminal."""

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class WebServer(Server):
    """One server, for one token. `words` are the command line of every visit, without the server's own."""

    def __init__(self, words: Sequence[str], port: int, token: str | None = None) -> None:
        command = shlex.join([sys.executable, "-m", "pi_core.cli.main", SERVED, *words])
        super().__init__(
            command, HOST, port, title="pi", templates_path=str(Path(__file__).parent / "templates")
        )
        self.token = token or secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """What to open."""
        return f"{self.public_url}/?token={self.token}"

    async def run(self, stop: asyncio.Event, ready: Callable[[str], None]) -> None:
        """Serve until the event is set; `ready` is told the address. Raises: OSError if the port is taken."""
        app = await self._make_app()
        app.middlewares.append(self._gate)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, self.host, self.port, reuse_address=None)
            await site.start()
            self._learn_port(site)
            ready(self.address)
            await stop.wait()
        finally:
            await runner.cleanup()

    async def on_startup(self, app: Any) -> None:
        """Nothing is printed but the address, by whoever runs it."""

    def _learn_port(self, site: web.TCPSite) -> None:
        """Port 0 is whichever is free."""
        server = getattr(site, "_server", None)  # the library has no other way to ask
        if self.port == 0 and isinstance(server, asyncio.Server):
            self.port = server.sockets[0].getsockname()[1]
            self.public_url = f"http://{self.host}:{self.port}"

    @property
    def _gate(self) -> Any:
        @web.middleware
        async def gate(request: web.Request, handler: _Handler) -> web.StreamResponse:
            refusal = self._refusal(request)
            if refusal is not None:
                return web.Response(status=403, text=refusal)
            response = await handler(request)
            if "token" in request.query and not response.prepared:
                response.set_cookie(COOKIE, self.token, httponly=True, samesite="Strict", path="/")
            return response

        return gate

    def _refusal(self, request: web.Request) -> str | None:
        """Why a request is refused, in a sentence; None if it is not."""
        names = {f"{self.host}:{self.port}", f"localhost:{self.port}"}
        if request.host not in names:
            return "This address is for this machine only."
        origin = request.headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}" for name in names}:
            return "Another page may not reach pi."
        given = request.query.get("token") or request.cookies.get(COOKIE, "")
        if not compare_digest(given.encode(), self.token.encode()):
            return "Open the whole address that pi printed: it ends in a token."
        return None
