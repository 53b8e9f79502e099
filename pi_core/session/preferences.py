"""What a person changes while a session lives: it counts at once, and for the sessions that follow.

A choice that cannot be written down is reported and counts until the next reload.

Touches: the user's settings file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pi_core.compaction.tokens import CompactionSettings, compaction_findings, compaction_settings
from pi_core.providers.retrying import RetrySettings, retry_findings, retry_settings
from pi_core.session.generation import SessionParts
from pi_pkg import Diagnostic, SettingsError


class Preferences:
    """The settings in force with what was chosen since they were read."""

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        self._chosen: dict[tuple[str, ...], Any] = {}
        self._read = parts.settings

    def get(self, *keys: str, default: Any = None) -> Any:
        """The value at a path of keys: the choice if there was one, else the setting."""
        self._forget_old()
        return (
            self._chosen[keys] if keys in self._chosen else self._parts.settings.get(*keys, default=default)
        )

    def keep(self, *keys: str, value: Any) -> None:
        """Choose a value and write it into the user's settings."""
        self._forget_old()
        self._chosen[keys] = value
        try:
            self._parts.save_setting(keys, value)
        except SettingsError as error:
            hint = f"It counts until the next reload. {error.hint or ''}".strip()
            finding = Diagnostic("warning", "setting-not-saved", "settings", error.message, hint=hint)
            self._parts.channel.report(finding)

    def retry(self) -> RetrySettings:
        """The table `[retry]` as it counts now."""
        settings = retry_settings(self._parts.settings.effective)
        return replace(settings, enabled=self.get("retry", "enabled", default=True) is not False)

    def compaction(self) -> CompactionSettings:
        """The table `[compaction]` as it counts now, for the model in use."""
        window = self._parts.models.model.context_window
        settings = compaction_settings(self._parts.settings.effective, window)
        return replace(settings, enabled=self.get("compaction", "enabled", default=True) is not False)

    def _forget_old(self) -> None:
        """After a reload the file has the last word."""
        if self._read is not self._parts.settings:
            self._read = self._parts.settings
            self._chosen.clear()


def limit_findings(settings: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """What is wrong with the tables `[compaction]` and `[retry]` of the effective settings."""
    return (*compaction_findings(settings), *retry_findings(settings))
