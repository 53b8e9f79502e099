"""What the parts say. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

KEPT = 3


def header_line(cwd: str, name: str | None) -> str:
    """The project's folder, and the session's name if it has one."""
    folder = PurePath(cwd).name or cwd
    return f"π {folder}" if not name else f"π {folder} · {name}"


def footer_line(model: str, turns: int) -> str:
    """Who answers, and how often it did."""
    return f"{model} · {turns} turn{'' if turns == 1 else 's'}"


def widget_lines(commands: Sequence[str]) -> list[str] | None:
    """The last commands, the newest first; None for nothing to show."""
    lines = [f"$ {command.splitlines()[0]}" for command in reversed(commands[-KEPT:]) if command.strip()]
    return lines or None
