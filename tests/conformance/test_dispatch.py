"""Every recorded handler program, run against the dispatcher: green, or a listed difference.

A recording holds what the handlers saw and what the dispatch came to. Gates merge their
answers here, and the recording carries the outcome of that rule where it matters.

Touches: files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_core.dispatch import UnknownEventError, law_for
from tests.conformance.dispatch_programs import Row
from tests.conformance.dispatch_replay import OUR_KINDS, Replay, disagreements, plan_replay
from tests.conformance.host_rows import differences

HERE = Path(__file__).parent
ROWS: list[Row] = [
    json.loads(line) for line in (HERE / "data" / "dispatch.jsonl").read_text(encoding="utf-8").splitlines()
]
DIFFERENCES = differences()["dispatch"]


def is_known(row: Row) -> bool:
    """Whether the event of a row is part of our contract."""
    return row["family"] not in DIFFERENCES["families"] and not DIFFERENCES["tags"].keys() & row["tags"]


KNOWN = [row for row in ROWS if is_known(row)]


def expected_runs(row: Row) -> list[dict[str, Any]]:
    """The recorded outcomes, one a dispatch, with the merge rule of gates applied."""
    runs = []
    for part, merged in (("expect", "merged_result"), ("expect_again", "merged_result_again")):
        if part in row:
            runs.append({**row[part], "result": row.get(merged, row[part]["result"])})
    return runs


async def differing_parts(row: Row, replay: Replay) -> list[str]:
    """The parts in which our outcomes differ from the recorded ones."""
    return [
        part
        for expected in expected_runs(row)
        for part in disagreements(await replay.run(), expected, row["family"])
    ]


def test_the_corpus_is_whole() -> None:
    """635 programs were recorded, and all of them are here."""
    assert 635 == len(ROWS) == len({row["id"] for row in ROWS})


@pytest.mark.parametrize("row", KNOWN, ids=[row["id"] for row in KNOWN])
async def test_a_recorded_program(row: Row) -> None:
    """A program comes to what was recorded, unless it is listed; a listed one really differs."""
    parts = await differing_parts(row, plan_replay(row))
    assert (row["id"] in DIFFERENCES["rows"]) is bool(parts), parts


@pytest.mark.parametrize("event", sorted({row["event"] for row in ROWS if row not in KNOWN}))
def test_an_event_outside_the_contract(event: str) -> None:
    """Programs of an unknown event cannot run: the event has no law."""
    with pytest.raises(UnknownEventError):
        law_for(event)


def test_every_listed_row_exists() -> None:
    """The list of differences names recorded programs only."""
    assert set() == set(DIFFERENCES["rows"]) - {row["id"] for row in ROWS}


async def test_what_only_we_report_is_reported_somewhere() -> None:
    """Each kind of report that the comparison leaves out occurs, so leaving it out is needed."""
    kinds = {error["kind"] for row in KNOWN for error in (await plan_replay(row).run())["errors"]}
    assert OUR_KINDS <= kinds
