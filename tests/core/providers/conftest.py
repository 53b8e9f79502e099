"""A model server for the tests of the wires, one a module, and each wire ready to be asked."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

from pi_core.providers.pydantic_ai import FACES
from tests.core.providers.wire_kit import Asking
from tests.support.wire_bodies import WIRES, Wire
from tests.support.wire_server import Reply, WireServer, wire_server


@pytest.fixture(scope="session")
def vendors() -> None:
    """The vendors' libraries, loaded: which test is the first to need them must not matter to its time."""
    for module in FACES.values():
        importlib.import_module(module)


@pytest.fixture(scope="module")
def shared_server(vendors: None) -> Iterator[WireServer]:
    with wire_server() as server:
        yield server


@pytest.fixture
def server(shared_server: WireServer) -> WireServer:
    """The server, with nothing remembered and a plain answer to give."""
    shared_server.plays(Reply())
    return shared_server


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    """Each wire in turn."""
    found: Wire = request.param
    return found


@pytest.fixture
def asking(server: WireServer, wire: Wire) -> Asking:
    """The wire at the server."""
    return Asking(server, wire)
