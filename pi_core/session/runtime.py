"""The session of a host over all its replacements: new, resumed, forked, imported.

A replacement goes one way: the extensions may refuse it, the target is found, the old session ends
and everything of it is stale, the new one is built, filled and begun, and whoever asked goes on in it.
It runs in a task of its own, so whatever becomes of the command that asked, it comes to its end.

Touches: session files, and whatever extensions touch when they load.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from hookspecs.context import Mode, Replaced, WithSession
from hookspecs.events.session import SessionBeforeFork, SessionBeforeSwitch
from hookspecs.ui import UI
from hookspecs.values import dataclass
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.errors import AgentError, DisposedError, ForkError, ReplacementError
from pi_core.extensions.actions import STALE
from pi_core.extensions.errors import StaleContextError
from pi_core.history.store import SessionStore
from pi_core.session.binding import Binding
from pi_core.session.channel import Channel, Listener
from pi_core.session.event_stream import EventStream
from pi_core.session.navigating import Navigated
from pi_core.session.session import Session
from pi_core.session.targets import (
    ForkPoint,
    fork_point,
    forked_target,
    imported_file,
    new_target,
    stored_target,
)
from pi_pkg import Diagnostic, PackageError

Follow: TypeAlias = Callable[[SessionStore], Awaitable[Session]]
"""Builds the session that follows, for a conversation; what it raises leaves nothing behind."""
Setup: TypeAlias = Callable[[SessionStore], Any]
"""Fills a new conversation before anybody is told of it; may be async."""
Reason: TypeAlias = Literal["new", "resume", "fork"]
Position: TypeAlias = Literal["before", "at"]

END_LIMIT_S: Final = 5.0
"""How long the end waits for a replacement that is under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked(Replaced):
    """How a fork ended. `selected_text` is the message before which it was made, to be edited."""

    selected_text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """A replacement that somebody asks for. `target` finds the conversation, given the present one."""

    reason: Reason
    asked: SessionBeforeSwitch | SessionBeforeFork
    target: Callable[[SessionStore], SessionStore]
    setup: Setup | None = None
    with_session: WithSession | None = None


