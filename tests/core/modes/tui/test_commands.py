"""The program's own commands, typed and answered as a person would."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from textual.widgets import Input

from pi_core.modes.tui.commands import BuiltinCommand, Commands
from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from pi_core.modes.tui.dialogs.panel import PanelDialog
from pi_core.modes.tui.dialogs.questions import ConfirmDialog, InputDialog
from pi_core.modes.tui.dialogs.toggles import ToggleDialog
from tests.support.tui import Tui, tui

MODELS = {
    "providers": {
        "lab": {
            "baseUrl": "http://127.0.0.1:9/v1",
            "api": "openai-completions",
            "apiKey": "k",
            "models": [
                {"id": "small-one", "name": "Small"},
                {"id": "large-one", "name": "Large", "reasoning": True},
            ],
        }
    }
}


def with_models(folder: Path) -> None:
    """Two models of a provider of the person."""
    (folder / "agent").mkdir(exist_ok=True)
    (folder / "agent" / "models.json").write_text(json.dumps(MODELS), encoding="utf-8")


async def call(used: Tui, text: str) -> None:
    """Type a command and send it."""
    used.app.editor.put(text)
    await used.pilot.press("enter")
    await used.pilot.pause()


async def dialog(used: Tui, kind: type) -> None:
    """Wait until a dialog of a kind is on top, and filled."""
    await used.until(lambda: type(used.app.screen) is kind)
    await used.pilot.pause()


def last_line(used: Tui) -> str:
    """The last thing that was said."""
    return [line for line in used.lines if line.strip()][-1].strip()


async def test_a_model_is_chosen_by_a_few_letters(tmp_path: Path) -> None:
    """The list searches names; the choice is kept for the next time."""
    with_models(tmp_path)
    async with tui(tmp_path) as used:
        await call(used, "/model")
        await dialog(used, ChoiceDialog)
        await used.pilot.press(*"lrg", "enter")
        await used.until(lambda: used.attached.runtime.session.model.id == "large-one")
        assert "large-one" in (tmp_path / "agent" / "settings.toml").read_text(encoding="utf-8")


async def test_a_model_is_named_with_its_level(tmp_path: Path) -> None:
    """`/model name:level` asks nothing; a part of a name that is none opens the list with it."""
    with_models(tmp_path)
    async with tui(tmp_path) as used:
        await call(used, "/model lab/large-one:high")
        session = used.attached.runtime.session
        await used.until(lambda: session.thinking_level == "high")
        assert "large-one" == session.model.id
        await call(used, "/model smon")
        await dialog(used, ChoiceDialog)
        assert "smon" == used.app.screen.query_one(Input).value
        await used.pilot.press("enter")
        await used.until(lambda: session.model.id == "small-one")


async def test_keys_go_through_the_models_and_open_the_list(tmp_path: Path) -> None:
    """ctrl+p is the next one, shift+ctrl+p the one before, ctrl+l the list."""
    with_models(tmp_path)
    async with tui(tmp_path) as used:
        session = used.attached.runtime.session
        first = session.model.id
        await used.pilot.press("ctrl+p")
        await used.until(lambda: session.model.id != first)
        await used.pilot.press("ctrl+shift+p")
        await used.until(lambda: session.model.id == first)
        await used.pilot.press("ctrl+l")
        await dialog(used, ChoiceDialog)


async def test_a_thinking_level_is_chosen_or_named(tmp_path: Path) -> None:
    """One that the model has not is refused with those it has."""
    with_models(tmp_path)
    async with tui(tmp_path) as used:
        session = used.attached.runtime.session
        await call(used, "/model lab/large-one")
        await used.until(lambda: session.model.id == "large-one")
        await call(used, "/thinking low")
        assert "low" == session.thinking_level
        await call(used, "/thinking enormous")
        assert "has no level 'enormous'" in last_line(used)
        await call(used, "/thinking")
        await dialog(used, ChoiceDialog)
        await used.pilot.press("down", "enter")
        await used.until(lambda: session.thinking_level == "medium")


async def test_tools_are_switched_in_a_list_that_stays(tmp_path: Path) -> None:
    """The model is offered what is on."""
    async with tui(tmp_path) as used:
        toolset = used.attached.runtime.session.parts.toolset
        first = toolset.all()[0].name
        assert first in toolset.active_names
        await call(used, "/tools")
        await dialog(used, ToggleDialog)
        await used.pilot.press("enter")
        await used.until(lambda: first not in toolset.active_names)
        await used.pilot.press("enter")
        await used.until(lambda: first in toolset.active_names)
        await used.pilot.press("escape")
        await used.until(lambda: len(used.app.screen_stack) == 1)


async def test_the_session_tells_its_numbers_and_takes_a_name(tmp_path: Path) -> None:
    """The name stands in the footer, too."""
    async with tui(tmp_path, script=["hello"]) as used:
        await used.say("hi")
        await call(used, "/name a good name")
        assert "a good name" == used.attached.runtime.session.session_name
        await used.until(lambda: "a good name" in used.app.footer.facts.name)
        await call(used, "/session")
        text = "\n".join(used.lines)
        assert "1 from you, 1 answers" in text
        assert str(used.attached.runtime.session.parts.store.session_file)[-30:] in text.replace("\n", "")


async def test_a_conversation_is_exported(tmp_path: Path) -> None:
    """As a page, or as a copy of its lines."""
    async with tui(tmp_path, script=["hello there"]) as used:
        await used.say("hi")
        await call(used, "/export out.html")
        await call(used, "/export out.jsonl")
        assert "hello there" in (tmp_path / "project" / "out.html").read_text(encoding="utf-8")
        lines = (tmp_path / "project" / "out.jsonl").read_text(encoding="utf-8").splitlines()
        assert "session" == json.loads(lines[0])["type"]


async def test_settings_are_written_at_once(tmp_path: Path) -> None:
    """Enter goes to the next value."""
    async with tui(tmp_path) as used:
        await call(used, "/settings")
        await dialog(used, ToggleDialog)
        await used.pilot.press(*"compaction", "enter")
        await used.until(lambda: not used.attached.runtime.session.auto_compaction_enabled)
        assert "enabled = false" in (tmp_path / "agent" / "settings.toml").read_text(encoding="utf-8")
        assert "compaction.enabled = off" in used.shown


async def test_a_theme_is_chosen_and_kept(tmp_path: Path) -> None:
    """By its name, or from the list; a reload reads new ones."""
    async with tui(tmp_path) as used:
        await call(used, "/theme light")
        await used.until(lambda: used.app.look.palette.name == "light")
        assert 'theme = "light"' in (tmp_path / "agent" / "settings.toml").read_text(encoding="utf-8")
        await call(used, "/theme nosuch")
        assert "There is no theme 'nosuch'" in last_line(used)
        themes = tmp_path / "agent" / "themes"
        themes.mkdir()
        (themes / "mine.json").write_text(json.dumps({"name": "mine", "colors": {}}), encoding="utf-8")
        await call(used, "/reload")
        await used.until(lambda: "mine" in used.app.stage.wardrobe.names)
        assert "light" == used.app.look.palette.name


async def test_a_key_is_kept_and_forgotten_and_never_shown(tmp_path: Path) -> None:
    """It is asked for in a line that shows no letter."""
    async with tui(tmp_path) as used:
        await call(used, "/login anthropic")
        await dialog(used, InputDialog)
        await used.pilot.press(*"sk-123", "enter")
        auth = tmp_path / "agent" / "auth.json"
        await used.until(auth.exists)
        assert "sk-123" == json.loads(auth.read_text(encoding="utf-8"))["anthropic"]["key"]
        await used.until(lambda: "is stored" in "\n".join(used.lines))
        assert "sk-123" not in used.shown
        await call(used, "/logout anthropic")
        await used.until(lambda: "anthropic" not in auth.read_text(encoding="utf-8"))


OAUTH = """
from pi_core.api import OAuthHooks, ProviderConfig

