"""The documentation lists every finding that resolution can make, and none besides."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CODE = re.compile(
    r'"((?:source|package|manifest|entry|javascript|host|dependencies|pattern|exclude|path|explicit|resource|folder)'
    r'(?:-[a-z]+)+)"'
)
KEYS = {"entry-points"}


def test_every_finding_is_documented() -> None:
    """A code in the source is a row of the table in docs/packages.md, and the other way round."""
    sources = (ROOT / "pi_pkg/resources").glob("*.py")
    used = {code for path in sources for code in CODE.findall(path.read_text(encoding="utf-8"))} - KEYS
    text = (ROOT / "docs/packages.md").read_text(encoding="utf-8")
    table = text.partition("### Findings")[2].partition("\n## ")[0]
    assert used == set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", table))
