"""A command line of its own for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agent_cli import AgentCli, agent_cli


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    """The real command with a fresh home and project."""
    return agent_cli(tmp_path)
