"""`pi auth` as a person runs it: where keys come from, and that none is ever shown."""

from __future__ import annotations

import http.server
import json
import os
import pty
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.agent_cli import AgentCli

KEY = "sk-very-secret"
NO_KEYS = dict.fromkeys(
    ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"), ""
)
"""Whoever runs the tests may have keys."""


def stored(pi: AgentCli) -> Any:
    return json.loads((pi.agent_dir / "auth.json").read_text(encoding="utf-8"))


def by_name(document: str) -> dict[str, dict[str, Any]]:
    return {item["provider"]: item for item in json.loads(document)["observed"]}


def test_where_each_key_comes_from(pi: AgentCli) -> None:
    """One line a provider: auth.json, a variable, the models file, none with what to do."""
    pi.write(str(pi.agent_dir / "auth.json"), json.dumps({"anthropic": {"type": "api_key", "key": KEY}}))
    pi.write(
        str(pi.agent_dir / "models.json"),
        '{"providers": {"acme": {"baseUrl": "http://127.0.0.1:9", "api": "openai-completions",'
        ' "apiKey": "$UNSET_Q", "models": [{"id": "m"}]}}}',
    )
    ran = pi.run("auth", env={**NO_KEYS, "OPENAI_API_KEY": KEY})
    lines = dict(line.split(None, 1) for line in ran.out.splitlines())
    assert (0, "auth.json", "$OPENAI_API_KEY") == (ran.code, lines["anthropic"], lines["openai"])
    assert "configured with the provider, needs UNSET_Q" == lines["acme"]
    assert "none: pi auth login google, or set $GEMINI_API_KEY or $GOOGLE_API_KEY" == lines["google"]
    assert "needs none" == lines["ollama"]
    assert KEY not in ran.out + ran.err


def test_a_document_for_programs(pi: AgentCli) -> None:
    """--json prints one document; it says whether a key can be expected, never the key."""
    pi.write(str(pi.agent_dir / "auth.json"), json.dumps({"gone": {"type": "api_key", "key": KEY}}))
    ran = pi.run("auth", "--json", env={**NO_KEYS, "OPENAI_API_KEY": KEY})
    found = by_name(ran.out)
    assert (True, "variable", "OPENAI_API_KEY") == tuple(
        found["openai"][key] for key in ("usable", "source", "detail")
    )
    assert (False, "none") == (found["anthropic"]["usable"], found["anthropic"]["source"])
    assert not found["gone"]["known"]
    assert KEY not in ran.out + ran.err


def test_a_key_is_piped_in_and_taken_out_again(pi: AgentCli) -> None:
    """--key-stdin stores what is piped in; logout takes it out, and says what still counts."""
    ran = pi.run("auth", "login", "Anthropic", "--key-stdin", stdin=f"{KEY}\n")
    assert (0, KEY) == (ran.code, stored(pi)["anthropic"]["key"])
    assert f"Stored the key of anthropic in {pi.agent_dir / 'auth.json'}.\n" == ran.out
    out = pi.run("auth", "logout", "anthropic", env={"ANTHROPIC_API_KEY": KEY})
    assert (0, {}) == (out.code, stored(pi))
    assert "It still has a key from ANTHROPIC_API_KEY." in out.out
    again = pi.run("auth", "logout", "anthropic")
    assert (1, "") == (again.code, again.out)
    assert "nothing is stored for it" in again.err


def test_a_person_types_a_key_unseen(pi: AgentCli) -> None:
    """At a terminal the key is asked for; nothing of it appears there, and echo is on again afterwards."""
    import termios

    master, slave = pty.openpty()
    process = pi.start("auth", "login", "openai", stdin=slave, stderr=slave)
    said = b""
    while b"Key of OpenAI:" not in said:
        said += os.read(master, 4096)
    os.write(master, f"{KEY}\n".encode())
    out, _ = process.communicate(timeout=60)
    echoes = termios.tcgetattr(slave)[3] & termios.ECHO
    os.close(slave)
    said += os.read(master, 4096)
    os.close(master)
    assert (0, KEY) == (process.returncode, stored(pi)["openai"]["key"])
    assert KEY.encode() not in said
    assert echoes
    assert "Stored the key of openai" in out


