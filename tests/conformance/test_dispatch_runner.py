"""The recorded handler programs once more, through the authors' API and the real runner.

What the dispatcher does with a list of handlers, extensions must get with `pi.on`: the
same calls in the same order, the same contexts, the same reports.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pi_core.dispatch import Failure, Report
from pi_core.extensions.actions import Finding, Runtime
from pi_core.extensions.loader import LoadRequest, load_extensions
from pi_core.extensions.runner import Runner
from pi_pkg import Provenance
from tests.conformance.dispatch_programs import Function, Row
from tests.conformance.dispatch_replay import Replay
from tests.conformance.test_dispatch import DIFFERENCES, KNOWN, differing_parts


class RunnerDoor:
    """Extensions loaded from factories that keep their API, and a runner over them."""

    def __init__(self, runner: Runner, apis: dict[str, Any]) -> None:
        self.runner = runner
        self.apis = apis

    def add(self, extension: str, event: str, function: Function) -> Callable[[], None]:
        subscription: Callable[[], None] = self.apis[extension].on(event, function)
        return subscription

    async def emit(self, event: Any, report: Report) -> Any:
        def hear(finding: Finding) -> None:
            assert isinstance(finding, Failure)
            report(finding)

        stop = self.runner.on_error(hear)
        try:
            return await self.runner.emit(event)
        finally:
            stop()


async def runner_replay(row: Row) -> Replay:
    """A row against a runner."""
    apis: dict[str, Any] = {}

    def request(name: str) -> LoadRequest:
        provenance = Provenance(path=name, source="inline", scope="temporary", origin="top-level")
        return LoadRequest(path=name, provenance=provenance, factory=lambda pi: apis.update({name: pi}))

    runtime = Runtime()
    names = [extension["name"] for extension in row["extensions"]]
    loaded = await load_extensions([request(name) for name in names], runtime, cwd="/w")
    assert () == loaded.errors
    return Replay(row, RunnerDoor(Runner(loaded.extensions, runtime, cwd="/w"), apis))


@pytest.mark.parametrize("row", KNOWN, ids=[row["id"] for row in KNOWN])
async def test_a_recorded_program_through_the_runner(row: Row) -> None:
    """A program comes to the same through the runner as through the dispatcher alone."""
    parts = await differing_parts(row, await runner_replay(row))
    assert (row["id"] in DIFFERENCES["rows"]) is bool(parts), parts
