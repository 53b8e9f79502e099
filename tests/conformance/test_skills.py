"""Skills against the recorded reference.

Touches: files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pi_core.prompts.skills import (
    LoadedSkills,
    Skill,
    SkillExpansionError,
    expand_skill,
    load_skills,
    skills_block,
)
from pi_core.prompts.sources import PromptPath
from pi_core.utf16 import utf16_length
from tests.conformance.host_rows import Row, hold, row_id, rows_of, sha

KINDS = {
    "skill-name-too-long": "name_too_long",
    "skill-name-bad-characters": "name_bad_chars",
    "skill-name-edge-hyphen": "name_edge_hyphen",
    "skill-name-double-hyphen": "name_double_hyphen",
    "skill-description-missing": "description_missing",
    "skill-description-too-long": "description_too_long",
    "skill-name-collision": "name_collision",
    "unparsable-frontmatter": "unparsable_frontmatter",
}
BLOCK = re.compile(
    r'<skill name="(?P<name>.*?)" location="(?P<location>.*?)">\n(?P<sentence>.*?)\n\n(?P<body>.*)\n</skill>'
    r"(?:\n\n(?P<args>.*))?",
    re.DOTALL,
)


@pytest.mark.parametrize("row", rows_of("skills", "file", "tree"), ids=row_id)
def test_skills_are_found_as_recorded(row: Row, tmp_path: Path) -> None:
    """A folder gives the same skills and the same findings, in whichever order."""
    root = tmp_path / "skills"
    plant(row["in"]["files"], root)
    loaded = load_skills([PromptPath(str(root))])
    expected = {name: ordered(row["out"][name]) for name in ("skills", "warnings")}
    hold("skills", row, expected, as_recorded(loaded, root))


@pytest.mark.parametrize("row", rows_of("skills", "block"), ids=row_id)
def test_models_are_told_as_recorded(row: Row) -> None:
    """The block names the same skills, with the same characters escaped."""
    skills = [
        Skill(
            name=item["name"],
            description=item["description"],
            path="/" + item["file"],
            model_invocable=not item["disabled"],
        )
        for item in row["in"]["skills"]
    ]
    block = skills_block(skills)
    tags = ("name", "description", "location")
    found = [re.findall(f"<{tag}>(.*?)</{tag}>", block or "", re.DOTALL) for tag in tags]
    items = [dict(zip(tags, values, strict=True)) for values in zip(*found, strict=True)]
    hold("skills", row, row["out"], {"present": block is not None, "items": items})


@pytest.mark.parametrize("row", rows_of("skills", "expand"), ids=row_id)
def test_asked_for_skills_expand_as_recorded(row: Row, tmp_path: Path) -> None:
    """A skill asked for by name becomes its text and the arguments, or stays as it was typed."""
    texts = row["in"]["skills"]
    plant({f"{name}/SKILL.md": text or "" for name, text in texts.items()}, tmp_path)
    skills = [Skill(name=name, description="d", path=str(tmp_path / name / "SKILL.md")) for name in texts]
    for name, text in texts.items():
        if text is None:
            (tmp_path / name / "SKILL.md").unlink()
    hold("skills", row, row["out"], expansion(row["in"]["text"], skills, tmp_path))


def expansion(typed: str, skills: Sequence[Skill], root: Path) -> dict[str, Any]:
    try:
        text = expand_skill(typed, skills)
    except SkillExpansionError:
        return {"expanded": False, "error_kind": "skill_unreadable"}
    match = BLOCK.fullmatch(text)
    if match is None:
        assert typed == text
        return {"expanded": False}
    folder = str(Path(match["location"]).parent)
    return {
        "expanded": True,
        "name": match["name"],
        "location": Path(match["location"]).relative_to(root).as_posix(),
        "base_dir_mentioned": folder in match["sentence"],
        "body": match["body"],
        "args": match["args"],
    }


def as_recorded(loaded: LoadedSkills, root: Path) -> dict[str, Any]:
    skills = [
        {
            "name": skill.name,
            "description": short(skill.description),
            "path": Path(skill.path).relative_to(root).as_posix(),
            "model_invocable": skill.model_invocable,
        }
        for skill in loaded.skills
    ]
    warnings = [
        {"kind": KINDS[each.code], "path": Path(str(each.path)).relative_to(root).as_posix()}
        for each in loaded.diagnostics
    ]
    return {"skills": ordered(skills), "warnings": ordered(warnings)}


def short(text: str) -> Any:
    return text if utf16_length(text) <= 200 else {"sha": sha(text), "length": utf16_length(text)}


def ordered(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: sorted(str(value) for value in item.items()))


def plant(files: dict[str, str], root: Path) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
