"""One run may leave out extensions by name, over everything that names them (field report DISC 64)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_core.cli.args import parse_args
from pi_core.cli.requests import run_request
from pi_core.resources.loader import ResourceLoader
from pi_pkg import Locations

CODE = "def extension(pi):\n    with open({log!r}, 'a') as log: log.write({name!r} + ' ')\n"


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    """A user with the extensions one, two and three, which note when they run."""
    folder = tmp_path / "agent" / "extensions"
    folder.mkdir(parents=True)
    (tmp_path / "project").mkdir()
    for name in ("one", "two", "three"):
        code = CODE.format(log=str(tmp_path / "log.txt"), name=name)
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return Locations(tmp_path / "agent", tmp_path / "project", tmp_path)


@pytest.mark.parametrize(
    ("words", "ran", "told"),
    [
        (["--exclude", "two"], "one three", []),
        (["--exclude", "one,three"], "two", []),
        (["--exclude", "thre"], "one three two", ["'three'"]),
        (["--exclude", "two", "-e", "../agent/extensions/two.py"], "one three", []),
    ],
)
async def test_excluded_extensions_do_not_run(
    locations: Locations, words: list[str], ran: str, told: list[str]
) -> None:
    """The others run; a name of nothing is a warning with the nearest one."""
    request = run_request(parse_args(words).args, locations, {}, "print").resources
    loaded = await ResourceLoader(locations, request, environ={"PI_OFFLINE": "1"}).load()
    log = (locations.home / "log.txt").read_text(encoding="utf-8")
    assert ran.split() == sorted(log.split())
    hints = [str(item.hint) for item in loaded.diagnostics if item.code == "exclude-unmatched"]
    assert [f"Did you mean {name}?" for name in told] == hints
