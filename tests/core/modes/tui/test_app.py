"""The application with a session: what is typed is done, what is told is shown, and the end is orderly."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.screen import ModalScreen
from textual.widgets import Input

from pi_core.errors import AgentError
from pi_core.modes.tui.app import Opened, PiApp
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.slots import SlotArea
from pi_core.modes.tui.style.builtin import light
from tests.support.tui import tui

SLOW = {"text": "word " * 400, "pace_s": 30}


async def test_a_prompt_is_answered_and_its_tool_shown(tmp_path: Path) -> None:
    """From the editor through the tool to the answer."""
    async with tui(tmp_path) as used:
        await used.say("run: echo hello")
        assert [
            "  ▌ run: echo hello",
            "",
            "  ● bash $ echo hello",
            "    hello",
            "",
            "  bash answered:",
            "  hello",
        ] == (used.lines[-7:])


async def test_the_first_thing_says_who_is_here(tmp_path: Path) -> None:
    """The model, the folder, what was loaded, the keys."""
    async with tui(tmp_path, extension="def extension(pi): ...") as used:
        seen = "\n".join(used.lines)
        assert "π  pi 1.6" in seen
        assert "folder      ~/project" in seen
        assert "extensions  ours" in seen
        assert "escape stop" in seen


async def test_escape_stops_and_gives_back_what_waited(tmp_path: Path) -> None:
    """What was queued stands in the editor again, before what was written meanwhile."""
    async with tui(tmp_path, script=[SLOW]) as used:
        used.app.editor.put("begin")
        await used.pilot.press("enter")
        await used.until(lambda: used.app.working.going)
        used.app.editor.put("and then")
        await used.pilot.press("enter")
        await used.until(lambda: "↳ and then" in used.shown)
        used.app.editor.put("draft")
        await used.pilot.press("escape")
        await used.idle()
        assert "and then\n\ndraft" == used.app.editor.text
        assert "  ! Stopped." == used.lines[-1]
        assert "↳" not in used.shown


async def test_the_follow_up_key_sends_for_afterwards(tmp_path: Path) -> None:
    """It is answered when the run would end."""
    async with tui(tmp_path, script=[{"text": "one", "delay_s": 1.0}, "two"]) as used:
        used.app.editor.put("first")
        await used.pilot.press("enter")
        await used.until(lambda: used.app.editor.busy)
        used.app.editor.put("second")
        await used.pilot.press("alt+enter")
        await used.until(lambda: "  two" in used.lines)
        assert ["  ▌ first", "", "  one", "", "  ▌ second", "", "  two"] == used.lines[-7:]


async def test_a_shell_command_of_the_person_is_run(tmp_path: Path) -> None:
    """`!` tells the model of it, `!!` does not; the frame shows what is written."""
    async with tui(tmp_path) as used:
        await used.pilot.press("!")
        await used.pilot.pause()
        assert used.app.screen.query_one("#prompt-row").has_class("-shell")
        await used.say("!echo told")
        await used.until(lambda: "  ┃ told" in used.lines)
        await used.say("!!echo secret; exit 3")
        await used.until(lambda: "  ┃ exit 3 · not told to the model" in used.lines)
        told = [message.exclude_from_context for message in used.attached.runtime.session.messages]  # type: ignore[union-attr]
        assert [None, True] == told


async def test_a_command_of_the_program_comes_before_the_model(tmp_path: Path) -> None:
    """With what stands behind it; what it raises is said."""
    heard = []

    async def run(desk: Desk, args: str) -> None:
        heard.append(args)
        raise AgentError("It cannot be done.")

    async with tui(tmp_path) as used:
        used.app.commands.add(BuiltinCommand(name="try", run=run, description=""))
        await used.say("/try  one two ")
        assert (["one two"], "  ✕ It cannot be done.") == (heard, used.lines[-1])


async def test_keys_unfold_and_fold_everything(tmp_path: Path) -> None:
    """Tools by one, thoughts by the other."""
    script = [{"thinking": "deep in thought", "text": "so"}]
    async with tui(tmp_path, script=script) as used:
        await used.say("go")
        assert "  ▸ Thinking  deep in thought" in used.lines
        await used.pilot.press("ctrl+t")
        await used.pilot.pause()
        assert "  deep in thought" in used.lines
    async with tui(tmp_path) as used:
        await used.say("run: seq 40")
        folded = len(used.lines)
        await used.pilot.press("ctrl+o")
        await used.pilot.pause()
        assert folded - 1 + 34 == len(used.lines)  # the line that tells how much is hidden is gone


async def test_the_search_goes_from_place_to_place(tmp_path: Path) -> None:
    """Backwards from the end, with a count; escape gives the keys back to the editor."""
    async with tui(
        tmp_path, script=[f"answer {number} needle" for number in range(3)], size=(80, 16)
    ) as used:
        for number in range(3):
            await used.say(f"question {number}\n" + "line\n" * 8)
        await used.pilot.press("ctrl+f", *"needle")
        await used.pilot.pause()
        assert "1 of 3" in used.shown
        await used.pilot.press("enter", "enter")
        await used.pilot.pause(0.1)
        assert "3 of 3" in used.shown
        assert "answer 0 needle" in used.shown
        await used.pilot.press("escape", "x")
        assert ("x", True) == (used.app.editor.text, used.app.editor.has_focus)


async def test_a_line_says_that_there_is_more_below(tmp_path: Path) -> None:
    """While the end is out of sight."""
    async with tui(tmp_path, size=(80, 14)) as used:
        await used.say("run: seq 30")
        assert "more below" not in used.shown
        await used.pilot.press("pageup")
        await used.pilot.pause(0.1)
        assert "↓ more below · ctrl+end" in used.shown
        await used.pilot.press("ctrl+end")
        await used.until(lambda: "more below" not in used.shown)
        await used.pilot.press("pageup")
        await used.until(lambda: "more below" in used.shown)
        await used.say("who sends something wants to see what comes of it")
        assert "more below" not in used.shown


async def test_the_last_answer_is_copied_as_it_was_written(tmp_path: Path) -> None:
    """Markdown and all."""
    async with tui(tmp_path, script=["**bold** text"]) as used:
        await used.say("go")
        await used.pilot.press("ctrl+x")
        assert "**bold** text" == used.app.clipboard


async def test_what_is_selected_is_copied_before_anything_is_cleared(tmp_path: Path) -> None:
    """The key means the selection as long as there is one."""
    async with tui(tmp_path, script=["first line of it\nsecond line"]) as used:
        await used.say("go")
        await used.pilot.press("x")
        log = used.app.log_view
        row = next(number for number, line in enumerate(used.shown.split("\n")) if "first line" in line)
        await used.pilot.mouse_down(log, offset=(8, row))
        await used.pilot.hover(log, offset=(7, row + 1))
        await used.pilot.mouse_up(log, offset=(7, row + 1))
        await used.pilot.press("ctrl+c")
        assert ("line of it\nsecond", "x") == (used.app.clipboard, used.app.editor.text)
        await used.pilot.press("ctrl+c")
        assert "" == used.app.editor.text


async def test_clear_twice_and_exit_on_nothing_quit(tmp_path: Path) -> None:
    """A text is cleared, or loses a character, first."""
    async with tui(tmp_path) as used:
        await used.pilot.press("a", "ctrl+c")
        assert "" == used.app.editor.text
        await used.pilot.press("a", "b", "left", "ctrl+d")
        assert "a" == used.app.editor.text
        await used.pilot.press("backspace", "ctrl+d")
        assert used.app._exit
    async with tui(tmp_path) as used:
        await used.pilot.press("ctrl+c", "ctrl+c")
        assert used.app._exit


async def test_what_is_typed_after_a_clearing_key_stays(tmp_path: Path) -> None:
    """However fast."""
    async with tui(tmp_path) as used:
        for key, character in (("a", "a"), ("ctrl+c", "\x03"), ("b", "b"), ("ctrl+f", "\x06"), ("x", "x")):
            used.app.post_message(events.Key(key, character))
        await used.pilot.pause()
        assert "b" == used.app.editor.text
        assert "x" == used.app.screen.query_one(Input).value


class Question(ModalScreen[str]):
    """A dialog that somebody answers."""


async def test_a_dialog_is_waited_for_and_goes_with_who_waits(tmp_path: Path) -> None:
    """Its answer comes back; one that nobody waits for any more is taken away."""
    async with tui(tmp_path) as used:
        waiting = used.app.open_dialog(Question())
        answer = asyncio.ensure_future(waiting)
        await used.until(lambda: isinstance(used.app.screen, Question))
        used.app.screen.dismiss("yes")
        assert "yes" == await answer
        asked = used.app.open_dialog(Question())
        await used.until(lambda: isinstance(used.app.screen, Question))
        assert isinstance(asked, asyncio.Future)
        asked.cancel()
        await used.until(lambda: not isinstance(used.app.screen, Question))


async def test_keys_of_the_chat_are_not_those_of_a_dialog(tmp_path: Path) -> None:
    """While one is open nothing behind it moves."""
    async with tui(tmp_path) as used:
        used.app.open_dialog(Question())
        await used.pilot.press("ctrl+o", "ctrl+d")
        assert (False, False) == (used.app.look.tools_expanded, used.app._exit)


WIDGETS = """
from rich.text import Text
class Broken:
    def __rich_console__(self, console, options):
        raise OSError("out of paint")
        yield
