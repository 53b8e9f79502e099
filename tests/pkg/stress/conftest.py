"""One house for all tries of a module; in memory where that can be, since most of a try is files.

Touches: files.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pkg.stress.stage import Stage, set_up


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """A house that every try starts from."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pi-stress-", dir=memory) as folder:
        yield set_up(Path(folder))
