"""What the page on security promises about trust and commands is what the code holds to."""

from __future__ import annotations

import re

from hookspecs.laws import LAWS
from pi_pkg.trust.gated import GATED_NAMES
from tests.docs import named
from tests.docs.cli_reference import words
from tests.support.pages import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text below a heading of the second level."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_all_that_needs_trust_is_named() -> None:
    """Each name that is gated, and nothing that is not."""
    said = set(named.spans(section("What trust covers").partition("\nTrust is for")[0]))
    assert {*GATED_NAMES, ".agents/skills", ".pi/"} == said


def test_the_rules_that_refuse_are_named() -> None:
    """The events whose failing handlers refuse."""
    said = set(re.findall(r"`(\w+)`", section("Rules that hold").partition(" that raises")[0]))
    assert {law.event for law in LAWS.values() if law.on_failure == "refuse"} == said


def test_every_command_is_judged() -> None:
    """The table of what runs when leaves none out; `uninstall` is another word for `remove`."""
    assert words() - named.commands(section("Whose code runs, and when")) <= {"uninstall"}
