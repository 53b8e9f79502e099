"""What a person is asked before there is a session, and right after there is one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import patch

from pi_core.cli.interactive import _Start
from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from pi_core.modes.tui.dialogs.questions import ConfirmDialog
from pi_core.modes.tui.mode import complete_app
from pi_core.modes.tui.pickers.sessions import SessionPicker
from pi_core.modes.tui.starting import is_repaired_by_sync
from pi_pkg import Diagnostic, Locations, TrustStore
from tests.core.modes.tui.test_commands import dialog
from tests.core.modes.tui.test_pickers import stored
from tests.support.tui import Tui

LOCAL = "def extension(pi):\n    pi.register_command('ours', lambda args, ctx: None)\n"


@asynccontextmanager
async def started(folder: Path, *words: str) -> AsyncIterator[Tui]:
    """The program as the command line starts it, with folders of its own."""
    project, agent = folder / "project", folder / "agent"
    project.mkdir(exist_ok=True)
    agent.mkdir(exist_ok=True)
    locations = Locations(agent, project, folder)
    start = _Start(words, locations, {})
    app = complete_app(start.open, locations, {}, start.theme)
    # Here the process goes on, and what is loaded may be garbage later.
    with patch("pi_core.modes.tui.mode.keep_what_is_loaded"):
        async with app.run_test(size=(100, 40)) as pilot:
            yield Tui(app, pilot)
    await start.stack.aclose()


def with_extension(folder: Path, text: str = LOCAL) -> Path:
    """A project that brings an extension."""
    file = folder / "project" / ".pi" / "extensions" / "local.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


async def bound(used: Tui) -> None:
    """Wait until the session is there."""
    await used.until(lambda: used.app.attached is not None and used.app.attached.is_bound)
    await used.pilot.pause()


def has_ours(used: Tui) -> bool:
    """Whether the project's extension is loaded."""
    return used.attached.runtime.session.parts.runner.registry.find_command("ours") is not None


async def test_an_unknown_project_is_asked_about_before_it_loads(tmp_path: Path) -> None:
    """Its content first: yes loads it, and it is not asked again."""
    with_extension(tmp_path)
    async with started(tmp_path) as used:
        await dialog(used, ChoiceDialog)
        assert "Do you trust this project?" in used.shown
        assert ".pi/extensions" in used.shown
        await used.pilot.press("enter")
        await bound(used)
        assert has_ours(used)
    (decision,) = TrustStore(tmp_path / "agent" / "trust.toml").read().values()
    assert (True, "prompt") == (decision.trusted, decision.how)
    assert decision.digest
    async with started(tmp_path) as used:
        await bound(used)
        assert has_ours(used)


async def test_what_changed_is_shown_and_asked_about_again(tmp_path: Path) -> None:
    """Leaving the question leaves the project out, for this run."""
    file = with_extension(tmp_path)
    async with started(tmp_path) as used:
        await dialog(used, ChoiceDialog)
        await used.pilot.press("enter")
        await bound(used)
    file.write_text(LOCAL + "# changed\n", encoding="utf-8")
    async with started(tmp_path) as used:
        await dialog(used, ChoiceDialog)
        assert "This project has changed" in used.shown
        assert "local.py" in used.shown.partition("Changed since")[2]
        await used.pilot.press("escape")
        await bound(used)
        assert not has_ours(used)
        await used.attached.runtime.reload()  # the answer holds for the run
        assert not has_ours(used)


async def test_a_voting_extension_may_ask_the_person(tmp_path: Path) -> None:
    """There is a UI at this start, and what the extension says decides."""
    with_extension(tmp_path)
    extensions = tmp_path / "agent" / "extensions"
    extensions.mkdir(parents=True)
    text = """
def extension(pi):
    @pi.on("project_trust")
    async def vote(event, ctx):
        assert ctx.has_ui
        return {"trusted": "yes" if await ctx.ui.confirm("Mine?", event.cwd) else "no"}
"""
    (extensions / "voter.py").write_text(text, encoding="utf-8")
    async with started(tmp_path) as used:
        await dialog(used, ConfirmDialog)
        assert "Mine?" in used.shown
        await used.pilot.press("y")
        await bound(used)
        assert has_ours(used)


