"""The application: it owns the session's runtime, and puts together what the person does and what is shown.

It appears first and opens the session behind it, so that whatever asks for a person finds one.

Touches: the screen, and whatever the session touches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TextIO, TypeVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen

from hookspecs.ui import Severity
from pi_core.agent.events import QueueUpdate
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.modes.base import Prompt, strays_told
from pi_core.modes.tui.actions import Actions
from pi_core.modes.tui.blocks.notes import MadeBlock, NoticeBlock
from pi_core.modes.tui.commands import Commands
from pi_core.modes.tui.conversation import Conversation
from pi_core.modes.tui.editor.prompt_editor import PromptEditor
from pi_core.modes.tui.facts import facts_of, place_of
from pi_core.modes.tui.feed import Feed
from pi_core.modes.tui.footer import Footer
from pi_core.modes.tui.keys import Keys
from pi_core.modes.tui.log.search_bar import SearchBar
from pi_core.modes.tui.log.view import ChatLog
from pi_core.modes.tui.renderers import ExtensionRenderers
from pi_core.modes.tui.screen import ChatScreen
from pi_core.modes.tui.slots import Slots
from pi_core.modes.tui.style.builtin import dark
from pi_core.modes.tui.style.code import warm_up
from pi_core.modes.tui.style.look import Look
from pi_core.modes.tui.style.palette import Palette
from pi_core.modes.tui.ui import Stage, TuiUI
from pi_core.modes.tui.welcome import loaded_of, welcome
from pi_core.modes.tui.working import Working
from pi_core.session import events as s
from pi_core.session.runtime import SessionRuntime
from pi_core.session.session import Session

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that is made and not bound, and what to say to it first."""

    runtime: SessionRuntime
    prompts: Sequence[Prompt] = ()


Opening = Callable[[], Awaitable[Opened]]


