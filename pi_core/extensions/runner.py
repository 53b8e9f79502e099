"""The dispatcher of one session: who hears an event, in which order, with which context.

Plans are kept ready for every event that has listeners, so asking whether
anybody listens is one look into a dictionary. A failure never leaves through
here, but where the event refuses on failure.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from hookspecs.context import (
    CommandContext,
    ExtensionContext,
    Host,
    Mode,
    ReplacedSessionContext,
    ToolContext,
)
from hookspecs.ui import UI
from pi_core.dispatch.algebra import Law
from pi_core.dispatch.flow import dispatch
from pi_core.dispatch.plan import Failure, Plan
from pi_core.extensions.actions import STALE, Finding, ReportListener, Runtime
from pi_core.extensions.background import STOP_GRACE_S
from pi_core.extensions.contexts import Command, Context, Replacement, RunningToolContext, Surroundings
from pi_core.extensions.errors import StaleContextError
from pi_core.extensions.open_dialogs import OpenDialogs
from pi_core.extensions.plans import Around, compile_plan, law_of
from pi_core.extensions.registrations import Extension
from pi_core.extensions.registry import Registry
from pi_core.extensions.reports import diagnostic_of
from pi_core.extensions.shutdown import Farewell
from pi_core.extensions.strays import stray_failure
from pi_core.extensions.watchdog import ABORT_GRACE_S
from pi_pkg import Diagnostic, Provenance


class Runner:
    """Runs the loaded extensions for one session; their order is their rank.

    `runtime` is the one that they were loaded into. `cwd`, `mode` and `ui` hold until a host is
    bound, which then answers for itself.
    """

    def __init__(
        self,
        extensions: Sequence[Extension],
        runtime: Runtime,
        *,
        cwd: str,
        mode: Mode = "print",
        ui: UI | None = None,
    ) -> None:
        self.runtime = runtime
        self.registry = Registry(extensions)
        self._by_path = {extension.path: extension for extension in extensions}
        self._ranks = {extension: rank for rank, extension in enumerate(extensions)}
        dialogs = OpenDialogs(self.emit, self.has_handlers, runtime.background)
        self._around = Surroundings(runtime, cwd, mode, ui, extensions, dialogs)
        self._around_handlers: Around | None = None
        self._watch = runtime.watch
        self._laws: dict[str, Law] = {}
        self._plans: dict[str, Plan] = {}
        self._told_stale: set[str] = set()
        for event in {handler.event for extension in extensions for handler in extension.handlers}:
            self._recompile(event)
        runtime.hooks.watch(self._recompile)

    # events

    def has_handlers(self, event_name: str) -> bool:
        """Whether anybody listens, wrappers included."""
        return event_name in self._plans

    def plan(self, event_name: str) -> Plan:
        """Who would hear the event now."""
        return self._plans.get(event_name, Plan())

    async def emit(self, event: Any, ctx: Any = None) -> Any:
        """Tell everybody and return what the event's law makes of the answers.

        `ctx` takes the place of the session's context, for project_trust. Without listeners nothing
        is copied and no context is made. Raises: HandlerFailed where a handler failed and the event
        refuses on failure; what an error listener raises.
        """
        name = event.event_name
        plan = self._plans.get(name)
        if plan is None:
            return self.law(name).nobody(event)
        watch = self._watch
        running = watch.enter()
        try:
            if ctx is None:
                ctx = Context(self._around, event if name == "before_agent_start" else None, running)
            law = self._laws.get(name) or self.law(name)
            running.work = work = dispatch(event, plan, ctx, law, self.report, running)
            return await work
        finally:
            watch.leave(running)

    def law(self, event_name: str) -> Law:
        """The law of an event."""
        law = self._laws.get(event_name)
        if law is None:
            law = self._laws[event_name] = law_of(event_name, self.runtime.hooks)
        return law

    def add_outermost(self, extension: Extension, around: Around | None = None) -> None:
        """Let an extension of the host's own stand before all others, its wrappers around theirs.

        `around` is given every handler as it takes its place. For layers of the host, such as a
        journal; the names of what it registers do not count. Raises RegistrationError.
        """
        self._ranks[extension] = min(self._ranks.values(), default=0) - 1
        self._by_path[extension.path] = extension
        self._around_handlers = around
        self.runtime.commit(extension)
        for event in tuple(self._plans):
            self._recompile(event)

    def _recompile(self, event: str) -> None:
        plan = compile_plan(event, self.runtime.hooks, self._ranks, self._around_handlers)
        if plan.handlers or plan.wrappers:
            self._plans[event] = plan
        else:
            self._plans.pop(event, None)

    # failures

    def report(self, finding: Finding) -> None:
        """Tell every error listener. Stale access is told once an extension, as it comes in swarms."""
        if isinstance(finding, Failure) and isinstance(finding.error, StaleContextError):
            if finding.extension in self._told_stale:
                return
            self._told_stale.add(finding.extension)
        self.runtime.report(finding)

    def on_error(self, listener: ReportListener) -> Callable[[], None]:
        """Hear of every failure and finding; returns what takes the listener off again."""
        return self.runtime.on_report(listener)

    def on_stray(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An exception handler for a loop of our own: what extensions let slip is reported as theirs.

        What no extension has to do with goes the loop's usual way.
        """
        failure = stray_failure(context, self._by_path.values())
        if failure is None:
            loop.default_exception_handler(context)
        else:
            self.report(failure)

    def diagnostic(self, finding: Finding) -> Diagnostic:
        """A finding in the form in which it is shown."""
        if isinstance(finding, Diagnostic):
            return finding
        return diagnostic_of(finding, self._by_path.get(finding.extension))

    def source_info(self, finding: Finding) -> Provenance | None:
        """Where the extension comes from that failed, by itself or in a command; None where none is named."""
        if not isinstance(finding, Failure):
            return None
        owner = self._by_path.get(finding.extension)
        if owner is None and finding.event == "command":
            command = self.registry.find_command(finding.extension.removeprefix("command:"))
            owner = None if command is None else command.extension
        return None if owner is None else owner.provenance

    # life

    def bind(self, host: Host) -> None:
        """Open the actions and hand the queued providers to the host."""
        self.runtime.bind(host)

    def invalidate(self, message: str = STALE) -> None:
        """Make every context and API object of this load stale; the first message stays."""
        self.runtime.invalidate(message)

    def abort(self, grace_s: float = ABORT_GRACE_S) -> None:
        """Interrupt the handlers that still run after `grace_s`, in whichever event, paused or not.

        What waits for them goes on by the law of its event; nothing is cancelled but the handler.
        """
        self._watch.abort(grace_s)

    async def shutdown(self, event: Any) -> tuple[str, ...]:
        """Tell everybody that the session ends, and wait no longer than the budget for all of it.

        Every handler runs in a task of its own; one that takes more than its share of the time goes
        on while the next is told. Returns the paths of the extensions that were left behind; each of
        them is reported. Raises: what an error listener raises, once everything else is done.
        """
        plan = self._plans.get(event.event_name)
        if plan is None:
            return ()
        law, limit_s = self.law(event.event_name), self._watch.budgets.shutdown_s
        farewell = Farewell(plan, law, self.report, self.runtime.background.adopt, limit_s)
        return await farewell.tell(event, self.context())

    async def close(self, grace_s: float = STOP_GRACE_S) -> int:
        """End what extensions run in the background, tasks and programs, within twice `grace_s`.

        Returns how much of it would not end.
        """
        return await self.runtime.close(grace_s)

    # contexts

    def context(self) -> ExtensionContext:
        """For event handlers and shortcuts; one serves a whole dispatch."""
        return Context(self._around)

    def tool_context(self, tool_call_id: str) -> ToolContext:
        """For a running tool."""
        return RunningToolContext(self._around, tool_call_id)

    def command_context(self) -> CommandContext:
        """For the handler of a slash command."""
        return Command(self._around)

    def replaced_context(self) -> ReplacedSessionContext:
        """For `with_session`, on the runner of the new session."""
        return Replacement(self._around)
