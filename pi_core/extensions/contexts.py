"""What a handler is handed: a window on the live session that says so when the session is gone.

A context keeps nothing. Facts stay readable and `ui.notify` keeps working for
ever; everything else asks the runtime first, which raises the stale error.
Before a host is bound, questions have modest answers and wishes do nothing.

Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from traceback import walk_stack
from typing import Any, Final, Literal, cast

from hookspecs.context import (
    ContextUsage,
    DeliverAs,
    Host,
    Mode,
    ReloadOutcome,
    Replaced,
    SessionView,
    WithSession,
)
from hookspecs.definitions import Model, ThinkingLevel, ToolResult
from hookspecs.events.agent import BeforeAgentStart
from hookspecs.messages import CustomMessage, UserContent
from hookspecs.ui import UI
from pi_core.dispatch.plan import Failure
from pi_core.extensions.actions import Runtime
from pi_core.extensions.errors import ExtensionNotReadyError
from pi_core.extensions.headless import HeadlessUI
from pi_core.extensions.open_dialogs import DIALOGS, OpenDialogs
from pi_core.extensions.registrations import Extension
from pi_core.extensions.reports import RUNTIME_OWNER
from pi_core.extensions.strays import owner_of
from pi_core.extensions.validation import check_callback, check_delivery
from pi_core.extensions.watchdog import Watched

_ALWAYS: Final = frozenset({"notify", "can"})


class Surroundings:
    """The facts that hold before a host is bound: where, in which mode, with which UI."""

    def __init__(
        self,
        runtime: Runtime,
        cwd: str,
        mode: Mode = "print",
        ui: UI | None = None,
        extensions: Sequence[Extension] = (),
        dialogs: OpenDialogs | None = None,
    ) -> None:
        self.runtime = runtime
        self.dialogs = dialogs
        self.cwd = cwd
        self.mode: Mode = mode
        self.own_ui: UI | None = ui
        self._headless = HeadlessUI(mode)
        self._extensions = extensions
        self._told: set[tuple[str, str]] = set()

    @property
    def ui(self) -> UI:
        """The host's UI, else the given one, else one that says no."""
        host = self.runtime.bound
        if host is not None:
            return host.ui
        return self.own_ui if self.own_ui is not None else self._headless

    def tell_unavailable(self, method: str, running: Watched | None) -> None:
        """Report, once an extension, that it asks for a dialog that nobody can answer."""
        handler = None if running is None else running.handler
        owner = self._asking() if handler is None else handler.owner
        if (owner, method) in self._told:
            return
        self._told.add((owner, method))
        host = self.runtime.bound
        mode = self.mode if host is None else host.mode
        answer = "the answer was no" if method == "confirm" else "nothing was answered"
        told = f"ui.{method} has nobody to ask in {mode} mode, so {answer}"
        text = f"{told}; ask ui.can({method!r}) first"
        event = "ui" if handler is None else handler.event
        self.runtime.report(Failure(owner, event, text, "ui-unavailable"))

    def standing(self, method: str, title: object, shown: bool) -> AbstractContextManager[None]:
        """A dialog is open while the block runs; others hear of it if a person sees it."""
        if self.dialogs is None or not shown:
            return nullcontext()
        return self.dialogs.standing(method, title)

    def _asking(self) -> str:
        """Whose code is running, by the frames of the stack: a command's or a tool's."""
        files = (frame.f_code.co_filename for frame, _ in walk_stack(None))
        owner = owner_of(files, self._extensions)
        return RUNTIME_OWNER if owner is None else owner.path


