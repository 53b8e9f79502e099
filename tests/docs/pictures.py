"""The terminal of the README, recorded from the program: `python -m tests.docs.pictures` records it anew.

The real application plays a script; an extension has its say.

Touches: files, a session in a folder that is gone afterwards.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path
from typing import Final

from tests.docs.generate import DOCS
from tests.support.tui import Tui, tui

PICTURE: Final = DOCS / "pictures" / "terminal.svg"
SIZE: Final = (96, 30)
GATE: Final = '''
from pi_core.api import Block

def extension(pi):
    @pi.tool
    def count_words(text: str) -> str:
        """Count the words of a text."""
        return f"{len(text.split())} words"

    @pi.on("tool_call")
    def gate(event, ctx):
        if event.tool_name == "bash" and "rm -rf" in event.input["command"]:
            return Block("rm -rf needs a person")

    @pi.on("session_start")
    def ready(event, ctx):
        ctx.ui.set_status("gate", "gate: on")
'''
SCRIPT: Final = (
    {"tool": "bash", "arguments": {"command": "rm -rf build"}},
    {
        "text": "An **extension** refused that, and told me why. I look at what is there instead.",
        "tool": "bash",
        "arguments": {"command": "ls"},
    },
    {"tool": "count_words", "arguments": {"text": "to be or not to be"}},
    "`build` is still there, and the tool of the extension counted six words.",
)
SHOWN: Final = ("rm -rf build", "rm -rf needs a person", "6 words", "still there", "gate: on")
"""What has to be seen on it."""


async def record(folder: Path) -> str:
    """The picture, as SVG that needs nothing from elsewhere."""
    (folder / "project" / "build").mkdir(parents=True)
    (folder / "project" / "README.md").write_text("# A project\n", encoding="utf-8")
    async with tui(folder, script=SCRIPT, size=SIZE, extension=GATE) as used:
        await used.say("Clean up, and count the words of Hamlet's question.")
        return standing_alone(_screenshot(used))


def _screenshot(used: Tui) -> str:
    return used.app.export_screenshot(title="pi")


def standing_alone(svg: str) -> str:
    """Without fonts of a server, and with names that are the same each time."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}", "", svg)
    return re.sub(r"terminal-\d+", "terminal", svg)


def texts(svg: str) -> str:
    """All that is written on a picture, without markup."""
    return re.sub(r"<[^>]+>", "", svg).replace("&#160;", " ")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="pi-picture-") as folder:
        svg = asyncio.run(record(Path(folder)))
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
