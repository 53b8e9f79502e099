"""How a host takes a session into its hands: who shows, who is asked, who is told of the end.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

from hookspecs.context import Mode, Replaced, WithSession
from hookspecs.ui import UI
from hookspecs.values import dataclass
from pi_core.extensions.headless import HeadlessUI
from pi_core.session.navigating import Navigated
from pi_pkg import Diagnostic


class CommandActions(Protocol):
    """What commands may do to the session as a whole, where the host can replace it."""

    async def new_session(
        self, *, setup: Callable[[Any], Any] | None = None, with_session: WithSession | None = None
    ) -> Replaced: ...

    async def fork(
        self,
        entry_id: str,
        *,
        position: Literal["before", "at"] = "before",
        with_session: WithSession | None = None,
    ) -> Replaced: ...

    async def switch_session(self, path: str, *, with_session: WithSession | None = None) -> Replaced: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The host's side of a bound session. What is None has a modest answer.

    `on_abort` takes the place of the session's own abort when an extension asks for one; `on_shutdown`
    is asked when an extension wants the program to end; `on_error` hears of every finding;
    `before_invalidate` takes what extensions show off the screen, at once, before they become stale;
    `on_navigated` hears that an extension moved in the tree, so that the conversation is shown anew.
    """

    mode: Mode = "print"
    ui: UI | None = None
    command_actions: CommandActions | None = None
    on_abort: Callable[[], None] | None = None
    on_shutdown: Callable[[], None] | None = None
    on_error: Callable[[Diagnostic], None] | None = None
    before_invalidate: Callable[[], None] | None = None
    on_navigated: Callable[[Navigated], None] | None = None

    @property
    def shown(self) -> UI:
        """The UI, or one that says no."""
        return self.ui if self.ui is not None else HeadlessUI(self.mode)
