"""A conversation that is alive: its agent, its extensions, its tools and its history as one thing.

Touches: the session's file, and whatever extensions and tools touch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias

from hookspecs.context import Mode
from hookspecs.events import agent as on_agent
from hookspecs.events.input import InputSource
from hookspecs.events.resources import ResourcesDiscover
from hookspecs.events.session import SessionShutdown, SessionStart, ShutdownReason, StartReason
from hookspecs.messages import CustomMessage, ImageContent, Message, UserMessage, text_of
from hookspecs.ui import UI
from pi_core.agent.agent import Agent, now_ms
from pi_core.agent.state import AgentState
from pi_core.dispatch.outcomes import AgentStartOutcome, CollectedResources
from pi_core.dispatch.plan import Failure
from pi_core.errors import BusyError, DisposedError
from pi_core.extensions.headless import HeadlessUI
from pi_core.extensions.runner import Runner
from pi_core.history.codec import header_to_wire
from pi_core.history.store import SessionStore
from pi_core.session.activity import Activities
from pi_core.session.boundary import Boundary
from pi_core.session.channel import Channel, Listener
from pi_core.session.delivery import Delivery
from pi_core.session.errands import Errands
from pi_core.session.foreign import as_custom_message
from pi_core.session.hooks import RunHooks
from pi_core.session.model_selection import ModelSelection
from pi_core.session.prompting import Prompting, QueueName, user_message
from pi_core.session.recorder import Recorder
from pi_core.session.system_text import SystemText
from pi_core.session.toolset import Toolset
from pi_pkg import Diagnostic, Settings

Disposition: TypeAlias = Literal["handled", "queued", "started"]
"""What became of a prompt: an extension dealt with it, it waits, or it ran (and has ended)."""

ABORT_LIMIT_S = 2.0
"""How long a run may take to end when the session is disposed of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionParts:
    """What a session is made of. Built by the composition root; the session owns all of it."""

    store: SessionStore
    runner: Runner
    channel: Channel
    toolset: Toolset
    models: ModelSelection
    system: SystemText
    settings: Settings
    cwd: Path
    trusted: bool


