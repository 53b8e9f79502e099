"""Where resources stand by convention, and what a file has to be called to be one.

Pure.
"""

from __future__ import annotations

from typing import Final

from pi_pkg.locations import ResourceType

SKILL_FILE: Final = "SKILL.md"
"""A folder with this file is one skill; nothing below it is looked at."""
PACKAGE_FILE: Final = "__init__.py"
"""A folder with this file is one extension."""
IGNORE_FILES: Final = (".gitignore", ".ignore", ".fdignore")
"""Files whose lines hide entries of a scanned folder, the later one prevailing."""
AGENTS_DIR: Final = ".agents"
"""Folder shared with other agents; only its `skills` are read."""

_SKIPPED: Final = frozenset({"node_modules", "__pycache__"})
_SUFFIX: Final[dict[ResourceType, str]] = {
    "extensions": ".py",
    "skills": ".md",
    "prompts": ".md",
    "themes": ".json",
}


def is_skipped(name: str) -> bool:
    """Whether a scan passes over an entry of this name: hidden ones, and folders of other tools."""
    return name.startswith(".") or name in _SKIPPED


def has_suffix(kind: ResourceType, name: str) -> bool:
    """Whether a file name is one of this type; case counts."""
    return name.endswith(_SUFFIX[kind])
