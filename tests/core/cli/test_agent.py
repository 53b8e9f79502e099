"""`pi -p` and `pi --mode json` as a person runs them."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.support.agent_cli import COMMAND, AgentCli
from tests.support.pictures import picture

GATE = """
    from pi_core.api import Block

    def extension(pi):
        @pi.on("tool_call")
        def guard(event, ctx):
            if "rm -rf" in event.input.get("command", ""):
                return Block("no deleting here")
    """


def test_a_blocked_call_does_not_run(pi: AgentCli) -> None:
    """An extension refuses the call; the model reads why; the folder stays; the run is no failure."""
    pi.write("build/keep.txt", "kept")
    pi.user_extension(GATE)
    ran = pi.run("-p", "run: rm -rf build")
    assert (0, True) == (ran.code, (pi.project / "build" / "keep.txt").exists())
    assert "no deleting here" in ran.out


def test_a_command_runs_and_the_answer_is_the_output(pi: AgentCli) -> None:
    """Standard output is the text of the last answer, nothing else."""
    ran = pi.run("-p", "run: echo hello")
    assert (0, "bash answered:\nhello\n") == (ran.code, ran.out)


def test_the_scripted_model_says_so_in_one_line(pi: AgentCli) -> None:
    """Without a model, standard error has one line that names who answers."""
    assert 1 == pi.run("-p", "run: true").err.count("\n")


def test_the_json_stream_begins_with_the_header(pi: AgentCli) -> None:
    """The first record is the session's header, then findings, then every event, one a line."""
    ran = pi.run("--mode", "json", "-p", "run: echo hello")
    kinds = [record["type"] for record in ran.records]
    assert (0, ["session", "diagnostic", "agent_start"], "agent_settled") == (
        ran.code, kinds[:3], kinds[-1],
    )  # fmt: skip
    assert "" == ran.err.replace("\n", "") or "scripted" in ran.err


def test_an_update_carries_what_was_added(pi: AgentCli) -> None:
    """message_update has usage and the delta alone; a starting call names its id and tool."""
    (start,) = [
        record
        for record in pi.run("--mode", "json", "run: echo hello").of_type("message_update")
        if record["assistantMessageEvent"]["type"] == "toolcall_start"
    ]
    assert {"type", "usage", "assistantMessageEvent"} == set(start)
    assert {"type", "contentIndex", "id", "toolName"} == set(start["assistantMessageEvent"])


def test_an_answer_begins_pending_and_the_end_says_whether_it_was_stopped(pi: AgentCli) -> None:
    """An assistant's message_start has stopReason pending; agent_settled has its flag."""
    ran = pi.run("--mode", "json", "hello")
    starts = [record["message"] for record in ran.of_type("message_start")]
    assert ["pending"] == [message["stopReason"] for message in starts if message["role"] == "assistant"]
    assert [{"type": "agent_settled", "aborted": False}] == ran.of_type("agent_settled")


def test_further_messages_are_further_prompts(pi: AgentCli) -> None:
    """Each message is said after the one before has settled; the last answer is the output."""
    ran = pi.run("-p", "run: echo one", "run: echo two")
    assert "bash answered:\ntwo\n" == ran.out


def test_piped_input_is_a_prompt(pi: AgentCli) -> None:
    """81: what is piped in comes before the typed message, without a separator."""
    ran = pi.run("--mode", "json", "tail", stdin="head ")
    first = ran.of_type("message_start")[0]["message"]
    assert [{"text": "head tail", "type": "text"}] == first["content"]


def test_a_file_is_part_of_the_prompt(pi: AgentCli) -> None:
    """`@file` puts the file's text in front of the message."""
    path = pi.write("note.md", "remember")
    ran = pi.run("--mode", "json", "@note.md", "what?")
    (block,) = ran.of_type("message_start")[0]["message"]["content"]
    assert f'<file name="{path}">\nremember\n</file>\nwhat?' == block["text"]


def test_input_files_images_and_messages_come_together(pi: AgentCli) -> None:
    """Piped input, a text, an image and the first message are one prompt; the second message is another."""
    text = pi.write("note.md", "remember")
    image = pi.project / "dot.png"
    image.write_bytes(picture("PNG", 3000, 10))
    ran = pi.run("--mode", "json", "@note.md", "@dot.png", "what?", "and?", stdin="IN")
    first, second = [
        record["message"]["content"] for record in ran.of_type("message_start")
        if record["message"]["role"] == "user"
    ]  # fmt: skip
    assert f'IN<file name="{text}">\nremember\n</file>\n<file name="{image}">' in first[0]["text"]
    assert first[0]["text"].endswith("shown at 2000x7; times 1.50 gives places in the original</file>\nwhat?")
    assert ["text", "image"] == [block["type"] for block in first]
    assert "image/png" == first[1]["mimeType"]
    assert [{"type": "text", "text": "and?"}] == second


def test_what_only_looks_like_a_command_is_said(pi: AgentCli) -> None:
    """In quotes, or with -p, or alone: a text for the agent, whatever it begins with."""
    for words in (["instal it for me", "now"], ["-p", "instal", "it"], ["lists"]):
        assert 0 == pi.run(*words).code


