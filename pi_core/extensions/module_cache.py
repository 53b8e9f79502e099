"""Modules that outlive one load: a new session in the same folder runs the factories on them as they are.

They hold for one working folder and one generation. `clear` ends a generation at once;
`next_generation` prepares the following one while this one still works, as a reload needs it.

Touches: sys.modules.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

from pi_core.extensions.modules import Imported, belonging, drop, forget_listings
from pi_pkg import Diagnostic


class ModuleCache:
    """Keeps the modules of loads by key. Loads of another folder, or after `clear`, read files again."""

    def __init__(self) -> None:
        self.generation = 0
        """Grows whenever what was kept counts no more; a load under way then keeps nothing."""
        self.need_restart: tuple[str, ...] = ()
        """Compiled modules that the loads of this generation share with the one before. Sorted."""
        self._cwd: str | None = None
        self._kept: dict[object, Imported] = {}
        self._late: list[Imported] = []
        self._aside: dict[str, ModuleType] = {}
        self._kept_aside: dict[object, Imported] = {}

    def enter(self, cwd: str) -> int:
        """Begin a load in a folder, dropping modules of another; returns the generation to `keep` with."""
        if self._cwd is not None and self._cwd != cwd:
            self.clear()
        self._cwd = cwd
        return self.generation

    def find(self, key: object) -> Imported | None:
        """The module kept under a key."""
        return self._kept.get(key)

    def keep(self, key: object, imported: Imported, generation: int) -> None:
        """Keep the module of a load that went well; one of an older generation only until the next end."""
        if generation == self.generation:
            self._kept[key] = imported
        else:
            self._late.append(imported)

    def clear(self) -> tuple[str, ...]:
        """Drop every module; returns the names of compiled ones, which need a restart. Sorted."""
        self.generation += 1
        compiled = drop(*self._kept.values(), *self._late)
        self._kept, self._late = {}, []
        self._aside, self._kept_aside = {}, {}
        return compiled

    def next_generation(self) -> ModuleCache:
        """A cache whose loads read every file again, while the modules of this one go on working.

        Modules under import names of their own leave `sys.modules`, where a name stands only once.
        Afterwards comes either `clear`, or `clear` of the new one and `restore` of this one.
        """
        late = {f"late {number}": item for number, item in enumerate(self._late)}
        named = {key: item for key, item in (self._kept | late).items() if not item.private}
        names, compiled = belonging(named.values())
        self._aside |= {name: sys.modules.pop(name) for name in names}
        self._kept_aside |= named
        self._kept = {key: item for key, item in self._kept.items() if item.private}
        self._late = [item for item in self._late if item.private]
        self.generation += 1
        forget_listings()
        following = ModuleCache()
        following._cwd = self._cwd
        following.need_restart = compiled
        return following

    def restore(self) -> None:
        """Bring back what `next_generation` took away; the next generation is not to be."""
        self._kept |= self._kept_aside
        aside = self._aside
        self._aside, self._kept_aside = {}, {}
        for name, module in aside.items():
            sys.modules[name] = module
            parent, _, own = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], own, module)


def restart_needed(names: Sequence[str]) -> Diagnostic | None:
    """The finding about compiled modules that a reload cannot read again; None if there are none."""
    if not names:
        return None
    return Diagnostic(
        "info",
        "restart-needed",
        "reload",
        f"Compiled modules stay as they were first loaded: {', '.join(names)}.",
        hint="Restart pi if they changed.",
    )
