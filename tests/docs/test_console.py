"""What the pages show at a terminal is what happens there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pages import fits, page, run, written

PAGES = ["standalone.md", "embedding.md"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_command_prints_what_the_page_shows(name: str, tmp_path: Path) -> None:
    """In a new folder with a new home, in the order of the page."""
    found = page(name)
    folder = tmp_path / "work"
    written(found, folder)
    environ = {"HOME": str(tmp_path / "home"), "PYTHONPATH": ""}
    assert found.shown
    for shown in found.shown:
        output = run(shown.command, folder, environ)
        assert fits(output, shown.output), f"$ {shown.command}\n{output}"