class Session:
    """One live session. Made unbound: extensions are loaded, and no event was sent yet."""

    def __init__(self, parts: SessionParts) -> None:
        self.parts = parts
        self.mode: Mode = "print"
        self.ui: UI = HeadlessUI()
        self.has_ui = False
        self._runner = parts.runner
        self._channel = parts.channel
        self._bound = False
        self._disposed = False
        self._on_shutdown: Callable[[], None] | None = None
        context = parts.store.build_context()
        self._state = AgentState(
            model=parts.models.model,
            thinking=parts.models.thinking,
            messages=context.messages,
            conversation_id=parts.store.session_id,
        )
        self.recorder = Recorder(parts.store, parts.channel)
        boundary = Boundary(
            parts.runner, parts.store, self.recorder, parts.channel, self._state, self.refresh
        )
        errands = Errands()
        hooks = RunHooks(parts.runner, self.recorder, parts.channel, boundary, errands, self._state)
        self.agent = Agent(self._state, hooks, parts.models.registry.connect)
        self.activities = Activities(
            self.agent, parts.runner, parts.channel, boundary, errands, self._after_activity
        )
        self.delivery = Delivery(self.agent, self.activities, boundary, self._begin_with_custom)
        self._prompting = Prompting(parts.runner, parts.system.expand)
        parts.runner.on_error(parts.channel.report)
        self.refresh()

    # what it is

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation as a model reads it, oldest first. Not to be changed."""
        return self._state.messages

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What went wrong with packages and extensions so far, oldest first."""
        return tuple(self._channel.diagnostics)

    def add_diagnostics(self, found: Iterable[Diagnostic]) -> None:
        """Keep what was found while the session was built; each finding once."""
        self._channel.diagnostics[:] = dict.fromkeys([*self._channel.diagnostics, *found])

    @property
    def is_idle(self) -> bool:
        """Whether no activity goes on."""
        return not self.activities.busy

    @property
    def system_prompt(self) -> str:
        """The prompt of the next request."""
        return self._state.system_prompt

    def header(self) -> Mapping[str, Any]:
        """The first line of the session's file, as it is written."""
        return header_to_wire(self.parts.store.header)

    def subscribe(self, listener: Listener) -> AbstractContextManager[None]:
        """Hear every event inside a `with` block. Listeners are called at once and must not wait."""
        return self._channel.subscribe(listener)

    # its life

    async def bind(
        self,
        *,
        mode: Mode = "print",
        ui: UI | None = None,
        on_shutdown: Callable[[], None] | None = None,
        reason: StartReason = "startup",
    ) -> None:
        """Tell the extensions that the session begins, and take in the resources that they bring.

        `on_shutdown` is asked when an extension wants the program to end; without it nothing happens.
        """
        self._check_open("bind")
        self.mode, self.has_ui = mode, ui is not None
        self.ui = ui if ui is not None else HeadlessUI(mode)
        self._on_shutdown = on_shutdown
        self._bound = True
        if self._runner.has_handlers("session_start"):
            await self._runner.emit(SessionStart(reason=reason))
        if self._runner.has_handlers("resources_discover"):
            asked = ResourcesDiscover(
                cwd=str(self.parts.cwd), reason="reload" if reason == "reload" else "startup"
            )
            found: CollectedResources = await self._runner.emit(asked)
            for diagnostic in self.parts.system.add(found):
                self._channel.report(diagnostic)
            self.refresh()

    async def dispose(self, reason: ShutdownReason = "quit") -> None:
        """End the session: the run first, then the extensions. Always returns, whatever they do."""
        if self._disposed:
            return
        self._disposed = True
        self.request_abort()
        await asyncio.wait({asyncio.ensure_future(self.activities.wait_for_idle())}, timeout=ABORT_LIMIT_S)
        if self._bound:
            await self._runner.shutdown(SessionShutdown(reason=reason))
        self._runner.invalidate()
        await self._runner.close()

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
        self._check_open("prompt")
        if expand and await self._prompting.run_command(text):
            return "handled"
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
        await self.activities.run(lambda: self._opening(message, outcome.images, "user"))
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
        """Stop what goes on, handlers that do not end included, without waiting for it."""
        if self.activities.busy:
            self.activities.abort()
            self._runner.abort()

    async def wait_for_idle(self) -> None:
        """Return when nothing goes on, and nothing that an extension began is left."""
        await self.activities.wait_for_idle()

    def request_shutdown(self) -> None:
        """An extension wants the program to end."""
        if self._on_shutdown is not None:
            self._on_shutdown()

    def refresh(self) -> None:
        """Bring tools, prompt, model and thinking level of the next request up to date."""
        parts = self.parts
        self._state.model, self._state.thinking = parts.models.model, parts.models.thinking
        self._state.tools = parts.toolset.active()
        self._state.system_prompt = parts.system.text(parts.toolset)

    # inside

    async def _begin_with_custom(self, message: CustomMessage) -> None:
        await self.activities.run(lambda: self._opening(message, None, "custom"))

    async def _opening(
        self,
        message: UserMessage | CustomMessage,
        images: list[ImageContent] | None,
        message_type: Literal["user", "custom"],
    ) -> list[Message]:
        """The messages that begin a run: the prompt, what waited for it, what extensions add."""
        opening: list[Message] = [message, *self.delivery.take_next_turn()]
        self.refresh()
        if not self._runner.has_handlers("before_agent_start"):
            return opening
        event: Any = on_agent.BeforeAgentStart(
            prompt=text_of(message.content),
            images=images,
            system_prompt=self._state.system_prompt,
            system_prompt_options=self.parts.system.options(self.parts.toolset),
            message_type=message_type,
        )
        event.render = self.parts.system.render
        outcome: AgentStartOutcome = await self._runner.emit(event)
        self.parts.system.hold(outcome.options)
        self.refresh()
        return [*opening, *self._injected(outcome)]

    def _injected(self, outcome: AgentStartOutcome) -> list[Message]:
        added: list[Message] = []
        for given in outcome.messages:
            try:
                added.append(as_custom_message(given, now_ms()))
            except ValueError as error:
                self._channel.report(Failure("<runtime>", "before_agent_start", str(error)))
        return added

    def _after_activity(self) -> None:
        self.parts.system.release()
        self.refresh()

    def _check_open(self, asked: str) -> None:
        if self._disposed:
            raise DisposedError(asked)
