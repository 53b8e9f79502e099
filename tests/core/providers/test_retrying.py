"""How often, and after how long, a failed request is made again."""

from __future__ import annotations

from typing import Any

import pytest

from pi_core.providers.retrying import RetrySettings, retry_findings, retry_settings


def test_the_wait_doubles() -> None:
    """Three repetitions after 2, 4 and 8 seconds, unless the settings say otherwise."""
    settings = retry_settings({})
    assert 3 == settings.limit
    assert [2000, 4000, 8000] == [settings.delay_ms(attempt) for attempt in (1, 2, 3)]


def test_a_server_may_ask_for_more() -> None:
    """A longer wait is granted up to a minute; a shorter one changes nothing."""
    settings = RetrySettings()
    assert 34070 == settings.delay_ms(1, "Please retry in 34.07s.")
    assert 4000 == settings.delay_ms(2, "Please try again in 20ms")
    assert 2000 == settings.delay_ms(1, "Please try again in 59m0s")


def test_how_long_a_server_may_ask_for_is_a_setting() -> None:
    """`max-retry-delay-ms` of `[retry.provider]`; the other keys of that table are no mistake."""
    settings = {"retry": {"provider": {"max-retry-delay-ms": 5000, "timeout-ms": 1}}}
    found = retry_settings(settings)
    assert (2000, 4000) == (found.delay_ms(1, "retry in 6s"), found.delay_ms(1, "retry in 4s"))
    assert () == retry_findings(settings)


def test_settings_stand_in_their_table() -> None:
    """Keys are in kebab-case; switched off there are no repetitions."""
    found = retry_settings({"retry": {"enabled": False, "max-retries": 9, "base-delay-ms": 5}})
    assert RetrySettings(enabled=False, max_retries=9, base_delay_ms=5) == found
    assert 0 == found.limit
    assert 1500 == retry_settings({"retry": {"base-delay-ms": 1500.9}}).base_delay_ms


@pytest.mark.parametrize(
    "table", [1, {"enabled": 1}, {"max-retries": True}, {"base-delay-ms": -1}, {"tries": 3}]
)
def test_what_cannot_count_is_told(table: Any) -> None:
    """A wrong setting keeps its default and stops nothing."""
    assert RetrySettings() == retry_settings({"retry": table})
    assert ["bad-retry"] == [finding.code for finding in retry_findings({"retry": table})]
