"""A conversation that is alive: its agent, its extensions, its tools and its history as one thing.

Touches: the session's file, and whatever extensions and tools touch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Final

from hookspecs.context import Mode, ReloadOutcome
from hookspecs.definitions import Model
from hookspecs.events.input import InputSource
from hookspecs.events.session import SessionShutdown, ShutdownReason, StartReason
from hookspecs.messages import ImageContent
from hookspecs.ui import UI
from pi_core.agent.agent import Agent
from pi_core.agent.state import AgentState
from pi_core.history.codec import header_to_wire
from pi_core.providers.base import Connection
from pi_core.session.activity import Activities
from pi_core.session.attachment import Attachment
from pi_core.session.binding import Binding, CommandActions
from pi_core.session.boundary import Boundary
from pi_core.session.channel import Listener
from pi_core.session.compacting import Compacting
from pi_core.session.controls import Controls
from pi_core.session.doorway import Doorway
from pi_core.session.entrance import Accepted, Disposition, Entrance, Said
from pi_core.session.errands import Errands
from pi_core.session.event_stream import EventStream
from pi_core.session.face import SessionFace
from pi_core.session.generation import SessionParts, Source
from pi_core.session.hooks import RunHooks
from pi_core.session.navigating import Navigation
from pi_core.session.preferences import Preferences
from pi_core.session.prompting import QueueName
from pi_core.session.recorder import Recorder
from pi_core.session.recovery import Recovery
from pi_core.session.reloading import Reloading
from pi_core.session.reshaping import Reshaping
from pi_core.session.run_opening import RunOpening
from pi_core.session.stats import Tally
from pi_core.session.summary_requests import SummaryRequests
from pi_core.session.user_bash import UserCommands
from pi_pkg import Diagnostic

ABORT_LIMIT_S: Final = 2.0
"""How long a run may take to end when the session is disposed of."""


class Session(SessionFace):
    """One live session. Made unbound: extensions are loaded, and no event was sent yet.

    `source` loads what a reload puts in the place of the present generation.
    """

    def __init__(self, parts: SessionParts, source: Source) -> None:
        self.parts = parts
        self._source = source
        self._disposed = False
        context = parts.store.build_context()
        self._state = AgentState(
            model=parts.models.model,
            thinking=parts.models.thinking,
            messages=context.messages,
            conversation_id=parts.store.session_id,
        )
        self._tally = Tally(parts.store)
        self.recorder = Recorder(parts.store, parts.channel)
        boundary = Boundary(parts, self.recorder, self._state, self.refresh)
        preferences = Preferences(parts)
        ask = SummaryRequests(parts, preferences, thinks=True)
        compacting = Compacting(parts, self.recorder, self._state, preferences, ask)
        self.recovery = Recovery(parts, self.recorder, self._state, preferences, compacting)
        errands = Errands()
        hooks = RunHooks(parts, self.recorder, boundary, errands, self._state, self.recovery)
        self.agent = Agent(self._state, hooks, self._connect)
        self.activities = Activities(
            self.agent, parts, boundary, errands, self.recovery, self._after_activity
        )
        self._doorway = doorway = Doorway()
        short = SummaryRequests(parts, preferences, thinks=False)
        navigation = Navigation(parts, self._state, short)
        self.reshaping = Reshaping(doorway, self.activities, compacting, navigation, self._check_open)
        self._attachment = Attachment(parts, self.refresh)
        self._reloading = Reloading(parts, source, doorway, self.activities, self._attachment)
        opening = RunOpening(parts, self._state, self.refresh)
        self.controls = Controls(parts, self.agent, self.activities, preferences, self.refresh)
        self.bash = UserCommands(parts, self.recorder, self._state, self.activities)
        self._entrance = Entrance(
            parts, self.agent, self.activities, boundary, opening, doorway, self._reloading, self._check_open
        )
        self.delivery = self._entrance.delivery
        self.refresh()

    # what it is

    @property
    def binding(self) -> Binding:
        """The host's side; a modest one until the session is bound."""
        return self._attachment.binding

    @property
    def ui(self) -> UI:
        """The host's user interface, or one that says no."""
        return self._attachment.ui

    @property
    def mode(self) -> Mode:
        """The mode of the host."""
        return self.binding.mode

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

    def header(self) -> Mapping[str, Any]:
        """The first line of the session's file, as it is written."""
        return header_to_wire(self.parts.store.header)

    def subscribe(self, listener: Listener) -> AbstractContextManager[None]:
        """Hear every event inside a `with` block, reloads included. Listeners must not wait."""
        return self.parts.channel.subscribe(listener)

    def events(self) -> EventStream:
        """Every event from now on, to be iterated over; it ends when the session is disposed of."""
        return self.parts.channel.events()

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
        await self._attachment.bind(binding, reason, previous_session_file)

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
        self.abort_bash()
        await self._let_end(asking)
        runner = self.parts.runner
        try:
            if self._attachment.is_bound:
                await runner.shutdown(SessionShutdown(reason=reason, target_session_file=target_session_file))
        finally:
            self._attachment.leave()
            runner.invalidate()
            self.activities.drop(asking)
            await runner.close()
            if reason == "quit":
                self._source.close()
            self.parts.channel.close()

    async def _let_end(self, asking: asyncio.Task[Any] | None) -> None:
        async def end() -> None:
            await self.activities.wait_for_idle(asking)
            await self._doorway.opened()

        ending = asyncio.ensure_future(end())
        await asyncio.wait({ending}, timeout=ABORT_LIMIT_S)
        ending.cancel()

    async def __aenter__(self) -> Session:
        if not self._attachment.is_bound:
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
        on_accepted: Accepted | None = None,
    ) -> Disposition:
        """Say something to the agent and wait for everything that follows from it.

        A text that calls a command runs it, at any time. While a run is on, `deliver_as` says where
        the message waits. With `expand=False` no command, skill or template is looked for.
        `on_accepted` is told what becomes of it as soon as that is known, before a run that it starts.

        Raises: BusyError, DisposedError, ModelChoiceError; TypeError for what is no text.
        """
        if not isinstance(text, str):  # programs are not always type-checked
            raise TypeError(f"prompt: the message is {text!r}, and a text is needed")
        return await self._entrance.prompt(Said(text, images, source, deliver_as, expand, on_accepted))

    async def steer(self, text: str, *, images: Sequence[ImageContent] = ()) -> Disposition:
        """Say something in between: after the current turn, or at once if nothing goes on."""
        return await self.prompt(text, images=images, deliver_as="steer")

    async def follow_up(self, text: str, *, images: Sequence[ImageContent] = ()) -> Disposition:
        """Say something for when the run would end, or at once if nothing goes on."""
        return await self.prompt(text, images=images, deliver_as="follow_up")

    async def queue(
        self,
        text: str,
        deliver_as: QueueName,
        *,
        images: Sequence[ImageContent] = (),
        source: InputSource = "interactive",
    ) -> Disposition:
        """Let something wait for its turn, also while nothing goes on: the next prompt brings it along.

        Raises: CommandNotQueuedError, DisposedError.
        """
        return await self._entrance.queue(Said(text, images, source), deliver_as)

    async def abort(self) -> None:
        """Stop what goes on, and wait until it has ended. What is queued stays queued."""
        self.request_abort()
        await self.activities.wait_for_idle()
        await self._doorway.opened()

    def request_abort(self) -> None:
        """Stop what goes on, stuck handlers and a reload that still loads included; does not wait for it."""
        self._reloading.give_up()
        self.abort_compaction()
        self._stop_activity()

    async def wait_for_idle(self) -> None:
        """Return when nothing goes on, and nothing that an extension began is left, reloads included."""
        await self.activities.wait_for_idle()
        while await self._reloading.finished():
            await self.activities.wait_for_idle()

    def refresh(self) -> None:
        """Bring tools, prompt, model, thinking level and queues of the next request up to date."""
        parts = self.parts
        self.controls.read_queue_modes()
        self._state.model, self._state.thinking = parts.models.model, parts.models.thinking
        self._state.tools = parts.toolset.active()
        self._state.system_prompt = parts.system.text(parts.toolset)

    def reread(self) -> None:
        """Take the conversation from the history again, after somebody else wrote into it."""
        self._state.messages[:] = self.parts.store.build_context().messages

    # inside

    async def _connect(self, model: Model) -> Connection:
        return await self.parts.models.registry.connect(model)

    def _after_activity(self) -> None:
        self.bash.flush()
        self.parts.system.release()
        self.refresh()
