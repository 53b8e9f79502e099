"""The session on the screen: what it tells goes into the log, what it is into the footer.

It is loaded after the application has appeared: sessions and all that belongs to them take their time.

Touches: the screen, and whatever the session touches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from hookspecs.ui import UI
from pi_core.agent.events import QueueUpdate
from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.modes.base import strays_told
from pi_core.modes.tui.blocks.notice import MadeBlock
from pi_core.modes.tui.commands import Commands
from pi_core.modes.tui.conversation import Conversation
from pi_core.modes.tui.facts import facts_of, place_of
from pi_core.modes.tui.feed import Feed
from pi_core.modes.tui.keys import Keys
from pi_core.modes.tui.renderers import ExtensionRenderers
from pi_core.modes.tui.stage import Stage
from pi_core.modes.tui.welcome import loaded_of, welcome
from pi_core.modes.tui.working import WORKING
from pi_core.session import events as s
from pi_core.session.navigating import Navigated
from pi_core.session.runtime import SessionRuntime
from pi_core.session.session import Session

FACTS_S = 0.15
"""The footer is made anew no sooner than so many seconds after the last time."""


class Attached:
    """Everything that needs a session. `home` shortens folders in what is shown."""

    def __init__(
        self, runtime: SessionRuntime, stage: Stage, *, keys: Keys, commands: Commands, home: Path | None
    ) -> None:
        self.runtime = runtime
        self.conversation = Conversation(stage.desk, commands, stage.log, stage.editor.put)
        self.feed: Feed
        self._stage = stage
        self._keys = keys
        self._home = home
        self._stack = ExitStack()
        self._facts_planned = False
        self._ended = False
        self.is_bound = False
        """Whether the extensions know that the session has begun."""

    def begin(self) -> None:
        """Show the session that is there, and hear of everything from now on."""
        self._stack.enter_context(self.runtime.subscribe(self._hear))
        self._stack.enter_context(strays_told(self.runtime))
        self._stack.callback(self.runtime.on_session(self.show))
        self.show(self.runtime.session)

    async def bind(self, ui: UI, *, on_abort: Callable[[], None]) -> None:
        """Tell the extensions that the session begins. They may already ask the person."""
        await self.runtime.bind(
            mode="tui",
            ui=ui,
            on_abort=on_abort,
            on_shutdown=self._stage.desk.quit,
            before_invalidate=self._leave,
            on_navigated=self._moved,
        )
        self.is_bound = True
        self.refresh_facts()

    def _leave(self) -> None:
        """Extensions go. After a reload others are there at once, and settings that were read anew."""
        if self._ended:
            return
        self._stage.reset()
        before = self.runtime.session
        generation = before.parts.generation

        def look() -> None:
            if self.runtime.session is before and before.parts.generation is not generation:
                self._dress(before)
                self.refresh_facts()

        asyncio.get_running_loop().call_soon(look)

    def _moved(self, moved: Navigated) -> None:
        """An extension went to another branch."""
        self.show(self.runtime.session)
        if moved.editor_text is not None and not self._stage.editor.text.strip():
            self._stage.editor.put(moved.editor_text)

    def end(self) -> None:
        """The screen is gone: hear nothing more."""
        self._ended = True
        self._stack.close()

    def show(self, session: Session) -> None:
        """A session in place of the one that was shown, with its history."""
        stage = self._stage
        stage.working.end()
        stage.working.queue(())
        stage.log.clear()
        self.feed = Feed(stage.log, ExtensionRenderers(session, self.report))
        if session.parts.settings.get("ui", "quiet-startup") is not True:
            loaded = loaded_of(session, place_of(session.parts.cwd, self._home))
            stage.log.append(MadeBlock(lambda palette: welcome(loaded, self._keys, palette)))
        self.feed.restore(session.parts.store.get_branch())
        stage.editor.recalled.fill([block.text() for block in self.feed.prompts])
        self._dress(session)
        self.refresh_facts()

    def _dress(self, session: Session) -> None:
        """The themes that the session brought, the one that is wished for, and what else settings say."""
        parts, stage = session.parts, self._stage
        wrong = stage.wardrobe.fill(parts.generation.themes, self._keep_theme)
        wanted = stage.wardrobe.asked_for or parts.settings.get("ui", "theme")
        palette = stage.wardrobe.get(wanted) if isinstance(wanted, str) else None
        if palette is not None and palette is not stage.look.palette:
            stage.desk.use_palette(palette)
        hidden = parts.settings.get("ui", "hide-thinking")
        if isinstance(hidden, bool) and hidden is stage.look.thinking_shown:
            stage.look.show_thinking(not hidden)
            stage.log.restyle()
        for finding in wrong:
            parts.channel.report(finding)
        for hear in stage.signals.dressed:
            hear(session)

    def _keep_theme(self, name: str) -> None:
        self._stage.wardrobe.asked_for = None
        self.runtime.session.parts.save_setting(("ui", "theme"), name)

    def report(self, what: str, error: BaseException) -> None:
        """Something of an extension could not be shown: told as every failure of an extension is."""
        failure = Failure(what, "render", text_of_error(error), error=error)
        self.runtime.session.parts.channel.report(failure)

    def refresh_facts(self) -> None:
        """Bring the footer up to date, soon."""
        if not self._facts_planned:
            self._facts_planned = True
            asyncio.get_running_loop().call_later(FACTS_S, self._tell_facts)

    def _tell_facts(self) -> None:
        self._facts_planned = False
        if self._stage.footer.is_attached:
            self._stage.footer.tell(facts_of(self.runtime.session, self._home))

    def _hear(self, event: s.SessionEvent) -> None:
        """What the session tells, in the order in which it is told. Must not wait."""
        self.feed.hear(event)
        match event.type:
            case "agent_start":
                self._go_on(WORKING)
            case "compaction_start":
                self._go_on("Summarising the conversation…")
            case "auto_retry_start":
                self._go_on("Waiting before the next try…")
            case "agent_settled" | "compaction_end":
                self._go_on("" if self.runtime.session.is_idle else WORKING)
                self.refresh_facts()
            case "message_end" | "session_info_changed" | "thinking_level_changed" | "entry_appended":
                self.refresh_facts()
            case _:
                if isinstance(event, QueueUpdate):
                    self._stage.working.queue([*event.steering, *event.follow_up])

    def _go_on(self, what: str) -> None:
        """What goes on, in a word; nothing if it is empty."""
        self._stage.editor.busy = bool(what)
        if what:
            self._stage.working.begin(what)
        else:
            self._stage.working.end()
