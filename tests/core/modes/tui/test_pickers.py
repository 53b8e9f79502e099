"""Conversations in a list, and one of them as a tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookspecs.messages import AssistantMessage, TextContent, ToolResultMessage, UserMessage
from pi_core.history.sessions import create_session, memory_session, open_session
from pi_core.history.store import SessionStore
from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from pi_core.modes.tui.dialogs.questions import ConfirmDialog, InputDialog
from pi_core.modes.tui.pickers.ages import age
from pi_core.modes.tui.pickers.sessions import SessionPicker
from pi_core.modes.tui.pickers.tree import TreePicker
from pi_core.modes.tui.pickers.tree_rows import leaf_row, rows_of, words_of
from tests.core.modes.tui.test_commands import call, dialog
from tests.support.tui import Tui, tui


def said(text: str) -> UserMessage:
    return UserMessage(content=text)


def answered(text: str) -> AssistantMessage:
    return AssistantMessage(
        content=[TextContent(text=text)], provider="scripted", model="scripted", stop_reason="stop"
    )


def stored(folder: Path, *texts: str, name: str | None = None) -> Path:
    """A conversation of the project, in its file."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    place = folder / "agent" / "sessions" / f"--{str(project)[1:].replace('/', '-')}--"
    store = create_session(place, str(project))
    for number, text in enumerate(texts):
        store.append_message(said(text) if number % 2 == 0 else answered(text))
    if name is not None:
        store.append_session_info(name)
    assert store.session_file is not None
    return Path(store.session_file)


@pytest.mark.parametrize(
    ("shown", "seconds"),
    [
        ("now", -5),
        ("now", 59),
        ("1m", 60),
        ("59m", 3599),
        ("3h", 3 * 3600),
        ("6d", 6 * 86400),
        ("1w", 604800),
    ],
)
def test_an_age_is_short(shown: str, seconds: int) -> None:
    """In the largest unit that is full."""
    assert shown == age(0, seconds * 1000)


async def picker(used: Tui, *titles: str) -> None:
    """Open the list of conversations and wait until it has these."""
    await call(used, "/resume")
    await dialog(used, SessionPicker)
    await used.until(lambda: all(title in used.shown for title in titles))


async def test_a_conversation_is_found_by_what_was_said_in_it(tmp_path: Path) -> None:
    """And gone on with: its history is in the log."""
    stored(tmp_path, "about apples", "apples are red")
    stored(tmp_path, "about pears", "pears are green", name="fruit of autumn")
    async with tui(tmp_path) as used:
        await picker(used, "about apples", "fruit of autumn", "2 messages")
        await used.pilot.press(*"apples", "enter")
        await used.until(lambda: "apples are red" in "\n".join(used.lines))


async def test_a_conversation_is_deleted_after_a_question(tmp_path: Path) -> None:
    """No leaves it; the one that is open stays."""
    path = stored(tmp_path, "short lived", "indeed")
    async with tui(tmp_path) as used:
        await picker(used, "short lived")
        await used.pilot.press("ctrl+d")
        await dialog(used, ConfirmDialog)
        assert "short lived" in used.shown
        await used.pilot.press("n")
        await dialog(used, SessionPicker)
        assert path.exists()
        await used.pilot.press("ctrl+d")
        await dialog(used, ConfirmDialog)
        await used.pilot.press("y")
        await used.until(lambda: not path.exists())
        await used.until(lambda: "short lived" not in used.shown)


async def test_a_conversation_is_named_in_the_list(tmp_path: Path) -> None:
    """In its file; with ctrl+n only the named ones are there."""
    path = stored(tmp_path, "no name yet", "none")
    stored(tmp_path, "another one", "yes")
    async with tui(tmp_path) as used:
        await picker(used, "no name yet", "another one")
        await used.pilot.press(*"noname", "ctrl+r")
        await dialog(used, InputDialog)
        await used.pilot.press(*"mine", "enter")
        await used.until(lambda: open_session(path).session_name == "mine")
        await used.pilot.press(*["backspace"] * 6, "ctrl+n")
        await used.until(lambda: "another one" not in used.shown and "mine" in used.shown)


async def test_conversations_of_all_folders(tmp_path: Path) -> None:
    """Tab shows them, with their folders."""
    other = create_session(tmp_path / "agent" / "sessions" / "--elsewhere--", str(tmp_path))
    other.append_message(said("from elsewhere"))
    other.append_message(answered("ok"))
    stored(tmp_path, "from here", "ok")
    async with tui(tmp_path, size=(140, 30)) as used:
        await picker(used, "from here")
        assert "from elsewhere" not in used.shown
        await used.pilot.press("tab")
        await used.until(lambda: "from elsewhere" in used.shown)
        assert str(tmp_path)[:20] in used.shown


async def test_a_fork_brings_a_prompt_into_the_editor(tmp_path: Path) -> None:
    """The copy ends before it; the conversation before it is untouched."""
    async with tui(tmp_path, script=["answer one", "answer two"]) as used:
        await used.say("first prompt")
        await used.say("second prompt")
        before = used.attached.runtime.session.parts.store.session_file
        await call(used, "/fork")
        await dialog(used, ChoiceDialog)
        await used.pilot.press("enter")
        await used.until(lambda: used.app.editor.text == "second prompt")
        text = "\n".join(used.lines)
        assert "answer one" in text
        assert "answer two" not in text
        assert before != used.attached.runtime.session.parts.store.session_file


