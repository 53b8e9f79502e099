"""docs/tools.md and docs/prompts.md say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from pi_core.prompts.system_prompt import SECTION_NAMES
from pi_core.prompts.templates import fill
from pi_core.tools import find, grep, ls
from pi_core.tools.builtin import DEFAULT_ACTIVE_TOOLS, builtin_tools
from pi_core.tools.images import MAX_IMAGE_BYTES, MAX_SIDE
from pi_core.tools.operations import MAX_FILE_BYTES
from pi_core.tools.truncate import DEFAULT_MAX_BYTES, DEFAULT_MAX_LINE_CHARS, DEFAULT_MAX_LINES, format_size

DOCS = Path(__file__).parents[3] / "docs"


def page(name: str) -> str:
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


def test_the_table_has_every_tool() -> None:
    """Each built-in tool has a line, and the line says whether it is active."""
    rows = dict(re.findall(r"\| `(\w+)` \| (yes|no) \|", page("tools.md")))
    assert {name: "yes" if name in DEFAULT_ACTIVE_TOOLS else "no" for name in builtin_tools("/")} == rows


def test_the_limits_are_those_of_the_code() -> None:
    """Numbers on the page are the constants."""
    text = page("tools.md")
    for said in (
        f"at most {DEFAULT_MAX_LINES} lines or {DEFAULT_MAX_BYTES // 1024} KB",
        f"`grep` shows {grep.DEFAULT_LIMIT} matches, `find` {find.DEFAULT_LIMIT} paths",
        f"`ls` {ls.DEFAULT_LIMIT} names",
        f"cut at {DEFAULT_MAX_LINE_CHARS} characters",
        f"more than {MAX_FILE_BYTES // 1024**2} MB",
        f"{MAX_SIDE} pixels or {format_size(MAX_IMAGE_BYTES).replace('MB', ' MB')}",
    ):
        assert said in text


def test_the_sections_are_those_of_the_prompt() -> None:
    """The page names all sections of the system prompt, in their order."""
    text = (DOCS / "prompts.md").read_text(encoding="utf-8").partition("## Templates")[0]
    assert list(SECTION_NAMES) == re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def test_the_places_of_a_template_are_filled() -> None:
    """Every place that the page shows is one: nothing of its spelling is left."""
    text = (DOCS / "prompts.md").read_text(encoding="utf-8").partition("| place |")[2]
    places = re.findall(r"`(\$[^`]+)`", text.partition("\n\n")[0])
    assert 8 == len(places)
    assert ["$" in fill(place, ["a", "b"]) for place in places] == [False] * 8
