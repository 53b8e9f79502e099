"""Pictures of the screens: whoever changes how something looks takes them anew and looks at them.

`python -m tests.core.modes.tui.renew` writes them; a browser shows them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.modes.tui.scenes import PICTURES, SCENES


@pytest.mark.parametrize("name", SCENES)
async def test_a_screen_looks_as_it_did(tmp_path: Path, name: str) -> None:
    """The same characters in the same colours at the same places."""
    kept = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    taken = await SCENES[name](tmp_path)
    if taken != kept:
        beside = tmp_path / f"{name}.svg"
        beside.write_text(taken, encoding="utf-8")
        pytest.fail(
            f"{beside} differs from {name}.svg; `python -m tests.core.modes.tui.renew {name}` keeps it"
        )


def test_every_picture_is_of_a_screen() -> None:
    """None is left over, and none needs anything from elsewhere."""
    assert sorted(SCENES) == sorted(file.stem for file in PICTURES.iterdir())
    for file in PICTURES.iterdir():
        assert "url(http" not in file.read_text(encoding="utf-8")
