"""Keys that a person gives by the name of an action, and conflicts as they are told."""

from __future__ import annotations

from typing import Any

import pytest

from pi_core.extensions.clashes import ClashRules, read_rules
from pi_core.extensions.loader import LoadRequest
from pi_core.extensions.registry import Registry
from pi_core.extensions.shortcuts import RESERVED_KEYS, context_of
from pi_pkg import Provenance
from tests.core.extensions.support import load

KEYMAP = {**RESERVED_KEYS, "app.message.dequeue": ["alt+up"], "app.session.rename": ["ctrl+r"]}


def package(name: str, **shortcuts: str) -> LoadRequest:
    """An extension of the package `pypi:NAME` with shortcuts: action id → key, `_` for none."""

    def factory(pi: Any) -> None:
        for action, key in shortcuts.items():
            pi.register_shortcut(
                key, lambda ctx: None, action_id=action.rstrip("_").replace("_", "-") or None
            )

    path = f"/site/{name}.py"
    return LoadRequest(
        path=path, provenance=Provenance(path, f"pypi:{name}", "user", "package"), factory=factory
    )


async def registry(*requests: LoadRequest, keys: Any = None, **clashes: Any) -> Registry:
    rules, findings = read_rules(clashes, keys)
    assert () == findings
    loaded = await load(*requests, rules=rules)
    assert () == loaded.errors
    return Registry(loaded.extensions)


async def working(
    *requests: LoadRequest, keys: Any = None, **clashes: Any
) -> tuple[dict[str, str], list[str]]:
    """Key → the package that has it, and the kinds of conflict."""
    winners, conflicts = (await registry(*requests, keys=keys, **clashes)).shortcuts(KEYMAP)
    owners = {key: shortcut.extension.owners()[0] for key, shortcut in winners.items()}
    return owners, [conflict.kind for conflict in conflicts]


TWO = (package("pkg-a", toggle_plan="shift+down"), package("pkg-b", show_tasks="shift+down"))


async def test_without_rules_the_later_one_wins() -> None:
    """One finding names both, and how to choose."""
    assert ({"shift+down": "pkg-b"}, ["overrides-extension"]) == await working(*TWO)
    (told,) = (await registry(*TWO)).findings(keymap=KEYMAP)
    assert ("warning", "shortcut-overrides-extension") == (told.severity, told.code)
    assert '"pkg-a/toggle-plan" = "…"' in (told.hint or "")


async def test_a_key_is_given_by_the_name_of_the_action() -> None:
    """NAME 100: both work, and there is nothing to tell any more."""
    keys = {"pkg-a/toggle-plan": "Alt+Ctrl+P"}
    assert ({"ctrl+alt+p": "pkg-a", "shift+down": "pkg-b"}, []) == await working(*TWO, keys=keys)


@pytest.mark.parametrize("name", ["pkg-a/ctrl+q", "pkg-a/CTRL+Q", "pypi:pkg-a/ctrl+q"])
async def test_a_shortcut_without_a_name_is_called_by_its_key(name: str) -> None:
    """As the author wrote it, or normalised."""
    owners, _ = await working(package("pkg-a", _="CTRL+Q"), keys={name: "f2"})
    assert {"f2": "pkg-a"} == owners


@pytest.mark.parametrize(("keys", "found"), [(["f2", "F3"], ["f2", "f3"]), ([], []), ("", [])])
async def test_an_action_may_have_several_keys_or_none(keys: Any, found: list[str]) -> None:
    """An empty value unbinds it."""
    owners, conflicts = await working(TWO[0], keys={"pkg-a/toggle-plan": keys})
    assert (found, []) == (list(owners), conflicts)


async def test_a_given_key_beats_a_wished_one() -> None:
    """Whatever the order; the one that loses is told."""
    keys = {"pkg-a/toggle-plan": "f2"}
    requests = (TWO[0], package("pkg-b", other="f2"))
    for order in (requests, requests[::-1]):
        assert ({"f2": "pkg-a"}, ["overrides-extension"]) == await working(*order, keys=keys)


