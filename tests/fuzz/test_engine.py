"""The coverage-guided engine finds nothing in a second from the seeded corpus.

`python -m tests.fuzz TARGET SECONDS` gives it longer.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS
from tests.support.agent_cli import python_environ

SECONDS = 1
PROJECT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_short_run_finds_nothing(name: str, tmp_path: Path) -> None:
    """Source grammar, manifest text and settings text, each for a second."""
    command = [sys.executable, "-m", "tests.fuzz", name, str(SECONDS), str(tmp_path)]
    done = subprocess.run(
        command, cwd=PROJECT, env=python_environ(), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
