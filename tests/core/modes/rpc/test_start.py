"""What the start of the rpc mode does without."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.sources import ROOT

NOT_NEEDED = (
    "aiohttp",
    "httpx2",
    "markdown_it",
    "openai",
    "pydantic",
    "pydantic_ai",
    "rich",
    "textual",
    "tomlkit",
)
SCRIPT = f"""
import sys
import pi_core.cli.agent, pi_core.modes.rpc.server
print(sorted(set({NOT_NEEDED!r}) & set(sys.modules)))
"""


def test_a_client_waits_for_no_library_that_its_start_does_not_need() -> None:
    """Neither a vendor's, nor a terminal's, nor the reader of Markdown is loaded before it is asked for."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert "[]\n" == done.stdout