class PiApp(Actions, App[int], inherit_bindings=False):
    """The interactive mode. `opening` makes the session; `home` shortens folders in what is shown.

    `when_open` is called once the session is there and shown. `failure` is what kept it from going on, to be told when the terminal is free again.
    """

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        opening: Opening,
        *,
        home: Path | None = None,
        keys: Keys | None = None,
        palette: Palette | None = None,
        when_open: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self.failure: BaseException | None = None
        self.keys = keys or Keys()
        self.look = Look(palette or dark())
        self.commands = Commands()
        self.log_view = ChatLog(self.look, id="log")
        self.editor = PromptEditor(placeholder="Ask anything", id="editor")
        self.working = Working(self.look.palette, self.keys.hint("app.interrupt"), id="working")
        self.footer = Footer(self.look.palette, id="footer")
        self.slots = Slots(self.look, self.report)
        self.conversation = Conversation(self, self.commands, self.log_view)
        self.ui = TuiUI(
            Stage(
                desk=self,
                look=self.look,
                slots=self.slots,
                editor=self.editor,
                footer=self.footer,
                working=self.working,
                log=self.log_view,
            )
        )
        self.feed: Feed | None = None
        self._when_open = when_open
        self.strays: TextIO | None = None
        """Where what is printed goes; None drops it."""
        self._opening = opening
        self._home = home
        self._runtime: SessionRuntime | None = None
        self._stack = ExitStack()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._use(self.look.palette)

    # its beginning and its end

    def get_default_screen(self) -> Screen[Any]:
        """The conversation."""
        return ChatScreen(self.log_view, self.working, self.editor, self.footer, self.slots)

    def on_mount(self) -> None:
        """It is on the screen: now the session is opened."""
        self.set_keymap(self.keys.textual_keymap())
        self.begin_capture_print(self)
        self.call_after_refresh(self.start, self._begin(), "open the session")

    async def _begin(self) -> None:
        try:
            opened = await self._opening()
        except BaseException as error:
            self.failure = error
            self.exit(1)
            raise
        self._runtime = runtime = opened.runtime
        self._stack.enter_context(runtime.subscribe(self._hear))
        self._stack.enter_context(strays_told(runtime))
        self._stack.callback(runtime.on_session(self._show))
        self._show(runtime.session)
        await runtime.bind(
            mode="tui",
            ui=self.ui,
            on_abort=self.action_interrupt,
            on_shutdown=self.quit,
            before_invalidate=self.reset_extension_ui,
        )
        self.refresh_facts()
        self.start(asyncio.to_thread(warm_up), "warm up")
        if self._when_open is not None:
            self._when_open()
        for prompt in opened.prompts:
            await self.conversation.send(prompt.text, images=prompt.images)

    def on_unmount(self) -> None:
        """Nothing is heard any more."""
        self._stack.close()
        for task in self._tasks:
            task.cancel()

    def quit(self) -> None:
        """End in order: the terminal is given back, then the session ends."""
        self.exit(0)

    # what its rooms ask of it; see `Desk`

    @property
    def runtime(self) -> SessionRuntime:
        """The session and its replacements. Raises: RuntimeError while it is being opened."""
        if self._runtime is None:
            raise RuntimeError("the session is still being opened")
        return self._runtime

    @property
    def is_open(self) -> bool:
        """Whether there is a session."""
        return self._runtime is not None

    def tell(self, message: str, level: Severity = "info") -> None:
        """Say something to the person, in the log."""
        self.log_view.append(NoticeBlock(message, level))

    def open_dialog(self, screen: Screen[T]) -> Awaitable[T | None]:
        """Put a screen on top; what is returned is its answer. Whoever stops waiting takes it away."""
        answer: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()

        def settle(value: T | None) -> None:
            if not answer.done():
                answer.set_result(value)

        def take_away(future: asyncio.Future[T | None]) -> None:
            if future.cancelled() and screen in self.screen_stack:
                screen.dismiss(None)

        answer.add_done_callback(take_away)
        self.push_screen(screen, settle)
        return answer

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        """Begin some work; what it raises is shown to the person."""
        task = asyncio.get_running_loop().create_task(work, name=f"pi-tui-{name}")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or task.exception() is None or self.failure is not None:
            return
        error = task.exception()
        assert error is not None
        if isinstance(error, Exception):
            self.tell(f"{task.get_name().removeprefix('pi-tui-')}: {text_of_error(error)}", "error")
        else:
            self.failure = error
            self.exit(1)

    def report(self, what: str, error: Exception) -> None:
        """Something of an extension could not be shown: reported as every failure of an extension is."""
        if self._runtime is not None:
            failure = Failure(what, "render", text_of_error(error), error=error)
            self._runtime.session.parts.channel.report(failure)

    # the session

    def _show(self, session: Session) -> None:
        """Another session is there: its history in place of what was shown."""
        self.working.end()
        self.working.queue(())
        self.log_view.clear()
        self.feed = Feed(self.log_view, ExtensionRenderers(session, self.report))
        loaded = loaded_of(session, place_of(session.parts.cwd, self._home))
        self.log_view.append(MadeBlock(lambda palette: welcome(loaded, self.keys, palette)))
        self.feed.restore(session.parts.store.get_branch())
        self.editor.recalled.fill([block.text() for block in self.feed.prompts])
        self.refresh_facts()

    def _hear(self, event: s.SessionEvent) -> None:
        """What the session tells, in the order in which it is told. Must not wait."""
        if self.feed is not None:
            self.feed.hear(event)
        match event.type:
            case "agent_start" | "compaction_start" | "auto_retry_start":
                self._go_on(True)
            case "agent_settled" | "compaction_end":
                self._go_on(not self.runtime.session.is_idle)
                self.refresh_facts()
            case "message_end" | "session_info_changed" | "thinking_level_changed" | "entry_appended":
                self.refresh_facts()
            case _:
                if isinstance(event, QueueUpdate):
                    self.working.queue([*event.steering, *event.follow_up])

    def _go_on(self, busy: bool) -> None:
        self.editor.busy = busy
        if busy:
            self.working.begin()
        else:
            self.working.end()

    def refresh_facts(self) -> None:
        """Bring the footer up to date, soon."""
        self.call_later(self._tell_facts)

    def _tell_facts(self) -> None:
        if self._runtime is not None:
            self.footer.tell(facts_of(self._runtime.session, self._home))

    def reset_extension_ui(self) -> None:
        """What extensions put on the screen goes; called before they become stale."""
        self.slots.clear()
        self.footer.statuses.clear()
        self.footer.show()
        self.working.reset()
        self.look.label_thinking(None)

    # the look

    def use_palette(self, palette: Palette) -> None:
        """Other colours, at once."""
        self.look.use(palette)
        self._use(palette)
        self.working.palette = self.footer.palette = palette
        self.working.show()
        self.footer.show()
        self.slots.refresh()
        self.log_view.restyle()

    def _use(self, palette: Palette) -> None:
        self.register_theme(palette.widget_theme())
        self.theme = palette.name

    # the person

    def on_prompt_editor_submitted(self, event: PromptEditor.Submitted) -> None:
        """Something was sent."""
        if self._runtime is None:
            self.editor.put(event.text)
            return
        self.log_view.show_end()
        self.start(self.conversation.send(event.text, follow_up=event.follow_up), "send")

    def on_text_area_changed(self) -> None:
        """What is typed comes first. A `!` at the beginning shows that a shell command is written."""
        self.log_view.give_way()
        row = self.screen.query("#prompt-row")
        if row:
            row.first().set_class(self.editor.text.startswith("!"), "-shell")

    def on_search_bar_closed(self, _: SearchBar.Closed) -> None:
        """Typing goes to the editor again."""
        self.editor.focus()

    def on_chat_log_failed(self, event: ChatLog.Failed) -> None:
        """A block could not be laid out."""
        self.report(type(event.block).__name__, event.error)

    def on_chat_log_moved(self, event: ChatLog.Moved) -> None:
        """While the end is not in sight, a line says how to get there."""
        screen = self.screen_stack[0]
        if isinstance(screen, ChatScreen):
            screen.more.update(f"↓ more below · {self.keys.hint('tui.altScreen.bottom')}")
            screen.more.display = not event.following

    def on_print(self, event: events.Print) -> None:
        """What extensions print is no part of the screen."""
        if self.strays is not None:
            self.strays.write(event.text)
