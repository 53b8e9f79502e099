"""The application: it owns the session's runtime, and puts together what the person does and what is shown.

It appears first and opens the session behind it, so that whatever asks for a person finds one.

Touches: the screen, and whatever the session touches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO, TypeVar
from weakref import WeakSet

from textual import events
from textual._context import active_message_pump
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import Screen

from hookspecs.ui import Severity
from hookspecs.values import dataclass
from pi_core.modes.tui.actions import Actions
from pi_core.modes.tui.asking import Asking
from pi_core.modes.tui.blocks.notice import NoticeBlock
from pi_core.modes.tui.commands import Commands
from pi_core.modes.tui.component import key_name, owner_of
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.editor.prompt_editor import PromptEditor
from pi_core.modes.tui.extras import CONSUMED, Extras
from pi_core.modes.tui.footer import Footer
from pi_core.modes.tui.keys import Keys
from pi_core.modes.tui.log.block import Block
from pi_core.modes.tui.log.search_bar import SearchBar
from pi_core.modes.tui.log.view import ChatLog
from pi_core.modes.tui.screen import ChatScreen
from pi_core.modes.tui.slots import Slots
from pi_core.modes.tui.stage import Stage
from pi_core.modes.tui.style.builtin import dark
from pi_core.modes.tui.style.guard import Guard
from pi_core.modes.tui.style.look import Look
from pi_core.modes.tui.style.palette import Palette
from pi_core.modes.tui.wardrobe import Wardrobe
from pi_core.modes.tui.working import Working

if TYPE_CHECKING:
    from pi_core.modes.base import Prompt
    from pi_core.modes.tui.attached import Attached
    from pi_core.session.runtime import SessionRuntime

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that is made and not bound, and what to say to it first."""

    runtime: SessionRuntime
    prompts: Sequence[Prompt] = ()


Opening = Callable[[Desk], Awaitable[Opened]]
"""Makes the session. It is handed the application and may ask the person."""


