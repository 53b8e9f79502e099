"""A conversation that is alive: its agent, its extensions, its tools and its history as one thing.

Touches: the session's file, and whatever extensions and tools touch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, TypeAlias

from hookspecs.context import Mode, ReloadOutcome
from hookspecs.definitions import Model
from hookspecs.events.input import InputSource
from hookspecs.events.resources import ResourcesDiscover
from hookspecs.events.session import SessionShutdown, SessionStart, ShutdownReason, StartReason
from hookspecs.messages import CustomMessage, ImageContent, Message
from hookspecs.ui import UI
from pi_core.agent.agent import Agent, now_ms
from pi_core.agent.state import AgentState
from pi_core.dispatch.outcomes import CollectedResources
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.errors import BusyError, DisposedError
from pi_core.history.codec import header_to_wire
from pi_core.providers.base import Connection
from pi_core.session.activity import Activities
from pi_core.session.binding import Binding, CommandActions
from pi_core.session.boundary import Boundary
from pi_core.session.channel import Listener
from pi_core.session.delivery import Delivery
from pi_core.session.doorway import Doorway
from pi_core.session.errands import Errands
from pi_core.session.events import DiagnosticFound, ExtensionError, SessionEvent
from pi_core.session.generation import Generation, SessionParts, Source
from pi_core.session.hooks import RunHooks
from pi_core.session.prompting import Prompting, QueueName, user_message
from pi_core.session.recorder import Recorder
from pi_core.session.reloading import Reloading
from pi_core.session.run_opening import RunOpening
from pi_pkg import Diagnostic

Disposition: TypeAlias = Literal["handled", "queued", "started"]
"""What became of a prompt: an extension dealt with it, it waits, or it ran (and has ended)."""

ABORT_LIMIT_S = 2.0
"""How long a run may take to end when the session is disposed of."""


class Session:
    """One live session. Made unbound: extensions are loaded, and no event was sent yet.

    `source` loads what a reload puts in the place of the present generation.
    """

    def __init__(self, parts: SessionParts, source: Source) -> None:
        self.parts = parts
        self._source = source
        self.binding = Binding()
        self.ui: UI = self.binding.shown
        self._bound = False
        self._disposed = False
        context = parts.store.build_context()
        self._state = AgentState(
            model=parts.models.model,
            thinking=parts.models.thinking,
            messages=context.messages,
            conversation_id=parts.store.session_id,
        )
        self.recorder = Recorder(parts.store, parts.channel)
        boundary = Boundary(parts, self.recorder, self._state, self.refresh)
        errands = Errands()
        hooks = RunHooks(parts, self.recorder, boundary, errands, self._state)
        self.agent = Agent(self._state, hooks, self._connect)
        self.activities = Activities(self.agent, parts, boundary, errands, self._after_activity)
        self.delivery = Delivery(self.agent, self.activities, boundary, self._begin_with_custom)
        self._prompting = Prompting(parts)
        self._opening = RunOpening(parts, self._state, self.refresh)
        self._doorway = Doorway()
        self._reloading = Reloading(parts, source, self._doorway, self.activities, _Life(self))
        self._listen()
        self.refresh()

    # what it is

    @property
    def mode(self) -> Mode:
        """The mode of the host."""
        return self.binding.mode

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation as a model reads it, oldest first. Not to be changed."""
        return self._state.messages

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the load found wrong with packages and extensions, then what went wrong since, oldest first.

        A reload replaces the findings of the load.
        """
        return self.parts.channel.diagnostics

    @property
    def is_idle(self) -> bool:
        """Whether no activity goes on."""
        return not self.activities.busy

    @property
    def is_disposed(self) -> bool:
        """Whether the session was shut down, or replaced by another one."""
        return self._disposed

    @property
    def system_prompt(self) -> str:
        """The prompt of the next request."""
        return self._state.system_prompt

    def header(self) -> Mapping[str, Any]:
        """The first line of the session's file, as it is written."""
        return header_to_wire(self.parts.store.header)

    def subscribe(self, listener: Listener) -> AbstractContextManager[None]:
        """Hear every event inside a `with` block, reloads included. Listeners must not wait."""
        return self.parts.channel.subscribe(listener)

    # its life

    async def bind(
        self,
        *,
        mode: Mode = "print",
        ui: UI | None = None,
        command_actions: CommandActions | None = None,
        on_abort: Callable[[], None] | None = None,
        on_shutdown: Callable[[], None] | None = None,
        on_error: Callable[[Diagnostic], None] | None = None,
        before_invalidate: Callable[[], None] | None = None,
    ) -> None:
        """Tell the extensions that the session begins, and take in the resources that they bring.

        What the load found is told first. For the parameters see `Binding`.
        """
        await self.bind_as(
            Binding(
                mode=mode,
                ui=ui,
                command_actions=command_actions,
                on_abort=on_abort,
                on_shutdown=on_shutdown,
                on_error=on_error,
                before_invalidate=before_invalidate,
            )
        )

    async def bind_as(
        self, binding: Binding, reason: StartReason = "startup", previous_session_file: str | None = None
    ) -> None:
        """The same with everything in one value; extensions are told the reason and the file before."""
        self._check_open("bind")
        self.binding, self.ui = binding, binding.shown
        self._bound = True
        if binding.on_error is not None:
            self.parts.channel.listen(_errors_only(binding.on_error))
        self.parts.channel.announce()
        await self._begin(reason, previous_session_file)

    async def _begin(self, reason: StartReason, previous_session_file: str | None = None) -> None:
        runner = self.parts.runner
        if runner.has_handlers("session_start"):
            await runner.emit(SessionStart(reason=reason, previous_session_file=previous_session_file))
        if runner.has_handlers("resources_discover"):
            asked = ResourcesDiscover(
                cwd=str(self.parts.cwd), reason="reload" if reason == "reload" else "startup"
            )
            found: CollectedResources = await runner.emit(asked)
            for diagnostic in self.parts.system.add(found):
                self.parts.channel.report(diagnostic)
            self.refresh()

    async def reload(self) -> None:
        """Load everything anew, as soon as nothing goes on: extensions, settings, skills, templates, prompts.

        Listeners, flag values, the conversation and its model stay. An extension that cannot load is
        reported and left out. Raises: DisposedError; SettingsError, TrustError, GuardLostError,
        ReloadGivenUpError after an abort, and everything is as it was then.
        """
        self._check_open("reload")
        await self._reloading.now()

    async def reload_for_extension(self) -> ReloadOutcome:
        """The same on behalf of an extension: while something goes on it is only put on the list."""
        self._check_open("reload")
        return await self._reloading.asked()

    async def dispose(
        self,
        reason: ShutdownReason = "quit",
        *,
        target_session_file: str | None = None,
        asking: asyncio.Task[Any] | None = None,
    ) -> None:
        """End the session: the run first, then the extensions. Always returns, whatever they do.

        With another reason than `quit` a session follows, which goes on with the imported modules.
        `asking` is the task that waits for this; its own end is not waited for.
        """
        if self._disposed:
            return
        self._disposed = True
        await self._reloading.end()
        self.request_abort()
        await self._let_end(asking)
        runner = self.parts.runner
        try:
            if self._bound:
                await runner.shutdown(SessionShutdown(reason=reason, target_session_file=target_session_file))
        finally:
            self._leave()
            runner.invalidate()
            self.activities.drop(asking)
            await runner.close()
            if reason == "quit":
                self._source.close()

    async def _let_end(self, asking: asyncio.Task[Any] | None) -> None:
        ending = asyncio.ensure_future(self.activities.wait_for_idle(asking))
        await asyncio.wait({ending}, timeout=ABORT_LIMIT_S)
        ending.cancel()

    async def __aenter__(self) -> Session:
        if not self._bound:
            await self.bind()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.dispose()

    # what it is told

    async def prompt(
        self,
        text: str,
        *,
        images: Sequence[ImageContent] = (),
        source: InputSource = "interactive",
        deliver_as: QueueName | None = None,
        expand: bool = True,
    ) -> Disposition:
        """Say something to the agent and wait for everything that follows from it.

        A text that calls a command runs it, at any time. While a run is on, `deliver_as` says where
        the message waits. With `expand=False` no command, skill or template is looked for.

        Raises: BusyError, DisposedError, ModelChoiceError.
        """
        if source != "extension":
            await self._reloading.let_through()
        self._check_open("prompt")
        if expand and await self._prompting.run_command(text):
            return "handled"
        async with self._doorway.inside():
            self._check_open("prompt")
            busy = self.activities.busy
            outcome = await self._prompting.hear(text, images, source, deliver_as if busy else None)
            if outcome.action == "handled":
                return "handled"
            text = self._prompting.expanded(outcome.text) if expand else outcome.text
            message = user_message(text, outcome.images or (), now_ms())
            if self.activities.busy:
                if deliver_as is None:
                    raise BusyError
                await self.delivery.queue(message, deliver_as)
                return "queued"
            waiting = self.delivery.take_next_turn
            await self.activities.run(
                lambda: self._opening.messages(message, waiting(), outcome.images, "user")
            )
            return "started"

    async def steer(self, text: str, *, images: Sequence[ImageContent] = ()) -> Disposition:
        """Say something in between: after the current turn, or at once if nothing goes on."""
        return await self.prompt(text, images=images, deliver_as="steer")

    async def follow_up(self, text: str, *, images: Sequence[ImageContent] = ()) -> Disposition:
        """Say something for when the run would end, or at once if nothing goes on."""
        return await self.prompt(text, images=images, deliver_as="follow_up")

    async def abort(self) -> None:
        """Stop what goes on, and wait until it has ended. What is queued stays queued."""
        self.request_abort()
        await self.activities.wait_for_idle()

    def request_abort(self) -> None:
        """Stop what goes on, stuck handlers and a reload that still loads included; does not wait for it."""
        self._reloading.give_up()
        if self.activities.busy:
            self.activities.abort()
            self.parts.runner.abort()

    async def wait_for_idle(self) -> None:
        """Return when nothing goes on, and nothing that an extension began is left, reloads included."""
        await self.activities.wait_for_idle()
        while await self._reloading.finished():
            await self.activities.wait_for_idle()

    def refresh(self) -> None:
        """Bring tools, prompt, model and thinking level of the next request up to date."""
        parts = self.parts
        self._state.model, self._state.thinking = parts.models.model, parts.models.thinking
        self._state.tools = parts.toolset.active()
        self._state.system_prompt = parts.system.text(parts.toolset)

    def reread(self) -> None:
        """Take the conversation from the history again, after somebody else wrote into it."""
        self._state.messages[:] = self.parts.store.build_context().messages

    # inside

    async def _connect(self, model: Model) -> Connection:
        return await self.parts.models.registry.connect(model)

    async def _begin_with_custom(self, message: CustomMessage) -> None:
        async with self._doorway.inside():
            waiting = self.delivery.take_next_turn
            await self.activities.run(lambda: self._opening.messages(message, waiting(), None, "custom"))

    def _after_activity(self) -> None:
        self.parts.system.release()
        self.refresh()

    def _check_open(self, asked: str) -> None:
        if self._disposed:
            raise DisposedError(asked)

    def _listen(self) -> None:
        """Hear of what goes wrong in the extensions of the present generation."""
        runner, channel = self.parts.runner, self.parts.channel
        runner.on_error(lambda finding: channel.report(finding, runner.diagnostic(finding)))

    def _leave(self) -> None:
        """Let the host take what extensions show off the screen."""
        if self.binding.before_invalidate is None:
            return
        try:
            self.binding.before_invalidate()
        except Exception as error:  # noqa: BLE001 - reported; the extensions go all the same
            self.parts.channel.report(Failure("<runtime>", "teardown", text_of_error(error), error=error))


class _Life:
    """Implements `Life` for a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def leave(self) -> None:
        self._session._leave()

    def enter(self, old: Generation) -> None:
        """The same host answers; model, thinking level and active tools go on as they were."""
        session, parts = self._session, self._session.parts
        session._listen()
        host = old.runner.runtime.bound
        if host is not None:
            parts.runner.bind(host)
        parts.models.take_over(old.models)
        parts.toolset.take_over(old.toolset.active_names)
        session.refresh()
        parts.channel.stand(parts.generation.findings)
        parts.channel.announce()

    async def begin(self) -> None:
        if self._session._bound:
            await self._session._begin("reload")


def _errors_only(on_error: Callable[[Diagnostic], None]) -> Listener:
    def hear(event: SessionEvent) -> None:
        if isinstance(event, ExtensionError | DiagnosticFound):
            on_error(event.diagnostic)

    return hear
