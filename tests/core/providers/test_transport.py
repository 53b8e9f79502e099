"""The hooks of a request, on every wire: headers, payload, response, chunks; and what never goes out."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_core.providers.transport import Chunks, laid_over, sent_headers, shown_headers
from tests.core.providers.wire_kit import Asking, RecordingHooks
from tests.support.wire_bodies import Answer, Say
from tests.support.wire_server import Reply

KEY_HEADER = {
    "openai-completions": ("authorization", "Bearer test-key"),
    "openai-responses": ("authorization", "Bearer test-key"),
    "anthropic-messages": ("x-api-key", "test-key"),
    "google-generative-ai": ("x-goog-api-key", "test-key"),
}


async def test_each_hook_runs_once_in_order(asking: Asking) -> None:
    """Headers, payload, then the response with its status and headers."""
    asking.server.plays(Reply(headers={"X-Request-Id": "r1"}))
    hooks = RecordingHooks()
    await asking.message(hooks=hooks)
    assert ["headers", "payload", (200, "r1")] == hooks.calls


async def test_a_bad_response_is_no_response(asking: Asking) -> None:
    """The third hook hears of good responses only."""
    asking.server.plays(Reply(status=500))
    hooks = RecordingHooks()
    await asking.message(hooks=hooks)
    assert ["headers", "payload"] == hooks.calls


async def test_headers_are_edited_in_place(asking: Asking) -> None:
    """One is added, one is changed whatever its spelling, and None deletes one, the key too."""
    name, _ = KEY_HEADER[asking.wire]
    edits: dict[str, str | None] = {"X-Mine": "yes", "user-agent": "me", name.upper(): None}
    await asking.message(hooks=RecordingHooks(edits))
    sent = asking.server.requests[0].headers
    assert ("yes", "me") == (sent["x-mine"], sent["user-agent"])
    assert name not in sent


async def test_hooks_see_the_key_and_what_is_configured(asking: Asking) -> None:
    """The headers that they are handed are the ones that would go out."""
    name, value = KEY_HEADER[asking.wire]
    hooks = RecordingHooks()
    await asking.message(hooks=hooks, headers={"X-Team": "blue"})
    seen = {header.lower(): text for header, text in hooks.seen.items()}
    assert (value, "blue") == (seen[name], seen["x-team"])
    assert not {"host", "content-length"} & set(seen)


async def test_a_configured_header_wins_over_the_key(asking: Asking) -> None:
    """A provider that wants its key elsewhere says so with a header."""
    name, _ = KEY_HEADER[asking.wire]
    await asking.message(headers={name.title(): "mine"})
    assert "mine" == asking.server.requests[0].headers[name]


@pytest.mark.parametrize("payload", [{"model": "other", "x": [1]}, None, [], "text", 7, {}])
async def test_the_payload_may_be_anything(asking: Asking, payload: Any) -> None:
    """What the hook gives is sent instead, null too."""
    await asking.message(hooks=RecordingHooks(payload=payload))
    assert payload == asking.server.requests[0].payload


async def test_a_payload_edited_in_place_is_sent_so(asking: Asking) -> None:
    """A handler may also change what it is handed."""

    class Editing(RecordingHooks):
        async def before_payload(self, payload: Any) -> Any:
            payload["mine"] = "ü"
            return payload

    await asking.message(hooks=Editing())
    assert "ü" == asking.server.requests[0].payload["mine"]


async def test_raw_chunks_are_told(asking: Asking) -> None:
    """Each event of the body as the wire has it, as JSON where it is that."""
    asking.server.plays(Reply(answer=Answer(blocks=(Say(("Hel", "lo")),))))
    hooks = RecordingHooks()
    await asking.message(hooks=hooks)
    assert all(piece in repr(hooks.chunks) for piece in ("'Hel'", "'lo'"))
    assert all(isinstance(chunk, dict) or chunk == "[DONE]" for chunk in hooks.chunks)


async def test_a_hook_that_fails_is_an_error_of_the_answer(asking: Asking) -> None:
    """Nothing is sent, and the error is told."""

    class Failing(RecordingHooks):
        async def before_payload(self, payload: Any) -> Any:
            raise RuntimeError("no payload today")

    failed = await asking.message(hooks=Failing())
    assert ("error", []) == (failed.stop_reason, asking.server.requests)
    assert "no payload today" in (failed.error_message or "")


async def test_nothing_of_the_environment_goes_out(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, names and headers that a vendor's client would find there stay at home."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "ANTHROPIC_API_KEY",
        "GOOGLE_API_KEY",
    ):
        monkeypatch.setenv(name, "leak")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "leak")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Custom: leak")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.setenv(name, "http://leak.invalid")
    await asking.message(api_key=None)
    (request,) = asking.server.requests
    assert "leak" not in repr((request.path, request.headers, request.payload))


async def test_a_proxy_is_the_systems(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request goes through the proxy of the environment, but to addresses that it excepts."""
    monkeypatch.setenv("http_proxy", asking.server.address)
    far, near = await asking.message(base_url="http://far.invalid/v1"), await asking.message()
    assert ("stop", "stop") == (far.stop_reason, near.stop_reason)
    paths = [request.path for request in asking.server.requests]
    assert [True, False] == [path.startswith("http://far.invalid/v1") for path in paths]


def test_a_vendors_own_headers_stay_at_home() -> None:
    """Of the vendor's only what the protocol needs is shown and sent."""
    vendor = httpx2.Headers(
        {"X-Stainless-OS": "Linux", "Accept": "a/b", "Authorization": "theirs", "Host": "h"}
    )
    assert {"accept", "accept-encoding", "user-agent"} == {name.lower() for name in shown_headers(vendor, {})}


@pytest.mark.parametrize(
    ("shown", "sent"),
    [
        ({"A": "1", "a": "2"}, {"a": "2"}),
        ({"A": "1", "a": None}, {}),
        ({"A": None, "a": "1"}, {"a": "1"}),
        ({"Host": "h", "Content-Length": "3", "B": "b"}, {"B": "b"}),
    ],
)
def test_the_later_spelling_counts(shown: dict[str, str | None], sent: dict[str, str]) -> None:
    """A name is a name in any spelling; what belongs to the connection cannot be set."""
    assert sent == sent_headers(shown)


NAMES = st.sampled_from(["A", "a", "B", "b"])


@given(st.dictionaries(NAMES, st.sampled_from("12")), st.dictionaries(NAMES, st.sampled_from("34")))
def test_headers_laid_over_each_other(under: dict[str, str], over: dict[str, str]) -> None:
    """Each name is there once, and the upper layer's value wins."""
    found = laid_over(dict(under), dict(over))
    lowered = [name.lower() for name in found]
    assert len(set(lowered)) == len(lowered)
    assert {name.lower() for name in over} <= {
        name.lower() for name, value in found.items() if value in ("3", "4")
    }


@given(st.lists(st.integers(1, 9), max_size=20), st.lists(st.integers(0, 99), max_size=5))
def test_chunks_do_not_depend_on_how_a_body_is_cut(cuts: list[int], numbers: list[int]) -> None:
    """However the body arrives, its events are the same."""
    body = b"".join(f'event: x\r\ndata: {{"n": {n}}}\r\n\r\n'.encode() for n in numbers) + b"data: [DONE]\n\n"
    chunks, found, place = Chunks(), [], 0
    for cut in [*cuts, len(body)]:
        found += chunks.feed(body[place : place + cut])
        place += cut
    assert [*({"n": n} for n in numbers), "[DONE]"] == found
