"""The help of the agent's command line: commands, options by what they are about, flags of extensions.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Final

from hookspecs.definitions import FlagDefinition
from pi_core.cli.options import GROUPS, Option
from pi_core.extensions.registry import Registry

_HEAD: Final = """\
pi, a coding agent whose heart is an extension and package ecosystem

usage: pi [options] [@file…] [message…]
       pi COMMAND …                         pi COMMAND --help tells more

At a terminal pi is interactive, unless -p or --mode says otherwise. The first message is joined with piped
input and the files; each further message is a prompt of its own. What stands behind -- is no option.

examples:
  pi -p "what does this project do?"
  git diff | pi -p "review this change"
  pi -p -c @notes.md "go on with these notes"
  pi -e ./gate.py --mode json "run the tests"
"""
PACKAGE_COMMANDS: Final = (
    ("install SOURCE…", "install packages: pypi:NAME, git:HOST/OWNER/REPO@REF, ./folder, ./file.py"),
    ("remove SOURCE…", "remove packages, with what they brought (also: uninstall)"),
    ("list", "what is installed, where it is declared, what it brings"),
    ("update [SOURCE…]", "move ranges and branches to what is newest"),
    ("sync", "bring what is installed to what the settings say"),
    ("rollback [GENERATION]", "go back to an earlier state"),
    ("config", "switch single extensions, skills, prompts or themes"),
    ("trust", "decide about a project's own files"),
)
"""The commands of the package manager, as they are typed."""
OWN_COMMANDS: Final = (
    ("auth [login|logout PROVIDER]", "where each provider's key comes from; store one, or forget it"),
    ("trace FILE", "what a run with --trace-events FILE did"),
)
"""The others. Whoever adds one to `pi_core.cli.commands` adds its line here."""
_VARIABLES: Final = (
    ("PI_CODING_AGENT_DIR", "folder of settings, conversations and packages, in place of ~/.pi/agent"),
    ("PI_CODING_AGENT_SESSION_DIR", "as --session-dir"),
    ("PI_OFFLINE", "1: as --offline"),
    ("PI_SCRIPT", "a script that the built-in model plays"),
)
_CODES: Final = (
    ("0", "done"),
    ("1", "failed or refused; with -p also an answer that failed or was cut off"),
    ("2", "wrong usage"),
    ("130, 143, 129", "interrupted, SIGTERM, SIGHUP"),
)
_INDENT: Final = 34
WIDTH: Final = 100
"""Columns of the widest help."""


def help_text(registry: Registry, width: int = WIDTH) -> str:
    """Everything that can be typed, with the flags of the loaded extensions before the variables."""
    columns = max(60, min(width, WIDTH))
    options = [(title, map(_option, group)) for title, group in GROUPS]
    sections = [
        ("commands", [*PACKAGE_COMMANDS, *OWN_COMMANDS]),
        *options,
        *_flag_sections(registry),
        ("environment", _VARIABLES),
        ("exit codes", _CODES),
    ]
    shown = [_section(title, rows, columns) for title, rows in sections]
    return "\n".join([_HEAD, *shown])


def _flag_sections(registry: Registry) -> list[tuple[str, Sequence[tuple[str, str]]]]:
    """One section an extension that has flags, in the order of their rank."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for owned in registry.flags():
        title = f"flags of {owned.extension.owners()[0]} ({owned.extension.path})"
        sections.setdefault(title, []).append(_flag(owned.value))
    return list(sections.items())


def _flag(flag: FlagDefinition) -> tuple[str, str]:
    value = " VALUE" if flag.type == "string" else ""
    default = f" (default: {flag.default})" if isinstance(flag.default, str) and flag.default else ""
    return f"--{flag.name}{value}", f"{flag.description}{default}".strip()


def _option(option: Option) -> tuple[str, str]:
    spelled = f"{', '.join(reversed(option.names))} {option.value_name}".rstrip()
    return spelled, f"{option.help}: {', '.join(option.choices)}" if option.choices else option.help


def _section(title: str, rows: Iterable[tuple[str, str]], columns: int) -> str:
    return f"{title}:\n" + "".join(_entry(left, text, columns) for left, text in rows)


def _entry(left: str, text: str, columns: int) -> str:
    """Left and right column; a long left one stands on a line of its own."""
    first, *rest = wrap(text, columns - _INDENT) or [""]
    left = f"  {left}"
    head = f"{left:<{_INDENT}}{first}" if len(left) < _INDENT else f"{left}\n{'':<{_INDENT}}{first}"
    return "\n".join([head, *(f"{'':<{_INDENT}}{line}" for line in rest)]).rstrip() + "\n"
