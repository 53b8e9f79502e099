"""A home and a project for every test of packages that wants one.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.package_cli import PackageCli, package_cli


@pytest.fixture
def pi(tmp_path: Path) -> PackageCli:
    """`pi` in a fresh home and project."""
    return package_cli(tmp_path)
