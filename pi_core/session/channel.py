"""Who listens to a session, and how a finding reaches them: written down first, then told.

Findings of the load stand as long as their generation; what goes wrong while the session lives is
added as it comes.

Touches: whatever the log touches.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.extensions.reports import diagnostic_of
from pi_core.session.event_stream import EventStream
from pi_core.session.events import DiagnosticFound, ExtensionError, SessionEvent
from pi_pkg import Diagnostic, Provenance

Listener: TypeAlias = Callable[[SessionEvent], None]

KEPT: Final = 1000
"""How many findings of a running session are kept; the oldest go first."""


class Channel:
    """The listeners of one session, in the order in which they came. They are called at once.

    `log` writes a finding down. `outer`, if a host sets it, hears everything after the listeners. A run
    waits for `pace`, if a host sets it, after each of its events: so a slow reader slows the run. A
    listener that fails changes nothing: `broken`, which is this channel's findings, hears of it once.
    """

    def __init__(self, log: Callable[[Diagnostic], None] | None = None) -> None:
        self.outer: Listener | None = None
        self.broken: Callable[[Failure, bool], None] = self.report_once
        self.pace: Callable[[], Awaitable[None]] | None = None
        self._log = log
        self._listeners: list[Listener] = []
        self._streams: list[EventStream] = []
        self._standing: dict[Diagnostic, None] = {}
        self._reported: dict[Diagnostic, None] = {}
        self._untold: list[Diagnostic] = []
        self._early: list[SessionEvent] | None = []
        """What was reported while the session was made, and nobody could listen yet."""

    @contextmanager
    def subscribe(self, listener: Listener) -> Iterator[None]:
        """Hear everything from now to the end of the block."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def listen(self, listener: Listener) -> None:
        """Hear everything from now on."""
        self._listeners.append(listener)

    def events(self) -> EventStream:
        """Everything from now on, to be iterated over; it ends when the channel is closed."""
        stream = EventStream(self._leave)
        self._streams.append(stream)
        return stream

    def _leave(self, stream: EventStream) -> None:
        if stream in self._streams:
            self._streams.remove(stream)

    def close(self) -> None:
        """Nothing follows: whoever iterates comes to the end."""
        for stream in self._streams:
            stream.end()
        self._streams.clear()

    def tell(self, event: SessionEvent) -> None:
        """Tell every listener."""
        for listener in tuple(self._listeners):
            if (error := _failure_of(listener, event)) is not None:
                text = f"a listener failed at {event.type}: {text_of_error(error)}"
                aloud = not isinstance(event, ExtensionError | DiagnosticFound)  # it would fail again
                self.broken(Failure("<runtime>", "subscribe", text, error=error), aloud)
        for stream in self._streams:
            stream.put(event)
        if self.outer is not None:
            self.outer(event)

    # findings

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the present load found, then what was reported since, oldest first; equal ones once."""
        return tuple(self._standing | self._reported)

    def stand(self, findings: Iterable[Diagnostic]) -> None:
        """These are the findings of the load in force; `announce` tells them."""
        self._standing = dict.fromkeys(findings)
        self._untold = list(self._standing)
        for finding in self._standing:
            self._write_down(finding)

    def announce(self) -> None:
        """Tell the findings of the load that nobody was told yet, then what was reported meanwhile."""
        untold, self._untold = self._untold, []
        early, self._early = self._early or [], None
        for finding in untold:
            self.tell(DiagnosticFound(diagnostic=finding))
        for event in early:
            self.tell(event)

    def report(
        self,
        finding: Failure | Diagnostic,
        described: Diagnostic | None = None,
        source_info: Provenance | None = None,
    ) -> None:
        """Keep and tell what went wrong just now. `described` is a failure as a finding, if known better.

        `source_info` is where the extension comes from that failed.
        """
        if isinstance(finding, Diagnostic):
            self._keep(finding)
            self._tell_in_time(DiagnosticFound(diagnostic=finding))
            return
        diagnostic = described or diagnostic_of(finding)
        self._keep(diagnostic)
        self._tell_in_time(
            ExtensionError(
                extension_path=finding.extension,
                event=finding.event,
                error=finding.message,
                diagnostic=diagnostic,
                source_info=source_info,
            )
        )

    def report_once(self, failure: Failure, aloud: bool) -> None:
        """Keep a failure unless it is known, and tell it if `aloud`."""
        finding = diagnostic_of(failure)
        if finding in self._reported:
            return
        if aloud:
            self.report(failure, finding)
        else:
            self._keep(finding)

    def _tell_in_time(self, event: SessionEvent) -> None:
        if self._early is None or self._listeners or self._streams or self.outer is not None:
            self.tell(event)
        else:
            self._early.append(event)

    def _keep(self, finding: Diagnostic) -> None:
        self._write_down(finding)
        self._reported[finding] = None
        if len(self._reported) > KEPT:
            del self._reported[next(iter(self._reported))]

    def _write_down(self, finding: Diagnostic) -> None:
        if self._log is not None:
            self._log(finding)


def _failure_of(listener: Listener, event: SessionEvent) -> Exception | None:
    """How a listener failed, if it did: who only listens has no part in the run."""
    try:
        listener(event)
    except Exception as error:  # noqa: BLE001 - as above
        return error
    return None