def extension(pi):
    @pi.on("session_start")
    def begin(event, ctx):
        ctx.ui.set_widget("lines", ["one \\x1b[2J", "two"])
        ctx.ui.set_widget("below", Text("under"), placement="below")
        ctx.ui.set_widget("broken", Broken())
        ctx.ui.set_status("state", "ready")
        print("a stray print")
"""


async def test_what_extensions_show_has_its_places(tmp_path: Path) -> None:
    """Above and below the editor, in the footer; one that cannot be shown is named."""
    async with tui(tmp_path, extension=WIDGETS) as used:
        await used.until(lambda: "out of paint" in used.shown)
        seen = used.shown
        assert seen.index("one ␛[2J") < seen.index("›") < seen.index("under") < seen.index("ready")
        assert "broken cannot be shown: OSError: out of paint" in seen
        assert "a stray print" not in seen


async def test_a_reload_takes_them_away(tmp_path: Path) -> None:
    """Those that still want to be shown come back."""
    async with tui(tmp_path, extension=WIDGETS) as used:
        (tmp_path / "agent" / "extensions" / "ours.py").write_text("def extension(pi): ...", encoding="utf-8")
        await used.attached.runtime.reload()
        await used.pilot.pause()
        assert not any(area.display for area in used.app.query(SlotArea))
        assert "ready" not in used.shown


async def test_another_session_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """Its history is shown, and what is said goes there."""
    async with tui(tmp_path, script=["one", "two"]) as used:
        await used.say("first")
        first = used.attached.runtime.session.parts.store.session_file
        assert first is not None
        await used.attached.runtime.new_session()
        await used.pilot.pause()
        assert "  ▌ first" not in used.lines
        await used.attached.runtime.switch_session(first)
        await used.pilot.pause()
        assert ["  ▌ first", "", "  one"] == used.lines[-3:]
        await used.pilot.press("up")
        assert "first" == used.app.editor.text


async def test_other_colours_hold_at_once(tmp_path: Path) -> None:
    """For widgets and for the log."""
    async with tui(tmp_path) as used:
        await used.say("hello")
        used.app.use_palette(light())
        await used.pilot.pause(0.1)
        assert "#fbfaf7" in used.app.export_screenshot()
        assert "light" == used.app.theme


@pytest.mark.parametrize("size", [(40, 10), (300, 80), (12, 5)])
async def test_every_size_of_terminal_is_served(tmp_path: Path, size: tuple[int, int]) -> None:
    """The editor stays in sight."""
    async with tui(tmp_path, size=size) as used:
        await used.say("run: seq 5")
        assert "›" in used.shown
        await used.pilot.resize_terminal(80, 24)
        await used.pilot.pause()
        assert "›" in used.shown


async def test_what_keeps_it_from_opening_is_kept_for_the_command_line() -> None:
    """It ends, and says why when the terminal is free again."""

    async def opening(_: Desk) -> Opened:
        raise AgentError("There is no such model.")

    app = PiApp(opening)
    async with app.run_test() as pilot, asyncio.timeout(10):
        while not app._exit:
            await pilot.pause()
    assert isinstance(app.failure, AgentError)
    assert 1 == app.return_value