class GuardedUI:
    """The UI as a handler sees it: every method but `notify` and `can` wants a live session."""

    __slots__ = ("_around", "_running")

    def __init__(self, around: Surroundings, running: Watched | None = None) -> None:
        self._around = around
        self._running = running

    def __getattr__(self, name: str) -> Any:
        if name not in _ALWAYS:
            self._around.runtime.assert_active()
        found = getattr(self._around.ui, name)
        return self._waiting(name, found) if name in DIALOGS else found

    def _waiting(self, name: str, dialog: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def ask(*args: Any, **options: Any) -> Any:
            shown = self._around.ui.can(name)
            if not shown and not options.get("strict"):
                self._around.tell_unavailable(name, self._running)
            title = options.get("title", args[0] if args else None)
            # A person's time is not the handler's.
            with self._around.runtime.watch.pausing(self._running), self._around.standing(name, title, shown):
                return await dialog(*args, **options)

        return ask


class Context:
    """Implements `ExtensionContext`. One serves a whole dispatch, which is `running`."""

    __slots__ = ("_around", "_running", "_starting")

    def __init__(
        self,
        around: Surroundings,
        starting: BeforeAgentStart | None = None,
        running: Watched | None = None,
    ) -> None:
        self._around = around
        self._running = running
        self._starting = starting
        # While a run is about to start, the prompt of the moment is what its handlers made of it.

    # facts: readable for ever

    @property
    def cwd(self) -> str:
        host = self._around.runtime.bound
        return self._around.cwd if host is None else host.cwd

    @property
    def mode(self) -> Mode:
        host = self._around.runtime.bound
        return self._around.mode if host is None else host.mode

    @property
    def has_ui(self) -> bool:
        host = self._around.runtime.bound
        return self._around.own_ui is not None if host is None else host.has_ui

    @property
    def ui(self) -> UI:
        return cast("UI", GuardedUI(self._around, self._running))

    # questions to the live session

    def _live(self) -> Host | None:
        self._around.runtime.assert_active()
        return self._around.runtime.bound

    def _bound(self) -> Host:
        return self._around.runtime.host()

    @property
    def session(self) -> SessionView:
        return self._bound().session

    @property
    def models(self) -> Any:
        return self._bound().models

    @property
    def model(self) -> Model | None:
        host = self._live()
        return None if host is None else host.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        return self._bound().thinking_level

    @property
    def signal(self) -> Any:
        host = self._live()
        return None if host is None else host.signal

    def is_idle(self) -> bool:
        host = self._live()
        return True if host is None else host.is_idle()

    def is_project_trusted(self) -> bool:
        host = self._live()
        return False if host is None else host.is_project_trusted()

    def has_pending_messages(self) -> bool:
        host = self._live()
        return False if host is None else host.has_pending_messages()

    def get_context_usage(self) -> ContextUsage | None:
        host = self._live()
        return None if host is None else host.get_context_usage()

    def get_system_prompt(self) -> str:
        host = self._live()
        if self._starting is not None and self._starting.current_prompt is not None:
            return self._starting.current_prompt()
        return "" if host is None else host.get_system_prompt()

    # wishes

    def abort(self) -> None:
        host = self._live()
        if host is not None:
            host.abort()

    def shutdown(self) -> None:
        host = self._live()
        if host is not None:
            host.shutdown()

    def compact(
        self,
        custom_instructions: str | None = None,
        *,
        on_complete: Callable[[Any], Any] | None = None,
        on_error: Callable[[BaseException], Any] | None = None,
    ) -> None:
        host = self._live()
        if host is not None:
            host.compact(custom_instructions, on_complete=on_complete, on_error=on_error)
        elif on_error is not None:
            on_error(ExtensionNotReadyError())


class RunningToolContext(Context):
    """Implements `ToolContext`: may run another tool, as a child of the call that it belongs to."""

    __slots__ = ("_tool_call_id",)

    def __init__(self, around: Surroundings, tool_call_id: str) -> None:
        super().__init__(around)
        self._tool_call_id = tool_call_id

    async def execute_tool(self, name: str, args: Mapping[str, Any]) -> ToolResult:
        host = self._bound()
        with self._around.runtime.watch.pausing():
            return await host.execute_tool(name, args, parent_id=self._tool_call_id)


class Command(Context):
    """Implements `CommandContext`: what a command may do to the session as a whole."""

    __slots__ = ()

    def get_system_prompt_options(self) -> Any:
        host = self._live()
        return None if host is None else host.get_system_prompt_options()

    async def wait_for_idle(self) -> None:
        host = self._live()
        if host is not None:
            await host.wait_for_idle()

    async def new_session(
        self,
        *,
        setup: Callable[[Any], Any] | None = None,
        with_session: WithSession | None = None,
    ) -> Replaced:
        host = self._live()
        check_callback(setup, "setup", ("session",))
        check_callback(with_session, "with_session", ("ctx",))
        return Replaced() if host is None else await host.new_session(setup=setup, with_session=with_session)

    async def fork(
        self,
        entry_id: str,
        *,
        position: Literal["before", "at"] = "before",
        with_session: WithSession | None = None,
    ) -> Replaced:
        host = self._live()
        if host is None:
            return Replaced()
        check_callback(with_session, "with_session", ("ctx",))
        return await host.fork(entry_id, position=position, with_session=with_session)

    async def navigate_tree(
        self,
        target_id: str,
        *,
        summarize: bool = False,
        custom_instructions: str | None = None,
        replace_instructions: bool = False,
        label: str | None = None,
    ) -> Replaced:
        host = self._live()
        if host is None:
            return Replaced()
        return await host.navigate_tree(
            target_id,
            summarize=summarize,
            custom_instructions=custom_instructions,
            replace_instructions=replace_instructions,
            label=label,
        )

    async def switch_session(self, path: str, *, with_session: WithSession | None = None) -> Replaced:
        host = self._live()
        check_callback(with_session, "with_session", ("ctx",))
        return Replaced() if host is None else await host.switch_session(path, with_session=with_session)

    async def reload(self) -> ReloadOutcome:
        host = self._live()
        return "done" if host is None else await host.reload()


class Replacement(Command):
    """Implements `ReplacedSessionContext`: the new session, whose messages can be waited for."""

    __slots__ = ()

    async def send_message(
        self, message: CustomMessage, *, trigger_turn: bool = False, deliver_as: DeliverAs | None = None
    ) -> None:
        check_delivery(deliver_as)
        await self._bound().send_message(message, trigger_turn=trigger_turn, deliver_as=deliver_as)

    async def send_user_message(
        self, content: str | list[UserContent], *, deliver_as: DeliverAs | None = None, expand: bool = False
    ) -> None:
        check_delivery(deliver_as)
        await self._bound().send_user_message(content, deliver_as=deliver_as, expand=expand)
