"""Pages and pictures that are made from the code: `python -m tests.docs.generate` writes them anew.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.docs.cli_reference import cli_page
from tests.docs.hook_reference import hooks_page
from tests.docs.house_picture import house_picture
from tests.docs.key_reference import keys_page
from tests.docs.settings_reference import settings_page

DOCS: Final = Path(__file__).parents[2] / "docs"
MADE: Final[Mapping[str, Callable[[], str]]] = {
    "reference/hooks.md": hooks_page,
    "reference/settings.md": settings_page,
    "reference/cli.md": cli_page,
    "reference/keys.md": keys_page,
    "pictures/house.svg": house_picture,
}
"""Path below docs/ → what makes it."""


def main() -> None:
    """Write every page that is not as it should be."""
    for name, make in MADE.items():
        target, text = DOCS / name, make()
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
