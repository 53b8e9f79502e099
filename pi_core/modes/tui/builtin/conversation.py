"""Commands about the conversation as it is: its name, its numbers, a copy of it, a summary of it.

Touches: the screen, the session, files that are exported, the clipboard.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_core.clean import clean_line
from pi_core.errors import CompactionError
from pi_core.modes.tui.commands import BuiltinCommand
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.here import Here
from pi_core.session.stats import SessionStats


class ConversationCommands:
    """Each does one thing with the session of the moment."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def commands(self) -> Sequence[BuiltinCommand]:
        """What can be typed."""
        rows = (
            ("session", self.session, "numbers of this conversation: messages, tokens, cost, its file"),
            ("name", self.name, "name the conversation; without a name, say which it has"),
            ("compact", self.compact, "put a summary in place of what was said, with instructions if any"),
            ("export", self.export, "write the conversation to a file: .html, or .jsonl for a copy"),
            ("copy", self.copy, "copy the last answer"),
        )
        return tuple(BuiltinCommand(name=name, run=run, description=about) for name, run, about in rows)

    def session(self, desk: Desk, _: str) -> None:
        """Say the numbers."""
        session = self._here.session
        desk.tell(stats_text(session.stats(), session.session_name, session.parts.cwd.as_posix()))

    def name(self, desk: Desk, args: str) -> None:
        """Give the session a name, or say it."""
        session = self._here.session
        if args:
            session.set_session_name(args)
            desk.set_title(clean_line(f"pi · {session.session_name}"))
            desk.tell(f"This conversation is called {session.session_name!r}.")
        elif session.session_name:
            desk.tell(f"This conversation is called {session.session_name!r}; /name NAME gives it another.")
        else:
            desk.tell("This conversation has no name; /name NAME gives it one.")
        self._here.refresh_facts()

    async def compact(self, desk: Desk, args: str) -> None:
        """Summarise; the log shows what came of it. Raises: CompactionError."""
        try:
            await self._here.session.compact(args or None)
        except CompactionError as error:
            last = [block.text() for block in self._here.stage.log.blocks[-1:]]
            if not error.aborted and not any(error.found in text for text in last):
                raise

    def export(self, desk: Desk, args: str) -> None:
        """Write the file and say where it is. Raises: CannotWriteError, SessionFileError."""
        from pi_core.export.write import export_session  # start-up time: it reads Markdown

        session = self._here.session
        written = export_session(session.parts.store, args or None, cwd=session.parts.cwd)
        desk.tell(f"Written to {written}.")

    def copy(self, desk: Desk, _: str) -> None:
        """The last answer into the clipboard, as the model wrote it."""
        text = self._here.session.last_assistant_text()
        if not text:
            desk.tell("There is no answer to copy yet.")
            return
        self._here.stage.editor.app.copy_to_clipboard(text)
        desk.tell("Copied.")


def stats_text(stats: SessionStats, name: str | None, cwd: str) -> str:
    """The numbers as lines."""
    tokens, usage = stats.tokens, stats.context_usage
    rows = [
        ("name", name or "(none)"),
        ("id", stats.session_id),
        ("file", stats.session_file or "(kept in memory)"),
        ("folder", cwd),
        ("messages", f"{stats.user_messages} from you, {stats.assistant_messages} answers"),
        ("tool calls", f"{stats.tool_calls}, with {stats.tool_results} results"),
        ("tokens", f"{tokens.input:,} in, {tokens.output:,} out, {tokens.cache_read:,} from the cache"),
        ("cost", f"${stats.cost:.4f}"),
    ]
    if usage is not None:
        full = "not known yet" if usage.percent is None else f"{usage.percent:.1f}% full"
        rows.append(("window", f"{usage.context_window:,} tokens, {full}"))
    width = max(len(key) for key, _ in rows)
    return "\n".join(f"{key:<{width}}  {value}" for key, value in rows)
