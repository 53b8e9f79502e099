"""The keys of extensions, judged by the keys in effect; and the person's own editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pi_core.modes.tui.external_editor import NO_EDITOR, editor_of
from pi_core.process import run_on_terminal
from tests.core.modes.tui.test_commands import call
from tests.support.tui import Tui, tui

NOTES = """
def extension(pi):
    def note(word):
        async def handler(ctx):
            ctx.ui.notify(f"pressed {word} in {ctx.mode}")
        return handler
    for key in KEYS:
        pi.register_shortcut(key, note(key))
"""


def keys(*names: str) -> str:
    """An extension that says which of its keys was pressed."""
    return f"KEYS = {list(names)!r}\n{NOTES}"


def codes(used: Tui) -> list[str]:
    """What was found wrong with shortcuts."""
    found = used.attached.runtime.session.diagnostics
    return [finding.code for finding in found if finding.code.startswith("shortcut-")]


async def test_a_shortcut_runs(tmp_path: Path) -> None:
    """Whatever the order of its modifiers; case makes no difference."""
    async with tui(tmp_path, extension=keys("alt+ctrl+K", "f7")) as used:
        await used.pilot.press("f7")
        await used.until(lambda: "pressed f7 in tui" in "\n".join(used.lines))
        await used.pilot.press("alt+ctrl+k")
        await used.until(lambda: "pressed alt+ctrl+K" in "\n".join(used.lines))


async def test_reserved_keys_stay_and_others_may_be_taken(tmp_path: Path) -> None:
    """Both are told."""
    async with tui(tmp_path, extension=keys("ctrl+o", "ctrl+home")) as used:
        assert ["shortcut-reserved", "shortcut-overrides-builtin"] == codes(used)
        await used.pilot.press("ctrl+home")
        await used.until(lambda: "pressed ctrl+home" in "\n".join(used.lines))
        await used.pilot.press("ctrl+o")
        assert used.app.look.tools_expanded
        assert "pressed ctrl+o" not in "\n".join(used.lines)


async def test_the_keys_in_effect_decide(tmp_path: Path) -> None:
    """A reserved action that was given another key frees its old one, and keeps the new."""
    (tmp_path / "agent").mkdir()
    file = tmp_path / "agent" / "keybindings.toml"
    file.write_text('"app.tools.expand" = "f8"\n', encoding="utf-8")
    async with tui(tmp_path, extension=keys("ctrl+o", "f8")) as used:
        assert ["shortcut-reserved"] == codes(used)
        await used.pilot.press("ctrl+o")
        await used.until(lambda: "pressed ctrl+o" in "\n".join(used.lines))
        await used.pilot.press("f8")
        assert used.app.look.tools_expanded


async def test_keys_are_read_again_at_a_reload(tmp_path: Path) -> None:
    """The old key is an ordinary one afterwards; what is wrong in the file is told."""
    async with tui(tmp_path) as used:
        file = tmp_path / "agent" / "keybindings.toml"
        file.write_text('"app.thinking.toggle" = "f8"\n"app.nosuch" = "f9"\n', encoding="utf-8")
        await call(used, "/reload")
        await used.until(lambda: "'app.nosuch'" in "\n".join(used.lines))
        await used.pilot.press("ctrl+t")
        assert not used.app.look.thinking_shown
        await used.pilot.press("f8")
        assert used.app.look.thinking_shown


FAILING = """
def extension(pi):
    pi.register_shortcut("f7", lambda ctx: 1 / 0)
"""


async def test_a_shortcut_that_fails_is_told(tmp_path: Path) -> None:
    """At once or later makes no difference, and the next key is typed."""
    async with tui(tmp_path, extension=FAILING) as used:
        await used.pilot.press("f7")
        await used.until(lambda: "division by zero" in "\n".join(used.lines))
        await used.pilot.press("x")
        assert "x" == used.app.editor.text


async def test_in_dialogs_keys_are_theirs(tmp_path: Path) -> None:
    """No shortcut acts behind a question."""
    async with tui(tmp_path, extension=keys("f7")) as used:
        await call(used, "/hotkeys")
        await used.until(lambda: len(used.app.screen_stack) > 1)
        await used.pilot.press("f7", "escape")
        await used.pilot.pause()
        assert "pressed" not in "\n".join(used.lines)


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({}, []),
        ({"EDITOR": "vi"}, ["vi"]),
        ({"EDITOR": "vi", "VISUAL": "code --wait"}, ["code", "--wait"]),
        ({"VISUAL": " ", "EDITOR": '"my editor" -n'}, ["my editor", "-n"]),
    ],
)
def test_the_editor_is_named_by_the_environment(environ: dict[str, str], command: list[str]) -> None:
    """VISUAL before EDITOR, with arguments."""
    assert command == editor_of(environ)


async def test_without_an_editor_that_is_said(tmp_path: Path) -> None:
    """The text stays."""
    async with tui(tmp_path) as used:
        await used.pilot.press("x", "ctrl+g")
        await used.until(lambda: NO_EDITOR in "\n".join(used.lines))
        assert "x" == used.app.editor.text


def test_a_program_gets_the_terminal_or_says_why_not(tmp_path: Path) -> None:
    """It writes where it is told to, and its code comes back."""
    with (tmp_path / "out").open("w+", encoding="utf-8") as terminal:
        script = "import sys; print('hello'); sys.exit(3)"
        assert (3, "") == run_on_terminal([sys.executable, "-c", script], terminal)
        terminal.seek(0)
        assert "hello\n" == terminal.read()
    code, problem = run_on_terminal(["/no/such/program"], None)
    assert code == 1
    assert problem.startswith("/no/such/program: ")
