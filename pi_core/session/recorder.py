"""The way into the history: every append goes through here, and listeners learn of what is no message.

A history that cannot be written is reported and the conversation goes on: what was said is worth
more than where it is kept.

Touches: the session's file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookspecs.messages import CustomMessage, Message
from pi_core.dispatch.plan import text_of_error
from pi_core.history.store import SessionStore
from pi_core.session.channel import Channel
from pi_core.session.drafts import CompactionDraft, CustomDraft, Draft, EditDraft, MessageDraft
from pi_core.session.events import CompactionResult, EntryAppended
from pi_core.session.plain import plain
from pi_pkg import Diagnostic


class Recorder:
    """Appends to one store. Ids that are returned are "" where nothing could be written."""

    def __init__(self, store: SessionStore, channel: Channel) -> None:
        self._store = store
        self._channel = channel
        self._told: Diagnostic | None = None

    def message(self, message: Message) -> str:
        """Store a message. What is no JSON in its details is stored as text."""
        if isinstance(message, CustomMessage):
            return self._written(lambda: self._custom(message, message.details), self._lossy(message))
        return self._written(lambda: self._store.append_message(message), self._lossy(message))

    def entry(self, custom_type: str, data: Any) -> str:
        """Store an extension's entry, and tell it."""
        entry_id = self._written(
            lambda: self._store.append_custom_entry(custom_type, data),
            lambda: self._store.append_custom_entry(custom_type, plain(data)),
        )
        self._tell(entry_id)
        return entry_id

    def draft(self, draft: Draft) -> str:
        """Store an entry that was proposed at a boundary. All but messages are told."""
        match draft:
            case MessageDraft(message=message):
                return self.message(message)
            case CustomDraft(custom_type=custom_type, data=data):
                return self.entry(custom_type, data)
            case EditDraft(target_id=target_id, content=content):
                entry_id = self._store.append_context_edit(target_id, content)
            case CompactionDraft():
                entry_id = self._store.append_compaction(
                    draft.summary,
                    draft.first_kept_entry_id,
                    draft.tokens_before,
                    details=draft.details,
                    from_hook=True,
                )
        self._tell(entry_id)
        return entry_id

    def compaction(self, result: CompactionResult, *, from_hook: bool) -> str:
        """Store a summary; whoever compacts tells it. Raises: OSError, ValueError, TypeError."""
        return self._store.append_compaction(
            result.summary,
            result.first_kept_entry_id,
            result.tokens_before,
            details=plain(result.details),
            usage=result.usage,
            from_hook=from_hook or None,
        )

    def _tell(self, entry_id: str) -> None:
        entry = self._store.get_entry(entry_id)
        if entry is not None:
            self._channel.tell(EntryAppended(entry=entry))

    def _custom(self, message: CustomMessage, details: Any) -> str:
        return self._store.append_custom_message(
            message.custom_type,
            message.content,
            display=message.display,
            details=details,
            at_ms=message.timestamp or None,
        )

    def _lossy(self, message: Any) -> Callable[[], str]:
        """How to store a message whose details are no JSON."""

        def store() -> str:
            if isinstance(message, CustomMessage):
                return self._custom(message, plain(message.details))
            for name in ("details", "structured_content", "extra"):
                if hasattr(message, name):
                    setattr(message, name, plain(getattr(message, name)))
            return self._store.append_message(message)

        return store

    def _written(self, write: Callable[[], str], lossy: Callable[[], str]) -> str:
        try:
            try:
                entry_id = write()
            except (TypeError, ValueError):
                entry_id = lossy()
        except (OSError, TypeError, ValueError) as error:
            finding = not_stored(self._store, error)
            if finding != self._told:  # a full disk is told once, not with every message
                self._channel.report(finding)
            self._told = finding
            return ""
        if self._store.is_saved:
            self._told = None
        return entry_id


def not_stored(store: SessionStore, error: Exception) -> Diagnostic:
    """Why something of the conversation is in no file."""
    reason = (error.strerror if isinstance(error, OSError) else None) or text_of_error(error)
    return Diagnostic(
        "error", "session-not-stored", "session", f"the conversation cannot be stored: {reason}.",
        path=store.session_file, hint="It goes on; what is said meanwhile is lost with the program.",
    )  # fmt: skip
