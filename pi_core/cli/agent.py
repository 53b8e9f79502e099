"""The agent's command line: from words to a mode that runs, and from what goes wrong to an exit code.

Touches: standard input, standard output, standard error, process signals.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hookspecs.context import Mode
from pi_core.bootstrap import Prepared, RunRequest, prepare
from pi_core.cli.args import Args, Parsed, parse_args
from pi_core.cli.help import help_text
from pi_core.cli.prompt_input import prompts_from, read_piped
from pi_core.cli.requests import run_request
from pi_core.errors import AgentError, UsageError
from pi_core.modes.base import Output, Prompt, Stopped, Stopper, protected_stdout, run_to_the_end, say
from pi_core.modes.json_mode import run_json
from pi_core.modes.print_mode import run_print
from pi_core.session.session import Session
from pi_core.version import VERSION
from pi_pkg import Diagnostic, Locations, PackageError

NO_INTERACTIVE_MODE = (
    "The interactive mode is not part of this version of pi. "
    'Ask one thing at a time: pi -p "what to do", or pipe the question in.'
)

ALWAYS_SAID = {"model-choice", "builtin-tool-clash"}
"""Codes of findings that are no warnings and still change what a run does."""


def run_agent(words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> int:
    """Run the agent as the words ask for; returns the exit code."""
    parsed = parse_args(words)
    args = parsed.args
    try:
        refuse_mistakes(parsed)
        if args.version:
            print(VERSION)
            return 0
        mode = chosen_mode(args)
        request = run_request(args, locations, environ, mode)
    except AgentError as error:
        return complain(error)
    with protected_stdout() as output:
        return run_to_the_end(_supervised(words, request, output))


def chosen_mode(args: Args) -> Mode:
    """json if asked for, print if nobody sits at both ends or help is asked for. Raises: UsageError."""
    if args.mode == "json":
        return "json"
    at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if args.print or args.help or not at_terminal:
        return "print"
    raise UsageError([NO_INTERACTIVE_MODE.rstrip(".")], hint=None)


def refuse_mistakes(parsed: Parsed) -> None:
    """Raise UsageError if the words have mistakes."""
    if parsed.problems:
        raise UsageError([problem.message for problem in parsed.problems])


async def _supervised(words: Sequence[str], request: RunRequest, output: Output) -> int:
    """Run under signals; whatever happens, the session is told that it ends."""
    stopper = Stopper(asyncio.get_running_loop())
    output.on_closed = lambda: stopper.stop(0)
    with stopper.signals():
        try:
            return await _run(words, request, output, stopper)
        except Stopped as stopped:
            return stopped.code
        except (AgentError, PackageError) as error:
            return complain(error)


async def _run(words: Sequence[str], request: RunRequest, output: Output, stopper: Stopper) -> int:
    prepared = await stopper.run(prepare(request))
    parsed = parse_args(words, prepared.flag_types())
    if parsed.args.help:
        output.write(help_text(prepared.runner.registry))
        return 0
    refuse_mistakes(parsed)
    piped = await stopper.run(read_piped())
    prompts = prompts_of(parsed.args, piped, prepared)
    session = prepared.open(parsed.args.flags)
    tell_findings(session.diagnostics)
    try:
        work = _converse(session, prompts, output, request.mode)
        return await stopper.run(work, on_stop=session.abort)
    finally:
        await session.dispose()


async def _converse(session: Session, prompts: Sequence[Prompt], output: Output, mode: Mode) -> int:
    if mode == "json":
        return await run_json(session, prompts, output)
    return await run_print(session, prompts, output)


def prompts_of(args: Args, piped: str, prepared: Prepared) -> list[Prompt]:
    """What to say. Raises: UsageError if it is nothing; FileArgumentError."""
    locations = prepared.request.locations
    found = prompts_from(args.messages, args.files, piped, cwd=Path.cwd(), home=locations.home)
    if not found:
        raise UsageError(['there is no message; write one: pi -p "what to do"'])
    return found


def tell_findings(findings: Sequence[Diagnostic]) -> None:
    """A line on standard error for what was left out or changed, and for the choice of the model."""
    for finding in findings:
        if finding.severity == "info" and finding.code not in ALWAYS_SAID:
            continue
        place = f"{finding.path}: " if finding.path and finding.path not in finding.message else ""
        hint = f" {finding.hint}" if finding.hint else ""
        severity = "" if finding.severity == "info" else f"{finding.severity}: "
        say(f"pi: {severity}{place}{finding.message}{hint}")


def complain(error: AgentError | PackageError) -> int:
    """Say what is wrong on standard error; 2 for a wrong command line, 1 for everything else."""
    say(f"pi: {error}")
    return 2 if isinstance(error, UsageError) else 1
