"""Who listens to a session, and how a failure reaches them.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from pi_core.dispatch.plan import Failure
from pi_core.extensions.reports import diagnostic_of
from pi_core.session.events import ExtensionError, SessionEvent
from pi_pkg import Diagnostic

Listener: TypeAlias = Callable[[SessionEvent], None]


class Channel:
    """The listeners of one session, in the order in which they came. They are called at once."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self.diagnostics: list[Diagnostic] = []

    @contextmanager
    def subscribe(self, listener: Listener) -> Iterator[None]:
        """Hear everything from now to the end of the block."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def tell(self, event: SessionEvent) -> None:
        """Tell every listener."""
        for listener in tuple(self._listeners):
            listener(event)

    def report(self, finding: Failure | Diagnostic) -> None:
        """Keep a failure of an extension among the diagnostics, and tell it as an event."""
        diagnostic = diagnostic_of(finding) if isinstance(finding, Failure) else finding
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)
        if isinstance(finding, Failure):
            event = ExtensionError(
                extension_path=finding.extension,
                event=finding.event,
                error=finding.message,
                detail=diagnostic.detail,
            )
        else:
            event = ExtensionError(
                extension_path=finding.path or "<runtime>",
                event=finding.stage,
                error=finding.message,
                detail=finding.detail,
            )
        self.tell(event)
