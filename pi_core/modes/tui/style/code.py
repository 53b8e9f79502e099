"""Program text with the colours of a palette.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax

from pi_core.modes.tui.style.palette import Palette

MAX_CHARS: Final = 40_000
"""A longer text is shown without colours: finding them takes longer than anybody would wait."""

_TOKENS: Final[Mapping[str, tuple[str, ...]]] = {
    "syntaxComment": ("Comment",),
    "syntaxKeyword": ("Keyword",),
    "syntaxFunction": ("Name", "Function"),
    "syntaxVariable": ("Name",),
    "syntaxString": ("Literal", "String"),
    "syntaxNumber": ("Literal", "Number"),
    "syntaxType": ("Name", "Class"),
    "syntaxOperator": ("Operator",),
    "syntaxPunctuation": ("Punctuation",),
    "toolDiffAdded": ("Generic", "Inserted"),
    "toolDiffRemoved": ("Generic", "Deleted"),
    "mdHeading": ("Generic", "Heading"),
}
_ALIKE: Final[Mapping[tuple[str, ...], str]] = {
    ("Name", "Builtin"): "syntaxFunction",
    ("Name", "Decorator"): "syntaxFunction",
    ("Name", "Tag"): "syntaxKeyword",
    ("Name", "Attribute"): "syntaxFunction",
    ("Name", "Exception"): "syntaxType",
    ("Keyword", "Type"): "syntaxType",
    ("Operator", "Word"): "syntaxKeyword",
}


def highlighted(text: str, language: str, palette: Palette) -> Syntax:
    """The text as code of a language, which may be unknown; long lines are wrapped."""
    return Syntax(
        text,
        language if len(text) <= MAX_CHARS else "text",
        theme=code_theme(palette.name, tuple(palette.colors.items())),
        word_wrap=True,
        background_color="default",
    )


@lru_cache(maxsize=8)
def code_theme(_name: str, colors: tuple[tuple[str, str], ...]) -> ANSISyntaxTheme:
    """The colours of code for the colours of a palette."""
    known = dict(colors)
    styles = {token: Style(color=known[name]) for name, token in _TOKENS.items()}
    styles |= {token: Style(color=known[name]) for token, name in _ALIKE.items()}
    styles[()] = Style(color=known["mdCodeBlock"])
    return ANSISyntaxTheme(styles)
