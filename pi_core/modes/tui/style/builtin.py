"""The two palettes that are always there: one for dark rooms, one for light ones.

Pure.
"""

from __future__ import annotations

from typing import Final

from pi_core.modes.tui.style.palette import Palette

DARK_COLORS: Final = {
    "accent": "#8ab4f8",
    "border": "#3a414d",
    "borderAccent": "#5f7fae",
    "borderMuted": "#2a2f38",
    "success": "#86c793",
    "error": "#ec8a8a",
    "warning": "#e3b872",
    "muted": "#98a1b0",
    "dim": "#6d7684",
    "text": "#d9dde4",
    "thinkingText": "#8d96a5",
    "selectedBg": "#2b3442",
    "userMessageBg": "#1f242d",
    "userMessageText": "#e6e9ef",
    "customMessageBg": "#23212f",
    "customMessageText": "#d9dde4",
    "customMessageLabel": "#b9a7f0",
    "toolPendingBg": "#1b1f26",
    "toolSuccessBg": "#1b1f26",
    "toolErrorBg": "#2a1e21",
    "toolTitle": "#d9dde4",
    "toolOutput": "#98a1b0",
    "mdHeading": "#a9c7ff",
    "mdLink": "#8ab4f8",
    "mdLinkUrl": "#6d7684",
    "mdCode": "#8fd0c8",
    "mdCodeBlock": "#c8cdd6",
    "mdCodeBlockBorder": "#3a414d",
    "mdQuote": "#98a1b0",
    "mdQuoteBorder": "#3a414d",
    "mdHr": "#3a414d",
    "mdListBullet": "#8ab4f8",
    "toolDiffAdded": "#86c793",
    "toolDiffRemoved": "#ec8a8a",
    "toolDiffContext": "#7d8695",
    "syntaxComment": "#6d7684",
    "syntaxKeyword": "#c3a6f5",
    "syntaxFunction": "#8ab4f8",
    "syntaxVariable": "#d9dde4",
    "syntaxString": "#a3cf9a",
    "syntaxNumber": "#eab08a",
    "syntaxType": "#8fd0c8",
    "syntaxOperator": "#98a1b0",
    "syntaxPunctuation": "#98a1b0",
    "thinkingOff": "#3a414d",
    "thinkingMinimal": "#5a6473",
    "thinkingLow": "#5f7fae",
    "thinkingMedium": "#8ab4f8",
    "thinkingHigh": "#b9a7f0",
    "thinkingXhigh": "#e39ad0",
    "bashMode": "#86c793",
}

LIGHT_COLORS: Final = {
    "accent": "#2f62b5",
    "border": "#c9c6bf",
    "borderAccent": "#7d9ccf",
    "borderMuted": "#e2dfd8",
    "success": "#2f7d43",
    "error": "#b93a3a",
    "warning": "#94650c",
    "muted": "#646a73",
    "dim": "#8b9099",
    "text": "#24282f",
    "thinkingText": "#6f757e",
    "selectedBg": "#dfe7f5",
    "userMessageBg": "#f0eee8",
    "userMessageText": "#1d2026",
    "customMessageBg": "#f0ecf8",
    "customMessageText": "#24282f",
    "customMessageLabel": "#6a4fb3",
    "toolPendingBg": "#f4f2ed",
    "toolSuccessBg": "#f4f2ed",
    "toolErrorBg": "#faeaea",
    "toolTitle": "#24282f",
    "toolOutput": "#5c626b",
    "mdHeading": "#24509a",
    "mdLink": "#2f62b5",
    "mdLinkUrl": "#8b9099",
    "mdCode": "#1f7069",
    "mdCodeBlock": "#33383f",
    "mdCodeBlockBorder": "#c9c6bf",
    "mdQuote": "#646a73",
    "mdQuoteBorder": "#c9c6bf",
    "mdHr": "#c9c6bf",
    "mdListBullet": "#2f62b5",
    "toolDiffAdded": "#2f7d43",
    "toolDiffRemoved": "#b93a3a",
    "toolDiffContext": "#7c828b",
    "syntaxComment": "#8b9099",
    "syntaxKeyword": "#7a3fb0",
    "syntaxFunction": "#2f62b5",
    "syntaxVariable": "#24282f",
    "syntaxString": "#39782f",
    "syntaxNumber": "#a8561c",
    "syntaxType": "#1f7069",
    "syntaxOperator": "#646a73",
    "syntaxPunctuation": "#646a73",
    "thinkingOff": "#c9c6bf",
    "thinkingMinimal": "#a9adb3",
    "thinkingLow": "#7d9ccf",
    "thinkingMedium": "#2f62b5",
    "thinkingHigh": "#6a4fb3",
    "thinkingXhigh": "#a8388a",
    "bashMode": "#2f7d43",
}


def dark() -> Palette:
    """For dark rooms; what is used unless somebody chooses."""
    return Palette(name="dark", dark=True, page="#15181d", colors=DARK_COLORS)


def light() -> Palette:
    """For light rooms."""
    return Palette(name="light", dark=False, page="#fbfaf7", colors=LIGHT_COLORS)


def builtin_palettes() -> dict[str, Palette]:
    """Both, by name."""
    return {palette.name: palette for palette in (dark(), light())}
