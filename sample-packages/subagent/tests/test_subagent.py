"""Tasks run side by side with their own tools, whoever does the work, and a lost worker costs only time."""

from __future__ import annotations

from pathlib import Path

import pytest
from pi_sample_subagent import extension
from pi_sample_subagent.agents import Agent, plan_of

from pi_core.testing.plugin import HarnessMaker

DELEGATED = "bash answered:\n{}"


def test_settings_make_a_plan() -> None:
    """There is always a `worker`; odd values count as absent."""
    plan = plan_of({"limit": 0, "agents": {"scout": {"tools": ["read"], "model": 3}, "x": 1}})
    assert (plan.engine, plan.limit) == ("process", 4)
    assert plan.agents == {"worker": Agent(), "scout": Agent(tools=("read",))}


def test_an_unknown_engine_is_named() -> None:
    """With those that there are."""
    with pytest.raises(ValueError, match="'spark'; there are process, subprocess, dask"):
        plan_of({"engine": "spark"})


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without keys, so that the scripted model answers; and a folder to work in."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PI_CODING_AGENT_DIR", raising=False)
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.mark.parametrize("engine", ["process", "subprocess"])
def test_answers_come_in_the_order_of_the_tasks(
    pi_harness: HarnessMaker, own_home: Path, engine: str
) -> None:
    """Each child runs real tools in the working folder."""
    pi = pi_harness(extension, cwd=own_home, settings={"subagent": {"engine": engine}})
    result = pi.call_tool("delegate", tasks=["run: echo one", "run: echo two"])
    assert [item["text"] for item in result.details] == [DELEGATED.format("one"), DELEGATED.format("two")]
    assert not result.is_error


@pytest.mark.parametrize("engine", ["process", "subprocess"])
def test_an_agent_has_the_tools_of_its_kind(pi_harness: HarnessMaker, own_home: Path, engine: str) -> None:
    """A scout cannot run commands."""
    table = {"engine": engine, "agents": {"scout": {"tools": ["read"]}}}
    pi = pi_harness(extension, cwd=own_home, settings={"subagent": table})
    pi.call_tool("delegate", tasks="run: touch made", agent="scout")
    assert not (own_home / "made").exists()


def test_a_model_that_is_not_there_is_an_answer(pi_harness: HarnessMaker, own_home: Path) -> None:
    """The parent's model reads why; nothing is raised."""
    table = {"agents": {"odd": {"model": "nobody/nothing"}}}
    pi = pi_harness(extension, cwd=own_home, settings={"subagent": table})
    result = pi.call_tool("delegate", tasks="hello", agent="odd")
    assert result.is_error
    assert "nobody" in str(result.content)


def test_an_unknown_agent_is_named(pi_harness: HarnessMaker) -> None:
    """With those that there are."""
    result = pi_harness(extension).call_tool("delegate", tasks="x", agent="wizard")
    assert (result.is_error, result.content) == (True, "there is no agent 'wizard'; there are worker")


def test_a_worker_that_dies_loses_nothing(pi_harness: HarnessMaker, own_home: Path) -> None:
    """Its task is given to another worker; the answer is that one's."""
    once = "test -e died || { touch died; kill -9 $PPID; }; echo survived"
    pi = pi_harness(extension, cwd=own_home, settings={"subagent": {"engine": "dask", "limit": 2}})
    result = pi.call_tool("delegate", tasks=[f"run: {once}", "run: echo beside"])
    assert [item["text"] for item in result.details] == [
        DELEGATED.format("survived"),
        DELEGATED.format("beside"),
    ]
    assert (own_home / "died").exists()