class SessionRuntime:
    """Holds the present `session`. Listeners and the binding outlive every replacement."""

    def __init__(self, session: Session, follow: Follow) -> None:
        self.session = session
        self._follow = follow
        self._hub = Channel()
        self._hub.broken = self._report_listener
        self._on_session: list[Callable[[Session], None]] = []
        self._binding: Binding | None = None
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._disposed = False
        self._lost = False  # True while the session has ended and nothing could take its place yet
        session.parts.channel.outer = self._hub.tell

    # what it is

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Those of the present session."""
        return self.session.diagnostics

    def subscribe(self, listener: Listener) -> AbstractContextManager[None]:
        """Hear every event of every session inside a `with` block. Listeners must not wait."""
        return self._hub.subscribe(listener)

    def events(self) -> EventStream:
        """Every event of every session from now on, to be iterated over; it ends with the runtime."""
        return self._hub.events()

    def _report_listener(self, failure: Failure, aloud: bool) -> None:
        self.session.parts.channel.report_once(failure, aloud)

    def on_session(self, listener: Callable[[Session], None]) -> Callable[[], None]:
        """Hear of every session that takes the place of another, before its extensions do.

        Returns what takes the listener off again.
        """
        self._on_session.append(listener)
        return lambda: self._on_session.remove(listener) if listener in self._on_session else None

    async def bind(
        self,
        *,
        mode: Mode = "print",
        ui: UI | None = None,
        on_abort: Callable[[], None] | None = None,
        on_shutdown: Callable[[], None] | None = None,
        on_error: Callable[[Diagnostic], None] | None = None,
        before_invalidate: Callable[[], None] | None = None,
        on_navigated: Callable[[Navigated], None] | None = None,
    ) -> None:
        """Bind the session, and all that follow in the same way. For the parameters see `Binding`."""
        self._binding = Binding(
            mode=mode,
            ui=ui,
            on_abort=on_abort,
            on_shutdown=on_shutdown,
            on_error=on_error,
            before_invalidate=before_invalidate,
            on_navigated=on_navigated,
        )
        await self.session.bind_as(self._bound_to(self.session))

    async def abort(self) -> None:
        """Stop what goes on in the session, and wait until it has ended."""
        await self.session.abort()

    async def wait_for_idle(self) -> None:
        """Return when nothing goes on in the session, nor in one that took its place meanwhile."""
        session: Session | None = None
        while session is not self.session:
            session = self.session
            await session.wait_for_idle()

    async def navigate_tree(
        self, target_id: str, *, summarize: bool = False, custom_instructions: str | None = None,
        replace_instructions: bool = False, label: str | None = None,
    ) -> Navigated:  # fmt: skip
        """Go on after another entry of the session's tree; see `Session.navigate_tree`."""
        return await self.session.navigate_tree(
            target_id, summarize=summarize, custom_instructions=custom_instructions,
            replace_instructions=replace_instructions, label=label,
        )  # fmt: skip

    async def reload(self) -> None:
        """Reload the session; see `Session.reload`."""
        await self.session.reload()

    async def dispose(self) -> None:
        """End the session, and nothing follows. Always returns, whatever extensions do."""
        self._disposed = True
        others = self._tasks - {asyncio.current_task()}
        if others:
            self.session.parts.runner.abort()
            await asyncio.wait(others, timeout=END_LIMIT_S)
        await self.session.dispose()
        self._hub.close()

    async def __aenter__(self) -> SessionRuntime:
        await self.bind()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self.dispose()

    # replacements

    async def new_session(
        self,
        *,
        setup: Setup | None = None,
        with_session: WithSession | None = None,
        parent_session: str | None = None,
    ) -> Replaced:
        """Begin a new conversation in the same folder. `setup` may write into it first.

        Raises: ReplacementError if the old session is gone and the new one could not be built, after which
        another may be asked for; what `setup` and `with_session` raise, with the new session in place.
        """
        return await self._new(None, setup, with_session, parent_session)

    async def switch_session(self, path: str | Path, *, with_session: WithSession | None = None) -> Replaced:
        """Go on with the conversation of a file; a relative path counts from the working folder.

        Raises: SessionFileError, and nothing has changed; ReplacementError; what `with_session` raises.
        """
        return await self._switch(None, path, with_session)

    async def fork(
        self, entry_id: str, *, position: Position = "before", with_session: WithSession | None = None
    ) -> Forked:
        """Go on in a copy of the conversation that ends before, or at, an entry.

        Raises: ForkError, SessionFileError, and nothing has changed; ReplacementError; what
        `with_session` raises.
        """
        return await self._fork(None, entry_id, position, with_session)

    async def clone(self, *, with_session: WithSession | None = None) -> Forked:
        """Go on in a copy of the whole branch. Raises: as `fork`."""
        leaf = self.session.parts.store.get_leaf_id()
        if leaf is None:
            raise ForkError("(none)", "is not there, as the session is empty")
        return await self.fork(leaf, position="at", with_session=with_session)

    async def import_jsonl(self, path: str | Path, *, with_session: WithSession | None = None) -> Replaced:
        """Copy a session file beside the present one, and go on with it. Raises: as `switch_session`."""
        source, here = self._absolute(path), self.session.parts.store.session_file
        place = source if here is None else Path(here).parent / source.name
        wish = _Wish(
            reason="resume",
            asked=SessionBeforeSwitch(reason="resume", target_session_file=str(place)),
            target=lambda _: stored_target(imported_file(source, place)),
            with_session=with_session,
        )
        return Replaced(cancelled=not await self._grant(None, wish))

    async def _new(
        self,
        asked_in: Session | None,
        setup: Setup | None,
        with_session: WithSession | None,
        parent_session: str | None = None,
    ) -> Replaced:
        wish = _Wish(
            reason="new",
            asked=SessionBeforeSwitch(reason="new"),
            target=lambda store: new_target(store, parent_session),
            setup=setup,
            with_session=with_session,
        )
        return Replaced(cancelled=not await self._grant(asked_in, wish))

    async def _switch(
        self, asked_in: Session | None, path: str | Path, with_session: WithSession | None
    ) -> Replaced:
        place = self._absolute(path)
        wish = _Wish(
            reason="resume",
            asked=SessionBeforeSwitch(reason="resume", target_session_file=str(place)),
            target=lambda _: stored_target(place),
            with_session=with_session,
        )
        return Replaced(cancelled=not await self._grant(asked_in, wish))

    async def _fork(
        self,
        asked_in: Session | None,
        entry_id: str,
        position: Position,
        with_session: WithSession | None,
    ) -> Forked:
        points: list[ForkPoint] = []

        def target(store: SessionStore) -> SessionStore:
            points.append(fork_point(store, entry_id, position))
            return forked_target(store, points[-1])

        asked = SessionBeforeFork(entry_id=entry_id, position=position)
        wish = _Wish(reason="fork", asked=asked, target=target, with_session=with_session)
        if not await self._grant(asked_in, wish):
            return Forked(cancelled=True)
        return Forked(selected_text=points[-1].selected_text)

    # the one way

    async def _grant(self, asked_in: Session | None, wish: _Wish) -> bool:
        """Replace the session, in a task that nobody's cancellation reaches; False if it was refused.

        `asked_in` is the session whose extension asked; a host asks in whichever is there.
        """
        task = asyncio.get_running_loop().create_task(
            self._replace(asked_in, wish, asyncio.current_task()), name=f"pi-session-{wish.reason}"
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(self._tell)
            raise

    def _tell(self, task: asyncio.Task[Any]) -> None:
        """Whoever asked is gone, so a failure is reported."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            report = self.session.parts.channel.report
            report(Failure("<runtime>", "session", text_of_error(error), error=error))

    async def _replace(self, asked_in: Session | None, wish: _Wish, asking: asyncio.Task[Any] | None) -> bool:
        async with self._turn:
            old = self.session
            if asked_in is not None and asked_in is not old:
                raise StaleContextError(STALE)
            if self._disposed or (old.is_disposed and not self._lost):
                raise DisposedError("another session")
            if not self._lost and await _refused(old, wish.asked):
                return False
            target = wish.target(old.parts.store)
            new, failure = await self._exchange(old, wish, target, asking)
        if failure is not None:
            raise failure
        if wish.with_session is not None:
            await _maybe_await(wish.with_session(new.parts.runner.replaced_context()))
        return True

    async def _exchange(
        self, old: Session, wish: _Wish, target: SessionStore, asking: asyncio.Task[Any] | None
    ) -> tuple[Session, BaseException | None]:
        """The new session in the old one's place, begun; and what its setup raised.

        Where none can be built, the old one has ended all the same, and the next wish is tried from there.
        """
        before, after = old.parts.store.session_file, target.session_file
        if not self._lost:
            await old.dispose(wish.reason, target_session_file=after, asking=asking)
            self._lost = True
        if before is not None and before == after:
            target = wish.target(old.parts.store)  # the end of the old one may have added to the file
        try:
            new = await self._follow(target)
        except (AgentError, PackageError) as error:
            raise ReplacementError(str(error)) from error
        failure = None if wish.setup is None else await _set_up(new, wish.setup)
        new.parts.channel.outer = self._hub.tell
        self.session = new
        self._lost = False
        for listener in tuple(self._on_session):
            listener(new)
        if self._binding is not None:
            await new.bind_as(self._bound_to(new), wish.reason, before)
        return new, failure

    def _bound_to(self, session: Session) -> Binding:
        return replace(self._binding or Binding(), command_actions=_Commands(self, session))

    def _absolute(self, path: str | Path) -> Path:
        return (self.session.parts.cwd / path).resolve()


class _Commands:
    """Implements `CommandActions` for the extensions of one session."""

    def __init__(self, runtime: SessionRuntime, session: Session) -> None:
        self._runtime = runtime
        self._session = session

    async def new_session(
        self, *, setup: Setup | None = None, with_session: WithSession | None = None
    ) -> Replaced:
        return await self._runtime._new(self._session, setup, with_session)

    async def fork(
        self, entry_id: str, *, position: Position = "before", with_session: WithSession | None = None
    ) -> Replaced:
        return await self._runtime._fork(self._session, entry_id, position, with_session)

    async def switch_session(self, path: str, *, with_session: WithSession | None = None) -> Replaced:
        return await self._runtime._switch(self._session, path, with_session)


async def _refused(session: Session, event: SessionBeforeSwitch | SessionBeforeFork) -> bool:
    """Whether an extension cancels what is about to happen."""
    runner = session.parts.runner
    if not runner.has_handlers(event.event_name):
        return False
    answer = await runner.emit(event)
    return bool(answer is not None and answer.cancel)


async def _set_up(session: Session, setup: Setup) -> BaseException | None:
    """Let the caller fill the conversation; a failure is kept until the session has begun."""
    try:
        await _maybe_await(setup(session.parts.store))
    except FAILURES as error:  # raised to whoever asked, once the session stands
        pass_interrupt(error)
        return error
    finally:
        session.reread()
    return None


async def _maybe_await(answer: Any) -> None:
    if inspect.isawaitable(answer):
        await answer