@pytest.mark.parametrize(
    ("words", "stdin", "code", "said"),
    [
        (["login"], "", 2, "pi auth login needs a provider"),
        (["status", "openai"], "", 2, "pi auth status takes no provider"),
        (["logout", "openai", "--key-stdin"], "", 2, "takes no key"),
        (["fly"], "", 2, "invalid choice: 'fly'"),
        (["login", "nobody", "--key-stdin"], "k", 1, "there is no such provider. Known: anthropic, openai"),
        (["login", "openai"], "k", 2, "there is no terminal to ask for the key on. Pipe it in"),
        (["login", "openai", "--key-stdin"], " \n", 1, "no key was given"),
        (["login", "openai", "--key-stdin"], "a\nb", 1, "that is no key"),
    ],
)
def test_what_goes_wrong(pi: AgentCli, words: list[str], stdin: str, code: int, said: str) -> None:
    """2 for misuse, 1 for what is refused; one sentence, nothing stored, nothing on standard output."""
    ran = pi.run("auth", *words, stdin=stdin)
    assert (code, "", False) == (ran.code, ran.out, (pi.agent_dir / "auth.json").exists())
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_broken_file_is_named_and_left_alone(pi: AgentCli) -> None:
    """Its keys do not count, everything else does; a login that would write it is refused."""
    path = pi.write(str(pi.agent_dir / "auth.json"), '{"anthropic": ')
    ran = pi.run("auth", "login", "openai", "--key-stdin", stdin=KEY)
    assert (1, '{"anthropic": ') == (ran.code, path.read_text(encoding="utf-8"))
    assert f"{path}: line 1 is no JSON" in ran.err
    listed = pi.run("auth", env={"OPENAI_API_KEY": "k"})
    assert (0, True) == (listed.code, "$OPENAI_API_KEY" in listed.out)
    assert "Its keys do not count." in listed.err
    assert "Its keys do not count." in pi.run("-p", "x").err


class TokenServer(http.server.BaseHTTPRequestHandler):
    """Answers `/token?code=…` and `/token?refresh=…` with credentials that count up."""

    issued: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        self.issued.append(query.get("code", query.get("refresh", ["?"]))[0])
        number = len(self.issued)
        ends = 1 if "code" in query else 4_000_000_000_000
        body = json.dumps({"access": f"access-{number}", "refresh": f"refresh-{number}", "expires": ends})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *given: Any) -> None:
        pass


