"""Extensions on the command line: named ones, found ones, broken ones, and those of a project."""

from __future__ import annotations

import pytest

from tests.support.agent_cli import AgentCli

SAYS = """
    import sys

    def extension(pi):
        print("loaded {name}", file=sys.stderr)
    """


def loaded(err: str) -> list[str]:
    return [line.removeprefix("loaded ") for line in err.splitlines() if line.startswith("loaded ")]


def test_named_extensions_load_in_order_and_before_found_ones(pi: AgentCli) -> None:
    """-e may be repeated; a file and a folder both work; the user's own come after them."""
    pi.write("a.py", SAYS.format(name="file"))
    pi.write("b/__init__.py", SAYS.format(name="folder"))
    pi.user_extension(SAYS.format(name="user"))
    ran = pi.run("-p", "-e", "./a.py", "-e", "./b", "x")
    assert (0, ["file", "folder", "user"]) == (ran.code, loaded(ran.err))


def test_no_extensions_keeps_the_named_ones(pi: AgentCli) -> None:
    """F09: -ne turns off everything but -e."""
    pi.write("a.py", SAYS.format(name="file"))
    pi.user_extension(SAYS.format(name="user"))
    assert ["file"] == loaded(pi.run("-p", "-ne", "-e", "./a.py", "x").err)


def test_a_named_extension_that_cannot_load_is_fatal(pi: AgentCli) -> None:
    """F11: code 1 with path and reason, before any model is asked and any conversation stored."""
    path = pi.write("bad.py", "def extension(pi): raise RuntimeError('no luck')")
    ran = pi.run("-p", "-e", "./bad.py", "x")
    assert (1, "", []) == (ran.code, ran.out, pi.sessions())
    assert str(path) in ran.err
    assert "no luck" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def extension(pi): pi.on('tool_cal', print)", "Did you mean 'tool_call'?"),
        (
            "from pi_core.api import hookimpl\n@hookimpl\ndef pi_tool_cal(event): ...",
            "Did you mean 'pi_tool_call'?",
        ),
        ("import beside_me", "write `from . import beside_me`"),
        ("def pi_tool_call(event, ctx): ...", "@hookimpl"),
    ],
    ids=["event", "hook", "sibling", "unmarked"],
)
def test_a_named_extension_says_what_to_do(pi: AgentCli, text: str, said: str) -> None:
    """The advice of the finding stands in the line that ends the run."""
    pi.write("ext/beside_me.py", "")
    pi.write("ext/bad.py", text)
    assert said in pi.run("-p", "-e", "./ext/bad.py", "x").err


@pytest.mark.parametrize(
    "text",
    [
        "def extension(pi): raise RuntimeError('no luck')",
        "this is no python",
        "def extension(pi): raise SystemExit(7)",
        "import nothing_of_this_name",
    ],
    ids=["raises", "syntax", "exits", "missing import"],
)
def test_a_found_extension_that_cannot_load_is_told_and_the_run_goes_on(pi: AgentCli, text: str) -> None:
    """host-61: the others load, standard error names the file, and the code is 0."""
    bad = pi.user_extension(text, "bad.py")
    pi.user_extension(SAYS.format(name="good"), "good.py")
    ran = pi.run("-p", "run: echo on")
    assert (0, ["good"], "bash answered:\non\n") == (ran.code, loaded(ran.err), ran.out)
    assert str(bad) in ran.err


def test_flags_reach_their_extension(pi: AgentCli) -> None:
    """62: a boolean is true, a string has its value, and the prompt behind a boolean stays a prompt."""
    pi.user_extension(
        """
        def extension(pi):
            pi.register_flag("plan", type="boolean")
            pi.register_flag("lvl", type="string", default="low")
            @pi.command("flags")
            def show(args, ctx):
                pi.append_entry("flags", [pi.get_flag("plan"), pi.get_flag("lvl")])
        """
    )
    ran = pi.run("--mode", "json", "--lvl", "high", "--plan", "/flags")
    assert [["flags", [True, "high"]]] == [
        [record["entry"]["customType"], record["entry"]["data"]] for record in ran.of_type("entry_appended")
    ]


@pytest.mark.parametrize("words", [["--lvl"], ["--nope"], ["--plam"]])
def test_wrong_flags_end_the_run(pi: AgentCli, words: list[str]) -> None:
    """host-62: a string without value, an unknown flag and a misspelt one end with 2 before anything runs."""
    pi.user_extension(
        """
        def extension(pi):
            pi.register_flag("lvl", type="string")
            pi.register_flag("plan", type="boolean")
        """
    )
    ran = pi.run("-p", "x", *words)
    assert (2, "", []) == (ran.code, ran.out, pi.sessions())
    assert words[0] in ran.err


def test_an_untrusted_project_brings_nothing(pi: AgentCli) -> None:
    """60: the project's extensions, settings and prompts do not exist; one line says how to approve."""
    pi.write(".pi/extensions/evil.py", SAYS.format(name="project"))
    pi.write(".pi/prompts/tp.md", "expanded")
    ran = pi.run("--mode", "json", "/tp")
    (block,) = ran.of_type("message_start")[0]["message"]["content"]
    notices = [line for line in ran.err.splitlines() if "--approve" in line]
    assert (0, [], "/tp", 1) == (ran.code, loaded(ran.err), block["text"], len(notices))


