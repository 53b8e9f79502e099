"""Every action that a key can be given does something: cut, jump, paste, choose models to switch through."""

from __future__ import annotations

import base64
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from textual.app import App
from textual.dom import DOMNode

from hookspecs.messages import ImageContent, UserMessage
from pi_core.modes.tui.app import PiApp
from pi_core.modes.tui.clipboard import NO_TOOL, read_clipboard
from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from pi_core.modes.tui.editor.kill_ring import KillRing
from pi_core.modes.tui.editor.pasted import IMAGES, Pastes
from pi_core.modes.tui.editor.prompt_editor import PromptEditor
from pi_core.modes.tui.keybindings import _ELSEWHERE
from pi_core.modes.tui.keys import KeyAction, Where, actions
from pi_core.modes.tui.log.search_bar import SearchBar
from pi_core.modes.tui.pickers.models import ScopePicker
from pi_core.modes.tui.pickers.sessions import SessionPicker
from pi_core.modes.tui.pickers.tree import TreePicker
from pi_core.modes.tui.screen import ChatScreen
from tests.core.modes.tui.test_commands import call, dialog, with_models
from tests.support.tui import Tui, tui

READERS: Mapping[Where, tuple[type[DOMNode], ...]] = {
    "chat": (ChatScreen,),
    "editor": (PromptEditor,),
    "search": (SearchBar,),
    "list": (SessionPicker, TreePicker, ScopePicker),
    "sessions": (SessionPicker,),
    "tree": (TreePicker,),
    "models": (ScopePicker,),
}
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize("action", actions(), ids=lambda action: action.id)
def test_every_action_is_read_and_handled(action: KeyAction) -> None:
    """Whoever reads its key binds its id, and has the method that it calls."""
    name = action.run.partition("(")[0]
    for reader in READERS[action.where]:
        owner: type[App[int]] | type[DOMNode] = PiApp if name.startswith("app.") else reader
        assert callable(getattr(owner, f"action_{name.removeprefix('app.')}", None)), owner
        assert action.id in {getattr(binding, "id", None) for binding in reader.BINDINGS}, reader


def test_what_there_is_not_is_told() -> None:
    """No id is both an action and told to be none."""
    assert not set(_ELSEWHERE) & {action.id for action in actions()}


def test_plain_lists_have_the_ids_too() -> None:
    """So that a person's keys hold in every dialog."""
    ids = {
        getattr(binding, "id", None)
        for cls in ChoiceDialog.__mro__
        for binding in vars(cls).get("BINDINGS", ())
    }
    assert {"tui.select.up", "tui.select.down", "tui.select.confirm", "tui.select.cancel"} <= ids


# cutting


def test_cuts_in_a_row_are_one_piece() -> None:
    """On the side where they stood; any other key ends the row."""
    ring = KillRing()
    for text, backward in (("c", True), ("b", True), ("d", False)):
        ring.next_key()
        ring.cut(text, backward=backward)
    ring.next_key()
    ring.next_key()
    ring.cut("x", backward=False)
    ring.next_key()
    assert "x" == ring.yank()
    ring.next_key()
    assert "bcd" == ring.turn()
    ring.next_key()
    assert "x" == ring.turn()
    ring.next_key()
    ring.next_key()
    assert ring.turn() is None


async def pressed(used: Tui, *keys: str) -> str:
    """The text of the editor after some keys."""
    await used.pilot.press(*keys)
    await used.pilot.pause()
    return used.app.editor.text


async def test_words_are_cut_and_yanked(tmp_path: Path) -> None:
    """ctrl+w twice is one piece; alt+y right after ctrl+y brings the piece before."""
    async with tui(tmp_path) as used:
        used.app.editor.put("one two three")
        assert "one " == await pressed(used, "ctrl+w", "ctrl+w")
        assert "" == await pressed(used, "left", "ctrl+u", "ctrl+k")
        assert "one " == await pressed(used, "ctrl+y")
        assert "two three" == await pressed(used, "alt+y")
        assert "one " == await pressed(used, "alt+y")
        assert "one x" == await pressed(used, "x", "alt+y")


async def test_a_sign_is_cut_whole(tmp_path: Path) -> None:
    """And what is yanked is sent as it was pasted."""
    async with tui(tmp_path, script=["ok"]) as used:
        used.app.editor.paste_text("line\n" * 20)
        assert "" == await pressed(used, "ctrl+w")
        assert "[paste #1 +21 lines]" == await pressed(used, "ctrl+y")
        assert used.app.editor.whole_text == "line\n" * 20