async def login(callbacks):
    callbacks.on_auth("http://127.0.0.1/door", "Bring the code.")
    code = await callbacks.on_prompt("Code")
    where = await callbacks.on_select("Where", ["here", "there"])
    return {"access": code + where, "refresh": "r", "expires": 9999999999999}

def extension(pi):
    hooks = OAuthHooks(login=login, refresh=lambda given: given, name="Door")
    pi.register_provider("door", ProviderConfig(base_url="http://127.0.0.1:9", api="openai-completions",
        oauth=hooks, models=[{"id": "m", "name": "M"}]))
"""


async def test_a_provider_logs_a_person_in_with_dialogs(tmp_path: Path) -> None:
    """Address, question and choice, in the order of the provider."""
    with_models(tmp_path)
    async with tui(tmp_path, extension=OAUTH) as used:
        await call(used, "/login door")
        await dialog(used, InputDialog)
        await used.pilot.press(*"abc", "enter")
        await dialog(used, ChoiceDialog)
        await used.pilot.press("down", "enter")
        auth = tmp_path / "agent" / "auth.json"
        await used.until(auth.exists)
        assert "abcthere" == json.loads(auth.read_text(encoding="utf-8"))["door"]["access"]
        assert "http://127.0.0.1/door" in "\n".join(used.lines)


FAULTY = "def extension(pi):\n    raise RuntimeError('boom in the factory')\n"


async def test_findings_are_listed_and_told_in_full(tmp_path: Path) -> None:
    """Enter shows everything about one, enter again goes back to the list."""
    async with tui(tmp_path, extension=FAULTY) as used:
        await call(used, "/diagnostics")
        await dialog(used, ChoiceDialog)
        assert "boom in the factory" in used.shown
        await used.pilot.press("enter")
        await dialog(used, PanelDialog)
        assert "severity: error" in used.shown
        await used.pilot.press("enter")
        await dialog(used, ChoiceDialog)
        await used.pilot.press("escape")
        await used.until(lambda: len(used.app.screen_stack) == 1)


async def test_extensions_are_switched_off_and_gone(tmp_path: Path) -> None:
    """What `pi config` lists; leaving the list loads everything anew."""
    text = "def extension(pi):\n    pi.register_command('hello', lambda args, ctx: None)\n"
    async with tui(tmp_path, extension=text) as used:
        registry = used.attached.runtime.session.parts.runner.registry
        assert registry.find_command("hello")
        await call(used, "/extensions")
        await dialog(used, ToggleDialog)
        assert "ours" in used.shown
        await used.pilot.press("enter")
        await used.until(lambda: "○" in used.shown)
        await used.pilot.press("escape")
        runtime = used.attached.runtime
        await used.until(lambda: runtime.session.parts.runner.registry.find_command("hello") is None)
        await used.until(lambda: "Reloaded: 0 extensions" in "\n".join(used.lines))


async def test_a_project_is_trusted_and_loaded(tmp_path: Path) -> None:
    """The dialog shows what there is; yes to the reload brings it in."""
    extensions = tmp_path / "project" / ".pi" / "extensions"
    extensions.mkdir(parents=True)
    text = "def extension(pi):\n    pi.register_command('ours', lambda args, ctx: None)\n"
    (extensions / "local.py").write_text(text, encoding="utf-8")
    async with tui(tmp_path) as used:
        runtime = used.attached.runtime
        assert runtime.session.parts.runner.registry.find_command("ours") is None
        await call(used, "/trust")
        await dialog(used, ChoiceDialog)
        assert ".pi/extensions" in used.shown
        assert "Nobody decided about it." in used.shown
        await used.pilot.press("enter")
        await dialog(used, ConfirmDialog)
        await used.pilot.press("y")
        await used.until(lambda: runtime.session.parts.runner.registry.find_command("ours"))
        (extensions / "local.py").write_text(text + "# changed\n", encoding="utf-8")
        await call(used, "/trust")
        await dialog(used, ChoiceDialog)
        assert "It has changed since:" in used.shown


async def test_hotkeys_are_those_in_effect(tmp_path: Path) -> None:
    """The person's own, and the shortcuts of extensions."""
    (tmp_path / "agent").mkdir()
    keys = '"app.tools.expand" = "f2"\n'
    (tmp_path / "agent" / "keybindings.toml").write_text(keys, encoding="utf-8")
    text = "def extension(pi):\n    pi.register_shortcut('f7', lambda ctx: None, description='does it')\n"
    async with tui(tmp_path, extension=text, size=(120, 40)) as used:
        await call(used, "/hotkeys")
        await dialog(used, ChoiceDialog)
        assert "f7  does it (ours)" in used.shown
        await used.pilot.press(*"app.tools.expand")
        await used.until(lambda: "f2  all of what tools did" in used.shown)


