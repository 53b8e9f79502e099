"""The prompt texts of a session: what the model is told first, and what skills and templates expand to.

A run may have options of its own, which extensions made when it began; they hold until it settles.

Touches: files of skills and templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from hookspecs.context import CommandInfo
from hookspecs.values import dataclass
from pi_core.dispatch.outcomes import CollectedResources, OwnedPath
from pi_core.prompts.context_files import ContextFile
from pi_core.prompts.skills import Skill, expand_skill, load_skills
from pi_core.prompts.sources import PromptPath
from pi_core.prompts.system_prompt import SystemPromptOptions, render_system_prompt, tool_options
from pi_core.prompts.templates import expand_template, load_templates
from pi_core.session.toolset import Toolset
from pi_pkg import Diagnostic, Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptParts:
    """What was found before the session began. Skills and templates are in rank order."""

    docs_path: str | None = None
    custom_prompt: str | None = None
    append_prompt: str | None = None
    context_files: tuple[ContextFile, ...] = ()
    skills: tuple[PromptPath, ...] = ()
    templates: tuple[PromptPath, ...] = ()


class SystemText:
    """The prompt texts of one session in `cwd`. `skill_commands`: `/skill:NAME` calls a skill."""

    def __init__(self, parts: PromptParts, cwd: Path, *, skill_commands: bool = True) -> None:
        self._parts = parts
        self._skill_commands = skill_commands
        self._cwd = cwd
        self._skill_paths = list(parts.skills)
        self._template_paths = list(parts.templates)
        self._held: SystemPromptOptions | None = None
        self._told: set[Diagnostic] = set()
        self._read()

    def _read(self) -> None:
        self._skills = load_skills(self._skill_paths)
        self._templates = load_templates(self._template_paths)

    def findings(self) -> list[Diagnostic]:
        """What is wrong with skills and templates, each told once."""
        found = [*self._skills.diagnostics, *self._templates.diagnostics]
        new = [finding for finding in dict.fromkeys(found) if finding not in self._told]
        self._told.update(new)
        return new

    def add(self, found: CollectedResources) -> list[Diagnostic]:
        """Take in what extensions contribute; what was there before ranks first. Returns new findings."""
        self._skill_paths += self._owned(found.skill_paths)
        self._template_paths += self._owned(found.prompt_paths)
        self._read()
        return self.findings()

    def _owned(self, paths: Iterable[OwnedPath]) -> list[PromptPath]:
        return [self._prompt_path(each) for each in paths]

    def _prompt_path(self, owned: OwnedPath) -> PromptPath:
        path = str(self._cwd / owned.path)
        source = f"extension:{owned.extension if owned.extension[:1] == '<' else Path(owned.extension).stem}"
        return PromptPath(path, Provenance(path, source, "temporary", "top-level"))

    # the system prompt

    def options(self, toolset: Toolset) -> SystemPromptOptions:
        """What the prompt is made of, with the active tools. The caller's own."""
        return SystemPromptOptions(
            cwd=str(self._cwd),
            docs_path=self._parts.docs_path,
            custom_prompt=self._parts.custom_prompt,
            append_system_prompt=self._parts.append_prompt,
            context_files=list(self._parts.context_files),
            skills=list(self._skills.skills),
            **tool_options(toolset.active()),
        )

    @staticmethod
    def render(options: Any) -> str:
        """The prompt that options come to."""
        return render_system_prompt(options)

    def text(self, toolset: Toolset) -> str:
        """The prompt of the next request."""
        if self._held is None:
            return self.render(self.options(toolset))
        held = self._held
        if held.selected_tools != toolset.active_names:
            held = replace(held, **tool_options(toolset.active()))
        return self.render(held)

    def hold(self, options: Any) -> None:
        """Use these options until `release`."""
        self._held = copy(options)

    def release(self) -> None:
        """Back to the session's own options."""
        self._held = None

    # what is typed

    def expand(self, text: str) -> str:
        """The text with the skill or template that it calls filled in. Raises: SkillExpansionError."""
        return expand_template(expand_skill(text, self._called()), self._templates.templates)

    def _called(self) -> Sequence[Skill]:
        """The skills that a person may call by name."""
        return self._skills.skills if self._skill_commands else ()

    def argument_hints(self) -> Mapping[str, str]:
        """What the arguments of templates are, by their names; those that say nothing are left out."""
        return {each.name: each.argument_hint for each in self._templates.templates if each.argument_hint}

    def commands(self) -> Sequence[CommandInfo]:
        """Templates, then skills, as what can be typed after the slash."""
        templates = [
            CommandInfo(
                name=each.name, description=each.description, kind="prompt", source_info=each.provenance
            )
            for each in self._templates.templates
        ]
        skills = [
            CommandInfo(
                name=f"skill:{each.name}",
                description=each.description,
                kind="skill",
                source_info=each.provenance,
            )
            for each in self._called()
        ]
        return [*templates, *skills]