async def test_jumping_to_a_letter(tmp_path: Path) -> None:
    """Forwards and backwards, across lines; escape calls it off, and a letter that is not there stays."""
    async with tui(tmp_path) as used:
        editor = used.app.editor
        editor.put("abc\nxbz")
        editor.move_cursor((0, 0))
        for keys, place in (
            (("ctrl+right_square_bracket", "b"), (0, 1)),
            (("ctrl+right_square_bracket", "b"), (1, 1)),
            (("alt+ctrl+right_square_bracket", "a"), (0, 0)),
            (("ctrl+right_square_bracket", "q"), (0, 0)),
            (("ctrl+right_square_bracket", "escape"), (0, 0)),
        ):
            assert "abc\nxbz" == await pressed(used, *keys)
            assert place == editor.cursor_location
        assert "babc\nxbz" == await pressed(used, "b")


async def test_the_editors_selection_is_copied(tmp_path: Path) -> None:
    """ctrl+c takes what the mouse selected there, and leaves the text as it is."""
    async with tui(tmp_path) as used:
        used.app.editor.put("one two")
        used.app.editor.select_all()
        assert "one two" == await pressed(used, "ctrl+c")
        assert "one two" == used.app.clipboard
        assert "" == await pressed(used, "ctrl+c")


async def test_one_notice_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the key is pressed in an empty editor, a while apart."""
    monkeypatch.setattr("pi_core.modes.tui.actions.TWICE_S", -1.0)
    async with tui(tmp_path) as used:
        await used.pilot.press("ctrl+c", "ctrl+c", "ctrl+c")
        await used.pilot.pause()
        assert 1 == sum("Once more to quit." in line for line in used.lines)


# pasting


def tool(folder: Path, name: str, body: str) -> dict[str, str]:
    """An environment in which one program is all there is."""
    place = folder / "bin"
    place.mkdir(exist_ok=True)
    file = place / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return {"PATH": str(place), "WAYLAND_DISPLAY": "w"}


async def test_an_image_is_pasted_and_sent(tmp_path: Path) -> None:
    """Its sign stands in the editor; the prompt has the image."""
    (tmp_path / "pixel.png").write_bytes(PIXEL)
    async with tui(tmp_path, script=["seen"]) as used:
        used.app.environ = tool(tmp_path, "wl-paste", f"exec /bin/cat '{tmp_path / 'pixel.png'}'")
        await used.pilot.press("ctrl+v")
        await used.until(lambda: used.app.editor.text == "[image #1]")
        await used.pilot.press(*" ?", "enter")
        await used.idle()
        said = next(m for m in used.attached.runtime.session.messages if isinstance(m, UserMessage))
        assert ["text", "image"] == [block.type for block in said.content if not isinstance(block, str)]


async def test_a_text_is_pasted(tmp_path: Path) -> None:
    """Where the clipboard has no image."""
    async with tui(tmp_path) as used:
        used.app.environ = tool(tmp_path, "wl-paste", '[ "$1" = --no-newline ] && echo hello')
        await used.pilot.press("ctrl+v")
        await used.until(lambda: used.app.editor.text == "hello\n")


async def test_no_tool_is_said_once_and_clearly(tmp_path: Path) -> None:
    """With what to install."""
    assert not (await read_clipboard({"PATH": str(tmp_path)})).found_tool
    async with tui(tmp_path) as used:
        used.app.environ = {"PATH": str(tmp_path)}
        await used.pilot.press("ctrl+v")
        await used.until(lambda: NO_TOOL.split(":")[0] in " ".join(used.lines))
        assert "" == used.app.editor.text


def test_the_last_images_are_kept() -> None:
    """For a prompt that comes back; a sign that stands twice means one."""
    pastes = Pastes()
    signs = [pastes.add_image(ImageContent(data=str(at), mime_type="image/png")) for at in range(IMAGES + 1)]
    pastes.clear()
    assert [] == pastes.images_in(signs[0])
    assert [str(IMAGES)] == [image.data for image in pastes.images_in(f"{signs[-1]} {signs[-1]}")]


# models to switch through


async def test_models_are_chosen_ordered_and_kept(tmp_path: Path) -> None:
    """ctrl+p goes through them in their order; what is kept stands in the settings."""
    with_models(tmp_path)
    async with tui(tmp_path) as used:
        models = used.attached.runtime.session.parts.models

        def scope() -> list[str]:
            return list(models.scope_patterns or ())

        await call(used, "/scoped-models")
        await dialog(used, ScopePicker)
        await used.pilot.press("ctrl+x")
        assert ["**"] == scope()
        await used.pilot.press("ctrl+p", "alt+down")
        assert ["lab/large-one", "lab/small-one"] == scope()
        await used.pilot.press("enter")
        await used.until(lambda: scope() == ["lab/large-one"])
        await used.pilot.press("ctrl+s", "ctrl+a", "escape")
        assert ["lab/large-one", "lab/small-one"] == scope()
        assert "lab/large-one" in (tmp_path / "agent" / "settings.toml").read_text(encoding="utf-8")
