"""What docs/sessions.md shows of compactions works as it stands there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pi_core.compaction.tokens import CompactionSettings, compaction_findings, compaction_settings
from pi_core.history.entries import CompactionEntry
from pi_core.session.session import Session
from tests.support.golden_cases import SHORT_TALK, answer
from tests.support.session_bench import SessionBench

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "sessions.md").read_text(encoding="utf-8")
LONG = TEXT[TEXT.index("## Long conversations") : TEXT.index("## Another branch")]


async def test_the_extension_that_summarises(tmp_path: Path) -> None:
    """It runs without a model, and its summary is what is stored."""
    [block] = re.findall(r"```python\n(.*?)```", LONG, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "docs/sessions.md", "exec"), names)
    script = [answer(100, 50), answer(200, 300)]
    bench = SessionBench(tmp_path, script, names["extension"], settings=SHORT_TALK)

    async def compact(session: Session) -> None:
        await session.compact()

    await bench.run("one", "two", then=compact)
    [entry] = [entry for entry in bench.store.get_entries() if isinstance(entry, CompactionEntry)]
    assert ("1 messages were left out.", True) == (entry.summary, entry.from_hook)


def test_the_settings_are_the_defaults() -> None:
    """The table that is shown says what counts without it."""
    [block] = re.findall(r"```toml\n(.*?)```", LONG, re.DOTALL)
    shown = tomllib.loads(block)
    assert CompactionSettings() == compaction_settings(shown)
    assert () == compaction_findings(shown)