async def test_a_misspelt_command_is_asked_about(tmp_path: Path) -> None:
    """It comes back with a proposal; sent again, it is a prompt. A path is one at once."""
    async with tui(tmp_path, script=["answer one", "answer two"]) as used:
        await used.say("/modle")
        assert "did you mean /model?" in last_line(used)
        assert "/modle" == used.app.editor.text
        await used.pilot.press("enter")
        await used.idle()
        assert "answer one" in "\n".join(used.lines)
        await used.say("/usr/bin is a folder")
        assert "answer two" in "\n".join(used.lines)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("/modle", "model"),
        ("/modle fast", "model"),
        ("/model", None),
        ("/usr/model", None),
        ("/xyz", None),
        ("model", None),
        ("/revew", "review"),
    ],
)
def test_what_is_like_a_command(text: str, near: str | None) -> None:
    """A word behind the slash that nobody has, and that is nearly one that somebody has."""
    commands = Commands()
    commands.add(BuiltinCommand(name="model", run=lambda desk, args: None, description=""))
    assert near == commands.near_miss(text, ["review"])


async def test_a_command_of_an_extension_with_a_taken_name_is_told(tmp_path: Path) -> None:
    """The program's own comes first."""
    text = "def extension(pi):\n    pi.register_command('model', lambda args, ctx: None)\n"
    async with tui(tmp_path, extension=text) as used:
        codes = [finding.code for finding in used.attached.runtime.session.diagnostics]
        assert "builtin-command-clash" in codes


async def test_quit_ends_it(tmp_path: Path) -> None:
    """In order."""
    async with tui(tmp_path) as used:
        await call(used, "/quit")
        await used.until(lambda: used.app.return_code == 0)


async def test_every_command_is_documented(tmp_path: Path) -> None:
    """The page names what can be typed, and nothing else."""
    page = Path("docs/terminal.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `/([a-z-]+)", page, re.MULTILINE)
    async with tui(tmp_path) as used:
        assert [command.name for command in used.app.commands.all()] == sorted(documented)
