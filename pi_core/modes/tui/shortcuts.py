"""The keys of extensions: which of them counts, judged by the keys in effect, and what it sets off.

Touches: whatever the handlers of shortcuts touch.
"""

from __future__ import annotations

import inspect

from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.extensions.runner import Runner
from pi_core.extensions.shortcuts import Shortcut
from pi_core.modes.tui.keys import Keys, textual_keys
from pi_pkg import Diagnostic


class ShortcutKeys:
    """The shortcuts of the extensions of the moment, by the names that keys have here."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._by_key: dict[str, Shortcut] = {}

    def read(self, runner: Runner) -> tuple[Diagnostic, ...]:
        """Those of other extensions, or by other keys. Returns the conflicts."""
        shortcuts, conflicts = runner.registry.shortcuts(self._keys.keymap())
        self._by_key = {name: found for key, found in shortcuts.items() for name in textual_keys([key])}
        return tuple(conflict.diagnostic() for conflict in conflicts)

    def find(self, key: str) -> Shortcut | None:
        """The shortcut of a key, by its name here."""
        return self._by_key.get(key)

    def all(self) -> list[Shortcut]:
        """Each once, by key."""
        found = {shortcut.key: shortcut for shortcut in self._by_key.values()}
        return [found[key] for key in sorted(found)]


async def run_shortcut(shortcut: Shortcut, runner: Runner) -> None:
    """Let the handler of a shortcut do its work. A failure is reported, and ends nothing."""
    try:
        answer = shortcut.definition.handler(runner.context())
        if inspect.isawaitable(answer):
            await answer
    except FAILURES as error:  # reported, whatever an extension raises
        pass_interrupt(error)
        where = f"shortcut:{shortcut.key}"
        runner.report(Failure(where, "shortcut", text_of_error(error), error=error))
