"""Commands that replace and reload the session of a run, journals, and watching, from the command line."""

from __future__ import annotations

from tests.support.agent_cli import AgentCli

COMMANDS = """
    def extension(pi):
        pi.register_flag("plan", type="boolean")

        @pi.command("new")
        async def new(args, ctx):
            async def go_on(fresh):
                await fresh.send_user_message("run: echo in the new one")
            await ctx.new_session(with_session=go_on)

        @pi.command("again")
        async def again(args, ctx):
            await ctx.reload()

        @pi.on("session_start")
        def start(event, ctx):
            pi.append_entry("start", [event.reason, pi.get_flag("plan")])
    """


def starts(pi: AgentCli, *words: str) -> list[list[object]]:
    ran = pi.run("--mode", "json", *words)
    assert 0 == ran.code
    return [record["entry"]["data"] for record in ran.of_type("entry_appended")]


def test_a_command_replaces_the_session_of_a_run(pi: AgentCli) -> None:
    """45: what is said in the new session is heard, without a second header; both files are there."""
    pi.user_extension(COMMANDS)
    ran = pi.run("--mode", "json", "run: echo first", "/new", "run: echo last")
    settled = [record["type"] for record in ran.records if record["type"] in ("session", "agent_settled")]
    assert (0, ["session", *["agent_settled"] * 3]) == (ran.code, settled)
    assert 2 == len(pi.sessions())


def test_the_answer_is_that_of_the_last_session(pi: AgentCli) -> None:
    """print shows the answer of whichever session is there at the end."""
    pi.user_extension(COMMANDS)
    assert "bash answered:\nin the new one\n" == pi.run("-p", "run: echo first", "/new").out


def test_flags_and_reasons(pi: AgentCli) -> None:
    """L24, 50, 62: the flag of the command line is there after a reload and in a new session."""
    pi.user_extension(COMMANDS)
    assert [["startup", True], ["reload", True], ["new", True]] == starts(pi, "--plan", "/again", "/new")


def test_a_run_writes_a_journal_and_pi_shows_it(pi: AgentCli) -> None:
    """--trace-events writes every dispatch of every session; `pi trace` names the slowest and one route."""
    path = pi.user_extension(
        COMMANDS
        + """
        @pi.on("tool_call")
        def gate(event, ctx):
            return {"block": "echo" in event.input["command"], "reason": "no"}
    """
    )
    assert 0 == pi.run("--trace-events", "t.jsonl", "-p", "run: echo x", "/new").code
    shown = pi.run("trace", "t.jsonl")
    assert (0, "") == (shown.code, shown.err)
    assert all(
        text in shown.out
        for text in ("Slowest handlers", "session_start", str(path), "Route of the tool call")
    )
    assert '"block": true' in pi.run("trace", "t.jsonl", "--top", "1").out


def test_journals_that_cannot_be(pi: AgentCli) -> None:
    """A place that cannot be written ends the run before it begins; what is no journal is said to be none."""
    nowhere = pi.run("--trace-events", "no/such/folder/t.jsonl", "-p", "x")
    assert (1, "", []) == (nowhere.code, nowhere.out, pi.sessions())
    assert "cannot write no/such/folder/t.jsonl" in nowhere.err
    pi.write("x.txt", "something else\n")
    found = [pi.run("trace", name) for name in ("gone.jsonl", "x.txt")]
    assert [1, 1] == [ran.code for ran in found]
    assert ["cannot read", "is no journal"] == [
        next(text for text in ("cannot read", "is no journal") if text in ran.err) for ran in found
    ]
    assert 2 == pi.run("trace").code


def test_watching_without_its_library(pi: AgentCli) -> None:
    """The error names the extra, and nothing is started."""
    hide = "import sys, importlib.util as u; f = u.find_spec; " \
           "u.find_spec = lambda name, *a: None if name == 'watchfiles' else f(name, *a)"  # fmt: skip
    pi.write("hidden/sitecustomize.py", hide)
    ran = pi.run(
        "--watch", "-p", "x", env={"PYTHONPATH": f"{pi.project}/hidden:{pi.environ()['PYTHONPATH']}"}
    )
    assert (1, "", []) == (ran.code, ran.out, pi.sessions())
    assert 'pip install "pi-pluggy[watch]"' in ran.err


def test_watching_a_run(pi: AgentCli) -> None:
    """A tool that edits an extension has its change in the next prompt."""
    path = pi.user_extension("def extension(pi): pass")
    new = pi.write("new.py", "def extension(pi):\n    @pi.tool\n    def word() -> str: return 'new'\n")
    ran = pi.run("--watch", "-p", f"run: cp {new} {path} && sleep 1.5", "word:")
    assert (0, "word answered:\nnew\n") == (ran.code, ran.out)
