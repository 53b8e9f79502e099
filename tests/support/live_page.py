"""A page in a real browser that goes on living: keys are pressed, states waited for, pictures taken.

Spoken to by Chromium's own protocol for tools, over a socket of this machine.

Touches: files, processes, the network on loopback.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.support.browser import command

PATIENCE_S = 40.0


class LivePage:
    """One page. `requests` are the addresses that it asked for."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.requests: list[str] = []

    async def tell(self, method: str, **params: Any) -> dict[str, Any]:
        """One command, and its result."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            said = await self._socket.receive_json(timeout=PATIENCE_S)
            if said.get("method") == "Network.requestWillBeSent":
                self.requests.append(said["params"]["request"]["url"])
            if said.get("id") == number:
                assert "error" not in said, said
                result: dict[str, Any] = said["result"]
                return result

    async def value(self, expression: str) -> Any:
        """What a script comes to."""
        found = await self.tell("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    async def until(self, holds: str) -> None:
        """Wait until a script comes to something true; the browser does the waiting."""
        look = f"const look = () => ({holds}) ? done(1) : setTimeout(look, 50)"
        script = f"new Promise(done => {{ {look}; look() }})"
        await self.tell("Runtime.evaluate", expression=script, awaitPromise=True)

    async def click(self) -> None:
        """Click in the middle, so that keys go there."""
        at = {"x": 500, "y": 300, "button": "left", "clickCount": 1}
        await self.tell("Input.dispatchMouseEvent", type="mousePressed", **at)
        await self.tell("Input.dispatchMouseEvent", type="mouseReleased", **at)

    async def type(self, text: str) -> None:
        """Type letters, one key after another. Not a point: its number is that of another key."""
        for letter in text:
            await self._press(key=letter, text=letter, windowsVirtualKeyCode=ord(letter.upper()))

    async def enter(self) -> None:
        """Press enter."""
        await self._press(key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)

    async def _press(self, **key: Any) -> None:
        await self.tell("Input.dispatchKeyEvent", type="keyDown", **key)
        await self.tell("Input.dispatchKeyEvent", type="keyUp", **{**key, "text": ""})

    async def picture(self, target: Path) -> None:
        """What a person sees, as a PNG file."""
        shot = await self.tell("Page.captureScreenshot", format="png")
        target.write_bytes(base64.b64decode(shot["data"]))


@asynccontextmanager
async def live_page(address: str, folder: Path) -> AsyncIterator[LivePage]:
    """An address in a browser with a profile of its own in `folder`."""
    browser = await asyncio.create_subprocess_exec(
        *command(folder), "--remote-debugging-port=0", "--window-size=1000,700", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        port = await _port_of(browser)
        async with aiohttp.ClientSession() as http:
            pages = await (await http.get(f"http://127.0.0.1:{port}/json")).json()
            target = next(page for page in pages if page["type"] == "page")
            async with http.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = LivePage(socket)
                await page.tell("Network.enable")
                await page.tell("Emulation.setFocusEmulationEnabled", enabled=True)
                await page.tell("Page.navigate", url=address)
                yield page
    finally:
        browser.kill()
        await browser.wait()


async def _port_of(browser: asyncio.subprocess.Process) -> str:
    """The port that it says it listens on."""
    assert browser.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        async for line in browser.stderr:
            if b"DevTools listening on" in line:
                return line.decode().split("//")[1].split("/")[0].rpartition(":")[2]
    raise AssertionError("the browser said no port")
