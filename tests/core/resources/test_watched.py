"""Which changes call for a reload."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pi_core.errors import MissingExtraError
from pi_core.resources.loader import ResourceLoader, ResourceRequest
from pi_core.resources.watched import watched_files
from pi_core.resources.watching import require_watching
from pi_pkg import Locations


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("agent/settings.toml", True),
        ("agent/AGENTS.md", True),
        ("agent/extensions/new.py", True),
        ("agent/extensions/own/deep/helper.py", True),
        ("agent/skills/sums/SKILL.md", True),
        ("agent/sessions/talk.jsonl", False),
        ("agent/trust.toml", False),
        ("agent/envs/current.json", True),
        ("agent/envs/1/lib/x.py", False),
        ("project/AGENTS.md", True),
        ("project/src/main.py", False),
        ("project/.pi/extensions/own.py", False),
        ("elsewhere/ext.py", True),
        ("elsewhere/helper.py", True),
        ("elsewhere/notes.txt", False),
        ("tree/deep/x.txt", True),
    ],
)
async def test_what_counts(tmp_path: Path, path: str, counts: bool) -> None:
    """What was loaded, and what may be loaded next; an untrusted project's files are not even looked at."""
    locations = Locations(tmp_path / "agent", tmp_path / "project", tmp_path)
    for name in ("elsewhere/ext.py", "tree/extensions/a.py", "project/.pi/extensions/own.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("def extension(pi): pass\n", encoding="utf-8")
    locations.agent_dir.mkdir()
    locations.user_settings.write_text(f'packages = ["{tmp_path / "tree"}"]\n', encoding="utf-8")
    request = ResourceRequest(sources=(str(tmp_path / "elsewhere" / "ext.py"),))
    found = await ResourceLoader(locations, request).load()
    await found.runtime.close(0.1)
    assert counts == watched_files(locations, found).covers(str(tmp_path / path))


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing, and the command that brings it."""
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "watchfiles", raising=False)
    with pytest.raises(MissingExtraError, match=r'--watch needs watchfiles.*"pi-pluggy\[watch\]"'):
        require_watching()
