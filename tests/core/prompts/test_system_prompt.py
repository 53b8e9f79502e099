"""The rules by which a system prompt is composed.

Pure.
"""

from __future__ import annotations

from typing import Any

import pytest

from pi_core.prompts.context_files import ContextFile
from pi_core.prompts.skills import Skill
from pi_core.prompts.system_prompt import (
    SECTION_NAMES,
    SystemPromptOptions,
    build_sections,
    render_sections,
    render_system_prompt,
    tool_options,
)
from pi_core.tools.builtin import builtin_tools

SKILL = Skill(name="pdf", description="Reads PDF", path="/s/pdf/SKILL.md")


def options(**changes: Any) -> SystemPromptOptions:
    """Options with something in every section."""
    base: dict[str, Any] = {
        **tool_options(builtin_tools("/w").values()),
        "append_system_prompt": "one thing more",
        "context_files": [ContextFile("/w/AGENTS.md", "be kind\n")],
        "skills": [SKILL],
        "docs_path": "/docs",
    }
    return SystemPromptOptions(cwd="/w", **{**base, **changes})


def test_sections_in_order() -> None:
    """All sections are there, in the order of their names."""
    assert SECTION_NAMES == tuple(build_sections(options()))


def test_all_but_the_preamble_stand_in_tags() -> None:
    """Every section but the first is wrapped in a tag of its name."""
    assert "hello\n\n<rules>\nbe\n</rules>" == render_sections({"preamble": "hello", "rules": "be"})


def test_custom_prompt_replaces_the_first_four() -> None:
    """A prompt of one's own stands for preamble, tools, rules and docs; the rest follows."""
    sections = build_sections(options(custom_prompt="mine"))
    assert ("preamble", "addendum", "project_context", "skills", "cwd") == tuple(sections)
    assert "mine" == sections["preamble"]


def test_tools_with_a_snippet_are_listed() -> None:
    """A tool without a snippet is not named; the others are in the order of activation."""
    text = build_sections(options(selected_tools=["b", "a", "c"], tool_snippets={"a": "A", "b": "B"}))
    assert text["tools"].endswith("\n- b: B\n- a: A")


def test_guidelines_come_once() -> None:
    """The same guideline of two tools is said once."""
    rules = build_sections(options(prompt_guidelines=["same", "same", "other"]))["rules"]
    assert 1 == rules.count("- same\n")


@pytest.mark.parametrize(
    ("tools", "expected"), [(["bash"], True), (["bash", "grep"], False), (["read"], False)]
)
def test_bash_hint_only_without_search_tools(tools: list[str], expected: bool) -> None:
    """Bash is recommended for looking around where no tool is there for it."""
    assert expected == ("Use bash to list" in build_sections(options(selected_tools=tools))["rules"])


@pytest.mark.parametrize(("tools", "expected"), [(["read"], True), (["bash"], True), (["write"], False)])
def test_skills_need_a_tool_that_reads(tools: list[str], expected: bool) -> None:
    """Skills are told where read or bash is active."""
    assert expected == ("skills" in build_sections(options(selected_tools=tools)))


def test_nothing_to_say_is_no_section() -> None:
    """Sections without a text are left out."""
    bare = SystemPromptOptions(cwd="/w", context_files=[ContextFile("/w/AGENTS.md", " \n")])
    assert ("preamble", "rules", "cwd") == tuple(build_sections(bare))


def test_sections_of_others_have_the_last_word() -> None:
    """A section that is given replaces ours or comes last; None takes ours away."""
    sections = build_sections(options(sections={"rules": "mine", "docs": None, "weather": "sunny"}))
    assert "mine" == sections["rules"]
    assert "docs" not in sections
    assert "weather" == tuple(sections)[-1]


def test_forced_prompt_is_everything() -> None:
    """A forced prompt is used as it is, an empty one too."""
    assert "" == render_system_prompt(options(force_system_prompt=""))


def test_instructions_name_their_file() -> None:
    """Each file of instructions stands in a tag with its path."""
    text = build_sections(options(context_files=[ContextFile('/a"b&c/AGENTS.md', "x")]))["project_context"]
    assert '<project_instructions path="/a&quot;b&amp;c/AGENTS.md">\nx\n</project_instructions>' in text
