"""Theme files of pi become palettes; what a file lacks or has wrong comes from a built-in one, and is told.

A file is JSON: `name`, `vars` and `colors`. A colour is `#rrggbb`, the name of a variable, a number of the
256-colour table, or empty for what the terminal would use.

Touches: theme files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from rich.color import Color

from hookspecs.values import dataclass
from pi_core.modes.tui.style.builtin import DARK_COLORS, builtin_palettes, dark, light
from pi_core.modes.tui.style.palette import TOKENS, Palette, luminance
from pi_pkg import Diagnostic, Resource

_HEX: Final = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
MAX_BYTES: Final = 1_000_000
"""No theme is larger; a file that is, is something else."""


class ThemeError(ValueError):
    """A theme, or a colour of one, is not what it must be."""


@dataclass(frozen=True, slots=True)
class Themes:
    """The palettes that can be chosen, by name, built-in ones first; and what was wrong with files."""

    palettes: Mapping[str, Palette]
    findings: tuple[Diagnostic, ...] = ()


def load_themes(resources: Iterable[Resource]) -> Themes:
    """The built-in palettes and those of theme files, which are in rank order; the first of a name wins."""
    palettes = builtin_palettes()
    findings: list[Diagnostic] = []
    taken = set(palettes)
    for resource in resources:
        if not resource.enabled:
            continue
        try:
            palette, problems = read_theme(Path(resource.path))
        except (OSError, ValueError) as error:
            findings.append(_finding(resource, f"The theme cannot be read: {error}."))
            continue
        findings += [_finding(resource, problem) for problem in problems]
        if palette.name not in taken:
            palettes[palette.name] = palette
            taken.add(palette.name)
    return Themes(palettes, tuple(findings))


def read_theme(path: Path) -> tuple[Palette, list[str]]:
    """The palette of a file, and a sentence for everything that is wrong in it.

    Raises: OSError; ValueError if it is no JSON, ThemeError if it is no theme.
    """
    if path.stat().st_size > MAX_BYTES:
        raise ThemeError(f"it has more than {MAX_BYTES} bytes")
    return parse_theme(json.loads(path.read_text(encoding="utf-8")), path.stem)


def parse_theme(value: Any, default_name: str) -> tuple[Palette, list[str]]:
    """The same for the parsed text of a file. Raises: ThemeError if it is no theme at all."""
    if not isinstance(value, Mapping) or not isinstance(value.get("colors", {}), Mapping):
        raise ThemeError("it must be an object with `name` and `colors`")
    given: Mapping[str, Any] = value.get("colors", {})
    variables = value.get("vars")
    known = variables if isinstance(variables, Mapping) else {}
    problems = []
    found: dict[str, str] = {}
    for token in TOKENS:
        try:
            color = resolved(given.get(token, ""), known)
        except ThemeError as error:
            problems.append(f'The colour "{token}" of the theme {error}; the built-in one stands in.')
            color = None
        if color is not None:
            found[token] = color
    base = _base(found, given)
    name = value.get("name")
    exported = value.get("export")
    page = _page(exported if isinstance(exported, Mapping) else {}, known, base)
    return Palette(
        name=name if isinstance(name, str) and name else default_name,
        dark=base.dark,
        page=page,
        colors={**base.colors, **found},
    ), problems


def resolved(value: Any, variables: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> str | None:
    """A colour as `#rrggbb`; None for the terminal's own. Raises: ThemeError with what it does wrong."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ThemeError("is neither a text nor a number")
    if isinstance(value, int):
        if not 0 <= value <= 255:
            raise ThemeError(f"is {value}, and the table goes from 0 to 255")
        return Color.from_ansi(value).get_truecolor().hex
    if value == "":
        return None
    if value.startswith("#"):
        if not _HEX.fullmatch(value):
            raise ThemeError(f"is {value!r}, which is no #rrggbb")
        return value if len(value) == 7 else "#" + "".join(digit * 2 for digit in value[1:])
    if value in seen or value not in variables:
        raise ThemeError(
            f"names the variable {value!r}, which is " + ("itself" if value in seen else "not there")
        )
    return resolved(variables[value], variables, seen | {value})


def _base(found: Mapping[str, str], given: Mapping[str, Any]) -> Palette:
    """The built-in palette that goes with the given colours: judged by what lies behind the text."""
    ground = found.get("userMessageBg") or found.get("selectedBg") or DARK_COLORS["userMessageBg"]
    return light() if luminance(ground) > 0.5 else dark()


def _page(exported: Mapping[str, Any], variables: Mapping[str, Any], base: Palette) -> str:
    """A theme made for a terminal has no page; the one of its HTML export is what its author had in mind."""
    try:
        return resolved(exported.get("pageBg", ""), variables) or base.page
    except ThemeError:
        return base.page


def _finding(resource: Resource, message: str) -> Diagnostic:
    return Diagnostic("warning", "theme-invalid", "theme", message, path=str(resource.path))
