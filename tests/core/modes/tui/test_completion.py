"""Proposals while the person types, and the keys that belong to them."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, perf_counter

import pytest
from textual import events

from pi_core.modes.tui.completion.completing import Completing
from pi_core.modes.tui.completion.files import FileIndex, mention, path_score, walk_wide
from pi_core.modes.tui.completion.popup import Popup
from pi_core.modes.tui.completion.proposal import Proposal, Typing, accepted, proposals_of, typing_at
from pi_core.modes.tui.completion.sources import Sources, fitting_names
from pi_core.modes.tui.dialogs.choice import ChoiceDialog
from tests.support.tui import Tui, tui


@pytest.mark.parametrize(
    ("text", "typing"),
    [
        ("/", Typing("command", "", 1)),
        ("/mod", Typing("command", "mod", 1)),
        ("/skill:x", Typing("command", "skill:x", 1)),
        ("/model son", Typing("argument", "son", 7, "model")),
        ("/model ", Typing("argument", "", 7, "model")),
        ("@", Typing("file", "", 0)),
        ("see @src/ma", Typing("file", "src/ma", 4)),
        ("/review @src", Typing("file", "src", 8)),
        ('see @"my fi', Typing("file", "my fi", 4)),
        ("me@example", None),
        ("/usr/bin", None),
        ("word", None),
        ("", None),
        ("text /mod", None),
    ],
)
def test_what_is_being_typed(text: str, typing: Typing | None) -> None:
    """Names at the beginning, files behind an @ that begins a word."""
    assert typing == typing_at(text, len(text))


def test_a_proposal_takes_the_place_of_what_was_typed() -> None:
    """What stands behind the cursor stays."""
    assert ("see @main.py now", 12) == accepted("see @ma now", 7, Proposal("@main.py", 4))


@pytest.mark.parametrize(
    ("items", "values"),
    [
        (["a", "b"], ["a", "b"]),
        ([{"value": "a", "label": "A"}, {"label": "b"}], ["a", "b"]),
        ({"items": ["a"]}, ["a"]),
        ([1, None, {}, "a"], ["a"]),
        ("text", []),
        (None, []),
    ],
)
def test_what_extensions_propose_in_any_form(items: object, values: list[str]) -> None:
    """What is no proposal is passed over."""
    assert values == [proposal.value for proposal in proposals_of(items, 0)]


def test_names_that_begin_so_come_first() -> None:
    """Then those that have it inside; scattered letters count from three on."""
    names = ["resume", "export", "model", "remodel"]
    assert ["model", "remodel"] == fitting_names("mo", names)
    assert ["resume"] == fitting_names("rsm", names)
    assert ["re", "resume", "remodel"] == fitting_names("re", [*names, "re"])
    assert [] == fitting_names("rs", names)


def tree(folder: Path, *paths: str) -> Path:
    """A folder with these files."""
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x", encoding="utf-8")
    return folder


def test_files_are_found_without_what_is_ignored(tmp_path: Path) -> None:
    """The near ones first; hidden ones are files, too."""
    tree(tmp_path, "src/deep/main.py", "main.txt", "build/out.o", ".env", "node_modules/x/y.js")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")
    assert [".env", ".gitignore", "main.txt", "src/", "src/deep/", "src/deep/main.py"] == list(
        walk_wide(str(tmp_path))
    )


def found(index: FileIndex, sought: str, most: int) -> list[str]:
    """What a search comes to in the end."""
    search = index.search(sought)
    while not search.done:
        search.step(1.0)
    return search.best(most)


def test_the_last_part_of_a_path_counts_most(tmp_path: Path) -> None:
    """And near files before far ones; without letters the nearest."""
    index = FileIndex(tree(tmp_path, "main/other.py", "src/main.py", "a/b/c/main.py"))
    index.read()
    assert ["main/", "src/main.py", "a/b/c/main.py"] == found(index, "main", 3)
    assert ["a/", "main/"] == found(index, "", 2)
    assert path_score("xyz", "src/main.py") is None


def test_paths_with_blanks_are_quoted() -> None:
    """A folder may go on."""
    assert ["@a ", "@a/", '@"a b" '] == [mention(path) for path in ("a", "a/", "a b")]


def test_a_search_in_a_huge_tree_can_pause_and_be_narrowed(tmp_path: Path) -> None:
    """A step keeps to its time, nothing is missed in the end, and more letters look at what fitted."""
    index = FileIndex(tmp_path, [f"folder{n % 97}/part{n % 13}/file_{n}.py" for n in range(40_000)])
    search = index.search("file_39")
    began = perf_counter()
    search.step(0.005)
    assert perf_counter() - began < 0.2
    over = search.done
    assert not over
    while not search.done:
        search.step(1.0)
    narrowed = index.search("file_39999", search)
    narrowed.step(5.0)
    assert ["folder35/part11/file_39999.py"] == narrowed.best(3)
    assert len(narrowed.scored) < len(search.scored)


def popup(used: Tui) -> Popup:
    return used.app.screen.query_one(Popup)


def sources(used: Tui) -> Sources:
    """Where proposals come from in an application."""
    owners = [getattr(hear, "__self__", None) for hear in used.app.stage.signals.typed]
    (completing,) = [owner for owner in owners if isinstance(owner, Completing)]
    return completing._sources


async def test_a_command_is_proposed_and_taken(tmp_path: Path) -> None:
    """Tab takes it and goes on to its arguments; enter takes it and sends."""
    async with tui(tmp_path) as used:
        await used.pilot.press("/", "t", "h")
        assert ["/theme", "/thinking"] == sorted(item.shown for item in popup(used).proposals)
        assert "choose the colours" in used.shown
        await used.pilot.press("e", "tab")
        assert "/theme " == used.app.editor.text
        await used.pilot.press("l")
        assert ["light"] == [proposal.value for proposal in popup(used).proposals]
        await used.pilot.press("enter")
        assert "/theme light" == used.app.editor.text
        await used.pilot.press("enter")
        await used.until(lambda: used.app.look.palette.name == "light")


async def test_arrows_choose_and_escape_closes(tmp_path: Path) -> None:
    """Closed, the list stays away until something else is typed."""
    async with tui(tmp_path) as used:
        await used.pilot.press("/", "e")
        first = popup(used).marked.value
        await used.pilot.press("down")
        assert first != popup(used).marked.value
        await used.pilot.press("up")
        assert first == popup(used).marked.value
        await used.pilot.press("escape")
        assert not popup(used).is_open
        assert "/e" == used.app.editor.text
        await used.pilot.press("x")
        assert popup(used).is_open


async def test_files_are_proposed_behind_an_at(tmp_path: Path) -> None:
    """The tree is read aside; a file is followed by a blank, and enter does not send."""
    tree(tmp_path / "project", "src/main.py", "README.md")
    async with tui(tmp_path) as used:
        await used.pilot.press(*"see @mai")
        await used.until(lambda: popup(used).is_open)
        await used.pilot.press("enter")
        assert "see @src/main.py " == used.app.editor.text
        assert not popup(used).is_open


TEXT = """
async def later(prefix):
    return [{"value": "staging", "description": "the rehearsal"}, "production"]

