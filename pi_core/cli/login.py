"""How a person at a terminal gives a key, or logs in at a provider of an extension.

Touches: standard input, standard error, `auth.json`, the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pi_core.cli.prompt_input import read_answer, read_piped
from pi_core.errors import LoginError, UsageError
from pi_core.modes.base import say
from pi_core.providers.auth_file import AuthStore
from pi_core.providers.models import Provider
from pi_core.providers.oauth import log_in


async def key_from(provider: Provider, *, stdin: bool) -> str:
    """The key that a person types, unseen, or that is piped in.

    Raises: UsageError where nobody can be asked; LoginError for a key that is none.
    """
    if stdin:
        text = await read_answer("") if at_terminal() else await read_piped()
    elif at_terminal():
        text = await read_unseen(f"Key of {provider.label or provider.name}:")
    else:
        raise UsageError(
            ["there is no terminal to ask for the key on"],
            hint=f"Pipe it in: pi auth login {provider.name} --key-stdin",
        )
    key = text.strip()
    if not key:
        raise LoginError(provider.name, "no key was given")
    if not key.isprintable():
        raise LoginError(provider.name, "that is no key: it has line ends or control characters")
    return key


async def read_unseen(question: str) -> str:
    """What a person types while the terminal shows none of it; it shows everything again afterwards."""
    try:
        import termios  # there is none on Windows
    except ImportError:
        import getpass  # its way of asking needs no terminal settings, and cannot be cancelled

        return getpass.getpass(f"{question} ")
    descriptor = sys.stdin.fileno()
    shown = termios.tcgetattr(descriptor)
    unseen = [*shown[:3], shown[3] & ~termios.ECHO, *shown[4:]]
    termios.tcsetattr(descriptor, termios.TCSAFLUSH, unseen)
    try:
        return await read_answer(question)
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, shown)
        say("")  # the line end was not shown either


def at_terminal() -> bool:
    """Whether a person sits at standard input."""
    return sys.stdin is not None and sys.stdin.isatty()


async def log_in_here(provider: Provider, store: AuthStore) -> None:
    """Let the provider log the person in who sits here. Raises: LoginError, AuthFileError."""
    if provider.oauth is None:
        raise LoginError(provider.name, "it has no login")
    await log_in(provider.name, provider.oauth, Person(provider.name), store)


class Person:
    """Implements `LoginCallbacks` on standard error and standard input."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._ahead: list[str] = []
        """Lines that were piped in together with an answer."""

    def on_auth(self, url: str, instructions: str = "") -> None:
        """Show where to go."""
        say(f"Open this address in a browser:\n  {url}")
        if instructions:
            say(instructions)

    def on_progress(self, message: str) -> None:
        """Say what is going on."""
        say(message)

    async def on_prompt(self, message: str, placeholder: str = "") -> str:
        """Ask for a line."""
        shown = f"{message} ({placeholder}):" if placeholder else f"{message}:"
        return await self._answer(shown)

    async def on_select(self, message: str, options: Sequence[str]) -> str:
        """Let one of several be chosen by its number."""
        for number, option in enumerate(options, 1):
            say(f"  {number}. {option}")
        answer = await self._answer(f"{message} [1-{len(options)}]:")
        if not answer.isdecimal() or not 1 <= int(answer) <= len(options):
            raise LoginError(self._provider, f"{answer!r} is none of the choices")
        return options[int(answer) - 1]

    async def _answer(self, question: str) -> str:
        if self._ahead:
            say(question)
        else:
            self._ahead = (await read_answer(question)).splitlines()
        answer = self._ahead.pop(0).strip() if self._ahead else ""
        if not answer:
            raise LoginError(self._provider, "nothing was answered")
        return answer