@pytest.fixture
def token_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where credentials come from; the extension finds it in its environment."""
    TokenServer.issued = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), TokenServer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("TOKENS", address)
    yield address
    server.shutdown()
    server.server_close()


HOUSE = """
    import asyncio, json, os, urllib.request
    from urllib.parse import parse_qs, urlsplit
    from pi_core.api import AssistantMessage, Done, OAuthHooks, ProviderConfig, TextContent

    def fetch(query):
        with urllib.request.urlopen(os.environ["TOKENS"] + "/token?" + query) as answer:
            return json.load(answer)

    async def login(callbacks):
        arrived = asyncio.get_running_loop().create_future()

        async def answer(reader, writer):
            path = (await reader.readline()).split()[1].decode()
            writer.write(b"HTTP/1.0 200 OK\\r\\n\\r\\nThank you.")
            await writer.drain()
            writer.close()
            arrived.set_result(parse_qs(urlsplit(path).query)["code"][0])

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        callbacks.on_auth(f"http://127.0.0.1:{port}/?code=c0de", "Say yes there.")
        code = await arrived
        server.close()
        callbacks.on_progress("Fetching the token.")
        return {**await asyncio.to_thread(fetch, f"code={code}"), "account": "me"}

    async def refresh(old):
        return await asyncio.to_thread(fetch, f"refresh={old['refresh']}")

    async def stream(model, context, options):
        yield Done(message=AssistantMessage(content=[TextContent(text=f"key {options.api_key}")]))

    def extension(pi):
        hooks = OAuthHooks(
            name="House", login=login, refresh=refresh,
            get_api_key=lambda found: f"{found['account']}:{found['access']}",
            modify_models=lambda models, found: [*models, {"id": "for-members", "api": "x", "baseUrl": "y"}],
        )
        pi.register_provider("house", ProviderConfig(
            name="House", base_url="http://127.0.0.1:9", api="house", stream=stream, oauth=hooks,
            models=[{"id": "m"}],
        ))
    """


def test_a_login_of_an_extension_over_a_browser(pi: AgentCli, token_server: str) -> None:
    """An address is shown, the browser calls back, the token is kept, and renewed once when it has ended."""
    pi.user_extension(HOUSE, "house.py")
    process = pi.start("auth", "login", "house")
    assert process.stderr is not None
    assert "Open this address in a browser:\n" == process.stderr.readline()
    address = process.stderr.readline().strip()
    assert "Say yes there.\n" == process.stderr.readline()
    urllib.request.urlopen(address, timeout=30).read()
    out, err = process.communicate(timeout=60)
    assert (0, "Fetching the token.\n") == (process.returncode, err)
    assert "Logged in at house" in out
    assert {"type": "oauth", "access": "access-1", "refresh": "refresh-1", "expires": 1, "account": "me"} == (
        stored(pi)["house"]
    )
    for _ in range(2):
        assert "key me:access-2\n" == pi.run("-p", "--model", "house/m", "x").out
    assert ["c0de", "refresh-1"] == TokenServer.issued
    assert "for-members" in pi.run("--list-models", "house").out
    assert (0, {}) == (pi.run("auth", "logout", "house").code, stored(pi))
    assert "for-members" not in pi.run("--list-models", "house").out


def test_a_login_that_cannot_be_renewed_says_what_to_do(pi: AgentCli) -> None:
    """The answer is a failure with one sentence; the login stays in the file."""
    pi.user_extension(HOUSE, "house.py")
    login = {"type": "oauth", "access": "a", "refresh": "r", "expires": 1, "account": "me"}
    pi.write(str(pi.agent_dir / "auth.json"), json.dumps({"house": login}))
    pi.write(str(pi.agent_dir / "settings.toml"), "[retry]\nenabled = false\n")
    ran = pi.run("-p", "--model", "house/m", "x", env={"TOKENS": "http://127.0.0.1:9"})
    assert (1, {"house": login}) == (ran.code, stored(pi))
    assert "login at house:" in ran.err
    assert "Log in again: pi auth login house" in ran.err


ASKING = """
    from pi_core.api import OAuthHooks, ProviderConfig

    async def login(person):
        region = await person.on_select("Where do you live", ["eu", "us"])
        code = await person.on_prompt("Code", placeholder="ABCD")
        return {"access": f"{region}-{code}"}

    def extension(pi):
        hooks = OAuthHooks(login=login, refresh=lambda old: old)
        pi.register_provider("ask", ProviderConfig(base_url="http://127.0.0.1:9", api="x", oauth=hooks))
    """


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ("2\nX1\n", 0, "Code (ABCD):"),
        ("3\nX1\n", 1, "login at ask: '3' is none of the choices."),
        ("", 1, "login at ask: nothing was answered."),
        ("1\n", 1, "login at ask: nothing was answered."),
    ],
)
def test_a_login_that_asks(pi: AgentCli, typed: str, code: int, said: str) -> None:
    """Questions go to standard error, answers come from standard input, a line each; without one it ends."""
    pi.user_extension(ASKING, "ask.py")
    ran = pi.run("auth", "login", "ask", stdin=typed)
    assert (code, True) == (ran.code, said in ran.err), ran.err
    assert "  1. eu\n  2. us\nWhere do you live [1-2]:" in ran.err
    if code == 0:
        assert {"type": "oauth", "access": "us-X1"} == stored(pi)["ask"]
    else:
        assert not (pi.agent_dir / "auth.json").exists()
