"""Another summary in the place of pi's. It is written in `extract.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pi_core.api import Compaction, ExtensionAPI, ExtensionContext, SessionBeforeCompact
from pi_sample_custom_compaction.extract import Extract, text_of_extract

REASONS: Final = ("manual", "threshold", "overflow")


def extension(pi: ExtensionAPI) -> None:
    """Answer for the reasons that the settings name."""

    @pi.on("session_before_compact")
    def compact(event: SessionBeforeCompact, ctx: ExtensionContext) -> Compaction | None:
        if event.reason not in reasons(pi.get_settings().get("custom-compaction")):
            return None
        wanted = event.preparation
        before = Extract.from_details(earlier_details(event.branch_entries))
        extract = before.after([*wanted.messages_to_summarize, *wanted.turn_prefix_messages])
        return Compaction(
            summary=text_of_extract(extract, event.custom_instructions),
            first_kept_entry_id=wanted.first_kept_entry_id,
            tokens_before=wanted.tokens_before,
            details=extract.to_details(),
        )


def reasons(table: Any) -> tuple[str, ...]:
    """The reasons for which this package answers."""
    on = table.get("on") if isinstance(table, Mapping) else None
    return tuple(map(str, on)) if isinstance(on, list) else REASONS


def earlier_details(entries: list[Any]) -> Any:
    """What the last compaction on the branch kept for us; None if there was none, or it was not ours."""
    details = [entry.details for entry in entries if getattr(entry, "type", None) == "compaction"]
    return details[-1] if details else None
