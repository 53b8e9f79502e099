"""The history of one session: entries, the leaf, and the file that they are kept in.

Every append is a child of the leaf and becomes the leaf. The file appears with
the first message of a person or a model; what came before it is written then too,
so a session in which nothing was said leaves no file. The leaf is not stored: a
file that is opened continues after its last entry.

Touches: files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hookspecs.messages import AssistantMessage, JsonObject, Message, Usage, UserContent, UserMessage
from pi_core.errors import UnknownEntryError
from pi_core.history import entries as e
from pi_core.history.codec import entry_from_wire, entry_to_wire, header_to_wire
from pi_core.history.collecting import collection_paused
from pi_core.history.context import SessionContext, as_content_of, build_context, is_editable
from pi_core.history.entries import Entry, SessionHeader
from pi_core.history.names import iso_now, iso_of, new_entry_id
from pi_core.history.session_file import SessionLog
from pi_core.history.tree import TreeNode, build_tree, path_to


class SessionStore:
    """One session's history. Made by the functions of `sessions`.

    Appending methods return the new entry's id. If a write fails they raise OSError, and the history
    is as it was before. Lists that are returned are the caller's, the entries in them the store's.
    """

    def __init__(
        self, header: SessionHeader, log: SessionLog, wires: Sequence[JsonObject] = (), *, saved: bool = False
    ) -> None:
        self.header = header
        self.unreadable_lines = 0
        """How many lines of the file hold no object; they stay there."""
        self._log = log
        self._saved = saved
        self._entries: list[Entry] = []
        self._by_id: dict[str, Entry] = {}
        self._wires: dict[str, JsonObject] = {}
        self._labels: dict[str, str] = {}
        self._name: str | None = None
        for wire in wires:
            entry = entry_from_wire(wire)
            if entry is not None:
                self._add(entry, wire)
        self._leaf_id = self._entries[-1].id if self._entries else None

    # -- reading ---------------------------------------------------------------------------------

    @property
    def session_id(self) -> str:
        return self.header.id

    @property
    def session_file(self) -> str | None:
        """The path of the file, there or not yet; None for a session in memory."""
        return self._log.path

    @property
    def cwd(self) -> str:
        return self.header.cwd

    @property
    def is_saved(self) -> bool:
        """Whether the file is there. Never true of a session in memory."""
        return self._saved

    def get_entries(self) -> list[Entry]:
        """All entries in file order."""
        return list(self._entries)

    def get_entry(self, entry_id: str) -> Entry | None:
        return self._by_id.get(entry_id)

    def get_leaf_id(self) -> str | None:
        """The entry that the next one will follow; None: the next one is a root."""
        return self._leaf_id

    def get_branch(self, leaf_id: str | None = None) -> list[Entry]:
        """The branch from root to `leaf_id`, or to the leaf."""
        return path_to(self._leaf_id if leaf_id is None else leaf_id, self._by_id)

    def get_tree(self) -> list[TreeNode]:
        return build_tree(self._entries)

    def get_label(self, entry_id: str) -> str | None:
        return self._labels.get(entry_id)

    @property
    def session_name(self) -> str | None:
        """The name that was given last, on whichever branch; None if there is none."""
        return self._name

    def build_context(self) -> SessionContext:
        """What a model reads at the leaf."""
        with collection_paused():
            return build_context(self.get_branch())

    def wire_of(self, entry_id: str) -> JsonObject:
        """The object that stands for an entry in the file. Not to be changed."""
        self._require(entry_id)
        return self._wires[entry_id]

    # -- moving ----------------------------------------------------------------------------------

    def branch(self, entry_id: str) -> None:
        """Go on after another entry. Raises UnknownEntryError."""
        self._require(entry_id)
        self._leaf_id = entry_id

    def reset_leaf(self) -> None:
        """Go on with a new root."""
        self._leaf_id = None

    # -- appending -------------------------------------------------------------------------------

    def append_message(self, message: Message) -> str:
        return self._append(e.MessageEntry(**self._base(), message=message))

    def append_model_change(self, provider: str, model_id: str) -> str:
        return self._append(e.ModelChangeEntry(**self._base(), provider=provider, model_id=model_id))

    def append_thinking_level_change(self, level: str) -> str:
        return self._append(e.ThinkingLevelChangeEntry(**self._base(), thinking_level=level))

    def append_custom_entry(self, custom_type: str, data: Any = None) -> str:
        return self._append(e.CustomEntry(**self._base(), custom_type=custom_type, data=data))

    def append_custom_message(
        self,
        custom_type: str,
        content: str | list[UserContent],
        *,
        display: bool = True,
        details: Any = None,
        at_ms: int | None = None,
    ) -> str:
        """Add a message of an extension; `at_ms` is when it was said, if that is not now."""
        base = self._base() if at_ms is None else {**self._base(), "timestamp": iso_of(at_ms)}
        return self._append(
            e.CustomMessageEntry(
                **base, custom_type=custom_type, content=content, display=display, details=details
            )
        )

    def append_label(self, target_id: str, label: str | None) -> str:
        """Mark an entry; None or an empty text takes the mark away. Raises UnknownEntryError."""
        self._require(target_id)
        return self._append(e.LabelEntry(**self._base(), target_id=target_id, label=label))

    def append_session_info(self, name: str | None) -> str:
        """Name the session; an empty name takes it away. Line breaks become blanks."""
        clean = re.sub(r"[\r\n]+", " ", name or "").strip()
        return self._append(e.SessionInfoEntry(**self._base(), name=clean))

    def append_usage(self, kind: str, provider: str, model: str, usage: Usage) -> str:
        return self._append(
            e.UsageEntry(**self._base(), kind=kind, provider=provider, model=model, usage=usage)
        )

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str,
        tokens_before: int,
        *,
        details: Any = None,
        usage: Usage | None = None,
        from_hook: bool | None = None,
    ) -> str:
        return self._append(
            e.CompactionEntry(
                **self._base(),
                summary=summary,
                first_kept_entry_id=first_kept_entry_id,
                tokens_before=tokens_before,
                details=details,
                usage=usage,
                from_hook=from_hook,
            )
        )

    def branch_with_summary(
        self,
        target_id: str | None,
        summary: str,
        *,
        details: Any = None,
        usage: Usage | None = None,
        from_hook: bool | None = None,
    ) -> str:
        """Go on after `target_id` (None: as a new root) with a summary of what was left.

        Raises: UnknownEntryError.
        """
        left = self._leaf_id
        if target_id is not None:
            self._require(target_id)
        self._leaf_id = target_id
        entry = e.BranchSummaryEntry(
            **self._base(),
            from_id=left or "root",
            summary=summary,
            details=details,
            usage=usage,
            from_hook=from_hook,
        )
        try:
            return self._append(entry)
        except BaseException:
            self._leaf_id = left
            raise

    def append_context_edit(self, target_id: str, replacement: str | list[UserContent] | None) -> str:
        """Change what the model reads of a message from here on; None: nothing of it.

        Raises: UnknownEntryError, or ValueError if it is not on the branch or no message to edit.
        """
        target = self._require(target_id)
        if target_id not in {entry.id for entry in self.get_branch()}:
            raise ValueError(f"entry {target_id} is not on the current branch")
        if not is_editable(target):
            raise ValueError(f"entry {target_id} is a {target.type} that a context edit cannot change")
        value = None if replacement is None else e.Replacement(content=as_content_of(target, replacement))
        return self._append(e.ContextEditEntry(**self._base(), target_id=target_id, replacement=value))

    # -- inside ----------------------------------------------------------------------------------

    def _base(self) -> dict[str, Any]:
        return {"id": new_entry_id(self._by_id), "parent_id": self._leaf_id, "timestamp": iso_now()}

    def _append(self, entry: Entry) -> str:
        wire = entry_to_wire(entry)
        self._write(entry, wire)
        self._add(entry, wire)
        self._leaf_id = entry.id
        return entry.id

    def _write(self, entry: Entry, wire: JsonObject) -> None:
        """Put an entry down if the file is there, or if it is the one with which the file begins."""
        if self._saved:
            self._log.append(wire)
        elif is_conversation(entry) and self._log.path is not None:
            self._create([*self._wires.values(), wire])

    def _create(self, wires: Sequence[JsonObject]) -> None:
        self._log.create([header_to_wire(self.header), *wires])
        self._saved = True

    def _add(self, entry: Entry, wire: JsonObject) -> None:
        self._entries.append(entry)
        self._by_id[entry.id] = entry
        self._wires[entry.id] = wire
        # Whoever draws a tree or a title asks for these again and again.
        if isinstance(entry, e.LabelEntry):
            self._labels.pop(entry.target_id, None)
            if entry.label:
                self._labels[entry.target_id] = entry.label
        elif isinstance(entry, e.SessionInfoEntry):
            self._name = (entry.name or "").strip() or None

    def _require(self, entry_id: str) -> Entry:
        entry = self._by_id.get(entry_id)
        if entry is None:
            raise UnknownEntryError(entry_id)
        return entry


def is_conversation(entry: Entry) -> bool:
    """Whether an entry is something that a person or a model said."""
    return isinstance(entry, e.MessageEntry) and isinstance(entry.message, UserMessage | AssistantMessage)