def extension(pi):
    pi.register_command("deploy", lambda args, ctx: None, description="bring it out", complete=later)

    def more(before):
        def propose(text, cursor):
            if text.endswith("#"):
                return ["#42", "#43"]
            return before(text, cursor)
        return propose

    @pi.on("session_start")
    def start(event, ctx):
        ctx.ui.add_autocomplete_provider(more)
"""


async def test_extensions_complete_their_commands_and_anything(tmp_path: Path) -> None:
    """Arguments through `complete`, which may wait; the rest through a provider around ours."""
    async with tui(tmp_path, extension=TEXT) as used:
        await used.pilot.press(*"/dep")
        await used.until(lambda: "bring it out" in used.shown)
        await used.pilot.press("tab", "s", "t")
        await used.until(lambda: popup(used).is_open and popup(used).marked.value == "staging")
        await used.pilot.press("tab")
        assert "/deploy staging" == used.app.editor.text
        await used.pilot.press("ctrl+c", "#")
        await used.until(lambda: [item.value for item in popup(used).proposals] == ["#42", "#43"])
        await used.pilot.press("down", "tab")
        assert "#43" == used.app.editor.text


BROKEN = """
def extension(pi):
    @pi.on("session_start")
    def start(event, ctx):
        ctx.ui.add_autocomplete_provider(lambda before: lambda text, cursor: 1 / 0)
"""


async def test_a_provider_that_fails_is_told_and_ours_remain(tmp_path: Path) -> None:
    """Typing goes on."""
    async with tui(tmp_path, extension=BROKEN) as used:
        await used.pilot.press("/", "m", "o")
        await used.until(lambda: popup(used).is_open)
        assert "/model" == popup(used).marked.shown
        await used.until(lambda: "division by zero" in "\n".join(used.lines))


async def test_templates_and_skills_are_proposed(tmp_path: Path) -> None:
    """With what their arguments are."""
    prompts = tmp_path / "agent" / "prompts"
    skill = tmp_path / "agent" / "skills" / "cook"
    prompts.mkdir(parents=True)
    skill.mkdir(parents=True)
    text = "---\ndescription: look at it\nargument-hint: <file>\n---\nReview $1\n"
    (prompts / "review.md").write_text(text, encoding="utf-8")
    (skill / "SKILL.md").write_text("---\nname: cook\ndescription: to cook\n---\nHeat.\n", encoding="utf-8")
    async with tui(tmp_path) as used:
        await used.pilot.press(*"/rev")
        assert "/review  <file> · look at it" in used.shown
        await used.pilot.press("ctrl+c", *"/skill:")
        await used.until(lambda: "/skill:cook  to cook" in used.shown)


async def test_what_is_called_back_opens_no_list(tmp_path: Path) -> None:
    """Up goes through earlier prompts, not through proposals for them."""
    async with tui(tmp_path, script=["one", "two"]) as used:
        await used.say("@first")
        await used.say("second")
        await used.pilot.press("up", "up")
        assert "@first" == used.app.editor.text
        assert not popup(used).is_open


async def test_far_files_of_a_huge_tree_are_found_too(tmp_path: Path) -> None:
    """What a key does not wait for comes a moment later."""
    async with tui(tmp_path) as used:
        paths = [f"folder{number % 97}/file_{number}.py" for number in range(30_000)]
        index = FileIndex(tmp_path / "project", paths, read_at=monotonic())
        sources(used)._index = index
        await used.pilot.press(*"@29999")
        await used.until(lambda: popup(used).is_open and "file_29999.py" in popup(used).marked.value)


async def test_enter_is_never_faster_than_the_list(tmp_path: Path) -> None:
    """What was proposed for fewer letters is not what is taken."""
    async with tui(tmp_path) as used:
        await used.pilot.press("/")
        assert popup(used).is_open
        for key in "theme":
            used.app.editor.insert(key)  # the list hears of it later
        await used.app.on_event(events.Key("enter", None))
        await used.until(lambda: isinstance(used.app.screen, ChoiceDialog))
        assert "Theme" in used.shown