def test_a_file_may_be_what_a_program_prints(pi: AgentCli) -> None:
    """`@<(program)` of a shell: a pipe is read to its end."""
    script = '"$0" -m pi_core.cli.main --mode json @<(echo piped) what'
    done = subprocess.run(
        ["bash", "-c", script, *COMMAND[:1]], cwd=pi.project, env=pi.environ(), capture_output=True,
        text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (0, True) == (done.returncode, "piped\\n\\n</file>\\nwhat" in done.stdout)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--nope", "-p", "x"], 2, "unknown option --nope"),
        (["--modle", "json", "x"], 2, "did you mean --mode?"),
        (["instal", "pypi:x"], 2, "there is no command instal (did you mean install?)"),
        (["-p"], 2, "there is no message"),
        (["--thinking", "much", "-p", "x"], 2, "'much' is not one of off, minimal"),
        (["-p", "@gone.txt"], 1, "@gone.txt: No such file or directory"),
        (["-p", "--provider", "nobody", "x"], 1, "there is no provider nobody"),
        (["-p", "--model", "anthropic/some", "x"], 1, "there is no key for anthropic"),
        (["-p", "-e", "./gone.py", "x"], 1, "gone.py"),
        (["-p", "--session", "abc", "x"], 1, "no conversation"),
    ],
)
def test_what_goes_wrong_is_one_sentence(pi: AgentCli, words: list[str], code: int, said: str) -> None:
    """A wrong command line ends with 2, a failure with 1; nothing is on standard output, no traceback."""
    ran = pi.run(*words)
    assert (code, "") == (ran.code, ran.out)
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("words", [["-p", "x"], ["list"]], ids=["agent", "packages"])
def test_a_working_folder_that_is_gone_is_one_sentence(pi: AgentCli, words: list[str]) -> None:
    """The command says so and ends with 1, whatever it was asked for."""
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(pi.project), *COMMAND, *words],
        env=pi.environ(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (1, "") == (done.returncode, done.stdout)
    assert "the working folder does not exist any more" in done.stderr


def test_a_failed_answer_is_a_failure_in_print_mode_only(pi: AgentCli) -> None:
    """21: with -p the error is on standard error and the code 1; a json stream says it and ends with 0."""
    script = pi.write("script.json", json.dumps([{"error": "400 no such thing"}]))
    printed = pi.run("-p", "x", env={"PI_SCRIPT": str(script)})
    streamed = pi.run("--mode", "json", "x", env={"PI_SCRIPT": str(script)})
    assert (1, "", 0) == (printed.code, printed.out, streamed.code)
    assert "400 no such thing" in printed.err


def test_what_does_not_fit_and_cannot_be_shortened_is_a_failure(pi: AgentCli) -> None:
    """The failed answer leaves what the model reads; the person is told of it, and why nothing helped."""
    pi.write("script.json", json.dumps([{"error": "400: the maximum context length is 1000 tokens."}]))
    ran = pi.run("-p", "x", env={"PI_SCRIPT": "script.json"})
    assert (1, "") == (ran.code, ran.out)
    assert [
        "pi: the conversation was not shortened: Nothing to compact (session too small)",
        "pi: 400: the maximum context length is 1000 tokens.",
    ] == ran.err.splitlines()


def test_a_provider_that_is_refused_at_the_start_is_told(pi: AgentCli) -> None:
    """L12: nobody listens yet when providers are handed over; the person hears of it all the same, once,
    also where no session comes of it."""
    pi.user_extension("""
        def extension(pi):
            pi.register_provider("acme", {"apiKey": "k", "models": [{"id": "rocket"}]})
    """)
    found = "provider acme: model rocket has no api"
    without, asked = pi.run("-p", "hello"), pi.run("-p", "--model", "rocket", "hello")
    assert [(0, 1), (1, 1)] == [(ran.code, ran.err.count(found)) for ran in (without, asked)]


def test_an_answer_that_was_cut_off_is_a_failure(pi: AgentCli) -> None:
    """Stop reason length: the text is printed, and the code is 1."""
    script = pi.write("script.json", json.dumps([{"text": "half", "stop": "length"}]))
    ran = pi.run("-p", "x", env={"PI_SCRIPT": str(script)})
    assert (1, "half\n") == (ran.code, ran.out)


def test_the_version_is_printed_alone(pi: AgentCli) -> None:
    """Clients read exactly this."""
    assert [(0, "1.6.0\n", "")] * 2 == [
        (ran.code, ran.out, ran.err) for ran in (pi.run("--version"), pi.run("-p", "--version"))
    ]


def test_help_lists_options_and_the_flags_of_extensions(pi: AgentCli) -> None:
    """Extensions are loaded for --help; nothing is sent and no conversation is stored."""
    pi.user_extension('def extension(pi): pi.register_flag("plan", type="boolean", description="plan first")')
    ran = pi.run("--help")
    assert (0, []) == (ran.code, pi.sessions())
    assert "--no-extensions" in ran.out
    assert "--plan" in ran.out
