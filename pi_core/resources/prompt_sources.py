"""What the system prompt is made of on disk: instructions, replacements and additions.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hookspecs.values import dataclass
from pi_core.prompts.context_files import load_context_files, prompt_text
from pi_core.prompts.sources import PromptPath
from pi_core.resources.loader import Resources
from pi_core.session.system_text import PromptParts
from pi_pkg import Diagnostic, Locations, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRequest:
    """What a run asks for: texts, or files that hold them, in place of or beside those of the folders."""

    system_prompt: str | None = None
    append: tuple[str, ...] = ()
    context_files: bool = True


def prompt_parts(
    locations: Locations, resources: Resources, request: PromptRequest
) -> tuple[PromptParts, Sequence[Diagnostic]]:
    """The parts, and what could not be read. A project's own prompt counts only if it is trusted."""
    cwd = locations.project_dir
    replaced = request.system_prompt
    custom = _text_of(locations, resources, "SYSTEM.md") if replaced is None else prompt_text(replaced, cwd)
    given = [prompt_text(text, cwd) for text in request.append]
    added = given or [text for text in [_text_of(locations, resources, "APPEND_SYSTEM.md")] if text]
    context = load_context_files(cwd, locations.agent_dir) if request.context_files else None
    parts = PromptParts(
        docs_path=docs_folder(),
        custom_prompt=custom,
        append_prompt="\n\n".join(added) or None,
        context_files=context.files if context else (),
        skills=_paths(resources.skills),
        templates=_paths(resources.prompts),
    )
    return parts, context.diagnostics if context else ()


def docs_folder() -> str | None:
    """Where pi's own documentation lies: in the wheel beside the code, in a checkout beside its folders."""
    package = Path(__file__).parents[1]
    checkout = package.parent if (package.parent / "pyproject.toml").is_file() else package
    found = (folder / "docs" for folder in (package, checkout))
    return next((str(folder) for folder in found if (folder / "extensions.md").is_file()), None)


def _text_of(locations: Locations, resources: Resources, name: str) -> str | None:
    """The first of the project's file, if it may be read, and the user's."""
    folders = [locations.project_config_dir] if resources.trusted else []
    for folder in [*folders, locations.agent_dir]:
        path = Path(folder) / name
        if path.is_file():
            return path.read_text("utf-8", "replace").removeprefix("\ufeff")
    return None


def _paths(resources: Iterable[Resource]) -> tuple[PromptPath, ...]:
    return tuple(PromptPath(item.path, item.provenance) for item in resources)
