"""What a model is told before the conversation: named sections, in a fixed order.

The preamble stands bare; every other section stands in a tag of its name, so that
it can be found, replaced and left out by name.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from hookspecs.definitions import ToolDefinition
from hookspecs.values import dataclass
from pi_core.prompts.context_files import ContextFile
from pi_core.prompts.skills import Skill, skills_block

SECTION_NAMES: Final = ("preamble", "tools", "rules", "docs", "addendum", "project_context", "skills", "cwd")
_PREAMBLE: Final = (
    "You are pi, a coding agent in a terminal. You work for the person who writes to you, on the code in "
    "the working folder: you look at files, run commands, and change what has to be changed."
)
_LAST_RULES: Final = (
    "Say what you did and what you found in few words.",
    "Call files by their paths.",
)
_LOOKING_RULE: Final = "Use bash to list, find and search files (ls, find, rg)."
_LOOKING_TOOLS: Final = frozenset({"grep", "find", "ls"})
_READING_TOOLS: Final = frozenset({"read", "bash"})


@dataclass(kw_only=True)
class SystemPromptOptions:
    """Everything that a system prompt is made of. Whoever holds one may change it; copy it to keep it.

    `custom_prompt` takes the place of the preamble, tools, rules and docs. `sections` has the last
    word: a text replaces the section of that name, or adds one at the end; None leaves it out.
    `force_system_prompt` is the whole prompt, whatever else is said here.
    """

    cwd: str
    selected_tools: list[str] = field(default_factory=list)
    tool_snippets: dict[str, str] = field(default_factory=dict)
    prompt_guidelines: list[str] = field(default_factory=list)
    custom_prompt: str | None = None
    append_system_prompt: str | None = None
    context_files: list[ContextFile] = field(default_factory=list)
    skills: list[Skill] = field(default_factory=list)
    docs_path: str | None = None
    sections: dict[str, str | None] = field(default_factory=dict)
    force_system_prompt: str | None = None


def tool_options(tools: Iterable[ToolDefinition]) -> dict[str, Any]:
    """The options that follow from the active tools, in their order: to be given to the constructor."""
    active = list(tools)
    snippets = {tool.name: " ".join((tool.prompt_snippet or "").split()) for tool in active}
    guidelines = [line.strip() for tool in active for line in tool.prompt_guidelines if line.strip()]
    return {
        "selected_tools": [tool.name for tool in active],
        "tool_snippets": {name: snippet for name, snippet in snippets.items() if snippet},
        "prompt_guidelines": list(dict.fromkeys(guidelines)),
    }


def build_sections(options: SystemPromptOptions) -> dict[str, str]:
    """Section name → text, in the order in which they are read; none is empty."""
    own = options.custom_prompt is None
    sections: dict[str, str | None] = {
        "preamble": _PREAMBLE if own else options.custom_prompt,
        "tools": _tools(options) if own else None,
        "rules": _rules(options) if own else None,
        "docs": _docs(options.docs_path) if own else None,
        "addendum": options.append_system_prompt,
        "project_context": _project_context(options.context_files),
        "skills": _skills(options),
        "cwd": f"Current working folder: {options.cwd}",
        **options.sections,
    }
    texts = {name: text.strip() for name, text in sections.items() if text is not None}
    return {name: text for name, text in texts.items() if text}


def render_sections(sections: Mapping[str, str]) -> str:
    """The sections as one text."""
    parts = [
        text if name == "preamble" else f"<{name}>\n{text}\n</{name}>" for name, text in sections.items()
    ]
    return "\n\n".join(parts)


def render_system_prompt(options: SystemPromptOptions) -> str:
    """The prompt that the options come to."""
    if options.force_system_prompt is not None:
        return options.force_system_prompt
    return render_sections(build_sections(options))


def _tools(options: SystemPromptOptions) -> str | None:
    """A line for every active tool that has something to say of itself."""
    lines = [
        f"- {name}: {options.tool_snippets[name]}"
        for name in options.selected_tools
        if options.tool_snippets.get(name)
    ]
    if not lines:
        return None
    return "\n".join(["You have these tools, and those that the project adds:", *lines])


def _rules(options: SystemPromptOptions) -> str:
    active = set(options.selected_tools)
    looking = [_LOOKING_RULE] if "bash" in active and not active & _LOOKING_TOOLS else []
    rules = dict.fromkeys([*looking, *options.prompt_guidelines, *_LAST_RULES])
    return "\n".join(f"- {rule}" for rule in rules)


def _docs(path: str | None) -> str | None:
    if not path:
        return None
    return (
        f"The documentation of pi is in {path}, a file a subject. Read there when the person asks about pi "
        "itself: its use, settings, extensions, packages, skills, templates, themes, or its API."
    )


def _project_context(files: Sequence[ContextFile]) -> str | None:
    blocks = [_instructions(file) for file in files if file.content.strip()]
    if not blocks:
        return None
    return "\n\n".join(["Instructions for this project; where two differ, the later one holds.", *blocks])


def _instructions(file: ContextFile) -> str:
    path = file.path.replace("&", "&amp;").replace('"', "&quot;")
    return f'<project_instructions path="{path}">\n{file.content.strip()}\n</project_instructions>'


def _skills(options: SystemPromptOptions) -> str | None:
    """Skills are files: without a tool that reads files they are of no use."""
    if not _READING_TOOLS & set(options.selected_tools):
        return None
    return skills_block(options.skills)
