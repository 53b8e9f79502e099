"""What reaches standard output, and what happens where it leads nowhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.agent_cli import COMMAND, AgentCli

NOISE = """
    import os, subprocess, sys

    def shout(where):
        print("printed", where)
        sys.__stdout__.write("around print\\n")
        os.write(1, b"descriptor\\n")
        subprocess.run(["sh", "-c", "echo child"])

    shout("import")

    def extension(pi):
        shout("factory")
        for event in ("session_start", "tool_call", "agent_end", "session_shutdown"):
            pi.on(event, lambda event, ctx: shout(event.event_name), optional=True)

        @pi.tool
        def loud() -> str:
            shout("tool")
            return "quiet answer"
    """


def test_only_the_answer_is_the_output(pi: AgentCli) -> None:
    """Whatever an extension prints, by Python, by descriptor or by a child, lands on standard error."""
    pi.user_extension(NOISE)
    ran = pi.run("-p", "loud:")
    assert (0, "loud answered:\nquiet answer\n") == (ran.code, ran.out)
    assert all(ran.err.count(word) >= 7 for word in ("printed", "around print", "descriptor", "child"))


def test_a_stream_has_records_alone(pi: AgentCli) -> None:
    """The same for --mode json: every line is a record of the session."""
    pi.user_extension(NOISE)
    ran = pi.run("--mode", "json", "loud:")
    assert (0, "session", "agent_settled") == (
        ran.code, ran.records[0]["type"], ran.records[-1]["type"],
    )  # fmt: skip


LATER = """
    from pi_core.api import CustomMessage

    def extension(pi):
        @pi.on("session_shutdown")
        def bye(event, ctx): pi.append_entry("bye")

        @pi.command("fire")
        def fire(args, ctx):
            message = CustomMessage(custom_type="x", content="run: echo fired", display=True)
            pi.send_message(message, trigger_turn=True)

        @pi.command("say")
        def say(args, ctx):
            pi.send_user_message("run: echo said")
    """


def test_what_happens_at_the_end_is_told(pi: AgentCli) -> None:
    """What an extension does or breaks at session_shutdown is in the stream, and a line besides."""
    pi.user_extension(
        """
        def extension(pi):
            @pi.on("session_shutdown")
            def bye(event, ctx):
                pi.append_entry("bye")
                raise ValueError("no way out")
        """
    )
    ran = pi.run("--mode", "json", "x")
    assert ["entry_appended", "diagnostic"] == [record["type"] for record in ran.records[-2:]]
    assert ("no way out" in ran.err, "no way out" in pi.run("-p", "x").err) == (True, True)


@pytest.mark.parametrize(("command", "answer"), [("/fire", "fired"), ("/say", "said")])
def test_57_a_run_that_a_command_began_ends_before_the_program(
    pi: AgentCli, command: str, answer: str
) -> None:
    """57: the last command starts a run and does not wait; it ends before the shutdown is told."""
    pi.user_extension(LATER)
    ran = pi.run("--mode", "json", command)
    kinds = [record["type"] for record in ran.records]
    assert (0, "agent_settled", "entry_appended") == (ran.code, kinds[-2], kinds[-1])
    assert f"bash answered:\n{answer}\n" == pi.run("-p", command).out


AGENT, PACKAGES = ["-p", "x"], ["list", "--json"]
EVERYWHERE = [AGENT, ["--mode", "json", "x"], ["--help"], ["--version"], PACKAGES, ["install", "--help"]]


@pytest.mark.parametrize("words", EVERYWHERE, ids=" ".join)
def test_output_that_cannot_be_kept_is_a_failure(pi: AgentCli, words: list[str]) -> None:
    """On a full disk the command says so in one sentence and ends with 1."""
    with open("/dev/full", "w") as full:
        process = pi.start(*words, stdout=full)
        _, err = process.communicate(timeout=30)
    assert 1 == process.returncode
    assert "pi: cannot write to standard output: No space left on device." in err
    assert "Traceback" not in err


@pytest.mark.parametrize("words", EVERYWHERE, ids=" ".join)
def test_a_reader_that_is_gone_is_no_failure(pi: AgentCli, words: list[str]) -> None:
    """A pipe that nobody reads ends the command quietly, with 0."""
    reader, writer = os.pipe()
    os.close(reader)
    process = pi.start(*words, stdout=writer)
    os.close(writer)
    _, err = process.communicate(timeout=30)
    assert (0, False) == (process.returncode, "Traceback" in err or "rror" in err)


@pytest.mark.parametrize("words", [AGENT, PACKAGES], ids=" ".join)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_was_closed_is_no_failure(pi: AgentCli, words: list[str], closed: str) -> None:
    """Whatever stream is missing, the command works, and no file of it takes the stream's place."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *COMMAND, *words],
        cwd=pi.project, env=pi.environ(), capture_output=True, text=True, check=False, timeout=30,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (0, False) == (done.returncode, "Traceback" in done.stderr)
    assert all(path.read_text().startswith('{"type":"session"') for path in pi.sessions())


def test_a_pipe_that_does_not_block_loses_nothing(pi: AgentCli) -> None:
    """A reader may share a pipe that gives up when it is full; the writer waits for it."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = pi.start("--mode", "json", f"run: head -c 40000 {sys.executable} | base64", stdout=writer)
    os.close(writer)
    with open(reader, encoding="utf-8") as stream:
        text = stream.read()
    process.communicate(timeout=30)
    assert (0, "agent_settled") == (process.returncode, text.splitlines()[-1][9:22])
