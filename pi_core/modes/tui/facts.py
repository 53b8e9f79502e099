"""What the footer tells, read off a session: the folder, the branch of git, tokens, the model.

Touches: the file in which git keeps the branch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pi_core.modes.tui.footer import Facts
from pi_core.session.session import Session

_PARENTS: Final = 40
"""A repository is looked for in so many folders above."""


def facts_of(session: Session, home: Path | None) -> Facts:
    """The facts of the moment."""
    stats = session.stats()
    model = session.model
    return Facts(
        place=place_of(session.parts.cwd, home),
        branch=git_branch(session.parts.cwd),
        name=session.session_name or "",
        model=model.id,
        thinking=session.thinking_level if model.reasoning else "",
        tokens=stats.tokens,
        cost=stats.cost,
        context=stats.context_usage,
    )


def place_of(folder: Path, home: Path | None) -> str:
    """A folder as a person writes it."""
    if home is not None and folder.is_relative_to(home) and folder != home:
        return f"~/{folder.relative_to(home).as_posix()}"
    return "~" if folder == home else str(folder)


def git_branch(folder: Path) -> str:
    """The branch that is checked out around a folder, or the start of the commit; empty outside of git."""
    for place in [folder, *folder.parents][:_PARENTS]:
        marker = place / ".git"
        try:
            if marker.is_file():  # a worktree, or a submodule
                marker = place / marker.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
            head = (marker / "HEAD").read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            continue
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:8]
    return ""
