"""The history as extensions see it: everything can be asked, nothing can be written.

What an extension adds goes through its API, where it is told to everybody and checked.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_core.history.entries import Entry
from pi_core.history.store import SessionStore
from pi_core.history.tree import TreeNode


class HistoryView:
    """Implements `SessionView` over a store. Lists are the caller's own; entries are not to be changed."""

    __slots__ = ("_store",)

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    @property
    def session_file(self) -> str | None:
        """The file; None for a conversation in memory."""
        return self._store.session_file

    @property
    def session_id(self) -> str:
        return self._store.session_id

    @property
    def session_name(self) -> str | None:
        """The name that somebody gave it last."""
        return self._store.session_name

    @property
    def cwd(self) -> str:
        """The working folder that it belongs to."""
        return self._store.cwd

    def get_entries(self) -> Sequence[Entry]:
        """Every entry of the file, whichever branch it is on, in the order of the file."""
        return self._store.get_entries()

    def get_branch(self, leaf_id: str | None = None) -> Sequence[Entry]:
        """The entries from the root to `leaf_id`, by default to where the conversation stands."""
        return self._store.get_branch(leaf_id)

    def get_entry(self, entry_id: str) -> Entry | None:
        """The entry of an id; None if there is none."""
        return self._store.get_entry(entry_id)

    def get_leaf_id(self) -> str | None:
        """Where the conversation stands; None before the first entry."""
        return self._store.get_leaf_id()

    def get_label(self, entry_id: str) -> str | None:
        """The label of an entry, if it has one."""
        return self._store.get_label(entry_id)

    def get_tree(self) -> Sequence[TreeNode]:
        """The roots, each with what follows from it."""
        return self._store.get_tree()
