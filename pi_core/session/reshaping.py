"""What changes the whole conversation, and so needs it at rest: a compaction by hand, a move in the tree.

Prompts that come meanwhile wait. A compaction stops what goes on, a move waits for its end.

Touches: the session's file, and the model that writes summaries.
"""

from __future__ import annotations

from collections.abc import Callable

from pi_core.session.activity import Activities
from pi_core.session.compacting import Compacting, CompactionWish
from pi_core.session.doorway import Doorway
from pi_core.session.events import CompactionResult
from pi_core.session.navigating import Navigated, Navigation


class Reshaping:
    """The changes of one session's conversation, one at a time. `check_open` raises after the end."""

    def __init__(
        self,
        doorway: Doorway,
        activities: Activities,
        compacting: Compacting,
        navigation: Navigation,
        check_open: Callable[[str], None],
    ) -> None:
        self._doorway = doorway
        self._activities = activities
        self._compacting = compacting
        self._navigation = navigation
        self._check_open = check_open

    @property
    def is_running(self) -> bool:
        """Whether the conversation is being summarised or left for another branch, by hand or not."""
        return self._compacting.is_running or self._navigation.is_running

    def abort(self) -> None:
        """Stop it; does not wait for it."""
        self._compacting.abort()
        self._navigation.abort()

    async def compact(self, custom_instructions: str | None, stop: Callable[[], None]) -> CompactionResult:
        """Stop what goes on, wait for its end, and compact. Raises: CompactionError, DisposedError."""
        self._check_open("compact")
        stop()
        async with self._doorway.shut(self._activities.settled, lambda: self._activities.quiet):
            self._check_open("compact")
            wish = CompactionWish(reason="manual", custom_instructions=custom_instructions)
            return await self._compacting.run(wish)

    async def navigate(
        self,
        target_id: str,
        *,
        summarize: bool,
        custom_instructions: str | None,
        replace_instructions: bool,
        label: str | None,
    ) -> Navigated:
        """Wait until nothing goes on, and move.

        Raises: UnknownEntryError, SummaryError, OSError, DisposedError; the leaf is where it was then.
        """
        self._check_open("navigate_tree")
        async with self._doorway.shut(self._activities.settled, lambda: self._activities.quiet):
            self._check_open("navigate_tree")
            prepared = self._navigation.prepared(
                target_id,
                summarize=summarize,
                custom_instructions=custom_instructions,
                replace_instructions=replace_instructions,
                label=label,
            )
            return await self._navigation.go(prepared)
