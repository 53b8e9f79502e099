"""Words that the tests of changes share.

Touches: files.
"""

from __future__ import annotations

import os
from pathlib import Path

from pi_pkg.install.index import read_index
from pi_pkg.outcome import Report
from tests.support.package_cli import PackageCli


def did(report: Report) -> list[tuple[str, str]]:
    """What was asked and what became of it."""
    return [(outcome.asked, outcome.did) for outcome in report.outcomes]


def in_force(pi: PackageCli) -> list[str]:
    """Source and version of each package of the user that is in force."""
    index = read_index(pi.locations.user_envs)
    return [f"{package.source} {package.version}" for package in index.packages] if index else []


def times(folder: Path) -> dict[str, int]:
    """When each file and folder below was changed."""
    return {
        os.path.join(here, name): os.stat(os.path.join(here, name), follow_symlinks=False).st_mtime_ns
        for here, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if name not in {".lock"}
    }


def install_with_uv(pi: PackageCli, *sources: str) -> None:
    """Install with uv, the faster one, whichever backend the user's settings name for what comes after."""
    pip, uv = 'backend = "pip"', 'backend = "uv"'
    text = pi.user_settings.read_text("utf-8")
    pi.user_settings.write_text(text.replace(pip, uv), "utf-8")
    assert 0 == pi.run("install", *sources).code
    if pip in text:
        pi.user_settings.write_text(pi.user_settings.read_text("utf-8").replace(uv, pip), "utf-8")
