"""An engine that cannot work is an answer in a line, which the parent's model reads."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pi_sample_subagent import extension

from pi_core.testing.plugin import HarnessMaker


def test_a_library_that_is_not_there(
    pi_harness: HarnessMaker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Dask is an extra: without it the page says what to install, and the agent goes on."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    pi = pi_harness(extension, cwd=tmp_path, settings={"subagent": {"engine": "dask"}})
    result = pi.call_tool("delegate", tasks="run: true")
    assert result.is_error
    assert result.content == (
        "the engine dask needs the library distributed: pip install 'pi-sample-subagent[dask]'"
    )


def test_a_scheduler_that_is_not_there(
    pi_harness: HarnessMaker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its address alone is handed on: what is said about a cluster of our own, dask would refuse."""
    given: list[tuple[Any, ...]] = []

    async def connect(address: str, **options: object) -> None:
        given.append((address, options))
        raise OSError(f"nobody answers at {address}")

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=connect))
    table = {"engine": "dask", "scheduler": "tcp://127.0.0.1:1"}
    pi = pi_harness(extension, cwd=tmp_path, settings={"subagent": table})
    result = pi.call_tool("delegate", tasks="run: true")
    assert (result.is_error, result.content) == (True, "nobody answers at tcp://127.0.0.1:1")
    assert given == [("tcp://127.0.0.1:1", {"asynchronous": True})]
