"""Each provider works against a server of this machine, or against none."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pi_sample_provider_demo import extension, parrot

from pi_core.api import (
    AbortController,
    Done,
    Failed,
    Model,
    SessionStart,
    StreamContext,
    StreamOptions,
    UserMessage,
)
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

START = SessionStart(reason="startup")


class Server(BaseHTTPRequestHandler):
    """Lists a model; grants a login at the second question, and renews it once."""

    asked = 0

    def do_GET(self) -> None:
        self._answer(200, {"data": [{"id": "hammer"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/device":
            self._answer(200, {"url": "http://login", "code": "AB-12", "device": "d", "pause": 0})
        elif body.get("refresh") == "old":
            self._answer(200, {"access": "a2", "refresh": "new", "seconds": 60})
        elif "refresh" in body:
            self._answer(400, {"error": "unknown"})
        else:
            type(self).asked += 1
            granted = {"access": "a1", "refresh": "old", "seconds": 60}
            self._answer(200, granted if self.asked > 1 else {"pending": True})

    def _answer(self, status: int, body: Any) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *about: Any) -> None:
        """The tests are quiet."""


@pytest.fixture
def address() -> Iterator[str]:
    """A server on a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def parrot_events(signal: Any = None) -> list[Any]:
    """What the parrot streams for "one two"."""
    model = Model(id="polly", provider="parrot", api="parrot")
    context = StreamContext(messages=[UserMessage(content="one two")])

    async def collect() -> list[Any]:
        return [event async for event in parrot.repeat(model, context, StreamOptions(signal=signal))]

    return asyncio.run(collect())


def test_the_parrot_streams_word_by_word() -> None:
    """The deltas together are the answer."""
    events = parrot_events()
    assert [event.delta for event in events if event.type == "text_delta"] == ["one ", "two"]
    assert isinstance(events[-1], Done)
    assert events[-1].message.usage.total_tokens == 4


def test_the_parrot_can_be_interrupted() -> None:
    """An abort is an answer that says so."""
    controller = AbortController()
    controller.abort()
    (*_, last) = parrot_events(controller.signal)
    assert isinstance(last, Failed)
    assert last.message.stop_reason == "aborted"


def test_the_workshop_is_asked_for_its_models(pi_harness: HarnessMaker, address: str) -> None:
    """The models are those of the server."""
    pi = pi_harness(extension, settings={"provider-demo": {"workshop": address}})
    pi.emit(START)
    assert pi.host.providers["workshop"].models == [{"id": "hammer"}]


def test_a_server_that_is_not_there_is_one_line(pi_harness: HarnessMaker) -> None:
    """The parrot is there all the same."""
    ui = RecordingUI()
    pi = pi_harness(extension, ui=ui, settings={"provider-demo": {"workshop": "http://127.0.0.1:1/v1"}})
    pi.emit(START)
    assert list(pi.host.providers) == ["parrot"]
    assert ui.notices[0].startswith("The workshop at http://127.0.0.1:1/v1 does not answer")


class Person:
    """Somebody who logs in, and remembers what they were shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def on_auth(self, url: str, instructions: str = "") -> None:
        self.shown.append(f"{url}: {instructions}")

    def on_progress(self, message: str) -> None:
        self.shown.append(message)


def test_a_login_is_made_and_renewed(pi_harness: HarnessMaker, address: str) -> None:
    """The person is shown address and code; a login that cannot be renewed says what the server said."""
    pi = pi_harness(extension, settings={"provider-demo": {"cloud": address}})
    pi.emit(START)
    hooks = pi.host.providers["cloud"].oauth
    person = Person()
    credentials = asyncio.run(hooks.login(person))
    assert person.shown == ["http://login: Type the code AB-12", "Waiting for the browser"]
    renewed = asyncio.run(hooks.refresh(credentials))
    assert (credentials["access"], renewed["access"]) == ("a1", "a2")
    with pytest.raises(RuntimeError, match="the server answered 400"):
        asyncio.run(hooks.refresh(renewed))


def test_a_workshop_that_is_shut_is_told_without_a_screen(pi_harness: HarnessMaker) -> None:
    """One finding; the other providers are there."""
    shut = {"provider-demo": {"workshop": "http://127.0.0.1:1/v1", "cloud": "http://127.0.0.1:1"}}
    pi = pi_harness(extension, settings=shut, strict=False)
    pi.emit(SessionStart(reason="startup"))
    (finding,) = pi.diagnostics
    assert "The workshop at http://127.0.0.1:1/v1 does not answer" in finding.message
    assert {"parrot", "cloud"} == set(pi.host.providers)
