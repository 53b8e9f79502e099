"""Prompt templates: a Markdown file under a slash command, with places for arguments.

Touches: files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hookspecs.values import dataclass
from pi_core.prompts.frontmatter import FrontmatterError, parse_document
from pi_core.prompts.sources import PromptPath, finding
from pi_core.utf16 import utf16_length, utf16_prefix

if TYPE_CHECKING:
    from pi_pkg import Diagnostic, Provenance

DESCRIPTION_UNITS: Final = 60
_COMMAND: Final = re.compile(r"/(\S+)(.*)", re.DOTALL)
_PLACE: Final = re.compile(
    r"\$\{@:(?P<from>\d+)(?::(?P<count>\d+))?\}"
    r"|\$\{(?P<which>\d+|@|ARGUMENTS):-(?P<default>[^}]*)\}"
    r"|\$(?P<all>ARGUMENTS|@)"
    r"|\$(?P<number>\d+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """A template. `description` is never empty unless the body is; `argument_hint` is for completion."""

    name: str
    description: str
    body: str
    path: str
    argument_hint: str | None = None
    provenance: Provenance | None = None


@dataclass(frozen=True, slots=True)
class LoadedTemplates:
    """The templates, first by rank first, no name twice; and what was wrong."""

    templates: tuple[PromptTemplate, ...]
    diagnostics: tuple[Diagnostic, ...]


def load_templates(sources: Iterable[PromptPath]) -> LoadedTemplates:
    """Read templates from files and from folders, of which the `*.md` files count, not those below.

    Of two templates of one name the first stays. Files that cannot be read are reported and left out.
    """
    found: dict[str, PromptTemplate] = {}
    diagnostics: list[Diagnostic] = []
    for source in sources:
        for path in _files(Path(source.path)):
            template = _read(path, source, diagnostics)
            if template is None:
                continue
            first = found.setdefault(template.name, template)
            if first.path != template.path:
                message = f"template {template.name} is hidden by {first.path}"
                diagnostics.append(finding("template-collision", str(path), message))
    return LoadedTemplates(tuple(found.values()), tuple(diagnostics))


def parse_template(text: str, path: str, provenance: Provenance | None = None) -> PromptTemplate:
    """The template that a file's text stands for; its name is the file's. Raises: FrontmatterError."""
    document = parse_document(text)
    return PromptTemplate(
        name=Path(path).name.removesuffix(".md"),
        description=document.text("description") or _first_line(document.body),
        body=document.body,
        path=path,
        argument_hint=document.text("argument-hint"),
        provenance=provenance,
    )


def expand_template(text: str, templates: Sequence[PromptTemplate]) -> str:
    """What was typed, with `/name arguments` replaced by the template of that name; else unchanged."""
    match = _COMMAND.fullmatch(text)
    if match is None:
        return text
    template = next((each for each in templates if each.name == match[1]), None)
    return text if template is None else fill(template.body, split_arguments(match[2]))


def split_arguments(text: str) -> list[str]:
    """The arguments in a typed text, separated by blanks.

    A quote at the start of an argument groups up to its twin; a backslash keeps a twin inside. A
    quote without a twin, and a quote inside an argument, are characters like any other.
    """
    arguments: list[str] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        start, argument = position, ""
        quoted = _quoted(text, position)
        if quoted is not None:
            argument, start = quoted
        position = start
        while position < len(text) and not text[position].isspace():
            position += 1
        arguments.append(argument + text[start:position])
    return arguments


def fill(body: str, arguments: Sequence[str]) -> str:
    """The body with its places filled, once: what an argument brings is not looked at again.

    `$1`, `$@`, `$ARGUMENTS`, `${1:-default}`, `${@:-default}`, `${@:from}` and `${@:from:count}`;
    counting begins at 1. What is missing is empty.
    """
    return _PLACE.sub(lambda match: _value(match, arguments), body)


def _value(place: re.Match[str], arguments: Sequence[str]) -> str:
    if place["from"] is not None:
        start = max(0, int(place["from"]) - 1)
        end = None if place["count"] is None else start + int(place["count"])
        return " ".join(arguments[start:end])
    if place["which"] is not None:
        return _named(place["which"], arguments) or place["default"]
    return _named(place["all"] or place["number"], arguments)


def _named(name: str, arguments: Sequence[str]) -> str:
    if not name.isdigit():
        return " ".join(arguments)
    number = int(name)
    return arguments[number - 1] if 1 <= number <= len(arguments) else ""


def _quoted(text: str, start: int) -> tuple[str, int] | None:
    """The text in quotes that begins here, and where it ends; None if none does."""
    quote = text[start]
    if quote not in "\"'":
        return None
    position = start + 1
    content: list[str] = []
    while position < len(text) and text[position] != quote:
        if text[position] == "\\" and text[position + 1 : position + 2] == quote:
            position += 1
        content.append(text[position])
        position += 1
    return ("".join(content), position + 1) if position < len(text) else None


def _first_line(body: str) -> str:
    line = next((line for line in body.split("\n") if line.strip()), "")
    if utf16_length(line) <= DESCRIPTION_UNITS:
        return line
    return utf16_prefix(line, DESCRIPTION_UNITS) + "..."


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(item for item in path.glob("*.md") if item.is_file())


def _read(path: Path, source: PromptPath, diagnostics: list[Diagnostic]) -> PromptTemplate | None:
    try:
        return parse_template(path.read_text("utf-8", "replace"), str(path), source.provenance)
    except OSError as error:
        message = f"template {path.name} cannot be read: {error.strerror or error}"
        diagnostics.append(finding("template-unreadable", str(path), message))
    except FrontmatterError as error:
        message = f"template {path.name} is left out: {error}"
        diagnostics.append(finding("unparsable-frontmatter", str(path), message))
    return None