async def test_a_clone_and_a_new_conversation(tmp_path: Path) -> None:
    """The copy has everything, the new one nothing."""
    async with tui(tmp_path, script=["answer one"]) as used:
        await used.say("first prompt")
        before = used.attached.runtime.session
        await call(used, "/clone")
        await used.until(lambda: used.attached.runtime.session is not before)
        assert "answer one" in "\n".join(used.lines)
        await call(used, "/new")
        await used.until(lambda: "answer one" not in "\n".join(used.lines))


def forked() -> tuple[SessionStore, dict[str, str]]:
    """you a → pi b → (you c → pi d | you e → tool → pi f), and the leaf is f."""
    store = memory_session("/tmp")
    ids = {"a": store.append_message(said("a"))}
    ids["b"] = store.append_message(answered("b"))
    ids["c"] = store.append_message(said("c"))
    ids["d"] = store.append_message(answered("d"))
    store.branch(ids["b"])
    ids["m"] = store.append_model_change("lab", "m")
    ids["e"] = store.append_message(said("e"))
    ids["t"] = store.append_message(
        ToolResultMessage(tool_call_id="1", tool_name="read", content=[TextContent(text="t")])
    )
    ids["f"] = store.append_message(answered("f"))
    return store, ids


def shown_rows(store: SessionStore, **how: object) -> list[str]:
    """Rows as depth, a mark where a branch begins, and text."""
    active = [entry.id for entry in store.get_branch()]
    rows = rows_of(store.get_tree(), active, **how)  # type: ignore[arg-type]  # a shorthand of this file
    return [f"{row.depth}{'>' if row.begins else ''}{words_of(row.entry)[1]}" for row in rows]


def test_a_tree_goes_to_the_right_only_where_it_forks() -> None:
    """The branch that goes on comes first."""
    store, ids = forked()
    assert ["0a", "0b", "1>e", "1t", "1f", "1>c", "1d"] == shown_rows(store)
    assert ["0a", "0b", "1>e", "1f", "1>c", "1d"] == shown_rows(store, only="no-tools")
    assert ["0a", "1>e", "1>c"] == shown_rows(store, only="user")
    assert ["0a", "0b", "1>lab/m", "1e", "1t", "1f", "1>c", "1d"] == shown_rows(store, only="all")
    store.append_label(ids["d"], "here")
    assert ["0d"] == shown_rows(store, only="labeled")


def test_what_is_folded_is_left_out() -> None:
    """And the leaf is the last that is shown of its branch."""
    store, ids = forked()
    assert ["0a", "0b"] == shown_rows(store, folded=[ids["b"]])
    active = [entry.id for entry in store.get_branch()]
    assert 4 == leaf_row(rows_of(store.get_tree(), active))
    assert 1 == leaf_row(rows_of(store.get_tree(), active, folded=[ids["b"]]))


def test_a_long_conversation_is_a_flat_list() -> None:
    """However deep the tree is."""
    store = memory_session("/tmp")
    for number in range(3000):
        store.append_message(said(str(number)))
    rows = rows_of(store.get_tree(), ())
    assert (3000, {0}) == (len(rows), {row.depth for row in rows})


async def test_one_goes_to_another_branch_of_the_tree(tmp_path: Path) -> None:
    """A prompt is said anew: its text comes into the editor, and the log ends before it."""
    async with tui(tmp_path, script=["answer one", "answer two"]) as used:
        await used.say("first prompt")
        await used.say("second prompt")
        await call(used, "/tree")
        await dialog(used, TreePicker)
        assert "← you are here" in used.shown
        await used.pilot.press("up", "enter")
        await dialog(used, ChoiceDialog)
        assert "No summary" in used.shown
        await used.pilot.press("enter")
        await used.until(lambda: used.app.editor.text == "second prompt")
        assert "answer two" not in "\n".join(used.lines)


async def test_leaving_a_branch_writes_a_summary_if_asked(tmp_path: Path) -> None:
    """With the person's words about it."""
    async with tui(tmp_path, script=["answer one", "answer two", "the summary of it"]) as used:
        await used.say("first prompt")
        await used.say("second prompt")
        await call(used, "/tree")
        await dialog(used, TreePicker)
        await used.pilot.press(*"firstprompt")
        await used.pilot.press("enter")
        await dialog(used, ChoiceDialog)
        await used.pilot.press("down", "down", "enter")
        await dialog(used, InputDialog)
        await used.pilot.press(*"short", "enter")
        await used.until(lambda: "summary of a branch" in "\n".join(used.lines))


async def test_the_tree_takes_labels_and_filters(tmp_path: Path) -> None:
    """shift+l labels; ctrl+l shows what is labelled, ctrl+a everything; ctrl+left folds."""
    async with tui(tmp_path, script=["answer one"]) as used:
        await used.say("first prompt")
        await call(used, "/tree")
        await dialog(used, TreePicker)
        await used.pilot.press("up", "L")
        await dialog(used, InputDialog)
        await used.pilot.press(*"mark", "enter")
        await dialog(used, TreePicker)
        await used.until(lambda: "[mark] you: first prompt" in used.shown)
        await used.pilot.press("ctrl+l")
        await used.until(lambda: "Tree · labelled" in used.shown)
        await used.pilot.press("ctrl+d", "ctrl+left")
        await used.until(lambda: "+1 folded" in used.shown)
        await used.pilot.press("ctrl+right")
        await used.until(lambda: "folded" not in used.shown.replace("ctrl+←→ fold", ""))
