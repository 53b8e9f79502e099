"""Each kind of finding is visible in each mode, once a channel, and in the log."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_cli import AgentCli, Ran

TWICE = "def extension(pi):\n    @pi.tool\n    def t() -> str: return '{0}'\n    pi.command('c')(print)\n"


def broken(pi: AgentCli) -> None:
    pi.user_extension("import nothing_of_this_name", "bad.py")


def syntax(pi: AgentCli) -> None:
    pi.user_extension("def extension(pi: oops", "bad.py")


def tool_clash(pi: AgentCli) -> None:
    for name in ("a", "b"):
        pi.user_extension(TWICE.format(name), f"{name}.py")


def builtin_tool(pi: AgentCli) -> None:
    pi.user_extension("def extension(pi):\n    @pi.tool\n    def bash(command: str) -> str: return 'x'\n")


def untrusted(pi: AgentCli) -> None:
    pi.write(".pi/extensions/own.py", "def extension(pi): pass")


def missing_package(pi: AgentCli) -> None:
    pi.write(str(pi.agent_dir / "settings.toml"), 'packages = ["pypi:not-installed"]\n')


def bad_settings(pi: AgentCli) -> None:
    pi.write(str(pi.agent_dir / "settings.toml"), "= nothing\n")


def bad_budget(pi: AgentCli) -> None:
    pi.write(str(pi.agent_dir / "settings.toml"), "[budgets]\nhandler-s = -1\n")


def bad_rule(pi: AgentCli) -> None:
    pi.write(str(pi.agent_dir / "settings.toml"), "[clashes]\nhide = ['x']\n")


def bad_skill(pi: AgentCli) -> None:
    pi.write(str(pi.agent_dir / "skills" / "s" / "SKILL.md"), "no front matter")


def guard(pi: AgentCli) -> None:
    pi.write("guard/pyproject.toml", '[tool.pi]\nextensions = ["gate.py"]\nguard = true\n')
    gate = pi.write("guard/gate.py", "def extension(pi): raise RuntimeError('broken gate')")
    pi.write(str(pi.agent_dir / "settings.toml"), f'packages = ["{gate.parent}"]\n')


def raising(pi: AgentCli) -> None:
    pi.user_extension(
        "def extension(pi):\n    @pi.on('turn_end')\n    def broken(event, ctx): raise ValueError"
    )


def overdue(pi: AgentCli) -> None:
    pi.write(str(pi.agent_dir / "settings.toml"), "[budgets]\nhandler-s = 0.2\n")
    pi.user_extension(
        """
        import asyncio
        def extension(pi):
            @pi.on("turn_end")
            async def stuck(event, ctx): await asyncio.Event().wait()
        """
    )


def blocking(pi: AgentCli) -> None:
    pi.user_extension(
        """
        import time
        def extension(pi):
            @pi.on("turn_start")
            def busy(event, ctx): time.sleep(0.5)
        """
    )


def dialog(pi: AgentCli) -> None:
    pi.user_extension(
        """
        def extension(pi):
            @pi.on("turn_start")
            async def ask(event, ctx): await ctx.ui.confirm("sure?")
        """
    )


def stray(pi: AgentCli) -> None:
    pi.user_extension(
        """
        import asyncio
        def later(): raise ValueError("too late")
        def extension(pi):
            @pi.on("turn_start")
            def start(event, ctx): asyncio.get_running_loop().call_soon(later)
        """
    )


KINDS: dict[str, tuple[Callable[[AgentCli], object], str]] = {
    "import fails": (broken, "extension-import-failed"),
    "no python": (syntax, "extension-import-failed"),
    "two tools of one name": (tool_clash, "tool-clash"),
    "two commands of one name": (tool_clash, "command-clash"),
    "a built-in tool is replaced": (builtin_tool, "builtin-tool-clash"),
    "the project is not trusted": (untrusted, "project-not-trusted"),
    "a package is missing": (missing_package, "package-missing"),
    "settings are unreadable": (bad_settings, "settings-invalid"),
    "a budget is odd": (bad_budget, "settings-type"),
    "a rule is odd": (bad_rule, "clash-rule-invalid"),
    "a skill is odd": (bad_skill, "skill-description-missing"),
    "a guard is lost": (guard, "guard-missing"),
    "a handler raises": (raising, "handler-raised"),
    "a handler is stuck": (overdue, "handler-overdue"),
    "a handler blocks": (blocking, "handler-blocking"),
    "a dialog has nobody to answer": (dialog, "handler-ui-unavailable"),
    "something slips into the loop": (stray, "handler-raised"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """How a run ended, and the texts of one way in which its findings are told, one text a finding."""

    code: int
    ways: tuple[list[str], ...]


def lines_of(ran: Ran) -> list[str]:
    """What a person sees: every line on standard error."""
    return ran.err.splitlines()


def told_by_print(pi: AgentCli) -> Told:
    ran = pi.run("-p", "hello")
    return Told(ran.code, (lines_of(ran),))


def told_by_json(pi: AgentCli) -> Told:
    ran = pi.run("--mode", "json", "hello")
    records = [each["message"] for each in ran.of_type("diagnostic")]
    return Told(ran.code, (lines_of(ran), records))


def told_by_rpc(pi: AgentCli) -> Told:
    lines: list[str] = []
    with pi.start("--mode", "rpc", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"type":"prompt","message":"hello"}\n')
        process.stdin.flush()
        for line in process.stdout:
            lines.append(line)
            if '"type":"agent_settled"' in line:
                process.stdin.close()
    ran = Ran(process.returncode, "".join(lines), "")
    failures = [each["diagnostic"]["message"] for each in ran.of_type("extension_error")]
    return Told(ran.code, ([each["message"] for each in ran.of_type("diagnostic")] + failures,))


MODES: dict[str, Callable[[AgentCli], Told]] = {
    "print": told_by_print, "json": told_by_json, "rpc": told_by_rpc,
}  # fmt: skip
"""Each mode: a whole run that says hello, and everywhere that its findings can be read."""
ANSWERED = ("rpc", "a dialog has nobody to answer")
"""There the client answers."""


def logged(pi: AgentCli) -> list[dict[str, Any]]:
    """The findings in the log."""
    path = pi.agent_dir / "logs" / "diagnostics.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return [json.loads(line) for line in lines if line]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "kind"), [each for each in itertools.product(MODES, KINDS) if each != ANSWERED]
)
def test_each_kind_in_each_mode(pi: AgentCli, mode: str, kind: str) -> None:
    """QUIET 82, 84, 85, 87: whatever the mode offers has the finding once, and so has the log; code 0."""
    prepare, code = KINDS[kind]
    prepare(pi)
    told = MODES[mode](pi)
    (entry,) = [entry for entry in logged(pi) if entry["code"] == code]
    said = entry["message"]
    # On the terminal a failure is told as the reference tells it: extension and event first.
    sentence = said.partition(": ")[2] if code.startswith("handler-") else said
    assert [1] * len(told.ways) == [sum(sentence in text for text in texts) for texts in told.ways]
    assert 0 == told.code


def test_what_is_found_is_told_before_a_mistake_ends_the_run(pi: AgentCli) -> None:
    """A flag may be unknown because its extension could not load: both are said."""
    bad = pi.user_extension("import nothing_of_this_name", "bad.py")
    ran = pi.run("-p", "--plan", "x")
    assert 2 == ran.code
    assert str(bad) in ran.err
    assert "unknown option --plan" in ran.err


def test_what_is_found_is_told_before_a_missing_model_ends_the_run(pi: AgentCli) -> None:
    """PROV 148: the provider's extension could not load, and that is said beside the model's absence."""
    bad = pi.user_extension("import nothing_of_this_name", "bad.py")
    ran = pi.run("-p", "--model", "mine/m", "x")
    assert (1, "") == (ran.code, ran.out)
    assert str(bad) in ran.err
    assert "mine" in ran.err.splitlines()[-1]


def test_each_factory_runs_once(pi: AgentCli, tmp_path: Path) -> None:
    """LIFE 102: in each mode, and for the help."""
    counter = tmp_path / "count"
    pi.user_extension(f"def extension(pi):\n    with open({str(counter)!r}, 'a') as file: file.write('x')\n")
    sizes = []
    for words in (["-p", "x"], ["--mode", "json", "x"], ["--mode", "rpc"], ["--help"]):
        pi.run(*words)
        sizes.append(len(counter.read_text(encoding="utf-8")))
    assert [1, 2, 3, 4] == sizes