def test_an_approved_project_counts(pi: AgentCli) -> None:
    """60: with -a its extensions run, before the user's by rank, and its templates expand."""
    pi.write(".pi/extensions/own.py", SAYS.format(name="project"))
    pi.write(".pi/prompts/tp.md", "expanded $1")
    pi.user_extension(SAYS.format(name="user"))
    ran = pi.run("--mode", "json", "-a", "/tp one")
    (block,) = ran.of_type("message_start")[0]["message"]["content"]
    assert (["user", "project"], "expanded one") == (loaded(ran.err), block["text"])


def test_a_disapproved_project_is_left_out_in_silence(pi: AgentCli) -> None:
    """-na is an answer: nothing of the project loads, and nobody asks to approve it."""
    pi.write(".pi/extensions/own.py", SAYS.format(name="project"))
    ran = pi.run("-p", "-na", "x")
    assert ([], False) == (loaded(ran.err), "--approve" in ran.err)


def test_an_extension_of_the_user_may_trust_the_project(pi: AgentCli) -> None:
    """F06: the user's extensions load first, one says yes, then the project's load; each factory once."""
    pi.write(".pi/extensions/own.py", SAYS.format(name="project"))
    pi.user_extension(
        SAYS.format(name="user")
        + """
        @pi.on("project_trust")
        def decide(event, ctx):
            print("loaded decision", file=sys.stderr)
            return {"trusted": "yes"}
    """
    )
    assert ["user", "decision", "project"] == loaded(pi.run("-p", "x").err)


def test_what_an_extension_prints_is_not_the_answer(pi: AgentCli) -> None:
    """Prints of extensions, of handlers and of their child processes land on standard error."""
    pi.user_extension(
        """
        import subprocess, sys
        print("at import")
        def extension(pi):
            print("in factory")
            @pi.on("agent_start")
            def told(event, ctx):
                print("in handler")
                subprocess.run([sys.executable, "-c", "print('in child')"])
        """
    )
    ran = pi.run("-p", "run: echo hello")
    assert "bash answered:\nhello\n" == ran.out
    assert all(text in ran.err for text in ("at import", "in factory", "in handler", "in child"))


def test_a_failing_handler_is_told_and_the_run_goes_on(pi: AgentCli) -> None:
    """42: print tells it on standard error, json as a record with its traceback, too."""
    path = pi.user_extension(
        'def extension(pi):\n    @pi.on("turn_end")\n    def broken(event, ctx): raise ValueError("oops")'
    )
    printed, streamed = pi.run("-p", "x"), pi.run("--mode", "json", "x")
    assert (0, 0) == (printed.code, streamed.code)
    assert f"({path}, turn_end): oops" in printed.err
    (record,) = [each for each in streamed.of_type("diagnostic") if each["severity"] == "error"]
    assert ("handler-raised", "turn_end", str(path)) == (record["code"], record["stage"], record["path"])
    assert "raise ValueError" in record["detail"]
    assert f"({path}, turn_end): oops" in streamed.err


def test_a_replaced_builtin_tool_is_told(pi: AgentCli) -> None:
    """An extension's tool of a built-in name counts, and the start says so."""
    pi.user_extension(
        """
        def extension(pi):
            @pi.tool
            def bash(command: str) -> str:
                return "mine: " + command
        """
    )
    ran = pi.run("-p", "run: echo hello")
    assert "bash answered:\nmine: echo hello\n" == ran.out
    assert "The tool bash replaces the built-in tool" in ran.err


def test_a_name_that_two_want_goes_to_the_first(pi: AgentCli) -> None:
    """The later one is hidden and named in a warning, unless a rule of the settings decides."""
    for name in ("a", "b"):
        pi.user_extension(
            f"def extension(pi):\n    @pi.tool\n    def t() -> str: return '{name}'", f"{name}.py"
        )
    clash = pi.run("-p", "t:")
    pi.write(str(pi.agent_dir / "settings.toml"), '[clashes]\nprefer."tool:t" = "b"\n')
    settled = pi.run("-p", "t:")
    assert ("t answered:\na\n", "t answered:\nb\n") == (clash.out, settled.out)
    assert (True, False) == tuple('Tool "t" conflicts' in ran.err for ran in (clash, settled))


def test_a_missing_guard_refuses_every_tool(pi: AgentCli) -> None:
    """A package that declares `guard = true` and cannot load keeps tools from running."""
    pi.write("guard/pi.toml", "")
    pi.write("guard/pyproject.toml", '[tool.pi]\nextensions = ["gate.py"]\nguard = true\n')
    gate = pi.write("guard/gate.py", "def extension(pi): raise RuntimeError('broken gate')")
    settings = pi.agent_dir / "settings.toml"
    pi.write(str(settings), f'packages = ["{gate.parent}"]\n')
    ran = pi.run("-p", "run: echo hello")
    assert (0, False) == (ran.code, "\nhello" in ran.out)
    assert f"the guard {gate.parent} ({gate}) could not be loaded" in ran.out
