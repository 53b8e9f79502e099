"""From a command line to an exit code: parse it, let its command act, say what went wrong.

Touches: files, git, network, standard output, standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TextIO

from pi_pkg.cli.call import Call
from pi_pkg.cli.command import HelpAsked, PackageCommand, UsageError, plain_list
from pi_pkg.cli.output import DONE, USAGE, Output
from pi_pkg.cli.progress import progress_on
from pi_pkg.errors import PackageError
from pi_pkg.locations import Locations
from pi_pkg.manager import PackageManager

OFFLINE_VARIABLE: Final = "PI_OFFLINE"


def run(
    argv: Sequence[str],
    *,
    locations: Locations,
    environ: Mapping[str, str],
    stdout: TextIO,
    stderr: TextIO,
) -> int:
    """Run one package command and return its exit code.

    SIGTERM and SIGHUP end it with 143 and 129, after what it started was ended and half-made things are
    gone. Ctrl-C passes through as KeyboardInterrupt.
    """
    output = Output(stdout, stderr)
    try:
        command = plain_list(argv) or _parsed(argv)
    except HelpAsked as help_asked:
        output.say(str(help_asked).rstrip("\n"))
        return DONE
    except UsageError as error:
        output.warn(f"pi {argv[0]}: {error}")
        output.warn(error.usage)
        return USAGE
    progress = progress_on(stderr, silent=command.json)
    output = Output(stdout, stderr, progress.close)
    offline = command.offline or environ.get(OFFLINE_VARIABLE, "").lower() in {"1", "true", "yes"}
    manager = PackageManager(locations, environ, command.approve, progress, offline=offline)
    try:
        return _run(argv[0], Call(command, manager, output))
    except PackageError as error:
        return output.failed(command, error)
    finally:
        progress.close()


def _parsed(argv: Sequence[str]) -> PackageCommand:
    from pi_pkg.cli.parser import parse  # start-up time: a plain `pi list` needs none

    return parse(argv)


def _run(word: str, call: Call) -> int:
    if call.command.options is None:
        from pi_pkg.cli.list_packages import run  # start-up time: as above

        return run(call)
    from pi_pkg.cli.parser import command_module
    from pi_pkg.install.process import Terminated, ended_by_signals  # start-up time: as above

    try:
        with ended_by_signals():
            return command_module(word).run(call)
    except Terminated as ended:
        return ended.code
