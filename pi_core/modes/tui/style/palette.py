"""A palette: the colour of each token, as styles for text and as a theme for widgets.

Tokens are those of pi's theme files; a block asks for `palette["toolTitle"]` and never names a colour.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual.theme import Theme

from hookspecs.values import dataclass

BACKGROUNDS: Final = (
    "selectedBg",
    "userMessageBg",
    "customMessageBg",
    "toolPendingBg",
    "toolSuccessBg",
    "toolErrorBg",
)
"""Tokens that colour what lies behind the text."""

FOREGROUNDS: Final = (
    "accent", "border", "borderAccent", "borderMuted", "success", "error", "warning", "muted", "dim", "text",
    "thinkingText", "userMessageText", "customMessageText", "customMessageLabel", "toolTitle", "toolOutput",
    "mdHeading", "mdLink", "mdLinkUrl", "mdCode", "mdCodeBlock", "mdCodeBlockBorder", "mdQuote",
    "mdQuoteBorder", "mdHr", "mdListBullet", "toolDiffAdded", "toolDiffRemoved", "toolDiffContext",
    "syntaxComment", "syntaxKeyword", "syntaxFunction", "syntaxVariable", "syntaxString", "syntaxNumber",
    "syntaxType", "syntaxOperator", "syntaxPunctuation", "thinkingOff", "thinkingMinimal", "thinkingLow",
    "thinkingMedium", "thinkingHigh", "thinkingXhigh", "bashMode",
)  # fmt: skip
"""Tokens that colour the text itself."""

TOKENS: Final = (*FOREGROUNDS, *BACKGROUNDS)

_WEIGHTS: Final[Mapping[str, Style]] = {
    "toolTitle": Style(bold=True),
    "mdHeading": Style(bold=True),
    "customMessageLabel": Style(bold=True),
    "thinkingText": Style(italic=True),
    "mdQuote": Style(italic=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """The colours of one theme. `colors` has every token as `#rrggbb`; `page` is what all stands on."""

    name: str
    dark: bool
    page: str
    colors: Mapping[str, str]
    styles: Mapping[str, Style] = field(init=False, repr=False, compare=False)
    """By token: a text style, or for the tokens of `BACKGROUNDS` a style that only fills."""

    def __post_init__(self) -> None:
        styles = {token: _style(token, self.colors[token]) for token in TOKENS}
        object.__setattr__(self, "styles", styles)

    def __getitem__(self, token: str) -> Style:
        return self.styles[token]

    def __reduce__(self) -> tuple[object, ...]:
        """Copied as the values that it is made of."""
        return _rebuilt, (self.name, self.dark, self.page, dict(self.colors))

    def fg(self, token: str, text: str) -> Text:
        """A text in the colour of a token; renderers of extensions are handed the palette for this."""
        return Text(text, self.styles.get(token, Style.null()))

    def over(self, token: str, ground: str) -> Style:
        """The style of a text token on a background token."""
        return self.styles[token] + self.styles[ground]

    def widget_theme(self) -> Theme:
        """The same for widgets."""
        colors = self.colors
        return Theme(
            name=self.name,
            dark=self.dark,
            primary=colors["accent"],
            secondary=colors["borderAccent"],
            accent=colors["accent"],
            foreground=colors["text"],
            background=self.page,
            surface=colors["userMessageBg"],
            panel=colors["selectedBg"],
            success=colors["success"],
            warning=colors["warning"],
            error=colors["error"],
            variables=self._variables(),
        )

    def _variables(self) -> dict[str, str]:
        colors = self.colors
        return {
            "border": colors["border"],
            "border-blurred": colors["borderMuted"],
            "pi-muted": colors["muted"],
            "pi-dim": colors["dim"],
            "pi-border": colors["border"],
            "pi-border-muted": colors["borderMuted"],
            "pi-accent": colors["accent"],
            "pi-selected": colors["selectedBg"],
            "scrollbar": colors["borderMuted"],
            "scrollbar-hover": colors["border"],
            "scrollbar-active": colors["accent"],
            "scrollbar-background": self.page,
            "scrollbar-background-hover": self.page,
            "scrollbar-background-active": self.page,
            "scrollbar-corner-color": self.page,
            "input-selection-background": f"{colors['accent']} 35%",
            "screen-selection-background": colors["selectedBg"],
            "block-cursor-background": colors["accent"],
            "block-cursor-foreground": self.page,
        }


def luminance(color: str) -> float:
    """How bright `#rrggbb` looks, from 0 to 1."""
    red, green, blue = Color.parse(color).get_truecolor()
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def _style(token: str, color: str) -> Style:
    if token in BACKGROUNDS:
        return Style(bgcolor=color)
    return Style(color=color) + _WEIGHTS.get(token, Style.null())


def _rebuilt(name: str, dark: bool, page: str, colors: Mapping[str, str]) -> Palette:
    return Palette(name=name, dark=dark, page=page, colors=colors)
