"""What pages name: commands, flags, settings and events, as they stand in code.

Pure.
"""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

OURS: Final = ("hookspecs", "pi_pkg", "pi_core")
_BLOCK: Final = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_SPAN: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_COMMAND: Final = re.compile(r"(?:^|[|;(]\s*|\$ |=\S+ )pi ([a-z][a-z-]*)(?![\w.:/=])")
_FLAG: Final = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")
_EVENT: Final = re.compile(r"""\.on\(\s*["'](\w+)["']|def pi_(\w+)\((?:self, )?(?:event|ctx)""")


def blocks(text: str) -> list[tuple[str, str]]:
    """The blocks of code with their language, in order."""
    return [(match[2], match[3]) for match in _BLOCK.finditer(text)]


def spans(text: str) -> list[str]:
    """Code inside of sentences, in order."""
    return _SPAN.findall(_BLOCK.sub("", text))


def lines(text: str) -> Iterator[str]:
    """What could be typed: code in sentences, and the lines of blocks that are no programs."""
    yield from spans(text)
    for kind, body in blocks(text):
        if kind in {"", "console", "sh", "text"}:
            yield from body.splitlines()


def commands(text: str) -> set[str]:
    """Words behind `pi` that stand where a command stands."""
    return {word for line in lines(text) for word in _COMMAND.findall(line.strip())}


def flags(text: str) -> set[str]:
    """Flags behind `pi`, and those that stand for themselves."""
    asked = (line.strip() for line in lines(text))
    ours = (line for line in asked if re.match(r"(\$ )?(\w+=\S+ )*pi [^ ]|--[a-z]", line))
    return {flag for line in ours for flag in _FLAG.findall(line.partition(" -- ")[0])}


def programs(text: str) -> list[ast.Module]:
    """The blocks of Python. Raises SyntaxError for one that is none."""
    return [ast.parse(textwrap.dedent(body)) for kind, body in blocks(text) if kind == "python"]


def imports(text: str) -> set[tuple[str, str]]:
    """What blocks of Python import from our packages: module and name, the name empty for a whole module."""
    found: set[tuple[str, str]] = set()
    for node in (node for program in programs(text) for node in ast.walk(program)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {(node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
    return {(module, name) for module, name in found if module.partition(".")[0] in OURS}


def members(text: str, of: str) -> set[str]:
    """What blocks of Python take from a variable, as `notify` from `ctx.ui`."""
    nodes = (node for program in programs(text) for node in ast.walk(program))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == of}


def events(text: str) -> set[str]:
    """Names that are listened to."""
    return {first or second for _, body in blocks(text) for first, second in _EVENT.findall(body)}


def settings(text: str) -> set[str]:
    """Dotted keys in blocks of TOML that are no pyproject.toml, without what is below a table of names."""
    found: set[str] = set()
    for kind, body in blocks(text):
        if kind == "toml":
            document = tomllib.loads(body)
            if not {"project", "tool", "build-system"} & set(document):
                found |= set(_dotted(document))
    return found


def dotted(text: str, first: Collection[str]) -> set[str]:
    """Dotted keys that stand in sentences and begin with one of these words, as in `install.index-url`."""
    found = {span for span in spans(text) if re.fullmatch(r"[a-z-]+(\.[a-z-]+)+", span)}
    return {span for span in found if span.partition(".")[0] in first}


def heard(text: str) -> set[str]:
    """Events that sentences speak of, as in "a handler of `tool_call` or `user_bash`"."""
    found = re.findall(r"[Hh]andlers?\s+of\s+`(\w+)`(?:\s+(?:or|and)\s+`(\w+)`)?|`(\w+)` handlers?\b", text)
    return {name for names in found for name in names if name}


def _dotted(table: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in table.items():
        path = f"{above}{name}"
        if isinstance(value, dict) and path not in {"keys", "clashes.prefer", "clashes.alias"}:
            yield from _dotted(value, f"{path}.")
        else:
            yield path


def tables(text: str) -> set[str]:
    """Tables that stand in sentences, as in `[budgets]`."""
    return {span[1:-1] for span in spans(text) if re.fullmatch(r"\[[a-z][a-z.-]*\]", span)}
