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

SKIPPED: Final = frozenset({"node_modules", "__pycache__"})
"""Folders of other tools, which a scan passes over as it does hidden ones."""
SUFFIX: Final[dict[ResourceType, str]] = {
    "extensions": ".py",
    "skills": ".md",
    "prompts": ".md",
    "themes": ".json",
}
"""How the files of a type end; case counts."""

JAVASCRIPT: Final = (".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx", ".jsx")
"""How scripts end that cannot be loaded here."""


def has_suffix(kind: ResourceType, name: str) -> bool:
    """Whether a file name is one of this type."""
    return name.endswith(SUFFIX[kind])
