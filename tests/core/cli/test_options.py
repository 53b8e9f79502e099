"""Every option of the command line, tried with the real command: what it changes for the session."""

from __future__ import annotations

import json
import os
import pty
import re
from pathlib import Path
from typing import Any

import pytest

from pi_core.cli.options import OPTIONS
from tests.support.agent_cli import AgentCli

FACTS = """
    import os

    def extension(pi):
        pi.register_flag("plan", type="boolean")

        @pi.tool
        def extra() -> str:
            return "x"

        @pi.command("facts")
        def facts(args, ctx):
            pi.append_entry("facts", {
                "prompt": ctx.get_system_prompt(),
                "tools": pi.get_active_tools(),
                "all": [tool.name for tool in pi.get_all_tools()],
                "commands": [command.name for command in pi.get_commands()],
                "model": f"{ctx.model.provider}/{ctx.model.id}",
                "thinking": pi.get_thinking_level(),
                "themes": sorted(theme.name for theme in ctx.ui.get_all_themes()),
                "trusted": ctx.is_project_trusted(),
                "plan": pi.get_flag("plan"),
                "name": pi.get_session_name(),
            })
    """


def facts(pi: AgentCli, *words: str, **options: Any) -> dict[str, Any]:
    """What an extension sees in a run with these words."""
    path = pi.user_extension(FACTS, "facts.py")
    ran = pi.run("--mode", "json", "-e", str(path), *words, "/facts", **options)
    assert 0 == ran.code, ran.err
    found = [record["entry"] for record in ran.of_type("entry_appended")]
    data: dict[str, Any] = next(entry["data"] for entry in found if entry["customType"] == "facts")
    return data


@pytest.mark.parametrize(
    ("words", "active"),
    [
        ([], ["read", "bash", "edit", "write", "extra"]),
        (["-t", "read,grep"], ["read", "grep"]),
        (["--tools", "r*,ex*"], ["read", "extra"]),
        (["-t", "+grep,-write"], ["read", "bash", "edit", "grep", "extra"]),
        (["-t", "-*,+ls"], ["ls"]),
        (["-xt", "bash,ext*"], ["read", "edit", "write"]),
        (["--exclude-tools", "*"], []),
        (["-nt"], []),
        (["--no-tools"], []),
        (["-nbt"], ["extra"]),
        (["--no-builtin-tools", "-t", "extra,read"], ["extra"]),
    ],
    ids=lambda value: " ".join(value) or "none",
)
def test_tools_are_chosen(pi: AgentCli, words: list[str], active: list[str]) -> None:
    """A list allows and activates, `*` is a pattern, +x,-y edit the default, -xt and -nbt take away."""
    assert sorted(active) == sorted(facts(pi, *words)["tools"])


def test_settings_choose_tools_and_calls_of_skills(pi: AgentCli) -> None:
    """`default-tools` of user and project add up; `enable-skill-commands = false` leaves /skill: a text."""
    pi.write(str(pi.agent_dir / "settings.toml"), 'default-tools = ["read"]\nenable-skill-commands = false\n')
    pi.write(".pi/settings.toml", 'default-tools = ["+ls", "-extra"]')
    pi.write(str(pi.agent_dir / "skills" / "found" / "SKILL.md"), SKILL.format(name="found"))
    found = facts(pi, "-a")
    assert ({"read", "ls"}, []) == (set(found["tools"]), [n for n in found["commands"] if "skill" in n])
    assert "does found" in found["prompt"]
    ran = pi.run("--mode", "json", "/skill:found now")
    assert "/skill:found now" == ran.of_type("message_start")[0]["message"]["content"][0]["text"]


def test_a_tool_that_is_not_there_is_told(pi: AgentCli) -> None:
    """A misspelt tool name is a warning that proposes the right one; the run goes on."""
    ran = pi.run("-p", "-t", "raed,ls*", "-xt", "nobody", "x")
    assert 0 == ran.code
    told = [line for line in ran.err.splitlines() if "there is no tool" in line]
    assert ["raed", "nobody"] == [re.findall(r"no tool (\w+)", line)[0] for line in told]
    assert "Did you mean read?" in ran.err
    records = pi.run("--mode", "json", "-t", "raed", "x").of_type("diagnostic")
    assert [("warning", "tool-unknown")] == [
        (record["severity"], record["code"]) for record in records if record["severity"] != "info"
    ]


@pytest.mark.parametrize("given", ["text", "file"])
def test_the_system_prompt_is_text_or_a_file(pi: AgentCli, given: str) -> None:
    """--system-prompt replaces, --append-system-prompt adds, each a text or the name of a file."""
    pi.write("own.md", "ONLY THIS")
    pi.write("more.md", "AND THAT")
    words = {"text": ("ONLY THIS", "AND THAT"), "file": ("own.md", "more.md")}[given]
    prompt = facts(pi, "--system-prompt", words[0], "--append-system-prompt", words[1],
                   "--append-system-prompt", "AND MORE")["prompt"]  # fmt: skip
    assert prompt.startswith("ONLY THIS\n\n<addendum>\nAND THAT\n\nAND MORE\n</addendum>")
    assert "<tools>" not in prompt


