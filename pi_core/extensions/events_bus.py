"""Messages between extensions, by channel: told in order, at once, and never to the harm of the sender.

Every listener belongs to an extension and goes with it. The coroutine of an
async listener runs in the background.

Pure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from hookspecs.values import dataclass
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.extensions.registrations import Extension
from pi_core.extensions.subscription import Subscription
from pi_core.extensions.validation import check_callable

Listener: TypeAlias = Callable[[Any], Any]
ReportListener: TypeAlias = Callable[[Extension | None, str, BaseException], None]
RunLater: TypeAlias = Callable[[Extension | None, str, Coroutine[Any, Any, Any]], object]


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    channel: str
    listener: Listener
    owner: Extension | None


class EventBus:
    """One bus for all extensions of a load, and for the host (owner None).

    `report` hears of a listener that failed, as event `events:<channel>`; `run_later` takes
    coroutines. Listeners of an extension that is not active yet are not told.
    """

    def __init__(self, report: ReportListener, run_later: RunLater) -> None:
        self._report = report
        self._run_later = run_later
        self._entries: list[_Entry] = []

    def emit(self, channel: str, data: Any = None) -> None:
        """Tell the listeners of a channel in order of registration; returns when all were called."""
        for entry in [entry for entry in self._entries if entry.channel == channel]:
            if entry.owner is not None and entry.owner.state != "active":
                continue
            try:
                answer = entry.listener(data)
            except FAILURES as error:  # one listener must not silence the others
                pass_interrupt(error)
                self._report(entry.owner, f"events:{channel}", error)
                continue
            if inspect.iscoroutine(answer):
                self._run_later(entry.owner, f"events:{channel}", answer)

    def on(self, channel: str, listener: Listener, owner: Extension | None = None) -> Subscription:
        """Listen to a channel until the subscription ends or the owner goes."""
        entry = _Entry(channel, listener, owner)
        self._entries.append(entry)
        return Subscription(lambda: self._remove(entry))

    def drop(self, owner: Extension) -> None:
        """Take off every listener of an extension."""
        self._entries = [entry for entry in self._entries if entry.owner is not owner]

    def drop_extensions(self) -> None:
        """Take off the listeners of all extensions; the host's stay."""
        self._entries = [entry for entry in self._entries if entry.owner is None]

    def _remove(self, entry: _Entry) -> None:
        self._entries = [other for other in self._entries if other is not entry]


class OwnedBus:
    """The bus as one extension sees it: guarded, and every listener its own."""

    __slots__ = ("_bus", "_check", "_owner")

    def __init__(self, bus: EventBus, owner: Extension, check: Callable[[], None]) -> None:
        self._bus = bus
        self._owner = owner
        self._check = check

    def emit(self, channel: str, data: Any = None) -> None:
        """Tell every listener of the channel. Raises the stale error once the extension is gone."""
        self._check()
        self._bus.emit(channel, data)

    def on(self, channel: str, listener: Listener) -> Subscription:
        """Listen until the subscription ends or the extension goes. Raises as `emit`."""
        self._check()
        check_callable(listener, f"a listener of {channel}", ("data",))
        return self._bus.on(channel, listener, self._owner)
