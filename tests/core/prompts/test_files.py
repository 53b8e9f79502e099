"""The rules by which templates, skills and instructions are found and read, beyond the recorded ones.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_core.prompts.context_files import load_context_files, prompt_text
from pi_core.prompts.frontmatter import FrontmatterError, parse_document
from pi_core.prompts.skills import Skill, SkillExpansionError, expand_skill, load_skills, skills_block
from pi_core.prompts.sources import PromptPath
from pi_core.prompts.templates import expand_template, fill, load_templates, parse_template
from pi_pkg import Provenance


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def skill_text(name: str) -> str:
    return f"---\nname: {name}\ndescription: does {name}\n---\nbody of {name}\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A=$1 B=$2", "A=one B=two three"),
        ("$@|$ARGUMENTS", "one two three|one two three"),
        ("${@:2}", "two three"),
        ("${3:-dflt}", "dflt"),
        ("${@:-none}", "one two three"),
        ("${@:0:1}", "one"),
    ],
)
def test_substitution_table(body: str, expected: str) -> None:
    """C79: the places of a template and what fills them."""
    template = parse_template(body, "/p/tp.md")
    assert expected == expand_template('/tp one "two three"', [template])


def test_filling_happens_once() -> None:
    """What an argument brings is not looked at again."""
    assert "$2 b" == fill("$1 $2", ["$2", "b"])


def test_first_template_of_a_name_stays(tmp_path: Path) -> None:
    """Of two templates of one name the first by rank stays, and the other is reported."""
    first = write(tmp_path / "a/x.md", "first")
    second = write(tmp_path / "b/x.md", "second")
    origin = Provenance(str(first), "cli", "temporary", "top-level")
    loaded = load_templates([PromptPath(str(first), origin), PromptPath(str(tmp_path / "b"))])
    assert [("first", origin)] == [(t.body, t.provenance) for t in loaded.templates]
    assert [("template-collision", str(second))] == [(d.code, d.path) for d in loaded.diagnostics]


def test_missing_sources_are_reported(tmp_path: Path) -> None:
    """A file that is not there is reported; a skill folder without skills is not."""
    missing = PromptPath(str(tmp_path / "no.md"))
    assert ["template-unreadable"] == [d.code for d in load_templates([missing]).diagnostics]
    assert () == load_skills([PromptPath(str(tmp_path))]).diagnostics


def test_folders_below_hold_no_templates(tmp_path: Path) -> None:
    """Only the files of a folder itself are templates."""
    write(tmp_path / "sub/x.md", "below")
    write(tmp_path / "y.txt", "other")
    assert () == load_templates([PromptPath(str(tmp_path))]).templates


def test_linked_skill_comes_once(tmp_path: Path) -> None:
    """A skill that is reached by two paths is one skill; links in a circle end."""
    write(tmp_path / "a/SKILL.md", skill_text("one"))
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c").symlink_to(".")
    loaded = load_skills([PromptPath(str(tmp_path)), PromptPath(str(tmp_path / "a/SKILL.md"))])
    assert (["one"], ()) == ([skill.name for skill in loaded.skills], loaded.diagnostics)


def test_first_skill_of_a_name_stays(tmp_path: Path) -> None:
    """Of two skills of one name the first by rank stays, and the other is reported."""
    write(tmp_path / "z/SKILL.md", skill_text("same"))
    write(tmp_path / "a/SKILL.md", skill_text("same"))
    loaded = load_skills([PromptPath(str(tmp_path / "z")), PromptPath(str(tmp_path / "a"))])
    assert [str(tmp_path / "z/SKILL.md")] == [skill.path for skill in loaded.skills]
    assert ["skill-name-collision"] == [d.code for d in loaded.diagnostics]


def test_asked_for_skill_is_its_text_and_the_arguments(tmp_path: Path) -> None:
    """C80: the skill's block, a blank line, the arguments."""
    path = write(tmp_path / "pdf/SKILL.md", skill_text("pdf"))
    (skill,) = load_skills([PromptPath(str(tmp_path))]).skills
    expected = (
        f'<skill name="pdf" location="{path}">\nPaths in this skill are relative to {path.parent}.\n\n'
        "body of pdf\n</skill>\n\nmy args"
    )
    assert expected == expand_skill("/skill:pdf  my args ", [skill])


def test_skill_that_went_away_is_an_error() -> None:
    """A skill whose file is gone is told, not sent."""
    with pytest.raises(SkillExpansionError, match="skill pdf cannot be read"):
        expand_skill("/skill:pdf", [Skill(name="pdf", description="d", path="/nowhere/SKILL.md")])


def test_no_skills_no_block() -> None:
    """Skills that only a person may call for are not told."""
    private = Skill(name="pdf", description="d", path="/p", model_invocable=False)
    assert skills_block([private]) is None


def test_key_given_twice_is_a_mistake() -> None:
    """A key that is given twice has no meaning."""
    with pytest.raises(FrontmatterError, match="twice"):
        parse_document("---\na: 1\na: 2\n---\n")


@pytest.mark.parametrize("head", ["- a\n- b\n", "just text\n", "", "# comment\n"])
def test_head_that_is_no_mapping_says_nothing(head: str) -> None:
    """A head without fields is an empty one."""
    document = parse_document(f"---\n{head}---\nbody")
    assert ({}, "body") == (document.metadata, document.body)


def test_instructions_from_the_root_down(tmp_path: Path) -> None:
    """The agent's own instructions, then those of each folder down to the working folder."""
    agent = write(tmp_path / "agent/AGENTS.md", "agent").parent
    write(tmp_path / "CLAUDE.md", "top")
    write(tmp_path / "p/AGENTS.md", "\ufeffinner")
    write(tmp_path / "p/CLAUDE.md", "not this")
    loaded = load_context_files(tmp_path / "p", agent)
    assert ["agent", "top", "inner"] == [file.content for file in loaded.files]


def test_instructions_come_once(tmp_path: Path) -> None:
    """A working folder that is the agent's own is read once."""
    write(tmp_path / "AGENTS.md", "once")
    assert ["once"] == [file.content for file in load_context_files(tmp_path, tmp_path).files]


def test_option_is_a_file_or_a_text(tmp_path: Path) -> None:
    """A prompt option that names a file is its text, any other is itself."""
    write(tmp_path / "p.md", "from file")
    cases = ["p.md", "plain words", "x" * 10_000, "a\0b"]
    expected = ["from file", "plain words", "x" * 10_000, "a\0b"]
    assert expected == [prompt_text(value, tmp_path) for value in cases]