def test_the_prompt_names_the_documentation(pi: AgentCli) -> None:
    """The sections of the prompt in their order; the documentation lies where the prompt says."""
    pi.write("AGENTS.md", "use tabs")
    prompt = facts(pi, "--append-system-prompt", "more")["prompt"]
    tags = re.findall(r"^<(\w+)>$", prompt, re.MULTILINE)
    assert ["tools", "rules", "docs", "addendum", "project_context", "cwd"] == tags
    folder = re.search(r"documentation of pi is in ([^,]+),", prompt)
    assert folder is not None
    assert (Path(folder[1]) / "extensions.md").is_file()


def test_system_md_is_taken_as_it_stands(pi: AgentCli) -> None:
    """The text of SYSTEM.md is the prompt even if it is the name of a file; a project's needs trust."""
    pi.write("NOTES.md", "not me")
    pi.write(str(pi.agent_dir / "SYSTEM.md"), "NOTES.md")
    pi.write(str(pi.agent_dir / "APPEND_SYSTEM.md"), "added for all")
    pi.write(".pi/SYSTEM.md", "of the project")
    assert facts(pi)["prompt"].startswith("NOTES.md\n\n<addendum>\nadded for all")
    assert facts(pi, "-a")["prompt"].startswith("of the project\n")


@pytest.mark.parametrize(("words", "there"), [([], True), (["-nc"], False), (["--no-context-files"], False)])
def test_context_files(pi: AgentCli, words: list[str], there: bool) -> None:
    """AGENTS.md is part of the prompt, also of a project that nobody trusts; -nc leaves it out."""
    pi.write("AGENTS.md", "use tabs")
    assert there == ("use tabs" in facts(pi, *words)["prompt"])


SKILL = "---\nname: {name}\ndescription: does {name}\n---\nbody\n"


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        ([], {"skill:found", "tp"}),
        (["--skill", "more/SKILL.md", "--prompt-template", "t/other.md"],
         {"skill:found", "skill:more", "tp", "other"}),
        (["-ns", "--skill", "more"], {"skill:more", "tp"}),
        (["--no-skills"], {"tp"}),
        (["-np", "--prompt-template", "t"], {"skill:found", "other"}),
        (["--no-prompt-templates"], {"skill:found"}),
    ],
)  # fmt: skip
def test_skills_and_templates(pi: AgentCli, words: list[str], commands: set[str]) -> None:
    """Named ones are added to those that are found; -ns and -np leave the named ones alone."""
    pi.write(str(pi.agent_dir / "skills" / "found" / "SKILL.md"), SKILL.format(name="found"))
    pi.write(str(pi.agent_dir / "prompts" / "tp.md"), "template")
    pi.write("more/SKILL.md", SKILL.format(name="more"))
    pi.write("t/other.md", "another")
    assert commands == {name for name in facts(pi, *words)["commands"] if name != "facts"}


def test_themes_of_the_command_line_are_known(pi: AgentCli) -> None:
    """--theme adds a file, --no-themes leaves only it, --use-theme is taken; --verbose names them."""
    for path in (pi.agent_dir / "themes" / "mine.json", pi.project / "named.json"):
        pi.write(str(path), json.dumps({"name": path.stem, "colors": {}}))

    def shown(*words: str) -> set[str]:
        ran = pi.run("-p", "--verbose", *words, "x")
        assert 0 == ran.code
        return {Path(found).stem for found in re.findall(r"^pi: theme (\S+)", ran.err, re.MULTILINE)}

    assert {"mine", "named"} == shown("--theme", "named.json", "--use-theme", "named")
    assert {"named"} == shown("--no-themes", "--theme", "named.json")


def test_verbose_says_what_was_loaded(pi: AgentCli) -> None:
    """--verbose names model, conversation, tools, extensions with their scope, and instructions."""
    path = pi.user_extension(FACTS, "facts.py")
    context = pi.write("AGENTS.md", "x")
    err = pi.run("-p", "--verbose", "--no-session", "x").err
    for line in (
        "model scripted/scripted, thinking off", "tools read, bash, edit, write, extra",
        f"extension {path} (user)", f"instructions {context}",
    ):  # fmt: skip
        assert f"pi: {line}\n" in err
    assert re.search(r"^pi: conversation \S+, in memory$", err, re.MULTILINE)
    assert "pi: model" not in pi.run("-p", "x").err


HOUSE = """
    from pi_core.api import ProviderConfig

    def extension(pi):
        async def stream(model, context, options):
            raise AssertionError("nobody asked")
            yield

        models = [{"id": "deep", "reasoning": True}, {"id": "flat"}]
        pi.register_provider("house", ProviderConfig(base_url="http://127.0.0.1:9", stream=stream,
                                                     api_key="$HOUSE_KEY", models=models))
    """


