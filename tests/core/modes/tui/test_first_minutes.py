"""Somebody who has no model yet, and somebody whose conversation could not be followed by another."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_core.modes.tui.conversation import ENDED
from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from pi_core.modes.tui.dialogs.questions import InputDialog
from pi_core.modes.tui.dialogs.toggles import ToggleDialog
from tests.core.modes.tui.test_commands import call, dialog
from tests.support.tui import Tui, tui

ONLY_LOGIN = """
from pi_core.api import OAuthHooks, ProviderConfig

async def login(callbacks):
    code = await callbacks.on_prompt("The code?", "six signs")
    return {"access": code, "refresh": "r", "expires": 4102444800000}

def extension(pi):
    hooks = OAuthHooks(login=login, refresh=lambda given: given, name="Door")
    pi.register_provider("door", ProviderConfig(base_url="http://127.0.0.1:9", api="openai-completions",
        oauth=hooks, models=[{"id": "oak", "name": "Oak"}, {"id": "elm", "name": "Elm"}]))
"""


def model_of(used: Tui) -> str:
    """The model of the moment."""
    return used.attached.runtime.session.model.id


async def test_a_provider_with_a_login_alone(tmp_path: Path) -> None:
    """It opens and says what to do; a prompt is refused kindly; the login lets a model answer at once."""
    async with tui(tmp_path, extension=ONLY_LOGIN) as used:
        shown = "\n".join(used.lines)
        assert "No model can answer yet" in shown
        assert "/login" in shown
        await used.say("hello")
        assert "model door/oak: there is no key for door. /login" in "\n".join(used.lines)
        await call(used, "/login")
        await dialog(used, ChoiceDialog)
        await used.pilot.press(*"door", "enter")
        await dialog(used, InputDialog)
        await used.pilot.press("4", "2", "enter")
        await used.until(lambda: "Oak (door) answers from now on" in "\n".join(used.lines))
        assert "oak" == model_of(used)
        await call(used, "/model elm")
        await used.until(lambda: model_of(used) == "elm")


async def test_a_default_model_that_lost_its_key(tmp_path: Path) -> None:
    """It opens with the wanted model, which answers when the key is back."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "settings.toml").write_text(
        '[model]\ndefault-provider = "door"\ndefault-model = "elm"\n', encoding="utf-8"
    )
    async with tui(tmp_path, extension=ONLY_LOGIN) as used:
        assert "No model can answer yet: there is no key for door." in " ".join(used.lines)
        assert "elm" == model_of(used)


async def test_a_key_nowhere(tmp_path: Path) -> None:
    """The scripted model shows what there is; the first key that is given is used at once."""
    async with tui(tmp_path) as used:
        assert "Give pi a key: /login" in " ".join(line.strip() for line in used.lines)
        await call(used, "/login anthropic")
        await dialog(used, InputDialog)
        await used.pilot.press(*"sk-1", "enter")
        await used.until(lambda: "answers from now on; /model chooses another." in " ".join(used.lines))
        session = used.attached.runtime.session
        assert ("anthropic", "medium") == (session.model.provider, session.thinking_level)


async def test_a_key_more_changes_nothing(tmp_path: Path) -> None:
    """Who has a model keeps it."""
    async with tui(tmp_path, script=["hi"]) as used:
        await call(used, "/login anthropic")
        await dialog(used, InputDialog)
        await used.pilot.press(*"sk-1", "enter")
        await used.until(lambda: "/model chooses one of its models." in " ".join(used.lines))
        assert "scripted" == used.attached.runtime.session.model.provider


async def test_a_conversation_that_nothing_could_follow(tmp_path: Path) -> None:
    """/new fails for a broken file; it is said what to do, prompts say so too, and /new works once mended."""
    (tmp_path / "project" / ".pi").mkdir(parents=True)
    (tmp_path / "project" / ".pi" / "settings.toml").write_text("extensions = []\n", encoding="utf-8")
    async with tui(tmp_path, script=["hi", "there"]) as used:
        trust = tmp_path / "agent" / "trust.toml"
        trust.write_text("= broken", encoding="utf-8")
        await call(used, "/new")
        await used.until(lambda: ENDED in " ".join(line.strip() for line in used.lines))
        await used.say("hello?")
        said = " ".join(line.strip() for line in used.lines)
        assert 2 == said.count(ENDED)
        trust.unlink()
        await call(used, "/new")
        await used.until(lambda: not used.attached.runtime.session.is_disposed)
        await used.say("hello")
        assert "hi" in [line.strip() for line in used.lines]


async def test_help_lists_what_can_be_typed(tmp_path: Path) -> None:
    """Those of extensions, too; what is chosen comes into the editor."""
    ours = "def extension(pi):\n    pi.command('dance', description='a step')(lambda args, ctx: None)\n"
    async with tui(tmp_path, extension=ours) as used:
        await call(used, "/help")
        await dialog(used, ChoiceDialog)
        await used.pilot.press(*"dance", "enter")
        await used.until(lambda: used.app.editor.text == "/dance ")


@pytest.mark.parametrize("size", [(40, 10), (60, 14), (100, 20)], ids=str)
async def test_a_list_fits_a_small_terminal(tmp_path: Path, size: tuple[int, int]) -> None:
    """A row keeps to its line, and the keys stand under the list."""
    async with tui(tmp_path, size=size) as used:
        await call(used, "/settings")
        await dialog(used, ToggleDialog)
        await used.until(lambda: "↑↓ choose" in used.shown)
        lines = used.shown.splitlines()
        keys = next(at for at, line in enumerate(lines) if "↑↓ choose" in line)
        rows = [line for line in lines[:keys] if " = " in line]
        assert len(rows) >= 2
        assert "ui.theme = dark" in rows[0]
        assert "compaction.enabled = on" in rows[1]
        assert "╰" in lines[keys + 1]


async def test_a_compaction_that_cannot_be_is_told_once(tmp_path: Path) -> None:
    """By the line about the conversation, and by no other."""
    async with tui(tmp_path, script=["hi"]) as used:
        await used.say("hello")
        await call(used, "/compact")
        await used.until(lambda: "Nothing to compact" in " ".join(used.lines))
        await used.idle()
        assert 1 == sum("Nothing to compact" in line for line in used.lines)


async def test_a_provider_says_what_it_has(tmp_path: Path) -> None:
    """In words, whether nothing, a stored key, or a variable."""
    async with tui(tmp_path, script=["hi"]) as used:
        await call(used, "/login anthropic")
        await dialog(used, InputDialog)
        await used.pilot.press(*"sk-1", "enter")
        await used.until(lambda: "is stored." in " ".join(used.lines))
        await call(used, "/login")
        await dialog(used, ChoiceDialog)
        await used.until(lambda: "Anthropic · key · key stored" in used.shown)
        assert "OpenAI · key · no key yet" in used.shown
