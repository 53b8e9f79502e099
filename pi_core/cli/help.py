"""The help of the agent's command line: the table of options, and the flags of the extensions.

Pure.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from pi_core.cli.options import OPTIONS, Option
from pi_core.extensions.registry import Registry

_HEAD: Final = """\
usage: pi [options] [@file…] [message…]
       pi install|remove|list|update|sync|rollback|config|trust …   (pi install --help)
       pi trace FILE              what --trace-events wrote

The first message is joined with piped input and the files; each further message is a prompt of its own.

options:
"""
_INDENT: Final = 34
_WIDTH: Final = 100


def help_text(registry: Registry) -> str:
    """Everything that can be typed, with the flags of the loaded extensions at the end."""
    parts = [_HEAD, *(_entry(_spelled(option), option.help, option.choices) for option in OPTIONS)]
    flags = [owned.value for owned in registry.flags()]
    if flags:
        parts.append("\nflags of extensions:\n")
    for flag in flags:
        value = " VALUE" if flag.type == "string" else ""
        parts.append(_entry(f"--{flag.name}{value}", flag.description))
    return "".join(parts)


def _spelled(option: Option) -> str:
    names = ", ".join(reversed(option.names))
    return f"{names} {option.value_name}".rstrip()


def _entry(left: str, text: str, choices: tuple[str, ...] = ()) -> str:
    text = f"{text}: {', '.join(choices)}" if choices else text
    first, *rest = wrap(text, _WIDTH - _INDENT) or [""]
    left = f"  {left}"
    head = f"{left:<{_INDENT}}{first}" if len(left) < _INDENT else f"{left}\n{'':<{_INDENT}}{first}"
    return "\n".join([head, *(f"{'':<{_INDENT}}{line}" for line in rest)]).rstrip() + "\n"
