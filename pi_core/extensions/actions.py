"""What all extensions of a load share: who implements what, flag values, providers, and the way to the host.

One `Runtime` a load. Until a host is bound every action raises
`ExtensionNotReadyError`; once the session is replaced every one raises
`StaleContextError`. An extension's wishes take effect when its load is committed.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from hookspecs.context import Host
from hookspecs.definitions import ExecResult
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.extensions.background import Background
from pi_core.extensions.budgets import Budgets
from pi_core.extensions.errors import NOT_READY, ExtensionNotReadyError, StaleContextError
from pi_core.extensions.events_bus import EventBus
from pi_core.extensions.hookimpls import HookTable
from pi_core.extensions.programs import ExecPort, Programs, run_program
from pi_core.extensions.registrations import Extension, FlagValue, ProviderChange, Registration
from pi_core.extensions.reports import RUNTIME_OWNER
from pi_core.extensions.watchdog import Ticks, Watch, Watched
from pi_pkg import Diagnostic

Finding: TypeAlias = Failure | Diagnostic
ReportListener: TypeAlias = Callable[[Finding], None]

STALE: Final = (
    "This belongs to a session that was replaced or reloaded. Go on in `with_session`, with the context"
    " that it hands over, or in the session_start handler of the new session."
)
FAILED: Final = "This extension failed to load; its API object does nothing any more."


class ProviderHost(Protocol):
    """What of a host providers are handed to."""

    def register_provider(self, name: str, config: Any) -> None:
        """Add a provider, or change one; raises if it is wrong."""

    def unregister_provider(self, name: str) -> None:
        """Take a provider away."""


class Runtime:
    """The shared state of one load.

    `specs` are pluggy specification classes of a host with events of its own. `flag_values` are
    values that stand before any extension gives a default: the command line's, or those of the
    generation before a reload. `budgets` are how long handlers may take; `watch.budgets` may be
    assigned later, when the settings are known. `ticks` is the clock of the watch.
    """

    def __init__(
        self,
        *,
        specs: Sequence[type] = (),
        flag_values: Mapping[str, FlagValue] | None = None,
        exec_port: ExecPort = run_program,
        budgets: Budgets | None = None,
        ticks: Ticks | None = None,
    ) -> None:
        self.hooks = HookTable(specs)
        self.background = Background(self.report_error)
        self.bus = EventBus(self.report_error, self._run_later)
        self.flag_values: dict[str, FlagValue] = dict(flag_values or {})
        self.programs = Programs(exec_port)
        self.watch = Watch(self.report, budgets, ticks)
        self.on_close: list[Callable[[], None]] = []
        """Lets go of what the load holds; each is called once, at the end."""
        self.refreshers: dict[str, Extension] = {}
        """Whose function it is that says anew which models a provider has, by the provider's name."""
        self._host: Host | None = None
        self._stale: str | None = None
        self._queue: list[ProviderChange] = []
        self._listeners: list[ReportListener] = []
        self._unheard: list[Finding] = []

    # the life of a load

    def commit(self, extension: Extension) -> None:
        """Let an extension's registrations count. Raises RegistrationError if pluggy refuses one."""
        self.hooks.register(extension, extension.handlers)
        extension.state = "active"
        for name, value in extension.staged_flags.items():
            self.flag_values.setdefault(name, value)
        for change in extension.staged_providers:
            self._enqueue(change)
        extension.staged_flags.clear()
        extension.staged_providers.clear()
        if self._host is not None:
            self._flush(self._host)

    def discard(self, extension: Extension) -> None:
        """Throw away everything that an extension registered or started; its API object is dead."""
        extension.state = "failed"
        self.hooks.unregister(extension.handlers)
        self.bus.drop(extension)
        self.background.cancel(extension)
        self.programs.end(extension.path)
        self._queue = [change for change in self._queue if change.extension is not extension]

    def bind(self, host: Host) -> None:
        """Open the actions, and hand over the providers that were queued: configurations, then objects.

        A provider that the host refuses is reported and the others go on.
        """
        self._host = host
        self._flush(host)

    def hand_over_providers(self, host: ProviderHost) -> None:
        """Hand over the providers that were queued, as `bind` does, to who wants nothing but them."""
        self._flush(host)

    def invalidate(self, message: str = STALE) -> None:
        """Make every handle stale for good; the first message stays. What extensions started ends."""
        if self._stale is not None:
            return
        self._stale = message
        self.bus.drop_extensions()
        self.background.cancel()
        self.programs.end()

    async def close(self, grace_s: float) -> int:
        """Wait, twice `grace_s` at most, for what extensions started; returns how much would not end."""
        tasks = await self.background.close(grace_s)
        programs = await self.programs.close(grace_s)
        self.watch.close()
        while self.on_close:
            self.on_close.pop()()
        return tasks + programs

    # the way to the host

    @property
    def bound(self) -> Host | None:
        """The host, also after it went stale, for facts."""
        return self._host

    @property
    def stale(self) -> str | None:
        """Why actions raise `StaleContextError`; None while they work."""
        return self._stale

    def assert_active(self, extension: Extension | None = None) -> None:
        """Raise StaleContextError if the session is gone, or this extension failed to load."""
        if extension is not None and extension.state == "failed":
            raise StaleContextError(FAILED)
        if self._stale is not None:
            raise StaleContextError(self._stale)

    def host(self, message: str = NOT_READY) -> Host:
        """The host to act on. Raises: StaleContextError; ExtensionNotReadyError before the bind."""
        self.assert_active()
        if self._host is None:
            raise ExtensionNotReadyError(message)
        return self._host

    # registrations of a running extension

    def add_handler(self, registration: Registration) -> None:
        """Stage a handler of a loading extension, or let one of a running extension count at once."""
        extension = registration.extension
        if extension.state == "active":
            self.hooks.register(extension, [registration])
        extension.handlers.append(registration)

    def remove_handler(self, registration: Registration) -> None:
        """Take a handler out; dispatches under way keep it."""
        handlers = registration.extension.handlers
        if registration in handlers:
            handlers.remove(registration)
            self.hooks.unregister([registration])

    def set_flag_default(self, extension: Extension, name: str, value: FlagValue) -> None:
        """The first default of a flag counts, whoever gives it."""
        if extension.state == "loading":
            extension.staged_flags.setdefault(name, value)
        else:
            self.flag_values.setdefault(name, value)

    def flag(self, extension: Extension, name: str) -> FlagValue | None:
        """The shared value of a flag that this extension registered, by its own name; None for others."""
        own = extension.flags.get(name)
        public = extension.public("flag", name)
        if own is None or public is None:
            return None if own is None else own.default  # nobody can set one that is switched off
        return self.flag_values.get(public, extension.staged_flags.get(public))

    def tools_changed(self, extension: Extension) -> None:
        """Tell a bound host that a running extension registered a tool."""
        if extension.state == "active" and self._host is not None:
            self._host.refresh_tools()

    def change_provider(self, change: ProviderChange) -> None:
        """Stage, queue or carry out a wish about providers. After the bind a refusal is raised."""
        if change.extension.state == "loading":
            change.extension.staged_providers.append(change)
        elif self._host is None:
            self._enqueue(change)
        else:
            self._carry_out(self._host, change)

    def _enqueue(self, change: ProviderChange) -> None:
        if change.verb == "unregister":
            self._queue = [queued for queued in self._queue if queued.name != change.name]
        else:
            self._queue.append(change)

    def _flush(self, host: ProviderHost) -> None:
        queue, self._queue = self._queue, []
        for change in sorted(queue, key=lambda queued: queued.verb == "native"):
            try:
                self._carry_out(host, change)
            except FAILURES as error:  # reported; the other providers go on
                pass_interrupt(error)
                self.report_error(change.extension, "register_provider", error)

    def _carry_out(self, host: ProviderHost, change: ProviderChange) -> None:
        given = change.provider if change.verb == "native" else change.config
        if change.verb == "unregister":
            host.unregister_provider(change.name)
            self.refreshers.pop(change.name, None)
            return
        host.register_provider(change.name, given)
        if getattr(given, "refresh_models", None) is not None:
            self.refreshers[change.name] = change.extension

    # waiting

    async def exec(
        self,
        extension: Extension,
        command: str,
        args: Sequence[str],
        *,
        cwd: str,
        timeout_s: float | None = None,
        signal: Any = None,
    ) -> ExecResult:
        """Run a program for an extension. A handler that waits for it needs none of its own time."""
        with self.watch.pausing(*self._waiting_for(extension)):
            return await self.programs.run(
                extension.path, command, args, cwd=cwd, timeout_s=timeout_s, signal=signal
            )

    def _waiting_for(self, extension: Extension) -> list[Watched]:
        """The dispatches that wait for what this extension does now.

        It is the one in the current task; or, in a task that a handler made for itself, those in which
        a handler of this extension runs. Its background work is waited for by nobody.
        """
        current = self.watch.current()
        if current is not None:
            return [current]
        if self.background.owns_current_task():
            return []
        return self.watch.running_handlers_of(extension.path)

    # reports

    def on_report(self, listener: ReportListener) -> Callable[[], None]:
        """Hear of every failure; the first listener also hears of those that nobody heard before."""
        self._listeners.append(listener)
        unheard, self._unheard = self._unheard, []
        for finding in unheard:
            listener(finding)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def report(self, finding: Finding) -> None:
        """Tell every listener, in order. What a listener raises, the caller gets."""
        if not self._listeners:
            self._unheard.append(finding)
        for listener in tuple(self._listeners):
            listener(finding)

    def report_error(self, extension: Extension | None, event: str, error: BaseException) -> None:
        """Report an error outside of a dispatch: in the background, on the bus, at the bind."""
        owner = RUNTIME_OWNER if extension is None else extension.path
        self.report(Failure(owner, event, text_of_error(error), error=error))

    def _run_later(self, owner: Extension | None, label: str, work: Coroutine[Any, Any, Any]) -> object:
        return self.background.spawn(owner, label, work)
