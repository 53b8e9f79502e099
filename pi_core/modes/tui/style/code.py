"""Program text with the colours of a palette.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class, get_all_lexers
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.text import Text

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


def highlighted(text: str, language: str, palette: Palette) -> Syntax | Text:
    """The text as code of a language, as it is if that is not known; long lines are wrapped."""
    lexer = lexer_for(language.lower()) if len(text) <= MAX_CHARS else None
    if lexer is None:
        return Text(text, palette["mdCodeBlock"])
    return Syntax(
        text,
        lexer,
        theme=code_theme(palette.name, tuple(palette.colors.items())),
        word_wrap=True,
    )


@lru_cache(maxsize=64)
def lexer_for(language: str) -> Lexer | None:
    """What takes a language apart, by one of its names or the ending of its files; None if nobody knows it.

    Plugins are not asked: to look for them takes longer than to show a page.
    """
    for name, aliases, patterns, _ in get_all_lexers(plugins=False):
        if language in aliases or f"*.{language}" in patterns:
            return find_lexer_class(name)()
    return None


@lru_cache(maxsize=8)
def code_theme(_name: str, colors: tuple[tuple[str, str], ...]) -> ANSISyntaxTheme:
    """The colours of code for the colours of a palette."""
    known = dict(colors)
    styles = {token: Style(color=known[name]) for name, token in _TOKENS.items()}
    styles |= {token: Style(color=known[name]) for token, name in _ALIKE.items()}
    styles[()] = Style(color=known["mdCodeBlock"])
    return ANSISyntaxTheme(styles)