@pytest.mark.parametrize(
    "words", [["--provider", "house", "--model", "deep"], ["--model", "house/deep"], ["--model", "deep"]]
)
def test_model_and_thinking(pi: AgentCli, words: list[str]) -> None:
    """--provider, --model and --api-key choose who answers, --thinking how hard; the key is not stored."""
    pi.user_extension(HOUSE, "house.py")
    found = facts(pi, *words, "--api-key", "k3y", "--thinking", "high")
    assert ("house/deep", "high") == (found["model"], found["thinking"])
    assert not [path for path in pi.home.rglob("*") if path.is_file() and b"k3y" in path.read_bytes()]


def test_extensions_that_are_left_out(pi: AgentCli) -> None:
    """--exclude names extensions that do not count in this run; -ne leaves only those of -e."""
    pi.user_extension(HOUSE, "house.py")
    known = [name for name in ("--exclude", "-ne") if "facts" in facts(pi, *EXCLUDED[name])["commands"]]
    assert ["--exclude", "-ne"] == known
    ran = pi.run("-p", "--exclude", "house", "--provider", "house", "x")
    assert (1, True) == (ran.code, "there is no provider house" in ran.err)


EXCLUDED = {"--exclude": ["--exclude", "house,nobody"], "-ne": ["-ne"]}


def test_name_and_trust_and_flags(pi: AgentCli) -> None:
    """-n, -a, -na, and a flag of an extension that stands in front of the prompt."""
    pi.write(".pi/settings.toml", "")
    found = facts(pi, "-n", "first", "-a", "--plan")
    assert ("first", True, True) == (found["name"], found["trusted"], found["plan"])
    assert not facts(pi, "-na")["trusted"]


def test_a_boolean_flag_keeps_the_prompt(pi: AgentCli) -> None:
    """`pi --plan "fix it"`: the word behind the flag is the prompt, in whatever order they stand."""
    pi.user_extension(FACTS, "facts.py")
    for words in (["-p", "--plan", "run: echo kept"], ["--plan", "-p", "run: echo kept"]):
        assert "bash answered:\nkept\n" == pi.run(*words).out


def test_behind_two_dashes_nothing_is_an_option(pi: AgentCli) -> None:
    """`--` ends the options: what looks like one is the message."""
    ran = pi.run("--mode", "json", "--", "--plan")
    assert "--plan" == ran.of_type("message_start")[0]["message"]["content"][0]["text"]


@pytest.mark.parametrize("how", ["option", "variable"])
def test_offline_is_told_to_every_tool(pi: AgentCli, how: str) -> None:
    """--offline, or PI_OFFLINE=1 in the environment, reaches what tools start."""
    words, env = (["--offline"], {}) if how == "option" else ([], {"PI_OFFLINE": "1"})
    assert "bash answered:\n1\n" == pi.run("-p", *words, "run: echo $PI_OFFLINE", env=env).out


def test_modes_of_output(pi: AgentCli) -> None:
    """--print and --mode text print an answer, --mode json a stream."""
    outputs = [pi.run(*words, "run: echo x").out for words in (["--print"], ["-p", "--mode", "text"])]
    assert ["bash answered:\nx\n"] * 2 == outputs
    assert pi.run("-p", "--mode=json", "x").out.startswith('{"type":"session"')


def test_resuming_from_a_list_needs_a_terminal(pi: AgentCli) -> None:
    """-r without a person at a terminal ends with 2 and names the ways that need none."""
    for words in (["-r"], ["--resume", "-p"], ["--mode", "json", "-r"]):
        ran = pi.run(*words, "x")
        assert (2, "") == (ran.code, ran.out)
        assert "--continue" in ran.err
        assert "--session ID" in ran.err


def everywhere() -> str:
    """The text of all tests of the host."""
    folder = Path(__file__).parents[1]
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("test_*.py")))


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.names[0])
def test_every_option_is_tried(option: Any) -> None:
    """Each option of the table stands, in one of its spellings, in a test."""
    text = everywhere()
    assert any(f'"{name}"' in text or f'"{name}=' in text for name in option.names)


def test_a_terminal_is_offered_a_copy(pi: AgentCli) -> None:
    """An id of another folder's conversation: a person is asked, and `y` goes on with a copy here."""
    elsewhere = AgentCli(pi.home, pi.home)
    elsewhere.run("-p", "--session-id", "there", "first")
    master, slave = pty.openpty()
    process = pi.start("-p", "--session", "there", "second", stdin=slave, stderr=slave)
    os.close(slave)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(master, 4096)
    os.write(master, b"y\n")
    out, _ = process.communicate(timeout=30)
    os.close(master)
    assert (0, 2) == (process.returncode, len(pi.sessions()))
    assert b"it belongs to" in said
    assert "scripted model" in out