class PiApp(Actions, App[int], inherit_bindings=False):
    """The interactive mode. `opening` makes the session; `home` shortens folders in what is shown.

    `when_open` is called once the session is there and shown. `failure` is what kept it from going on,
    to be told when the terminal is free again.
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
        self._guard = Guard()
        self.failure: BaseException | None = None
        self.keys = keys or Keys()
        self.look = Look(palette or dark())
        self.commands = Commands()
        self.stage = Stage(
            desk=self,
            look=self.look,
            keys=self.keys,
            slots=Slots(self.look, self.report),
            editor=PromptEditor(keys=self.keys, placeholder="Ask anything", id="editor"),
            footer=Footer(self.look.palette, id="footer"),
            working=Working(self.look.palette, self.keys.hint("app.interrupt"), id="working"),
            log=ChatLog(self.look, failed=self._not_shown, moved=self._moved, id="log"),
            asking=Asking(self),
            extras=Extras(self.report),
            wardrobe=Wardrobe(),
            failed=self.report,
        )
        self.log_view, self.editor = self.stage.log, self.stage.editor
        self.slots, self.footer, self.working = self.stage.slots, self.stage.footer, self.stage.working
        self.attached: Attached | None = None
        """Everything that needs a session; None while it is opened."""
        self.strays: TextIO | None = None
        """Where what is printed goes; None drops it."""
        self._opening = opening
        self._home = home
        self._when_open = when_open
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unshown: WeakSet[Block] = WeakSet()
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
            opened = await self._opening(self)
        except BaseException as error:
            self.failure = error
            self.exit(1)
            raise
        # A screen that is empty for a moment is better than none: sessions are loaded behind it.
        from pi_core.modes.tui.attached import Attached
        from pi_core.modes.tui.ui import TuiUI
        from pi_core.session.warming import warm_up

        self.attached = attached = Attached(
            opened.runtime, self.stage, keys=self.keys, commands=self.commands, home=self._home
        )
        attached.begin()
        await attached.bind(TuiUI(self.stage), on_abort=self.action_interrupt)
        self.start(asyncio.to_thread(_warm_up), "warm up")
        self.start(warm_up(opened.runtime.session), "warm up the model")
        if self._when_open is not None:
            self._when_open()
        for prompt in opened.prompts:
            await attached.conversation.send(prompt.text, images=prompt.images)

    def on_unmount(self) -> None:
        """Nothing is heard any more."""
        if self.attached is not None:
            self.attached.end()
        for task in self._tasks:
            task.cancel()

    def quit(self) -> None:
        """End in order: the terminal is given back, then the session ends."""
        self.exit(0)

    # what its rooms ask of it; see `Desk`

    @property
    def runtime(self) -> SessionRuntime:
        """The session and its replacements. Raises: RuntimeError while it is being opened."""
        if self.attached is None:
            raise RuntimeError("the session is still being opened")
        return self.attached.runtime

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
            self.tell(f"{task.get_name().removeprefix('pi-tui-')}: {error or type(error).__name__}", "error")
        else:
            self.failure = error
            self.exit(1)

    def report(self, what: str, error: BaseException) -> None:
        """Something of an extension could not be shown."""
        if self.attached is not None:
            self.attached.report(what, error)

    def show_again(self) -> None:
        """Write the present session anew into the log."""
        if self.attached is not None:
            self.attached.show(self.attached.runtime.session)

    def refresh_facts(self) -> None:
        """The footer is out of date."""
        if self.attached is not None:
            self.attached.refresh_facts()

    def set_title(self, title: str) -> None:
        """The title of the terminal's window."""
        if self._driver is not None:
            self._driver.write(f"\x1b]0;{title}\x07")

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

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Every line of every widget goes through the guard on its way to the terminal."""
        return (self._guard, *super().get_line_filters())

    # the person

    async def on_event(self, event: events.Event) -> None:
        """What is typed is seen by the listeners of extensions first, and a key by the editor's component."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            left = self._left_of(event)
            if left is None:
                return
            event = left
        await super().on_event(event)

    def _left_of(self, event: events.Key | events.Paste) -> events.Event | None:
        extras = self.stage.extras
        if extras.listening:
            data = event.text if isinstance(event, events.Paste) else key_name(event)
            left = extras.heard(data)
            if left == CONSUMED:
                return None
            if left != data:
                return events.Paste(left)
        if isinstance(event, events.Key) and self.stage.signals.takes_key(event.key):
            return None
        if (
            isinstance(event, events.Key)
            and extras.editor_component is not None
            and self.focused is self.editor
        ):
            return None if extras.takes_key(key_name(event), self.editor) else event
        return event

    def _handle_exception(self, error: Exception) -> None:
        """What a widget of an extension raises ends that widget, and nothing else."""
        owner = owner_of(active_message_pump.get(None))
        if owner is None:
            super()._handle_exception(error)
        else:
            owner.give_up(error)

    def on_prompt_editor_submitted(self, event: PromptEditor.Submitted) -> None:
        """Something was sent."""
        if self.attached is None:
            self.editor.put(event.text)
            return
        self.log_view.show_end()
        sending = self.attached.conversation.send(event.text, follow_up=event.follow_up, images=event.images)
        self.start(sending, "send")

    def on_text_area_changed(self) -> None:
        """What is typed comes first. A `!` at the beginning shows that a shell command is written."""
        self.log_view.give_way()
        row = self.screen_stack[0].query("#prompt-row") if self.screen_stack else ()
        if row:
            row[0].set_class(self.editor.text.startswith("!"), "-shell")
        for hear in self.stage.signals.typed:
            hear()

    def on_search_bar_closed(self, _: SearchBar.Closed) -> None:
        """Typing goes to the editor again."""
        self.editor.focus()

    def _not_shown(self, block: Block, error: BaseException) -> None:
        """A block could not be laid out: told once, however often it is tried."""
        if block not in self._unshown:
            self._unshown.add(block)
            self.report(type(block).__name__, error)

    def _moved(self, following: bool) -> None:
        """While the end is not in sight, a line says how to get there."""
        screen = self.screen_stack[0] if self.screen_stack else None
        if isinstance(screen, ChatScreen):
            screen.more.update(f"↓ more below · {self.keys.hint('tui.altScreen.bottom')}")
            screen.more.display = not following

    def on_print(self, event: events.Print) -> None:
        """What extensions print is no part of the screen."""
        if self.strays is not None:
            self.strays.write(event.text)


def _warm_up() -> None:
    """Load, beside everything else, what the first answer will need."""
    import pi_core.modes.tui.blocks.markdown  # noqa: F401 - it takes its time
    from pi_core.modes.tui.style.code import lexer_for  # and so do the languages

    for language in ("python", "bash", "json"):
        lexer_for(language)
