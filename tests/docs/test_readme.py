"""What the README says can be done, can be done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hookspecs.events import EVENTS
from hookspecs.laws import LAWS
from tests.docs.cli_reference import words
from tests.docs.playing import Saved, steps
from tests.support.pages import ROOT, fits, run

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_two_commands_are_there() -> None:
    """Each `make` line is a target."""
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    asked = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert ["demo", "test"] == asked
    assert set(asked) <= set(targets)


@pytest.mark.slow
def test_the_first_extension_works(tmp_path: Path) -> None:
    """The file is saved, the commands are typed, and they print what stands there."""
    environ = {"HOME": str(tmp_path / "home"), "PYTHONPATH": ""}
    played = 0
    for step in steps(README):
        if isinstance(step, Saved):
            assert len(step.text.splitlines()) <= 10
            (tmp_path / step.path).write_text(step.text, encoding="utf-8")
        else:
            output = run(step.command, tmp_path, environ)
            assert fits(output, step.output), f"$ {step.command}\n{output}"
            played += 1
    assert 3 == played


def test_the_site_begins_with_the_same_extension() -> None:
    """What the first page of the site shows is what the test above has run."""
    (saved,) = (step for step in steps(README) if isinstance(step, Saved))
    assert saved.text in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_every_command_has_its_line() -> None:
    """The table leaves none out; `uninstall` is only another word."""
    table = README.partition("## Commands")[2].partition("\n## ")[0]
    assert words() - {"uninstall"} <= set(re.findall(r"^\| `pi ([a-z]+)", table, re.MULTILINE))


def test_the_numbers_are_those_of_the_code() -> None:
    """Events and laws are counted."""
    number = {7: "seven"}[len({law.law for law in LAWS.values()})]
    assert f"{len(EVENTS)} events, {number} laws" in README