async def test_a_given_key_may_be_a_built_in_one() -> None:
    """The person knows; but a reserved key stays reserved."""
    assert ({"alt+up": "pkg-a"}, []) == await working(TWO[0], keys={"pkg-a/toggle-plan": "alt+up"})
    assert ({}, ["reserved"]) == await working(TWO[0], keys={"pkg-a/toggle-plan": "ctrl+c"})


async def test_a_preferred_owner_has_the_key() -> None:
    """`prefer` works for keys too, in any spelling, also for the host."""
    prefer = {"shortcut:SHIFT+down": "pkg-a"}
    assert ({"shift+down": "pkg-a"}, []) == await working(*TWO, prefer=prefer)
    assert ({}, []) == await working(package("pkg-a", x="alt+up"), prefer={"shortcut:alt+up": "pi"})


async def test_a_shortcut_can_be_switched_off_and_moved_as_a_registration() -> None:
    """By its key, as tools by their name."""
    assert ({"shift+down": "pkg-b"}, []) == await working(*TWO, hide=["pkg-a/shortcut:shift+down"])
    alias = {"pkg-a/shortcut:shift+down": "f9"}
    assert ({"f9": "pkg-a", "shift+down": "pkg-b"}, []) == await working(*TWO, alias=alias)


async def test_built_in_actions_can_be_given_other_keys() -> None:
    """NAME 101, K06: conflicts are judged by the keys in effect."""
    mine = package("pkg-a", x="ctrl+x", y="f7")
    assert ({"f7": "pkg-a"}, ["reserved"]) == await working(mine)
    owners, conflicts = await working(mine, keys={"app.message.copy": "f7"})
    assert ({"ctrl+x": "pkg-a"}, ["reserved"]) == (owners, conflicts)


def test_the_keymap_in_effect() -> None:
    """Rules replace the keys of an action; the others keep theirs."""
    rules = ClashRules(keys={"app.exit": ("f10",), "pkg-a/x": ("f1",)})
    assert {"app.exit": ("f10",), "app.clear": ["ctrl+c"]} == rules.keymap(
        {"app.exit": ["ctrl+d"], "app.clear": ["ctrl+c"]}
    )


async def test_keys_of_other_screens_are_free() -> None:
    """A key of a list or a picker does not meet a shortcut, which works in the prompt."""
    assert ({"ctrl+r": "pkg-a"}, []) == await working(package("pkg-a", x="ctrl+r"))
    assert ({"alt+up": "pkg-a"}, ["overrides-builtin"]) == await working(package("pkg-a", x="alt+up"))


@pytest.mark.parametrize(
    ("action", "context"),
    [
        ("app.session.rename", "sessions"),
        ("app.session.new", "prompt"),
        ("app.models.save", "models"),
        ("app.model.select", "prompt"),
        ("app.tree.filter.all", "tree"),
        ("tui.select.up", "list"),
        ("tui.editor.undo", "prompt"),
        ("tui.altScreen.searchNext", "search"),
        ("tui.altScreen.pageUp", "prompt"),
    ],
)
def test_every_action_is_read_somewhere(action: str, context: str) -> None:
    """The start of its id says where."""
    assert context == context_of(action)


@pytest.mark.parametrize(
    ("key", "code", "sentence"),
    [
        ("ctrl+c", "shortcut-reserved", "The shortcut ctrl+c of /site/pkg-a.py is left out"),
        ("alt+up", "shortcut-overrides-builtin", "from the built-in action app.message.dequeue"),
    ],
)
async def test_a_conflict_is_a_finding(key: str, code: str, sentence: str) -> None:
    """K01, K02: with the path, the key, the action, and how to choose another key."""
    (told,) = (await registry(package("pkg-a", go=key))).findings(keymap=KEYMAP)
    assert ("warning", code, "/site/pkg-a.py") == (told.severity, told.code, told.path)
    assert sentence in told.message
    assert '"pkg-a/go" = "…"' in (told.hint or "")
