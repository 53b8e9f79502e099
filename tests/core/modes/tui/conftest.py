"""Every test of the interactive mode waits for what happens, and not for the clock.

Touches: Textual's pilot, for one test.
"""

from __future__ import annotations

import pytest

from tests.support.quiet import without_waits


@pytest.fixture(autouse=True)
def _without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    without_waits(monkeypatch)
