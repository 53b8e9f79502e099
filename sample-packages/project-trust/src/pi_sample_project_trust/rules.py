"""Rules about projects, and what they say of one. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal["yes", "no", "undecided"]


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns for absolute folders and for `host/path` of a remote."""

    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()


def rules_of(table: Any, home: Path) -> Rules:
    """The rules of the settings, `~` replaced. Anything but lists of texts is left out."""
    given = table if isinstance(table, Mapping) else {}

    def patterns(name: str) -> tuple[str, ...]:
        found = given.get(name)
        texts = [item for item in found if isinstance(item, str)] if isinstance(found, list) else []
        return tuple(str(home / text[2:]) if text.startswith("~/") else text for text in texts)

    return Rules(patterns("yes"), patterns("no"), patterns("remotes"))


def verdict(cwd: str, remote: str | None, rules: Rules) -> Verdict:
    """A no counts before any yes; where nothing fits, somebody else is asked."""
    if _any(cwd, rules.no):
        return "no"
    if _any(cwd, rules.yes) or (remote is not None and _any(remote, rules.remotes)):
        return "yes"
    return "undecided"


def host_and_path(url: str) -> str | None:
    """`host/path` of the addresses that git knows, without user, port and `.git`."""
    match = re.fullmatch(r"(?:[a-z+]+://)?(?:[^@/]+@)?([^:/]+)(?::\d+(?=/))?[:/]+(.+?)(?:\.git)?/?", url)
    return None if match is None else f"{match[1].lower()}/{match[2]}"


def _any(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(text, pattern) for pattern in patterns)
