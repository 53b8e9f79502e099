"""The picture of the README shows the program, and needs nothing from elsewhere to be seen."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.pictures import PICTURE, SHOWN, record, standing_alone, texts


def test_the_picture_shows_what_it_is_for() -> None:
    """The refusal, what it left alone, and what an extension added can be read on it."""
    assert [] == [words for words in SHOWN if words not in texts(PICTURE.read_text(encoding="utf-8"))]


def test_nothing_is_fetched_to_see_it() -> None:
    """No font, style or image of a server."""
    svg = PICTURE.read_text(encoding="utf-8")
    assert not re.findall(r"url\(\s*[\"']?https?:|(?:href|src)=[\"']https?:", svg)


async def test_the_program_still_shows_it(tmp_path: Path) -> None:
    """Recorded again, the same can be read."""
    svg = await record(tmp_path)
    assert [] == [words for words in SHOWN if words not in texts(svg)]


def test_fonts_of_servers_are_taken_out() -> None:
    """And names that differ from one recording to the next."""
    style = '@font-face {\n src: url("https://example.invalid/a");\n}\n.terminal-42-r1 { fill: #fff }'
    assert "\n.terminal-r1 { fill: #fff }" == standing_alone(style)
