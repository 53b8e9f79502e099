"""Fixtures of the resolution tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pkg.resources.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A fresh user and project without any settings."""
    return World(tmp_path)
