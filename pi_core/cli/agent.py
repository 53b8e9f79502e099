"""The agent's command line: from words to a mode that runs, and from what goes wrong to an exit code.

Touches: standard input, standard output, standard error, process signals.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size

from hookspecs.context import Mode
from pi_core.bootstrap import Prepared, RunRequest, prepare
from pi_core.cli.args import Args, parse_args
from pi_core.cli.choosing import chosen_mode, complain, refuse_clashes, refuse_mistakes
from pi_core.cli.export import run_export
from pi_core.cli.help import WIDTH, help_text
from pi_core.cli.loaded import loaded_lines
from pi_core.cli.models import list_models
from pi_core.cli.prompt_input import prompts_from, read_answer, read_piped
from pi_core.cli.requests import run_request
from pi_core.errors import AgentError, CannotWriteError, UsageError
from pi_core.extensions.journal import Journal, journal_file
from pi_core.modes.base import (
    Output,
    Prompt,
    Stopped,
    Stopper,
    finding_teller,
    protected_stdout,
    run_to_the_end,
    say,
    tell_finding,
)
from pi_core.modes.json_mode import run_json, stream_to
from pi_core.modes.print_mode import run_print
from pi_core.resources.watching import require_watching
from pi_core.session.auto_reload import reloading_on_change
from pi_core.session.events import DiagnosticFound
from pi_core.session.opening import SessionElsewhereError
from pi_core.session.runtime import SessionRuntime
from pi_core.tools.images import image_settings
from pi_core.version import VERSION
from pi_pkg import Locations, PackageError
from pi_pkg.cli.progress import progress_on

YES = ("y", "yes")


def run_agent(words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> int:
    """Run the agent as the words ask for; returns the exit code."""
    parsed = parse_args(words)
    args = parsed.args
    try:
        refuse_mistakes(parsed)
        if args.version:
            print(VERSION)
            return 0
        if args.export is not None:
            return run_export(args, locations)
        mode = chosen_mode(args)
        refuse_clashes(args, mode)
        progress = progress_on(sys.stderr, silent=False)
        request = run_request(args, locations, environ, mode, progress)
        if args.watch:
            require_watching()
    except AgentError as error:
        return complain(error)
    with protected_stdout() as output:
        return run_to_the_end(_supervised(words, request, args, output))


async def _supervised(words: Sequence[str], request: RunRequest, options: Args, output: Output) -> int:
    """Run under signals; whatever happens, the session is told that it ends."""
    stopper = Stopper(asyncio.get_running_loop())
    output.on_closed = lambda: stopper.stop(0 if output.failure is None else 1)
    with stopper.signals(), ExitStack() as stack:
        try:
            if options.trace_events is not None:
                journal = stack.enter_context(journal_at(options.trace_events))
                request = replace(request, observe=journal.attach)
            code = await _run(words, request, output, stopper)
            return code or int(output.failure is not None)
        except Stopped as stopped:
            return stopped.code
        except (AgentError, PackageError) as error:
            return complain(error)


async def _run(words: Sequence[str], request: RunRequest, output: Output, stopper: Stopper) -> int:
    prepared = await _prepared(request, stopper)
    runtime = None
    try:
        parsed = parse_args(words, prepared.flag_types())
        if parsed.args.help:
            output.show(help_text(prepared.runner.registry, get_terminal_size((WIDTH, 0)).columns))
            return 0
        refuse_mistakes(parsed)
        if parsed.args.list_models is not None:
            work = list_models(prepared, parsed.args.list_models, output, as_json=request.mode == "json")
            return await stopper.run(work)
        piped = "" if request.mode == "rpc" else await stopper.run(read_piped())
        prompts = prompts_of(parsed.args, piped, prepared)
        runtime = await prepared.begin(parsed.args.flags)
    finally:
        if runtime is None:
            found = (*prepared.resources.diagnostics, *prepared.workshop.unheard)
            for finding in found:  # why a flag or a model is not known, for instance
                tell_finding(DiagnosticFound(diagnostic=finding))
            await prepared.close()
    if parsed.args.verbose:
        for line in loaded_lines(prepared, runtime.session):
            say(f"pi: {line}")
    if request.mode == "rpc":
        return await _serve(runtime, output, stopper, watch=parsed.args.watch)
    with runtime.subscribe(stream_to(output) if request.mode == "json" else finding_teller()):
        try:
            work = _converse(runtime, prompts, output, request.mode)
            async with reloading_on_change(runtime) if parsed.args.watch else nullcontext():
                return await stopper.run(work, on_stop=runtime.abort)
        finally:
            await runtime.dispose()


async def _prepared(request: RunRequest, stopper: Stopper) -> Prepared:
    """Everything loaded. A person at a terminal may have a copy of a conversation of another folder."""
    try:
        return await stopper.run(prepare(request))
    except SessionElsewhereError as error:
        if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        say(f"pi: {error.message}")
        if (await stopper.run(read_answer("Go on with a copy of it here? [y/N]"))).lower() not in YES:
            raise
        store = replace(request.store, session=None, fork=str(error.path))
        return await stopper.run(prepare(replace(request, store=store)))


async def _serve(runtime: SessionRuntime, output: Output, stopper: Stopper, *, watch: bool) -> int:
    from pi_core.modes.rpc.server import run_rpc  # no other mode needs it

    async with reloading_on_change(runtime) if watch else nullcontext():
        return await run_rpc(runtime, output, stopper)


@contextmanager
def journal_at(path: str) -> Iterator[Journal]:
    """A journal of everything that is dispatched. Raises: CannotWriteError."""
    try:
        opened = journal_file(Path(path))
        journal = opened.__enter__()
    except OSError as error:
        raise CannotWriteError(path, error.strerror or str(error)) from error
    try:
        yield journal
    finally:
        opened.__exit__(None, None, None)


async def _converse(runtime: SessionRuntime, prompts: Sequence[Prompt], output: Output, mode: Mode) -> int:
    if mode == "json":
        return await run_json(runtime, prompts, output)
    return await run_print(runtime, prompts, output)


def prompts_of(args: Args, piped: str, prepared: Prepared) -> list[Prompt]:
    """What to say; a client of rpc says it later. Raises: UsageError if it is nothing; FileArgumentError."""
    if prepared.request.mode == "rpc":
        if args.messages or args.files:
            raise UsageError(["--mode rpc takes no message and no @file: a client sends commands"])
        return []
    locations = prepared.request.locations
    images = image_settings(prepared.resources.settings.effective)
    found = prompts_from(args.messages, args.files, piped, cwd=Path.cwd(), home=locations.home, images=images)
    if not found:
        raise UsageError(['there is no message; write one: pi -p "what to do"'])
    return found
