"""What must not do any harm: hostile text, huge pastes, odd characters, poor terminals, broken extensions."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from pi_core.cli.interactive import NO_SCREEN
from pi_core.modes.tui import budget
from tests.core.modes.tui.hostile import EVIL, EXTENSION_TEXT, SCRIPT, SIGNS
from tests.support.agent_cli import AgentCli, agent_cli
from tests.support.pseudo_terminal import Terminal, on_terminal
from tests.support.tui import Tui, tui

ODD = (
    "日本語のテキスト、とても長い行です。" * 6
    + "\n\ne\u0301a\u0308 Z\u0336\u0335\u0334a\u0301\u0302\u0303\u0304\u0305\u0306lgo "
    + "👩‍👩‍👧‍👦 🇩🇪 ✈️\n\nשלום עולם مرحبا بالعالم\n\n```\n日本 = 'ﷺ'\n```\n"
)


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


def asked(terminal: Terminal) -> None:
    """Go through every dialog of the hostile extension."""
    terminal.type("/ask \r")
    for title, key in (
        ("Select", "\r"),
        ("Confirm", "y"),
        ("Input", "\r"),
        ("Editor", "\r"),
        ("overlaid", "\x03"),
    ):
        terminal.seen_from_here()
        terminal.until(title)
        terminal.type(key)
    terminal.until("all is asked")


CTRL_HOME, CTRL_END = "\x1b[1;5H", "\x1b[1;5F"


@pytest.mark.slow
def test_nothing_that_steers_reaches_the_terminal(pi: AgentCli) -> None:
    """Of all that models, tools, files and extensions say, in every byte that the program writes."""
    pi.user_extension(EXTENSION_TEXT)
    script = pi.write("script.json", json.dumps(SCRIPT))
    pi.write("file\x1b[99;7z\x1b]52;c;ZXZpbA==\x07name", "x")
    with on_terminal(pi, size=(120, 60), PI_SCRIPT=str(script), TERM="xterm-256color") as terminal:
        terminal.until("notified")
        terminal.type("hello" + "\r")
        terminal.until("code")
        terminal.type("go on\r")
        terminal.until("all of it is done")
        terminal.type("\x0f\x14" + CTRL_HOME)  # what scrolled away unseen is painted now
        terminal.until("OUTPUT")
        terminal.type(CTRL_END + "@fi")
        terminal.until("file")
        terminal.type("\x15/note \r")
        terminal.until("failed")
        terminal.seen_from_here()
        asked(terminal)
        terminal.type("\x03\x04")
        assert 0 == terminal.end()
    written = terminal.everything
    assert [] == [sign for sign in SIGNS if sign in written]
    for word in ("rich", "words", "component", "header", "status", "ruled", "OUTPUT", "EVIL"):
        assert word in written


@pytest.mark.slow
def test_a_paste_of_a_megabyte_leaves_the_editor_at_hand(pi: AgentCli) -> None:
    """It is one sign, and the next key is on the screen without any of the paste."""
    line = "a line of text that is pasted, 50 characters lon\n"
    with on_terminal(pi, TERM="xterm-256color") as terminal:
        terminal.until("Ask anything")
        text = "\x1b[200~" + line * (1_000_000 // len(line)) + "\x1b[201~"
        typing = threading.Thread(target=terminal.type, args=(text,))
        typing.start()
        terminal.until("[paste #1")
        typing.join()
        terminal.seen_from_here()
        terminal.type("Q")
        terminal.until("Q")
        assert "a line of text" not in terminal.everything


@pytest.mark.parametrize("size", [(40, 10), (100, 30), (300, 80)])
async def test_odd_characters_keep_to_their_cells(tmp_path: Path, size: tuple[int, int]) -> None:
    """Wide, combined and right-to-left ones: each row of the screen is exactly as wide as the screen."""
    async with tui(tmp_path, script=[ODD], size=size) as used:
        used.app.editor.put(ODD)
        await used.pilot.pause()
        assert {size[0]} == widths(used)
        await used.say(ODD)
        assert {size[0]} == widths(used)
        assert size[1] == len(used.shown.split("\n"))


def widths(used: Tui) -> set[int]:
    """How wide the rows of the screen are, in cells."""
    rows = used.app.screen._compositor.render_strips()
    return {cell_len("".join(segment.text for segment in row)) for row in rows}


@pytest.mark.parametrize("question", ["select", "confirm", "input", "editor", "custom"])
async def test_a_terminal_changes_its_size_while_a_dialog_is_open(tmp_path: Path, question: str) -> None:
    """The dialog stays whole at every size, and is answered."""
    async with tui(tmp_path) as used:
        ui: Any = used.attached.runtime.session.ui
        ways: dict[str, Callable[[], Any]] = {
            "select": lambda: ui.select("A title", [f"option {number}" for number in range(40)]),
            "confirm": lambda: ui.confirm("A title", "word " * 400),
            "input": lambda: ui.input("A title"),
            "editor": lambda: ui.editor("A title", "line\n" * 40),
            "custom": lambda: ui.custom(lambda *_: ["A title"] * 50, overlay=True),
        }
        answer = asyncio.ensure_future(ways[question]())
        await used.until(lambda: len(used.app.screen_stack) > 1)
        for size in ((40, 10), (300, 80), (20, 5), (100, 30)):
            await used.pilot.resize_terminal(*size)
            await used.pilot.pause()
            assert "A title" in used.shown
            assert {size[0]} == widths(used)
        await used.pilot.press("escape")
        await asyncio.wait_for(answer, 10)


def test_a_terminal_that_shows_no_screen_is_told_in_a_line(pi: AgentCli) -> None:
    """Nothing is drawn on it, and 2 is the code of wrong usage."""
    with on_terminal(pi, TERM="dumb") as terminal:
        assert 2 == terminal.end()
    assert f"pi: {NO_SCREEN}." == terminal.seen.strip()


def test_without_a_terminal_there_is_a_line(pi: AgentCli) -> None:
    """Nobody could type: it says what to write instead."""
    done = pi.run()
    assert (2, "") == (done.code, done.out)
    assert 1 == len(done.err.strip().splitlines())
    assert "pi -p" in done.err


RENDERERS = """
import time
from rich.text import Text

