"""The page about the UI names every method that there is, and none that there is not."""

from __future__ import annotations

import re

from hookspecs.ui import UI
from tests.support.pages import ROOT

METHODS = {
    name for protocol in UI.__mro__ if protocol.__module__ == UI.__module__ for name in vars(protocol)
} - {"can"}


def names() -> set[str]:
    """What the page calls by name."""
    page = (ROOT / "docs" / "ui.md").read_text(encoding="utf-8")
    spoken = (
        re.findall(r"`(\w+)\(", page) + re.findall(r"ctx\.ui\.(\w+)", page) + re.findall(r"`(\w+)`", page)
    )
    return set(spoken)


def test_every_method_is_there() -> None:
    """Public ones, of dialogs and displays alike."""
    public = {name for name in METHODS if not name.startswith("_")}
    assert set() == public - names()


def test_no_method_is_made_up() -> None:
    """What is called on `ctx.ui` exists."""
    page = (ROOT / "docs" / "ui.md").read_text(encoding="utf-8")
    assert set() == set(re.findall(r"ctx\.ui\.(\w+)", page)) - METHODS - {"can"}
