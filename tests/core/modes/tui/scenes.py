"""The screens of the interactive mode that are kept as pictures: how each of them comes about.

Touches: files below the folder it is given.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from textual.widgets import Input, TextArea

from tests.support.tui import Tui, tui

PICTURES: Final = Path(__file__).parent / "snapshots"
Scene = Callable[[Path], Awaitable[str]]

ANSWER = """\
Two things are wrong in `parse`:

1. It **never** closes the file.
2. An empty line ends it *too early*.

```python
def parse(path: Path) -> list[str]:
    with path.open() as lines:
        return [line.rstrip() for line in lines if line.strip()]
```

| case | before | after |
| --- | --- | --- |
| empty line | stops | skipped |
| 日本語 | ok | ok |

> Written once, read often.

See [the manual](https://example.org/manual) for more.
"""
CODE = "def greet(name):\n    print('hello ' + name)\n\n\ngreet('you')\n"
EDITS = [{"oldText": "    print('hello ' + name)\n", "newText": "    print(f'hello, {name}')\n"}]
TOOLS: Final = [
    {"tool": "read", "arguments": {"path": "greet.py"}},
    {"tool": "edit", "arguments": {"path": "greet.py", "edits": EDITS}},
    {"tool": "bash", "arguments": {"command": "seq 1 12"}},
    {"tool": "read", "arguments": {"path": "nowhere.py"}},
    "It greets politely now.",
]
CHROME = """
def extension(pi):
    @pi.on("session_start")
    def begin(event, ctx):
        ui = ctx.ui
        ui.set_header(lambda tui, theme: theme.fg("accent", "◆ a header of an extension"))
        ui.set_widget("plan", ["☑ write a test", "☐ make it pass"])
        ui.set_widget("hint", "below the editor", placement="below")
        ui.set_status("lint", "lint ✓")
        ui.set_status("net", "offline")
        ui.notify("An extension says hello.")
        ui.notify("Something is odd.", "warning")
"""
BROKEN = """
class Broken:
    def render(self, width):
        raise ValueError("no colours left")

def extension(pi):
    @pi.on("session_start")
    def begin(event, ctx):
        ctx.ui.set_widget("gauge", lambda tui, theme: Broken())
        ctx.ui.notify("The disk is nearly full.", "error")
"""


@asynccontextmanager
async def scene(
    folder: Path, script: list[Any] | None = None, size: tuple[int, int] = (100, 36), **options: Any
) -> AsyncIterator[Tui]:
    """An application that looks the same every time: what a prompt costs depends on its folder's name."""
    turns = [{"text": turn} if isinstance(turn, str) else turn for turn in script or ()]
    script = [{"usage": {"input": 900, "output": 120}, **turn} for turn in turns] or None
    (folder / "project").mkdir(exist_ok=True)
    (folder / "project" / "greet.py").write_text(CODE, encoding="utf-8")
    with patch("pi_core.modes.tui.welcome.VERSION", "1.0"):
        async with tui(folder, script=script, size=size, **options) as used:
            used.app.editor.cursor_blink = False
            yield used


async def picture(used: Tui) -> str:
    """What is on the screen, as SVG that needs nothing from elsewhere."""
    await used.pilot.pause()
    await used.until(lambda: not used.app.log_view._planned and not used.attached._facts_planned)
    svg, before = "", None
    while svg != before:  # what is laid out anew is away for a moment
        before = svg
        await asyncio.sleep(0.05)
        await used.pilot.pause()
        svg = used.app.export_screenshot(title="pi", simplify=True)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()).strip() + "\n"


async def welcome(folder: Path) -> str:
    """The first thing that a person sees."""
    async with scene(folder, extension="def extension(pi):\n    pass\n", size=(100, 24)) as used:
        return await picture(used)


async def conversation(folder: Path) -> str:
    """Markdown, code, a table, and thoughts."""
    script = [{"thinking": "Look at the file first.\nThen at its tests.", "text": ANSWER}]
    async with scene(folder, script, size=(100, 44)) as used:
        await used.say("What is wrong with parse?")
        await used.pilot.press("ctrl+t")
        return await picture(used)


async def narrow(folder: Path) -> str:
    """Forty columns, ten rows."""
    async with scene(folder, [ANSWER], size=(40, 10)) as used:
        await used.say("What is wrong?")
        return await picture(used)


async def light(folder: Path) -> str:
    """The light theme."""
    async with scene(folder, [*TOOLS[:-1], {"thinking": "Done.", "text": ANSWER}], size=(100, 50)) as used:
        await used.say("Make it polite.")
        assert used.attached.runtime.session.ui.set_theme("light")["success"]
        return await picture(used)


async def tools_folded(folder: Path) -> str:
    """A row for each call, the diff and the head of what it answered."""
    async with scene(folder, TOOLS) as used:
        await used.say("Make it polite.")
        return await picture(used)


async def tools_unfolded(folder: Path) -> str:
    """All of what was given and answered."""
    async with scene(folder, TOOLS, size=(100, 50)) as used:
        await used.say("Make it polite.")
        await used.pilot.press("ctrl+o")
        return await picture(used)


async def chrome(folder: Path) -> str:
    """What an extension puts around the conversation."""
    async with scene(folder, extension=CHROME, size=(100, 28)) as used:
        return await picture(used)


async def errors(folder: Path) -> str:
    """What fails is named; the conversation goes on."""
    async with scene(folder, [{"error": "The key is not valid (401)."}], extension=BROKEN) as used:
        await used.say("Hello?")
        await used.say("/diagnostics")
        return await picture(used)


async def dialog(folder: Path, ask: Callable[[Any], Awaitable[Any]], *keys: str) -> str:
    """A question of an extension above a conversation."""
    async with scene(folder, ["Very well."], size=(100, 24)) as used:
        await used.say("Do it.")
        asked = asyncio.ensure_future(ask(used.attached.runtime.session.ui))
        await used.until(lambda: len(used.app.screen_stack) > 1)
        await used.pilot.pause()
        await used.pilot.press(*keys)
        for field in used.app.screen.query(Input):
            field.cursor_blink = False
        for area in used.app.screen.query(TextArea):
            area.cursor_blink = False
        taken = await picture(used)
        await used.pilot.press("escape")
        await asked
        return taken


async def select(folder: Path) -> str:
    """One of several."""
    return await dialog(folder, lambda ui: ui.select("Which branch?", ["main", "next", "a-fix"]), "down")


async def confirm(folder: Path) -> str:
    """Yes or no."""
    return await dialog(folder, lambda ui: ui.confirm("Delete the branch?", "It has 3 commits of its own."))


async def line(folder: Path) -> str:
    """A line of text."""
    return await dialog(folder, lambda ui: ui.input("Name of the branch?", "feature/…"), *"fix")


async def text(folder: Path) -> str:
    """Several lines."""
    return await dialog(folder, lambda ui: ui.editor("The message of the commit", "Greet politely\n\n- why"))


async def picker(folder: Path) -> str:
    """A long list, searched."""
    names = [f"{kind}-{number}" for kind in ("alpha", "beta", "gamma", "delta") for number in range(6)]
    return await dialog(folder, lambda ui: ui.select("Which model?", names), *"ta3")


SCENES: Final[Mapping[str, Scene]] = {
    "welcome": welcome,
    "conversation": conversation,
    "tools-folded": tools_folded,
    "tools-unfolded": tools_unfolded,
    "select": select,
    "confirm": confirm,
    "input": line,
    "editor": text,
    "picker": picker,
    "chrome": chrome,
    "errors": errors,
    "narrow": narrow,
    "light": light,
}
"""By the name of the picture."""