class Late:
    def __rich_console__(self, console, options):
        raise ValueError("too late")
        yield

class Endless:
    def __rich_console__(self, console, options):
        while True:
            yield Text("again")

class Component:
    def render(self, width):
        return [f"drawn in {width > 20}"]

def slow(*args):
    time.sleep(0.12)
    return Component()

HOW = {
    "raise": lambda *args: 1 / 0,
    "late": lambda *args: Late(),
    "endless": lambda *args: Endless(),
    "slow": slow,
    "huge": lambda *args: "x" * 30_000_000,
    "many": lambda *args: ["n"] * 1_000_000,
    "component": lambda *args: Component(),
}

def extension(pi):
    how = ["raise"]
    def render(*args):
        return HOW[how[0]](*args)
    pi.register_tool_renderer(lambda name, next: {"render_result": render, "render_call": render})
    pi.register_message_renderer("note", render)
    pi.register_entry_renderer("mark", render)

    @pi.command("show")
    async def show(args, ctx):
        how[0] = args.strip()
        pi.send_message({"customType": "note", "content": "the note itself", "display": True})
        pi.append_entry("mark", {"a": 1})
"""


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("raise", "division by zero"),
        ("late", "too late"),
        pytest.param("endless", "not done after 0.2 s", marks=pytest.mark.slow),
        pytest.param("slow", "3 times in a row", marks=pytest.mark.slow),
        pytest.param("huge", "", marks=pytest.mark.slow),
        ("many", ""),
    ],
)
async def test_a_renderer_that_fails_gives_way_to_the_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, told: str
) -> None:
    """At once or late, without end, slowly, or with too much: it is told once, and the rest goes on."""
    if how == "endless":
        monkeypatch.setattr(budget, "LONG_S", SHORT_S)
    if how == "slow":
        monkeypatch.setattr(budget, "SLOW_S", 0.1)
    async with tui(tmp_path, extension=RENDERERS) as used:
        await used.say(f"/show {how}")
        await used.say("run: echo still here")
        for _ in range(4 if told else 1):
            await used.pilot.press("ctrl+o")
            assert used.lines
        findings = messages(used)
        assert (1 <= len(findings) <= 4) if told else findings == []
        assert all(told in finding for finding in findings)
        if told:
            assert any("the note itself" in line for line in used.lines)
            assert any(line.strip() == "still here" for line in used.lines)
        assert len(used.lines) < 4000


def messages(used: Tui) -> list[str]:
    """What is told of renderers."""
    found = [finding.message for finding in used.attached.runtime.session.diagnostics]
    return [message for message in found if "the renderer of" in message.lower()]


async def test_a_renderer_may_answer_with_a_component(tmp_path: Path) -> None:
    """It is drawn in the width that there is."""
    async with tui(tmp_path, extension=RENDERERS) as used:
        await used.say("/show component")
        assert 2 == sum("drawn in True" in line for line in used.lines)


SHORT_S = 0.2
"""What has no end is given up so soon, so that nobody waits for it here."""


class Endless:
    """Something that rich would draw for ever."""

    def __rich_console__(self, *_: Any) -> Any:
        while True:
            yield "again"


@pytest.mark.slow
async def test_what_has_no_end_stands_in_no_slot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Widgets and components are named, huge texts cut, statuses to a line; typing goes on."""
    monkeypatch.setattr(budget, "LONG_S", SHORT_S)
    async with tui(tmp_path) as used:
        ui: Any = used.attached.runtime.session.ui
        ui.set_widget("endless", Endless())
        ui.set_widget("made", lambda tui, theme: Endless())
        ui.set_widget("huge", "x" * 30_000_000, placement="below")
        ui.set_status("huge", "x" * 30_000_000)
        ui.notify("x" * 30_000_000)
        await used.until(lambda: "the widget made cannot be shown" in used.shown)
        assert "endless cannot be shown: TooSlowError" in used.shown
        assert 2 == used.app.footer.size.height
        ui.set_widget("huge", None)
        await used.pilot.press("h", "i")
        assert "hi" == used.app.editor.text


async def test_a_theme_that_is_wrong_is_told_and_another_stands_in(tmp_path: Path) -> None:
    """Whatever stands in the file of one."""
    themes = tmp_path / "agent" / "themes"
    themes.mkdir(parents=True)
    (themes / "broken.json").write_text("{", encoding="utf-8")
    wild = {"name": "wild" + EVIL, "colors": {"accent": "#zzz", "text": [1], "error": "${" + EVIL}}
    (themes / "wild.json").write_text(json.dumps(wild), encoding="utf-8")
    (tmp_path / "agent" / "settings.toml").write_text('[ui]\ntheme = "broken"\n', encoding="utf-8")
    async with tui(tmp_path) as used:
        ui: Any = used.attached.runtime.session.ui
        told = "\n".join(finding.message for finding in used.attached.runtime.session.diagnostics)
        assert "broken" in told or "cannot be read" in told
        assert {"success": True} == ui.set_theme("wild" + EVIL)
        await used.say("run: echo still here")
        assert "still here" in used.shown
