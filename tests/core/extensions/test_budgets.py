"""How the settings say how long extensions may take."""

from __future__ import annotations

from math import inf

import pytest

from pi_core.extensions.budgets import Budgets, read_budgets


def test_the_limits_of_the_design() -> None:
    """Thirty seconds a handler, five for the end, a warning after one, a tenth for the whole program."""
    assert (30, 5, 1, 0.1) == (
        Budgets().handler_s,
        Budgets().shutdown_s,
        Budgets().warn_s,
        Budgets().block_s,
    )


def test_the_settings_change_them() -> None:
    """Each key of the table counts for itself; without a table the limits are the usual ones."""
    table = {"handler-s": 2, "shutdown-s": 0.5, "warn-s": inf}
    assert (Budgets(handler_s=2, shutdown_s=0.5, warn_s=inf), ()) == read_budgets(table)
    assert (Budgets(), ()) == read_budgets(None)
    assert (Budgets(), ()) == read_budgets({})


@pytest.mark.parametrize("value", [0, -1, "30", True, None, [1], float("nan")])
def test_what_is_no_duration_is_left_out(value: object) -> None:
    """It keeps its usual limit, the other keys count, and a finding names the key."""
    budgets, (finding,) = read_budgets({"handler-s": value, "warn-s": 2})
    assert Budgets(warn_s=2) == budgets
    assert ("warning", "bad-budget", "settings") == (finding.severity, finding.code, finding.stage)
    assert "budgets.handler-s must be" in finding.message


def test_an_unknown_key_is_named() -> None:
    """With the keys that there are, as a misspelt limit limits nothing."""
    budgets, (finding,) = read_budgets({"handler-ms": 5})
    assert Budgets() == budgets
    assert "budgets.handler-ms is unknown; there are handler-s, shutdown-s" in finding.message


def test_a_table_that_is_none_is_named() -> None:
    """`budgets = 5` is no table."""
    assert "must be a table" in read_budgets(5)[1][0].message


def test_which_events_have_which_limits() -> None:
    """The two that may ask a model have none, and only streams are warned about."""
    budgets = Budgets()
    assert (inf, inf, 30) == tuple(
        budgets.limit_s(event) for event in ("session_before_compact", "session_before_tree", "tool_call")
    )
    assert (1, 1, 1, inf) == tuple(
        budgets.warning_s(event)
        for event in ("message_update", "tool_execution_update", "provider_stream_event", "tool_call")
    )
