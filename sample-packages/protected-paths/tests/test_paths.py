"""Protected paths are refused however they are written; others are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pi_sample_protected_paths import extension
from pi_sample_protected_paths.patterns import BUILT_IN, protecting_pattern

from pi_core.api import ToolCall
from pi_core.testing.plugin import HarnessMaker


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (".env", ".env"),
        ("deploy/.env.production", ".env.*"),
        (".git/config", ".git/*"),
        ("src/../.git/hooks/pre-commit", ".git/*"),
        ("web/node_modules/x/index.js", "node_modules/*"),
        ("poetry.lock", "*.lock"),
        ("src/env.py", None),
        ("gitignore", None),
    ],
)
def test_paths_are_judged_by_where_they_lead(path: str, pattern: str | None, tmp_path: Path) -> None:
    """A pattern with a slash matches anywhere below the folder, one without matches names."""
    assert protecting_pattern(path, str(tmp_path), BUILT_IN) == pattern


def test_a_link_is_no_way_around(tmp_path: Path) -> None:
    """The real path counts."""
    (tmp_path / ".env").write_text("TOKEN=1")
    (tmp_path / "harmless.txt").symlink_to(tmp_path / ".env")
    assert protecting_pattern("harmless.txt", str(tmp_path), BUILT_IN) == ".env"


def write(path: str, tool: str = "write") -> ToolCall:
    return ToolCall(tool_name=tool, tool_call_id="1", input={"path": path})


def test_a_change_is_refused_and_the_model_reads_why(pi_harness: HarnessMaker) -> None:
    """The reason names path and pattern."""
    answer = pi_harness(extension).emit(write(".env"))
    assert answer.block
    assert answer.reason == ".env is protected by the pattern '.env'; leave it as it is"


def test_settings_add_patterns(pi_harness: HarnessMaker) -> None:
    """The built-in ones stay."""
    pi = pi_harness(extension, settings={"protected-paths": {"patterns": ["*.pem", 7]}})
    assert pi.emit(write("key.pem", "edit")).block
    assert pi.emit(write(".env")).block
    assert pi.emit(write("key.pub")) is None


def test_reading_is_free(pi_harness: HarnessMaker) -> None:
    """Only tools that change files are judged."""
    assert pi_harness(extension).emit(write(".env", "read")) is None
