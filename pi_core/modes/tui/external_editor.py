"""The person's own editor: the screen is put away, a file is edited, and its text comes back.

Touches: the terminal, a temporary file, and whatever the editor touches.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.app import SuspendNotSupported

from pi_core.process import run_on_terminal

if TYPE_CHECKING:
    from textual.app import App

VARIABLES: Final = ("VISUAL", "EDITOR")
NO_EDITOR: Final = "No editor is named: set VISUAL or EDITOR."


def editor_of(environ: Mapping[str, str]) -> list[str]:
    """The command that edits files; empty if none is named."""
    named = next((environ[name] for name in VARIABLES if environ.get(name, "").strip()), "")
    try:
        return shlex.split(named)
    except ValueError:
        return [named]


def written_elsewhere(app: App[Any], text: str, environ: Mapping[str, str]) -> tuple[str | None, str]:
    """The text as it was left in the editor, None if nothing came of it; and what went wrong, if anything."""
    command = editor_of(environ)
    if not command:
        return None, NO_EDITOR
    with tempfile.TemporaryDirectory(prefix="pi-") as folder:
        file = Path(folder) / "prompt.md"
        file.write_text(text, encoding="utf-8")
        try:
            with app.suspend():
                code, problem = run_on_terminal([*command, str(file)], sys.__stdout__)
        except SuspendNotSupported:
            return None, "This terminal cannot be given away."
        if problem or code != 0:
            return None, problem or f"{command[0]} ended with {code}; nothing was taken over."
        return file.read_text(encoding="utf-8", errors="replace").removesuffix("\n"), ""
