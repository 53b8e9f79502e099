"""Text that would steer a terminal, and an extension that puts it wherever it can.

Pure.
"""

from __future__ import annotations

import json
from typing import Final

EVIL: Final = "\x1b]52;c;ZXZpbA==\x07\x1b[99;7zEVIL\x9b6n\x08\r\x00\u202e\x1b[2J\x1bc"
"""Writes the clipboard, asks for answers, goes back, turns the direction, empties the screen."""
SIGNS: Final = ("\x1b]52", "\x1b[99", "\x9b", "\x08", "\x00", "\u202e", "\x1b[2J", "\x1bc", "\x1b]8;")
"""What of it must never be seen by a terminal; and no links."""
SCRIPT: Final = [
    {"thinking": "think" + EVIL, "text": f"# text{EVIL}\n\n```py\ncode{EVIL}\n```\n[l](http://x/{EVIL})\n"},
    {"tool": "bash", "arguments": {"command": "printf '\\033]52;c;ZXZpbA==\\007\\033[99;7zOUTPUT\\n'; ls"}},
    {"tool": "read", "arguments": {"path": "no" + EVIL}},
    {"tool": "na" + EVIL, "arguments": {"a" + EVIL: "b" + EVIL}},
    "all of it is done " + EVIL,
]
EXTENSION: Final = (
    f"EVIL = json.loads({json.dumps(json.dumps(EVIL))})"
    + """
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

LINK = Style(link="http://x/" + EVIL)

class Component:
    def render(self, width):
        return [EVIL, "component"]

class Rich:
    def __rich_console__(self, console, options):
        yield Segment(EVIL + "rich", LINK)
        yield Segment(EVIL, None, [(1,)])

class Words(Static):
    def render(self):
        return Text(EVIL + "words", LINK)

class Line(Widget):
    DEFAULT_CSS = "Line { height: 1; }"
    can_focus = True
    word = "ruled"
    def render_line(self, y):
        return Strip([Segment(EVIL + self.word, LINK), Segment(EVIL, None, [(1,)])])

class Overlaid(Line):
    word = "overlaid"

def extension(pi):
    @pi.on("session_start")
    def begin(event, ctx):
        ui = ctx.ui
        ui.set_status("s" + EVIL, "status" + EVIL)
        ui.set_widget("lines", ["lines" + EVIL])
        ui.set_widget("rich", Rich())
        ui.set_widget("words", lambda tui, theme: Words("x" + EVIL))
        ui.set_widget("component" + EVIL, lambda tui, theme: Component())
        ui.set_widget("line", lambda tui, theme: Line())
        ui.set_header(lambda tui, theme: "header" + EVIL)
        ui.set_title("title" + EVIL)
        ui.notify("notified" + EVIL)
        ui.set_working_message("at work" + EVIL)
        ui.set_hidden_thinking_label("hidden" + EVIL)

    @pi.command("ask", description="asks" + EVIL)
    async def ask(args, ctx):
        ui = ctx.ui
        await ui.select("Select" + EVIL, ["option" + EVIL, "b"])
        await ui.confirm("Confirm" + EVIL, "message" + EVIL)
        await ui.input("Input" + EVIL, "empty" + EVIL)
        await ui.editor("Editor" + EVIL, "prefill" + EVIL)
        await ui.custom(lambda tui, theme, keys, done: Overlaid(), overlay=True)
        ui.set_editor_text("put" + EVIL)
        ui.notify("all is asked")

    pi.register_message_renderer("note", lambda message, options, theme: Rich())

    @pi.command("note")
    async def note(args, ctx):
        pi.send_message({"customType": "note", "content": "x", "display": True})
        raise ValueError("failed" + EVIL)
"""
)
EXTENSION_TEXT: Final = "import json\n" + EXTENSION
