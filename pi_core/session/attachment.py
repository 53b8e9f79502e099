"""The session in the hands of its host: bound, begun, and handed from one generation to the next.

Touches: whatever extensions touch when they are told that a session begins.
"""

from __future__ import annotations

from collections.abc import Callable

from hookspecs.events.resources import ResourcesDiscover
from hookspecs.events.session import SessionStart, StartReason
from hookspecs.ui import UI
from pi_core.dispatch.outcomes import CollectedResources
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.session.binding import Binding
from pi_core.session.channel import Listener
from pi_core.session.events import DiagnosticFound, ExtensionError, SessionEvent
from pi_core.session.generation import Generation, SessionParts
from pi_pkg import Diagnostic


class Attachment:
    """One session's side of its host. Implements `Life` for reloads.

    `refresh` brings the next request up to date. `binding` and `ui` are modest until `bind`.
    """

    def __init__(self, parts: SessionParts, refresh: Callable[[], None]) -> None:
        self._parts = parts
        self._refresh = refresh
        self.binding = Binding()
        self.ui: UI = self.binding.shown
        self.is_bound = False
        self._listen()

    async def bind(self, binding: Binding, reason: StartReason, previous_session_file: str | None) -> None:
        """Take the host's side, tell what the load found, and begin."""
        self.binding, self.ui = binding, binding.shown
        self.is_bound = True
        channel = self._parts.channel
        if binding.on_error is not None:
            channel.listen(_errors_only(binding.on_error))
        channel.announce()
        await self._begin(reason, previous_session_file)

    async def _begin(self, reason: StartReason, previous_session_file: str | None = None) -> None:
        """Tell the extensions that the session begins, and take in the resources that they bring."""
        parts, runner = self._parts, self._parts.runner
        if runner.has_handlers("session_start"):
            await runner.emit(SessionStart(reason=reason, previous_session_file=previous_session_file))
        if runner.has_handlers("resources_discover"):
            asked = ResourcesDiscover(
                cwd=str(parts.cwd), reason="reload" if reason == "reload" else "startup"
            )
            found: CollectedResources = await runner.emit(asked)
            for diagnostic in parts.system.add(found):
                parts.channel.report(diagnostic)
            self._refresh()

    def leave(self) -> None:
        """Let the host take what extensions show off the screen."""
        if self.binding.before_invalidate is None:
            return
        try:
            self.binding.before_invalidate()
        except Exception as error:  # noqa: BLE001 - reported; the extensions go all the same
            failure = Failure("<runtime>", "teardown", text_of_error(error), error=error)
            self._parts.channel.report(failure)

    def enter(self, old: Generation) -> None:
        """The same host answers; model, thinking level and active tools go on as they were."""
        parts = self._parts
        self._listen()
        host = old.runner.runtime.bound
        if host is not None:
            parts.runner.bind(host)
        parts.models.take_over(old.models)
        parts.toolset.take_over(old.toolset.active_names)
        self._refresh()
        parts.channel.stand(parts.generation.findings)
        parts.channel.announce()

    async def begin(self) -> None:
        """Begin again after a reload, if there is a host."""
        if self.is_bound:
            await self._begin("reload")

    def _listen(self) -> None:
        """Hear of what goes wrong in the extensions of the present generation."""
        runner, channel = self._parts.runner, self._parts.channel
        runner.on_error(
            lambda finding: channel.report(finding, runner.diagnostic(finding), runner.source_info(finding))
        )


def _errors_only(on_error: Callable[[Diagnostic], None]) -> Listener:
    def hear(event: SessionEvent) -> None:
        if isinstance(event, ExtensionError | DiagnosticFound):
            on_error(event.diagnostic)

    return hear
