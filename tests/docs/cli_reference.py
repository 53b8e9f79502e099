"""The reference of the command line, from the table of options and the parsers of the commands.

Touches: the modules of the commands, which are imported.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import Final

from pi_core.cli.commands import COMMANDS as OWN
from pi_core.cli.options import GROUPS, Option
from pi_pkg.cli.parser import canonical, parser_of
from pi_pkg.cli.registry import COMMANDS as PACKAGE
from tests.docs.tables import NOTE, code, table

_HEAD: Final = """\
# Command line

`pi [options] [@file…] [message…]` talks to the agent, `pi COMMAND …` does one thing and ends. Flags of
extensions come on top; `pi --help` shows those of the extensions that are loaded.

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 130, 143 and 129 after an interrupt, SIGTERM
and SIGHUP.

"""


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command, by its first name, packages first."""
    found = {word: parser_of(word) for word in PACKAGE if canonical(word) == word}
    for word, module in OWN.items():
        found[word] = import_module(module)._parser()
    return found


def words() -> frozenset[str]:
    """Every word that is a command when it stands first."""
    return frozenset({*PACKAGE, *OWN})


def spellings() -> frozenset[str]:
    """Every spelling of every flag that pi itself knows."""
    of_agent = {name for _, group in GROUPS for option in group for name in option.names}
    of_commands = {
        name for parser in parsers().values() for act in parser._actions for name in act.option_strings
    }
    return frozenset(of_agent | of_commands)


def cli_page() -> str:
    """The whole page."""
    return _HEAD + "\n".join([*_agent(), *_commands()]) + NOTE


def _agent() -> Iterator[str]:
    yield "## The agent\n"
    for title, group in GROUPS:
        yield f"### {title.capitalize()}\n\n" + table(("flag", "meaning"), map(_option, group))


def _option(option: Option) -> tuple[str, str]:
    value = f" {option.value_name}" if option.value_name else ""
    spelled = ", ".join(code(name + value) for name in option.names)
    choices = ": " + ", ".join(map(code, option.choices)) if option.choices else ""
    return spelled, option.help + choices


def _commands() -> Iterator[str]:
    yield "## Commands\n"
    for word, parser in parsers().items():
        others = (
            [other for other in PACKAGE if other != word and canonical(other) == word]
            if word in PACKAGE
            else []
        )
        also = f" Also: {', '.join(code(f'pi {other}') for other in others)}." if others else ""
        about = " ".join((parser.description or "").split())
        rows = [_argument(act) for act in parser._actions if not isinstance(act, argparse._HelpAction)]
        shown = f"\n```text\n{parser.epilog.strip()}\n```\n" if parser.epilog else ""
        yield f"### pi {word}\n\n{about}{also}\n\n" + table(("argument", "meaning"), rows) + shown


def _argument(act: argparse.Action) -> tuple[str, str]:
    """One argument with its spellings and what it takes."""
    value = act.metavar if isinstance(act.metavar, str) else (act.dest.upper() if act.nargs != 0 else "")
    if act.choices and not act.metavar:
        value = "|".join(map(str, act.choices))
    names = act.option_strings or [value]
    shown = [f"{name} {value}" if act.option_strings and act.nargs != 0 else name for name in names]
    return ", ".join(map(code, shown)), " ".join((act.help or "").split())
