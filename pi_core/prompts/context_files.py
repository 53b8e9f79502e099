"""Instructions that lie beside the code: AGENTS.md and its kin.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from hookspecs.values import dataclass
from pi_core.prompts.sources import finding

if TYPE_CHECKING:
    from pi_pkg import Diagnostic

CONTEXT_FILE_NAMES: Final = ("AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file of instructions: its absolute path and its text."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class LoadedContext:
    """The files in the order in which a model reads them: the most general first; and what was wrong."""

    files: tuple[ContextFile, ...]
    diagnostics: tuple[Diagnostic, ...]


def load_context_files(cwd: Path, agent_dir: Path | None) -> LoadedContext:
    """The first of the known names in the agent's folder, then in each folder from the root to `cwd`.

    No file comes twice. One that cannot be read is reported, and no other name of its folder is tried.
    """
    folders = [*([agent_dir] if agent_dir is not None else []), *reversed(cwd.parents), cwd]
    files: dict[Path, ContextFile] = {}
    diagnostics: list[Diagnostic] = []
    for folder in folders:
        path = next((folder / name for name in CONTEXT_FILE_NAMES if (folder / name).is_file()), None)
        if path is None or path.resolve() in files:
            continue
        try:
            text = path.read_text("utf-8", "replace").removeprefix("\ufeff")
        except OSError as error:
            message = f"the instructions cannot be read: {error.strerror or error}"
            diagnostics.append(finding("context-file-unreadable", str(path), message))
        else:
            files[path.resolve()] = ContextFile(str(path), text)
    return LoadedContext(tuple(files.values()), tuple(diagnostics))


def prompt_text(value: str, cwd: Path) -> str:
    """What a prompt option says: the text of the file that it names, or itself if it names none."""
    try:
        path = cwd / value
        return path.read_text("utf-8", "replace").removeprefix("\ufeff") if path.is_file() else value
    except (OSError, ValueError):
        return value  # too long or too odd to be a path
