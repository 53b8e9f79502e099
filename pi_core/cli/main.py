"""The command `pi`: the first word decides whether packages are managed or the agent runs.

Touches: environment, standard output, standard error.
"""

from __future__ import annotations

import sys

from pi_core.version import VERSION

TYPE_CHECKING = False  # `typing` costs more than all the rest of `pi --version`
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from pi_pkg import Locations


def run() -> None:
    """The entry point of the installed command."""
    from pi_core.cli.streams import close_streams, open_streams  # programs that call `main` have their own

    open_streams()
    code = main(sys.argv[1:])
    if "pi_core.process" in sys.modules:
        _end_programs()
    if (threading := sys.modules.get("threading")) is not None:
        _leave_threads(threading, code)
    sys.exit(close_streams(code))


def _end_programs() -> None:
    """End what was started behind our back: it would hold whoever reads our output to its end."""
    from pi_core.leftovers import end_leftovers  # only an agent's run can have left something
    from pi_core.modes.base import say  # as above

    left = ", ".join(map(str, end_leftovers()))
    if left:
        say(f"pi: ended what an extension or a tool had left running (process {left}).")


def _leave_threads(threading: ModuleType, code: int) -> None:
    """End the process as it is if a thread that somebody started would hold it for ever."""
    deadline = 2.0
    for thread in threading.enumerate():
        begun = thread.ident is not None  # Ctrl-C may have come between its making and its start
        if begun and thread is not threading.current_thread() and not thread.daemon:
            thread.join(deadline)
            deadline /= 2
            if thread.is_alive():
                import os  # only here: the thread will not end

                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)


def main(words: Sequence[str]) -> int:
    """Run one command line and return its exit code. Reads the process's environment and home folder."""
    if words and words[0] in ("--version", "-v"):
        print(VERSION)
        return 0
    import os  # `pi --version` needs no environment

    from pi_core.cli.commands import COMMANDS as OWN_COMMANDS  # nor any command
    from pi_pkg.cli import COMMANDS  # nor those of the package manager

    try:
        locations = locations_from(os.environ)
        if words and words[0] in COMMANDS:
            return _manage_packages(words, locations, os.environ)
        if words and (module := OWN_COMMANDS.get(words[0])) is not None:
            from importlib import import_module  # as above

            return int(import_module(module).run(words[1:], locations, dict(os.environ)))
        from pi_core.cli import interactive  # `pi list` needs no mode

        if words and words[0] == "--served":
            return interactive.run_served(words[1:], locations, dict(os.environ))
        if interactive.wants_screen(words):
            return interactive.run_interactive(words, locations, dict(os.environ))
        from pi_core.cli.agent import run_agent  # the screen is there before the agent is loaded

        return run_agent(words, locations, dict(os.environ))
    except KeyboardInterrupt:
        return 130
    except FolderGone:
        print("pi: the working folder does not exist any more; go to another one.", file=sys.stderr)
        return 1


class FolderGone(Exception):
    """The working folder of the process was removed."""


def locations_from(environ: Mapping[str, str]) -> Locations:
    """The folders of this user in the working folder of the process. Raises: FolderGone."""
    from pathlib import Path  # as above

    from pi_pkg import AGENT_DIR_VARIABLE, Locations, default_agent_dir

    try:
        home, cwd = Path.home(), Path.cwd()
    except FileNotFoundError as error:
        raise FolderGone from error
    named = environ.get(AGENT_DIR_VARIABLE)
    agent_dir = cwd / Path(named).expanduser() if named else default_agent_dir(home)
    return Locations(agent_dir, cwd, home)


def _manage_packages(words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> int:
    from pi_pkg.cli import main as manage  # as above

    return manage(words, locations=locations, environ=environ, stdout=sys.stdout, stderr=sys.stderr)


if __name__ == "__main__":
    run()
