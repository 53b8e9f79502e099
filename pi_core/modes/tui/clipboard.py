"""The clipboard of the person's desktop, read by the tools that people have for it.

Touches: child processes.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from typing import Final

from hookspecs.values import dataclass
from pi_core.tools.images import image_type

LIMIT_S: Final = 5.0
"""A tool that takes longer waits for something that does not come."""
MAX_BYTES: Final = 64 * 1024 * 1024
"""No more is taken from a clipboard."""
NO_TOOL: Final = (
    "Nothing here reads the clipboard: install wl-clipboard (Wayland), xclip (X11) or pngpaste (macOS)."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that reads the clipboard. `needs` is the variable without which it finds no desktop."""

    name: str
    image: Sequence[str]
    text: Sequence[str]
    needs: str = ""


TOOLS: Final = (
    Tool("wl-paste", ("--type", "image/png"), ("--no-newline", "--type", "text"), "WAYLAND_DISPLAY"),
    Tool("xclip", ("-selection", "clipboard", "-t", "image/png", "-o"), ("-selection", "clipboard", "-o"),
         "DISPLAY"),
    Tool("pngpaste", ("-",), ()),
    Tool("pbpaste", (), ("-Prefer", "txt")),
)  # fmt: skip
"""In the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """What the clipboard has: an image, else a text. `found_tool` is False where nothing could read it."""

    image: bytes = b""
    text: str = ""
    found_tool: bool = True


async def read_clipboard(environ: Mapping[str, str]) -> Pasted:
    """The image on the clipboard, else its text."""
    tools = tools_here(environ)
    if not tools:
        return Pasted(found_tool=False)
    for path, tool in tools:
        image = await _output(path, tool.image, environ) if tool.image else b""
        if image_type(image) is not None:
            return Pasted(image=image)
    for path, tool in tools:
        text = (await _output(path, tool.text, environ)).decode("utf-8", "replace") if tool.text else ""
        if text:
            return Pasted(text=text)
    return Pasted()


def tools_here(environ: Mapping[str, str]) -> list[tuple[str, Tool]]:
    """The tools that are installed and have their desktop, with their paths. Touches: files."""
    found = [(shutil.which(tool.name, path=environ.get("PATH")), tool) for tool in TOOLS]
    return [(path, tool) for path, tool in found if path and (not tool.needs or environ.get(tool.needs))]


async def _output(path: str, words: Sequence[str], environ: Mapping[str, str]) -> bytes:
    """What a tool prints; nothing if it fails, takes too long or has too much."""
    try:
        process = await asyncio.create_subprocess_exec(
            path, *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, env=dict(environ), limit=MAX_BYTES,
        )  # fmt: skip
    except OSError:
        return b""
    try:
        async with asyncio.timeout(LIMIT_S):
            printed, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return b""
    return printed if process.returncode == 0 and len(printed) <= MAX_BYTES else b""
