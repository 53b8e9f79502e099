"""A process that a client drives, for every test or for a whole module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agent_cli import AgentCli, agent_cli
from tests.support.rpc_client import RpcClient, rpc


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    """The real command with a fresh home and project."""
    return agent_cli(tmp_path)


@pytest.fixture
def client(pi: AgentCli) -> Iterator[RpcClient]:
    """A process of its own."""
    with rpc(pi) as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RpcClient]:
    """One process for tests that leave it as it was."""
    with rpc(agent_cli(tmp_path_factory.mktemp("shared"))) as running:
        yield running
