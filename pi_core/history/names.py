"""How sessions, their files and their entries are called.

Pure.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Container
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_SEPARATORS: Final = re.compile(r"[/\\:]")
_CHOSEN_ID: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def iso_now() -> str:
    """The present moment as files have it: UTC, milliseconds, `Z`."""
    return _iso(datetime.now(UTC))


def iso_of(at_ms: int) -> str:
    """A moment in milliseconds since the epoch, as files have it."""
    return _iso(datetime.fromtimestamp(at_ms / 1000, UTC))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_session_id() -> str:
    """A UUID of version 7: sorts by the time of its making."""
    moment = time.time_ns() // 1_000_000
    noise = int.from_bytes(os.urandom(10), "big")
    value = (moment & 0xFFFFFFFFFFFF) << 80 | 0x7 << 76 | (noise >> 62 & 0xFFF) << 64
    digits = f"{value | 0b10 << 62 | noise & 0x3FFFFFFFFFFFFFFF:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def is_session_id(text: str) -> bool:
    """Whether a caller may choose this id: letters and digits at both ends, `._-` inside."""
    return _CHOSEN_ID.fullmatch(text) is not None


def new_entry_id(taken: Container[str]) -> str:
    """Eight hexadecimal digits that are not taken."""
    while True:
        candidate = os.urandom(4).hex()
        if candidate not in taken:
            return candidate


def project_folder(sessions_dir: Path, cwd: str) -> Path:
    """The folder for the sessions of a working folder."""
    inner = _SEPARATORS.sub("-", re.sub(r"^[/\\]", "", cwd))
    return sessions_dir / f"--{inner}--"


def file_name(session_id: str, timestamp: str) -> str:
    """The name of a session's file; names sort by the time of their making."""
    return f"{re.sub(r'[:.]', '-', timestamp)}_{session_id}.jsonl"
