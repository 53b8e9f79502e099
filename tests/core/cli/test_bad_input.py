"""Bad input, with the real command: one clear line each, nothing lost, and the conversation goes on."""

from __future__ import annotations

import json
import re
import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_cli import COMMAND, AgentCli

NOTICE = "the scripted model answers"


def told(err: str) -> list[str]:
    """The lines of standard error, but the one about the model that needs no key."""
    return [line for line in err.splitlines() if NOTICE not in line]


def results(pi: AgentCli, *turns: dict[str, Any]) -> list[tuple[bool, str]]:
    """Whether each call of a script failed, and what the model read."""
    script = pi.write("script.json", json.dumps([*turns, "done"]))
    ran = pi.run("--mode", "json", "go", env={"PI_SCRIPT": str(script)})
    kinds = [record["type"] for record in ran.records]
    assert (0, "agent_settled") == (ran.code, kinds[-1]), ran.err
    ends = [record["message"] for record in ran.of_type("message_end")]
    assert "done" == ends[-1]["content"][0]["text"]
    found = [message for message in ends if message["role"] == "toolResult"]
    return [(message["isError"], message["content"][0]["text"]) for message in found]


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        (call("read", offset="x"), "path"),
        (call("read", path=["a"], offset=1), "path"),
        (call("bash"), "command"),
        (call("edit", path="f", edits="no list"), "edits"),
        (call("nope", a=1), "Tool nope not found"),
        (call("read", path="gone.txt"), "There is no file gone.txt"),
        (call("read", path="."), "is a folder"),
        (call("read", path="a\0b"), "it holds a null byte"),
        (call("read", path="x" * 5000), "Cannot read"),
        (call("read", path="/dev/zero"), "it is a device, a pipe or a socket"),
        (call("write", path="/proc/nope/x", content=""), "Cannot write /proc/nope/x"),
        (call("edit", path="f", edits=[{"oldText": "a", "newText": "b"}]), "Cannot read f"),
        (call("bash", command="exit 9"), "Command exited with code 9"),
        (call("bash", command="a\0b"), "null byte"),
        (call("bash", command="sleep 60", timeout=0.2), "Command timed out after 0.2 seconds"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)  # fmt: skip
def test_a_call_that_cannot_be_is_answered(pi: AgentCli, turn: dict[str, Any], said: str) -> None:
    """The model reads what is wrong, and its next answer is the end: nothing is told to the person."""
    ((failed, text),) = results(pi, turn)
    assert (True, True) == (failed, said in text)
    assert "Traceback" not in text


def test_what_is_no_text_is_shown(pi: AgentCli) -> None:
    """Bytes of no encoding, from a file and from a command, become marks; the stream stays JSON."""
    (pi.project / "latin").write_bytes(b"caf\xe9\n")
    (pi.project / "binary").write_bytes(bytes(range(256)))
    found = results(
        pi, call("read", path="latin"), call("read", path="binary"), call("bash", command="cat binary latin")
    )
    assert [False] * 3 == [failed for failed, _ in found]
    assert "caf\ufffd" == found[0][1].rstrip()
    assert all("\ufffd" in text and "\0" in text for _, text in found[1:])


def test_an_endless_command_is_stopped_with_its_end_shown(pi: AgentCli) -> None:
    """Output without end: the model reads the last 50 KB at most, and the record is not larger."""
    ((failed, text),) = results(pi, call("bash", command="yes", timeout=0.5))
    assert (True, True) == (failed, len(text) < 60_000)
    found = re.search(r"All of the output: (\S+?)\]", text)
    assert found is not None
    Path(found[1]).unlink()