async def test_resume_shows_the_list_first(tmp_path: Path) -> None:
    """The chosen conversation is there; leaving the list leaves the program."""
    stored(tmp_path, "about apples", "apples are red")
    async with started(tmp_path, "--resume") as used:
        await dialog(used, SessionPicker)
        await used.until(lambda: "about apples" in used.shown)
        await used.pilot.press("enter")
        await bound(used)
        assert "apples are red" in "\n".join(used.lines)
    async with started(tmp_path, "--resume") as used:
        await dialog(used, SessionPicker)
        await used.pilot.press("escape")
        await used.until(lambda: used.app.failure is not None)


async def test_resume_looks_where_the_settings_keep_conversations(tmp_path: Path) -> None:
    """One folder for all projects: those of this one are shown."""
    path = stored(tmp_path, "about plums", "plums are blue")
    (tmp_path / "kept").mkdir()
    path.rename(tmp_path / "kept" / path.name)
    settings = f'session-dir = "{tmp_path / "kept"}"\n'
    (tmp_path / "agent" / "settings.toml").write_text(settings, encoding="utf-8")
    async with started(tmp_path, "--resume") as used:
        await dialog(used, SessionPicker)
        await used.until(lambda: "about plums" in used.shown)


async def test_a_conversation_of_another_folder_is_copied_if_the_person_likes(tmp_path: Path) -> None:
    """It is asked for by its id."""
    from pi_core.history.sessions import create_session
    from tests.core.modes.tui.test_pickers import answered, said

    store = create_session(tmp_path / "agent" / "sessions" / "--other--", str(tmp_path))
    store.append_message(said("elsewhere"))
    store.append_message(answered("indeed"))
    async with started(tmp_path, "--session", store.session_id) as used:
        await dialog(used, ConfirmDialog)
        await used.pilot.press("y")
        await bound(used)
        session = used.attached.runtime.session
        assert str(tmp_path / "project") == session.parts.store.cwd
        assert "indeed" in "\n".join(used.lines)


async def test_the_theme_of_a_run(tmp_path: Path) -> None:
    """It is used and not kept; one that there is not is told."""
    async with started(tmp_path, "--use-theme", "light") as used:
        await bound(used)
        assert "light" == used.app.look.palette.name
    assert not (tmp_path / "agent" / "settings.toml").exists()
    async with started(tmp_path, "--use-theme", "nosuch") as used:
        await bound(used)
        await used.until(lambda: "There is no theme 'nosuch'" in "\n".join(used.lines))


async def test_what_is_missing_is_installed_if_the_person_says_so(tmp_path: Path) -> None:
    """No leaves it as it is, and everything else starts."""
    (tmp_path / "agent").mkdir()
    settings = tmp_path / "agent" / "settings.toml"
    settings.write_text('packages = ["git:file:///nowhere/at/all"]\n', encoding="utf-8")
    async with started(tmp_path) as used:
        await dialog(used, ConfirmDialog)
        assert "Install what is missing?" in used.shown
        await used.pilot.press("y")
        await used.until(lambda: "Reloaded" in "\n".join(used.lines))
        assert "✕" in "\n".join(used.lines)
    async with started(tmp_path) as used:
        await dialog(used, ConfirmDialog)
        await used.pilot.press("n")
        await used.until(lambda: len(used.app.screen_stack) == 1)
        assert "Installing" not in "\n".join(used.lines)


def test_findings_that_an_installation_repairs() -> None:
    """Their advice says so."""
    finding = Diagnostic("warning", "package-missing", "install", "x", hint="Install it: pi sync")
    assert is_repaired_by_sync(finding)
    assert not is_repaired_by_sync(Diagnostic("warning", "package-missing", "install", "x"))
