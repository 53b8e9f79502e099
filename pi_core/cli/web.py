"""`pi --web`: the interactive mode, served to a browser on this machine.

Touches: standard output, standard error, process signals, the network on loopback.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from pi_core.cli.choosing import complain
from pi_core.errors import AgentError, MissingExtraError, UsageError
from pi_core.modes.base import Stopped, Stopper, run_to_the_end, say

PORT: Final = 8765
"""The port where none is named."""


def run_web(words: Sequence[str], port: str | None) -> int:
    """Serve until a signal comes; returns the exit code. `words` are those of every session."""
    try:
        number = PORT if port is None else _number(port)
        return run_to_the_end(_serve(words, number))
    except AgentError as error:
        return complain(error)


def own_words(words: Sequence[str]) -> list[str]:
    """The words without `--web` and `--port N`, which are the server's."""
    left: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word == "--":
            return [*left, word, *waiting]
        if word == "--port":
            next(waiting, None)
        elif word != "--web" and not word.startswith("--port="):
            left.append(word)
    return left


def _number(port: str) -> int:
    if not port.isdigit() or int(port) > 65535:
        raise UsageError([f"--port needs a number from 0 to 65535, and got {port!r}"])
    return int(port)


async def _serve(words: Sequence[str], port: int) -> int:
    try:
        from pi_core.modes.tui.web.server import WebServer  # the extra is needed for this alone
    except ModuleNotFoundError as error:
        raise MissingExtraError("--web", error.name or "textual_serve", "web") from error
    server = WebServer(words, port)
    stop = asyncio.Event()
    stopper = Stopper(asyncio.get_running_loop())
    with stopper.signals():
        try:
            await stopper.run(server.run(stop, _tell))
        except Stopped as stopped:
            return 0 if stopped.code == 130 else stopped.code
        except OSError as error:
            say(f"pi: port {port} cannot be used: {error.strerror or error}. Name another one: --port N")
            return 1
    return 0


def _tell(address: str) -> None:
    print(
        f"pi is at {address}\nWhoever has this address can run commands as you. Ctrl+C ends it.", flush=True
    )
