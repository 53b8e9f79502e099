"""Which shell commands change nothing, as far as one can tell by reading them. Pure."""

from __future__ import annotations

import re
import shlex

READING = frozenset(
    (
        "cat", "head", "tail", "less", "wc", "ls", "tree", "find", "grep", "rg", "ag", "pwd", "echo",
        "printf", "which", "stat", "du", "df", "diff", "sort", "cut", "basename", "dirname", "realpath",
        "printenv", "uname", "id", "whoami", "true", "false", "test",
    )
)  # fmt: skip
GIT = frozenset(
    ("status", "log", "diff", "show", "branch", "blame", "ls-files", "rev-parse", "describe", "shortlog")
)
_CHANGING = re.compile(r"[<>`]|\$\(|-delete|-exec|-ok|--output|\s-o|\btee\b")


def is_harmless(command: str) -> bool:
    """True only if every part of it is a known command that reads; whatever is unclear is not."""
    if _CHANGING.search(command) or "\n" in command.strip():
        return False
    parts = re.split(r"&&|\|\||[;|&]", command)
    return all(_reads(part) for part in parts if part.strip()) and bool(command.strip())


def _reads(part: str) -> bool:
    try:
        words = shlex.split(part)
    except ValueError:
        return False
    if not words:
        return True
    if words[0] == "git":
        options = [word for word in words[1:] if not word.startswith("-")]
        return bool(options) and options[0] in GIT and not {"-D", "-d", "-m", "-M"} & set(words)
    return words[0] in READING
