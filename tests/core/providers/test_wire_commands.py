"""`pi` itself against a model server: hooks of extensions on every wire, faults, servers of one's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_cli import ROOT, AgentCli, agent_cli
from tests.support.warm_runs import VENDORS as IMPORTED
from tests.support.wire_bodies import WIRES, Answer, Call, Say, Think, Tokens, Wire
from tests.support.wire_server import Reply, WireServer, models_file, wire_server

VENDORS = {"anthropic", "genai_prices", "google.genai", "httpx", "httpx2", "openai", "pydantic_ai"}
PRICES = {"input": 10, "output": 100, "cacheRead": 1}
FOUR_TURNS = """
    def extension(pi):
        @pi.on("before_provider_headers")
        def headers(event, ctx):
            event.headers["X-Mine"] = "yes"
            event.headers["User-Agent"] = None

        @pi.on("before_provider_request")
        def request(event, ctx):
            return {**event.payload, "mine": True}

        @pi.on("after_provider_response")
        def response(event, ctx):
            pi.append_entry("response", {"status": event.status})
    """


@pytest.fixture(scope="module")
def shared_server() -> Iterator[WireServer]:
    with wire_server() as server:
        yield server


@pytest.fixture
def pi(tmp_path: Path, server: WireServer) -> AgentCli:
    """The command with a models file that lists the server four times, once a wire."""
    command = agent_cli(tmp_path, IMPORTED)
    command.write(
        str(command.agent_dir / "models.json"), models_file(server, WIRES, cost=PRICES, reasoning=True)
    )
    return command


def stored(pi: AgentCli) -> list[dict[str, Any]]:
    (path,) = pi.sessions()
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES)
def test_a_conversation_with_tools_and_hooks(pi: AgentCli, server: WireServer, wire: Wire) -> None:
    """44: two requests, a tool between them; every hook ran on both; what is stored is ours and priced."""
    call = Call("c1", "bash", ('{"command": ', '"echo made by hand"}'))
    tokens = Tokens(prompt=120, cached=20, output=30)
    server.plays(Reply(answer=Answer(blocks=(Think(("hm",)), Say(("Run.",)), call), tokens=tokens)), Reply())
    pi.user_extension(FOUR_TURNS)
    ran = pi.run("--mode", "json", "--model", f"{wire}/m", "--thinking", "high", "hello")
    assert (0, "", 2) == (ran.code, ran.err, len(server.requests))
    for request in server.requests:
        assert ("yes", True) == (request.headers["x-mine"], request.payload["mine"])
        assert "user-agent" not in request.headers
    assert "made by hand" in str(server.requests[1].payload)
    entries = stored(pi)
    assert [200, 200] == [entry["data"]["status"] for entry in entries if entry["type"] == "custom"]
    answer = next(e["message"] for e in entries if e.get("message", {}).get("role") == "assistant")
    assert ["thinking", "text", "toolCall"] == [block["type"] for block in answer["content"]]
    assert ("toolUse", 100, 20) == (
        answer["stopReason"],
        answer["usage"]["input"],
        answer["usage"]["cacheRead"],
    )
    assert 0.00402 == pytest.approx(answer["usage"]["cost"]["total"])


@pytest.mark.slow
def test_a_refusal_that_passes_is_asked_again(pi: AgentCli, server: WireServer) -> None:
    """The host repeats, and says so; the person gets the answer."""
    server.plays(Reply(status=429, message="slow down"), Reply())
    pi.write(str(pi.agent_dir / "settings.toml"), "[retry]\nbase-delay-ms = 1\n")
    ran = pi.run("--mode", "json", "--model", "openai-completions/m", "hello")
    (started,) = ran.of_type("auto_retry_start")
    assert (0, 2, True) == (
        ran.code,
        len(server.requests),
        started["errorMessage"].startswith("429 slow down"),
    )


@pytest.mark.slow
def test_a_refusal_that_stays_ends_the_command(pi: AgentCli, server: WireServer) -> None:
    """The server's own words on standard error, nothing else, and a failure."""
    server.plays(Reply(status=400, message="no such thing"))
    ran = pi.run("-p", "--model", "google-generative-ai/m", "hello")
    assert (1, "", 1) == (ran.code, ran.out, len(server.requests))
    assert "400 no such thing" in ran.err
    assert 1 == ran.err.count("\n")


@pytest.mark.slow
def test_an_interrupt_ends_the_request(pi: AgentCli, server: WireServer) -> None:
    """Ctrl+C while the model answers: the server sees its client go, and the command ends."""
    server.plays(Reply(frames_only=3, then="hold"))
    running = pi.start("-p", "--model", "anthropic-messages/m", "hello")
    request = server.wait_for_request()
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    assert (130, "", True) == (running.returncode, out, request.gone.wait(10))


@pytest.mark.slow
def test_an_extension_brings_a_server_of_its_own(pi: AgentCli, server: WireServer) -> None:
    """A registered address with an api is asked over that wire, without a key, from the first prompt on."""
    pi.user_extension(
        f"""
        from pi_core.api import ProviderConfig

        def extension(pi):
            pi.register_provider("mine", ProviderConfig(
                base_url="{server.base_url("openai-completions")}", api="openai-completions",
                models=[{{"id": "own", "contextWindow": 50000}}],
            ))
        """
    )
    ran = pi.run("-p", "--model", "mine/own", "hello")
    assert (0, "Hello\n") == (ran.code, ran.out)
    (request,) = server.requests
    assert ("own", None) == (request.payload["model"], request.headers.get("authorization"))


@pytest.mark.slow
def test_a_known_local_server_at_another_address(pi: AgentCli, server: WireServer) -> None:
    """A known server without a key is used as soon as its models are listed."""
    entry = {"baseUrl": server.base_url("openai-completions"), "models": [{"id": "qwen"}]}
    pi.write(str(pi.agent_dir / "models.json"), json.dumps({"providers": {"ollama": entry}}))
    ran = pi.run("-p", "hello")
    assert (0, "Hello\n", "qwen") == (ran.code, ran.out, server.requests[0].payload["model"])


def test_without_the_libraries_one_line_says_what_to_do(pi: AgentCli) -> None:
    """The command that installs them; nothing is asked, nothing is stored as an answer."""
    blocked = "import sys; sys.modules['pydantic_ai'] = None"
    pi.write("without/sitecustomize.py", blocked)
    path = os.pathsep.join([str(pi.project / "without"), str(ROOT)])
    ran = pi.run("-p", "--model", "openai-completions/m", "hello", env={"PYTHONPATH": path})
    assert (1, "", 1) == (ran.code, ran.out, ran.err.count("\n"))
    assert "pip install 'pi-pluggy[providers]'" in ran.err


@pytest.mark.parametrize("words", [["--version"], ["list"], ["-p", "hello"]], ids=" ".join)
def test_no_vendor_is_loaded_unasked(pi: AgentCli, words: list[str]) -> None:
    """Neither the fast commands nor a scripted run import a vendor's library or HTTP."""
    script = (
        "import sys\nfrom pi_core.cli.main import main\ncode = main(sys.argv[1:])\n"
        "print('\\n'.join(['MODULES', *sys.modules]))\nraise SystemExit(code)\n"
    )
    env = pi.environ({"PI_SCRIPT": str(pi.write("script.json", '["scripted"]'))})
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=pi.project, env=env,
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    assert not VENDORS & set(done.stdout.partition("MODULES\n")[2].split())
