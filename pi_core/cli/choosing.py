"""Which mode the words ask for, and what in them contradicts itself: known before anything is loaded.

Touches: standard input, standard output, standard error.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from pi_core.cli.args import Args, Parsed
from pi_core.errors import AgentError, UsageError
from pi_core.modes.base import say
from pi_pkg import PackageError

if TYPE_CHECKING:
    from hookspecs.context import Mode

RESUME_NEEDS_A_TERMINAL: Final = (
    "--resume shows a list to choose from and needs a terminal. "
    "Go on with the newest conversation by --continue, or name one: --session ID"
)


def chosen_mode(args: Args) -> Mode:
    """json, rpc or a browser if asked for, print if that is or nobody sits at both ends; else interactive."""
    if args.mode == "json":
        return "json"
    if args.mode == "rpc":
        return "rpc"
    if args.web and not args.help:
        return "tui"
    at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    at_once = (
        args.print or args.help or args.version or args.list_models is not None or args.export is not None
    )
    return "print" if at_once or not at_terminal else "tui"


def refuse_mistakes(parsed: Parsed) -> None:
    """Raise UsageError if the words have mistakes."""
    if parsed.problems:
        raise UsageError([problem.message for problem in parsed.problems])


def refuse_clashes(args: Args, mode: Mode) -> None:
    """Raise UsageError if options contradict each other or the mode."""
    if (meant := misspelt_command(args)) is not None:
        raise UsageError([meant], hint="What is said to the agent stands in quotes.")
    if args.resume and mode != "tui":
        raise UsageError([RESUME_NEEDS_A_TERMINAL], hint=None)
    others = {"--session": args.session, "--continue": args.continue_, "--resume": args.resume}
    beside = [name for name, given in others.items() if given] + ["--no-session"] * args.no_session
    if args.fork is not None and beside:
        raise UsageError([f"--fork begins a conversation of its own and does not go with {beside[0]}"])


def misspelt_command(args: Args) -> str | None:
    """That the first of several bare words is nearly a command: `pi instal pypi:x` is no conversation."""
    if args.print or len(args.messages) < 2 or any(" " in word for word in args.messages[:2]):
        return None
    from difflib import get_close_matches  # few command lines look so

    from pi_core.cli.commands import COMMANDS as OWN  # as above
    from pi_pkg.cli import COMMANDS  # as above

    first = args.messages[0]
    near = get_close_matches(first, [*COMMANDS, *OWN], n=1, cutoff=0.8)
    return f"there is no command {first} (did you mean {near[0]}?)" if near else None


def complain(error: AgentError | PackageError) -> int:
    """Say what is wrong on standard error; 2 for a wrong command line, 1 for everything else."""
    say(f"pi: {error}")
    return 2 if isinstance(error, UsageError) else 1
