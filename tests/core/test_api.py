"""The face for authors: one import, every name, nothing loaded before it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pi_core.api as api
from hookspecs.events import EVENTS
from hookspecs.laws import LAWS


def test_every_promised_name_is_there() -> None:
    """Each name of `__all__` can be imported, and `dir` lists them."""
    assert [] == [name for name in api.__all__ if getattr(api, name, None) is None]
    assert sorted(api.__all__) == dir(api)


def test_every_event_and_every_answer_is_there() -> None:
    """Authors find the class of each event, and of whatever may be answered to it."""
    events = {name for _, name in EVENTS.values()}
    answers = {answer for law in LAWS.values() for answer in law.answer}
    assert set() == (events | answers) - set(api.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The face has no other names."""
    with pytest.raises(AttributeError, match="no attribute 'Tool'"):
        _ = api.Tool


def test_the_face_itself_loads_nothing() -> None:
    """Importing the face loads no event and no library."""
    script = (
        "import sys; before = set(sys.modules)\n"
        "import pi_core.api\n"
        "print(*sorted(name for name in set(sys.modules) - before if name.partition('.')[0] in "
        "{'hookspecs', 'pluggy', 'pydantic', 'pi_core', 'asyncio'}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"pi_core", "pi_core.api"} >= set(done.stdout.split())


async def test_changes_of_a_file_can_be_serialised(tmp_path: Path) -> None:
    """`file_mutation` is the agent's own queue."""
    async with api.file_mutation(tmp_path / "f.txt"):
        (tmp_path / "f.txt").write_text("x", encoding="utf-8")
    assert "x" == (tmp_path / "f.txt").read_text(encoding="utf-8")