@pytest.mark.parametrize(
    "text",
    ['{"providers": {', "[]", '{"providers": {"x": 3}}', "\udcff\udcfe"],
    ids=["cut", "list", "3", "bytes"],
)
def test_a_models_file_that_cannot_be_read(pi: AgentCli, text: str) -> None:
    """One line names the file; no other model answers in its place, and the file is left alone."""
    path = pi.agent_dir / "models.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = pi.run("-p", "x")
    assert (1, "", 1) == (ran.code, ran.out, len(told(ran.err)))
    assert str(path) in ran.err
    assert text == path.read_bytes().decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("name", "text"), [("auth.json", "{"), ("settings.toml", "a = "), ("settings.toml", "\udcff")]
)
def test_other_files_that_cannot_be_read(pi: AgentCli, name: str, text: str) -> None:
    """Keys and settings: one line names the file, the run goes on without it, the file is left alone."""
    path = pi.agent_dir / name
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = pi.run("-p", "run: echo on")
    assert (0, "bash answered:\non\n", 1) == (ran.code, ran.out, len(told(ran.err)))
    assert str(path) in ran.err
    assert text == path.read_bytes().decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "nosuch"], "there is no such model"),
        (["--provider", "openai"], "there is no key for openai"),
        (["--model", "anthropic/claude-sonnet-4-5"], "Set ANTHROPIC_API_KEY"),
    ],
)
def test_a_model_that_is_not_there(pi: AgentCli, words: list[str], said: str) -> None:
    """A model that was asked for and cannot answer ends the run: one line, with what to do."""
    ran = pi.run("-p", *words, "x")
    assert (1, "", 1, []) == (ran.code, ran.out, len(told(ran.err)), pi.sessions())
    assert said in ran.err


@pytest.mark.parametrize("script", ["gone.json", "object.json", "text.json"])
def test_a_script_that_cannot_be_played(pi: AgentCli, script: str) -> None:
    """A script that is missing, or is none, ends the run in one line that names it."""
    pi.write("object.json", '{"a": 1}')
    pi.write("text.json", "[[")
    ran = pi.run("-p", "x", env={"PI_SCRIPT": script})
    assert (1, "", 1) == (ran.code, ran.out, len(told(ran.err)))
    assert f"script {script}" in ran.err


HEADER = '{{"type":"session","version":3,"id":"abc","timestamp":"2026-01-01T00:00:00Z","cwd":"{cwd}"}}\n'
SAID = (
    '{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-01T00:00:01Z","message":'
    '{"role":"user","content":"before","timestamp":1}}\n'
)
BROKEN = '\udcff no json\n{"type":"message","id":"a0000002"'


def test_a_damaged_conversation_goes_on(pi: AgentCli) -> None:
    """What can be read is there, the rest is counted in one line and stays in the file, byte for byte."""
    path = pi.project / "s.jsonl"
    before = (HEADER.format(cwd=pi.project) + SAID + BROKEN).encode("utf-8", "surrogateescape")
    path.write_bytes(before)
    ran = pi.run("--mode", "json", "--session", "./s.jsonl", "after")
    (line,) = told(ran.err)
    assert (0, True) == (ran.code, f"{path}: 2 lines of the conversation cannot be read" in line)
    assert path.read_bytes().startswith(before + b"\n")
    roles = [json.loads(line)["message"]["role"] for line in path.read_text(errors="replace").splitlines()[1:]
             if line.startswith('{"type":"message"') and line.endswith("}}")]  # fmt: skip
    assert ["user", "user", "assistant"] == roles


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("@/dev/zero x", "@/dev/zero: it has more than 64.0MB"),
        ("x < /dev/zero", "standard input has more than"),
    ],
)
def test_input_without_end_is_refused(pi: AgentCli, words: str, said: str) -> None:
    """A file, or piped input, that never ends: one line, before the memory is full."""
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m pi_core.cli.main -p {words}', COMMAND[0]], cwd=pi.project, env=pi.environ(),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (1, "", 1) == (done.returncode, done.stdout, len(told(done.stderr)))
    assert said in done.stderr


def test_a_conversation_that_finds_no_room(pi: AgentCli) -> None:
    """The answer is given all the same; one line says that nothing is stored, and the file stays whole."""

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    pi.run("-p", "--session-id", "room", "one")
    (path,) = pi.sessions()
    before = path.read_bytes()
    done = subprocess.run(
        [*COMMAND, "-p", "--session-id", "room", "run: echo two", "run: echo three"], cwd=pi.project,
        env={**pi.environ(), "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, preexec_fn=little_room, timeout=60,
    )  # fmt: skip
    assert (0, "bash answered:\nthree\n") == (done.returncode, done.stdout)
    assert 1 == sum(
        "the conversation cannot be stored: No space left on device." in line for line in told(done.stderr)
    )
    assert path.read_bytes().startswith(before)
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_place_that_cannot_be_written(pi: AgentCli) -> None:
    """A folder of conversations that cannot be made: the answer, and one line."""
    ran = pi.run("-p", "--session-dir", "/proc/nope", "run: echo on")
    (line,) = told(ran.err)
    assert (0, "bash answered:\non\n") == (ran.code, ran.out)
    assert "/proc/nope/" in line
    assert "the conversation cannot be stored: No such file or directory." in line
