"""The command as Python starts it does what other tests' runs do, for which it is imported already."""

from __future__ import annotations

import pytest

from tests.support.agent_cli import AgentCli

SEEN = """
    import os, sys

    def extension(pi):
        @pi.command("seen")
        def seen(args, ctx):
            ours = [name for name in sys.modules if name.partition(".")[0] == "tests"]
            for each in (sys.argv, sys.path, os.getcwd(), sorted(os.environ.items()), sys.flags, ours):
                print("seen", each, file=sys.stderr)
            for stream in (sys.stdin, sys.stdout, sys.stderr):
                print("seen", stream.encoding, stream.errors, stream.isatty(), file=sys.stderr)
    """


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--version"], 0), (["--help"], 0), (["list"], 0), (["auth", "--json"], 0),
        (["-p", "run: echo hi"], 0), (["-p", "run: exit 3"], 0), (["-p", "--model", "mine/m", "x"], 1),
        (["--bogus"], 2), (["install", "./nowhere"], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_start_is_a_run(pi: AgentCli, words: list[str], code: int) -> None:
    """Code, output and errors are the same."""
    cold = pi.run_cold(*words)
    assert code == cold.code, cold.err
    assert pi.run(*words) == cold


def test_an_extension_sees_no_difference(pi: AgentCli) -> None:
    """Its words, paths, folder, environment and streams are those of a process that was just started."""
    pi.user_extension(SEEN)
    cold = pi.run_cold("-p", "/seen")
    assert 9 == cold.err.count("seen ")
    assert pi.run("-p", "/seen") == cold


def test_what_is_piped_in_is_the_prompt(pi: AgentCli) -> None:
    """More than a pipe holds, too."""
    text = "run: echo " + "x" * 100_000
    cold = pi.run_cold("-p", stdin=text)
    assert (0, cold.out) == (cold.code, pi.run("-p", stdin=text).out)
