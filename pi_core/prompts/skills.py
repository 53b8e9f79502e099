"""Skills: instructions that a model reads when a task calls for them, or a person asks for by name.

Touches: files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from hookspecs.values import dataclass
from pi_core.errors import AgentError
from pi_core.prompts.frontmatter import Document, FrontmatterError, parse_document
from pi_core.prompts.skill_files import SkillFile, find_skill_files
from pi_core.prompts.sources import PromptPath, finding
from pi_core.utf16 import utf16_length

if TYPE_CHECKING:
    from pi_pkg import Diagnostic, Provenance

MAX_NAME: Final = 64
MAX_DESCRIPTION: Final = 1024
_COMMAND: Final = "/skill:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill. `model_invocable` false: only a person calls for it, and no model is told of it."""

    name: str
    description: str
    path: str
    model_invocable: bool = True
    provenance: Provenance | None = None

    @property
    def folder(self) -> str:
        """What paths in the skill's text are relative to."""
        return os.path.dirname(self.path)


@dataclass(frozen=True, slots=True)
class LoadedSkills:
    """The skills, first by rank first, no name and no file twice; and what was wrong."""

    skills: tuple[Skill, ...]
    diagnostics: tuple[Diagnostic, ...]


class SkillExpansionError(AgentError):
    """A skill was asked for by name and its file cannot be read. `name` is the skill's."""

    def __init__(self, name: str, found: str) -> None:
        super().__init__(f"skill {name} cannot be read: {found}.")
        self.name = name


def load_skills(sources: Iterable[PromptPath]) -> LoadedSkills:
    """Read skills from files and folders. Of two skills of one name the first stays.

    A skill without a description is left out: nobody could tell when to use it. A name against the
    rules is reported and used all the same.
    """
    skills: dict[str, Skill] = {}
    diagnostics: list[Diagnostic] = []
    seen: set[str] = set()
    for source in sources:
        for file in find_skill_files(source.path):
            real_path = os.path.realpath(file.path)
            if real_path in seen:
                continue
            seen.add(real_path)
            skill = _read(file, source, diagnostics)
            if skill is not None and skills.setdefault(skill.name, skill) is not skill:
                message = f"skill {skill.name} is hidden by {skills[skill.name].path}"
                diagnostics.append(finding("skill-name-collision", skill.path, message))
    return LoadedSkills(tuple(skills.values()), tuple(diagnostics))


def skills_block(skills: Sequence[Skill]) -> str | None:
    """What a model is told of the skills; None if there is none that it may use by itself."""
    listed = [skill for skill in skills if skill.model_invocable]
    if not listed:
        return None
    items = "\n".join(_item(skill) for skill in listed)
    return (
        "Skills hold instructions for special tasks. When a task fits a description, read the file at its "
        "location before you begin. Paths in a skill are relative to its folder; use them as absolute "
        f"paths in commands.\n\n<available_skills>\n{items}\n</available_skills>"
    )


def expand_skill(text: str, skills: Sequence[Skill]) -> str:
    """What was typed, with `/skill:name arguments` replaced by that skill's text; else unchanged.

    Raises: SkillExpansionError.
    """
    if not text.startswith(_COMMAND):
        return text
    name, _, arguments = text.removeprefix(_COMMAND).partition(" ")
    skill = next((each for each in skills if each.name == name), None)
    if skill is None:
        return text
    block = _block(skill, _body(skill))
    return f"{block}\n\n{arguments.strip()}" if arguments.strip() else block


def _block(skill: Skill, body: str) -> str:
    return (
        f'<skill name="{_escaped(skill.name)}" location="{_escaped(skill.path)}">\n'
        f"Paths in this skill are relative to {skill.folder}.\n\n{body}\n</skill>"
    )


def _body(skill: Skill) -> str:
    try:
        with open(skill.path, encoding="utf-8", errors="replace") as file:
            return parse_document(file.read()).body.strip()
    except OSError as error:
        raise SkillExpansionError(skill.name, error.strerror or str(error)) from error
    except FrontmatterError as error:
        raise SkillExpansionError(skill.name, error.message) from error


def _item(skill: Skill) -> str:
    return (
        "  <skill>\n"
        f"    <name>{_escaped(skill.name)}</name>\n"
        f"    <description>{_escaped(skill.description)}</description>\n"
        f"    <location>{_escaped(skill.path)}</location>\n"
        "  </skill>"
    )


def _escaped(text: str) -> str:
    for character, entity in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "apos")):
        text = text.replace(character, f"&{entity};")
    return text


def _read(file: SkillFile, source: PromptPath, diagnostics: list[Diagnostic]) -> Skill | None:
    try:
        with open(file.path, encoding="utf-8", errors="replace") as stream:
            document = parse_document(stream.read())
    except OSError as error:
        message = f"the skill cannot be read: {error.strerror or error}"
        diagnostics.append(finding("skill-unreadable", file.path, message))
        return None
    except FrontmatterError as error:
        if not file.loose:
            diagnostics.append(
                finding("unparsable-frontmatter", file.path, f"the skill is left out: {error}")
            )
        return None
    description = document.text("description")
    if description is None and file.loose:
        return None  # a Markdown file like any other
    diagnostics.extend(_problems(file, document))
    if description is None:
        return None
    return Skill(
        name=_name(file, document),
        description=description,
        path=file.path,
        model_invocable=document.metadata.get("disable-model-invocation") is not True,
        provenance=source.provenance,
    )


def _name(file: SkillFile, document: Document) -> str:
    return document.text("name") or os.path.basename(os.path.dirname(os.path.abspath(file.path)))


def _problems(file: SkillFile, document: Document) -> Iterable[Diagnostic]:
    name = _name(file, document)
    description = document.text("description")
    checks = (
        (description is None, "skill-description-missing", "the skill is left out: it has no description"),
        (
            description is not None and utf16_length(description) > MAX_DESCRIPTION,
            "skill-description-too-long",
            f"the description is longer than {MAX_DESCRIPTION} characters",
        ),
        (
            utf16_length(name) > MAX_NAME,
            "skill-name-too-long",
            f"the name {name} is longer than {MAX_NAME} characters",
        ),
        (
            re.fullmatch(r"[a-z0-9-]*", name) is None,
            "skill-name-bad-characters",
            f"the name {name} has other characters than a-z, 0-9 and hyphens",
        ),
        (
            name.startswith("-") or name.endswith("-"),
            "skill-name-edge-hyphen",
            f"the name {name} begins or ends with a hyphen",
        ),
        ("--" in name, "skill-name-double-hyphen", f"the name {name} has two hyphens in a row"),
    )
    return [finding(code, file.path, message) for wrong, code, message in checks if wrong]
