"""Theme files of pi give the colours; what is wrong in one is told, and a built-in colour stands in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pi_core.modes.tui.style.builtin import DARK_COLORS, LIGHT_COLORS, dark, light
from pi_core.modes.tui.style.palette import TOKENS, luminance
from pi_core.modes.tui.style.themes import ThemeError, load_themes, parse_theme, resolved
from pi_pkg import Provenance, Resource


def resource(path: Path, *, enabled: bool = True) -> Resource:
    provenance = Provenance(str(path), "local", "user", "top-level")
    return Resource("themes", str(path), enabled, provenance)


@pytest.mark.parametrize(
    ("value", "color"),
    [
        ("#112233", "#112233"),
        ("#abc", "#aabbcc"),
        (196, "#ff0000"),
        ("", None),
        ("one", "#010203"),
        ("two", "#010203"),
    ],
)
def test_a_colour_is_written_in_many_ways(value: Any, color: str | None) -> None:
    """A number of the table, a variable, a variable of a variable, the terminal's own."""
    assert color == resolved(value, {"one": "#010203", "two": "one"})


@pytest.mark.parametrize("value", ["#12", "nobody", "loop", 256, -1, True, None, 1.5, ["#112233"]])
def test_anything_else_is_no_colour(value: Any) -> None:
    """A variable that leads back to itself, too."""
    with pytest.raises(ThemeError):
        resolved(value, {"loop": "pool", "pool": "loop"})


def test_what_is_not_given_comes_from_the_built_in_theme() -> None:
    """The light one for a theme with a light ground, else the dark one."""
    bright, problems = parse_theme(
        {"name": "b", "colors": {"userMessageBg": "#eeeeee", "accent": "#123456"}}, "f"
    )
    assert ("#123456", LIGHT_COLORS["error"], False, []) == (
        bright.colors["accent"],
        bright.colors["error"],
        bright.dark,
        problems,
    )
    assert DARK_COLORS["error"] == parse_theme({"colors": {"accent": "#123456"}}, "f")[0].colors["error"]


def test_a_wrong_colour_is_told_and_the_others_count() -> None:
    """One sentence a colour."""
    palette, problems = parse_theme({"colors": {"accent": "blue", "error": "#ff0000"}}, "file")
    assert ("file", "#ff0000", DARK_COLORS["accent"]) == (
        palette.name,
        palette.colors["error"],
        palette.colors["accent"],
    )
    assert 1 == len(problems)
    assert "accent" in problems[0]


def test_the_first_of_a_name_wins_and_a_broken_file_is_a_finding(tmp_path: Path) -> None:
    """Files are in rank order; one that is switched off does not count."""
    files = {
        "a.json": {"name": "sea", "colors": {"accent": "#000001"}},
        "b.json": {"name": "sea", "colors": {"accent": "#000002"}},
        "off.json": {"name": "off", "colors": {}},
        "dark.json": {"name": "dark", "colors": {"accent": "#000003"}},
    }
    for name, value in files.items():
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    found = load_themes(
        [
            resource(tmp_path / name, enabled=name != "off.json")
            for name in [*files, "broken.json", "gone.json"]
        ]
    )
    assert ["dark", "light", "sea"] == list(found.palettes)
    assert "#000001" == found.palettes["sea"].colors["accent"]
    assert ["theme-invalid"] * 2 == [finding.code for finding in found.findings]


@pytest.mark.parametrize("palette", [dark(), light()], ids=lambda palette: palette.name)
def test_the_built_in_themes_are_whole_and_readable(palette: Any) -> None:
    """Every token has a colour, and text stands out from what lies behind it."""
    assert set(TOKENS) == set(palette.colors)
    for token in ("text", "muted", "accent", "error", "warning", "success", "toolOutput", "mdCode"):
        assert abs(luminance(palette.colors[token]) - luminance(palette.page)) > 0.3, token
    assert palette.name == palette.widget_theme().name
