"""The command line of the interactive mode: the screen comes first, and everything is loaded behind it.

Touches: the terminal, standard error, process signals, two variables of the environment.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_core.cli.args import parse_args
from pi_core.cli.choosing import chosen_mode, complain, refuse_clashes, refuse_mistakes
from pi_core.errors import AgentError, UsageError
from pi_core.modes.base import Stopped, Stopper, run_to_the_end
from pi_pkg import Locations, PackageError

if TYPE_CHECKING:
    from pi_core.bootstrap import Prepared, RunRequest
    from pi_core.cli.args import Args
    from pi_core.modes.tui.desk import Desk
    from pi_core.modes.tui.mode import Opened


NO_SCREEN: Final = 'this terminal can show no screen (TERM=dumb); say it at once: pi -p "what to do"'
FIXED_SIZE: Final = ("COLUMNS", "LINES")
"""Where a program that started us leaves the size its terminal had, which nobody keeps up to date."""


def wants_screen(words: Sequence[str]) -> bool:
    """Whether the words ask for the interactive mode, and a person sits at both ends."""
    return chosen_mode(parse_args(words).args) == "tui"


def run_served(words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> int:
    """The same for a visit to `pi --web`: a browser is the terminal, which tools need not know."""
    ours = {name: value for name, value in environ.items() if not name.startswith("TEXTUAL")}
    if ours.get("TERM") == "dumb":
        del ours["TERM"]
    return run_interactive(words, locations, ours)


def run_interactive(words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> int:
    """Run the interactive mode; returns the exit code."""
    parsed = parse_args(words)
    try:
        refuse_mistakes(parsed)
        refuse_clashes(parsed.args, "tui")
    except AgentError as error:
        return complain(error)
    if parsed.args.web:
        from pi_core.cli.web import own_words, run_web  # few people look at pi through a browser

        return run_web(own_words(words), parsed.args.port)
    if environ.get("TERM") == "dumb":
        return complain(UsageError([NO_SCREEN], hint=None))
    if os.isatty(1):
        forget_fixed_size()
    return run_to_the_end(_show(_Start(words, locations, environ)))


def forget_fixed_size() -> None:
    """The terminal itself is asked for its size, also by the programs we start.

    A program that has loaded GNU readline, as Python's own prompt has, hands on the size of its terminal;
    taken at its word, no later change of the window would ever reach the screen.
    """
    for name in FIXED_SIZE:
        os.environ.pop(name, None)


async def _show(start: _Start) -> int:
    """Show it under signals; whatever happens, the session is told that it ends."""
    from pi_core.modes.tui.mode import run_tui  # no other mode needs a library for terminals

    stopper = Stopper(asyncio.get_running_loop())
    locations = start.locations
    with stopper.signals():
        try:
            async with start.stack:
                return await run_tui(
                    start.open, stopper, locations=locations, environ=start.environ, theme=start.theme
                )
        except Stopped as stopped:
            return stopped.code
        except (AgentError, PackageError) as error:
            return complain(error)


class _Start:
    """Opens the session that the words ask for. What it holds open is let go of with `stack`."""

    def __init__(self, words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> None:
        self.locations = locations
        self.stack = AsyncExitStack()
        self._words = words
        self.environ = environ
        self.theme = parse_args(words).args.use_theme

    async def open(self, desk: Desk) -> Opened:
        """Load everything. Raises: AgentError, PackageError; nothing is left open then."""
        # The person sees the screen while these are loaded.
        from pi_core.cli.agent import journal_at
        from pi_core.cli.prompt_input import prompts_from
        from pi_core.cli.requests import run_request
        from pi_core.modes.tui.mode import Opened
        from pi_core.resources.watching import require_watching
        from pi_core.session.auto_reload import reloading_on_change
        from pi_core.tools.images import image_settings

        args = parse_args(self._words).args
        if args.watch:
            require_watching()
        request = run_request(args, self.locations, self.environ, "tui")
        if args.trace_events is not None:
            journal = self.stack.enter_context(journal_at(args.trace_events))
            request = replace(request, observe=journal.attach)
        prepared = await self._prepared(desk, args, request)
        runtime = None
        try:
            parsed = parse_args(self._words, prepared.flag_types())
            refuse_mistakes(parsed)
            args = parsed.args
            home = self.locations.home
            images = image_settings(prepared.resources.settings.effective)
            prompts = prompts_from(args.messages, args.files, "", cwd=Path.cwd(), home=home, images=images)
            runtime = await prepared.begin(args.flags)
        finally:
            if runtime is None:
                await prepared.close()
        self.stack.push_async_callback(runtime.dispose)
        if args.watch:
            await self.stack.enter_async_context(reloading_on_change(runtime))
        return Opened(runtime, prompts)

    async def _prepared(self, desk: Desk, args: Args, request: RunRequest) -> Prepared:
        """The conversation that the person chooses, if they are to, and what it has. Raises: as `open`;
        Stopped if none was chosen."""
        # As above.
        from pi_core.bootstrap import prepare, sessions_directory
        from pi_core.modes.tui.starting import PersonAtDesk, choose_session, confirm_fork
        from pi_core.session.opening import SessionElsewhereError

        request = replace(request, resources=replace(request.resources, person=PersonAtDesk(desk)))
        if args.resume:
            chosen = await choose_session(desk, self.locations, sessions_directory(request))
            if chosen is None:
                raise Stopped(0)
            request = replace(request, store=replace(request.store, session=str(chosen)))
        try:
            return await prepare(request)
        except SessionElsewhereError as error:
            if not await confirm_fork(desk, error.message):
                raise
            store = replace(request.store, session=None, fork=str(error.path))
            return await prepare(replace(request, store=store))
