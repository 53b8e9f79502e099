"""Keys: how they are compared, what is reserved, and that the later one wins."""

from __future__ import annotations

from typing import Any

import pytest

from pi_core.extensions.registry import Registry
from pi_core.extensions.shortcuts import RESERVED_KEYS, normalise_key
from tests.core.extensions.support import inline, load


async def registry(*keys: list[str]) -> Registry:
    def factory(own: list[str]) -> Any:
        def register(pi: Any) -> None:
            for key in own:
                pi.register_shortcut(key, lambda ctx: None)

        return register

    loaded = await load(*(inline(factory(own), number) for number, own in enumerate(keys, 1)))
    return Registry(loaded.extensions)


@pytest.mark.parametrize(
    ("spelled", "key"),
    [
        ("CTRL+Q", "ctrl+q"),
        ("shift+ctrl+p", "ctrl+shift+p"),
        (" Shift + Alt + Ctrl + x ", "ctrl+alt+shift+x"),
        ("escape", "escape"),
        ("+", "+"),
        ("ctrl++", "ctrl++"),
        ("shift+ctrl++", "ctrl+shift++"),
        ("super+k", "super+k"),
    ],
)
def test_keys_have_one_spelling(spelled: str, key: str) -> None:
    """K05, as designed: case and the order of modifiers do not matter."""
    assert key == normalise_key(spelled)


async def test_a_reserved_key_is_refused() -> None:
    """K01: a key of a reserved action is skipped, whatever its spelling, and named."""
    winners, conflicts = (await registry(["Ctrl+C", "ctrl+shift+p"])).shortcuts()
    assert {} == winners
    assert [("reserved", "Ctrl+C"), ("reserved", "ctrl+shift+p")] == [(c.kind, c.key) for c in conflicts]


async def test_another_built_in_key_is_taken_over() -> None:
    """K02: a key of an action that is not reserved goes to the extension, with a warning."""
    keymap = {**RESERVED_KEYS, "app.session.new": ["ctrl+n"]}
    winners, conflicts = (await registry(["ctrl+n"])).shortcuts(keymap)
    assert ["ctrl+n"] == list(winners)
    assert [("overrides-builtin", "app.session.new")] == [(c.kind, c.action) for c in conflicts]


async def test_the_later_extension_wins() -> None:
    """K03: the same key in another spelling goes to the later one, and both are named."""
    winners, conflicts = (await registry(["ctrl+q"], ["CTRL+Q"])).shortcuts()
    assert "<inline:2>" == winners["ctrl+q"].extension.path
    assert [("<inline:2>", "<inline:1>")] == [(c.extension.path, c.other and c.other.path) for c in conflicts]


@pytest.mark.parametrize("reserved_first", [True, False])
async def test_a_key_of_two_actions_is_reserved_if_one_is(reserved_first: bool) -> None:
    """K04: the order of the keymap does not matter."""
    pair = [("app.clear", ["f5"]), ("app.session.new", ["f5"])]
    keymap = dict(pair if reserved_first else pair[::-1])
    winners, conflicts = (await registry(["f5"])).shortcuts(keymap)
    assert ({}, ["reserved"]) == (winners, [conflict.kind for conflict in conflicts])


async def test_a_key_taken_from_a_reserved_action_is_free() -> None:
    """K06: reservation follows the keymap in effect, not the defaults."""
    keymap = {**RESERVED_KEYS, "app.clear": ["f5"], "tui.select.cancel": [], "tui.input.copy": []}
    winners, _ = (await registry(["ctrl+c", "f5"])).shortcuts(keymap)
    assert ["ctrl+c"] == list(winners)
