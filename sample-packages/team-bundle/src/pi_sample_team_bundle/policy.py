"""The team's own rule: nobody pushes to a protected branch from here, nor lets the agent do so."""

from __future__ import annotations

import re
from typing import Final

from pi_core.api import Block, ExtensionAPI, ExtensionContext, ToolCall

PROTECTED: Final = ("main", "master", "release")
_PUSH: Final = re.compile(r"\bgit\b[^;&|\n]*\bpush\b([^;&|\n]*)")


def extension(pi: ExtensionAPI) -> None:
    """Judge every shell command."""

    @pi.on("tool_call", first=True)
    def no_push(event: ToolCall, ctx: ExtensionContext) -> Block | None:
        if event.tool_name != "bash":
            return None
        branch = pushed_branch(str(event.input.get("command", "")))
        if branch is None:
            return None
        return Block(
            f"The team's policy: {branch} is changed by a reviewed merge only; push a branch of your own"
        )


def pushed_branch(command: str) -> str | None:
    """The protected branch that a command would push to by name; None if there is none."""
    for push in _PUSH.finditer(command):
        for word in push[1].split():
            target = word.rsplit(":", 1)[-1].removeprefix("+").removeprefix("refs/heads/")
            if target.split("/")[0] in PROTECTED:
                return target
    return None
