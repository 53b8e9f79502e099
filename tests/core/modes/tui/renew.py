"""`python -m tests.core.modes.tui.renew [NAME…]` takes the pictures anew; look at them before they are kept.

Touches: the pictures, temporary files.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.core.modes.tui.scenes import PICTURES, SCENES


def renew(names: list[str]) -> None:
    """Take the pictures of these names, or all of them."""
    PICTURES.mkdir(exist_ok=True)
    for name in names or list(SCENES):
        with tempfile.TemporaryDirectory() as folder:
            taken = asyncio.run(_taken(name, Path(folder)))
        (PICTURES / f"{name}.svg").write_text(taken, encoding="utf-8")


async def _taken(name: str, folder: Path) -> str:
    return await SCENES[name](folder)


if __name__ == "__main__":
    renew(sys.argv[1:])
