"""The harness and a scripted session for tests that are plain functions: each has a loop of its own.

Touches: the event loop, files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from hookspecs.definitions import ToolResult
from pi_core.extensions.registrations import Extension
from pi_core.session.session import Session
from pi_core.testing.harness import Harness
from pi_core.testing.host import RecordingHost
from pi_core.testing.session import ScriptedSession
from pi_pkg import Diagnostic

T = TypeVar("T")


class Entered(Protocol):
    """An async context manager."""

    def __aenter__(self) -> Coroutine[Any, Any, Any]: ...

    def __aexit__(self, kind: Any, error: Any, trace: Any, /) -> Coroutine[Any, Any, Any]: ...


E = TypeVar("E", bound=Entered)


class Loop:
    """Runs coroutines one after another on one loop, which goes on where it stopped."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine. Raises: what it raises; RuntimeError in an async test."""
        if _is_inside_a_loop():
            work.close()
            raise RuntimeError("in an async test write `async with …` around what this fixture gives")
        if self._runner is None:
            # With a factory of its own the runner leaves the thread's event loop as it is.
            self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        return self._runner.run(work)

    def close(self) -> None:
        """End the loop and what runs on it."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()


def _is_inside_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Plain(Generic[E]):
    """Something that is entered with await, on a loop of its own; entered when it is first needed."""

    def __init__(self, entered: E) -> None:
        self._it = entered
        self._loop = Loop()
        self._entered = False

    def _open(self) -> E:
        if not self._entered:
            try:
                self._loop.run(self._it.__aenter__())
            except BaseException:
                self._loop.close()
                raise
            self._entered = True
        return self._it

    def close(self) -> None:
        """End everything. Raises: what leaving it raises."""
        entered, self._entered = self._entered, False
        try:
            if entered:
                self._loop.run(self._it.__aexit__(None, None, None))
        finally:
            self._loop.close()

    async def __aenter__(self) -> E:
        await self._it.__aenter__()
        return self._it

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._it.__aexit__(kind, error, trace)


class PlainHarness(_Plain[Harness]):
    """A `Harness` without await. In an async test `async with` gives the harness itself."""

    @property
    def harness(self) -> Harness:
        """The harness itself, entered."""
        return self._open()

    def emit(self, event: Any) -> Any:
        """Tell an event and return what its law makes of the answers."""
        return self._loop.run(self._open().emit(event))

    def call_tool(self, name: str, /, **arguments: Any) -> ToolResult:
        """Run a registered tool; what it raises is an error result. Raises: LookupError."""
        return self._loop.run(self._open().call_tool(name, **arguments))

    def run_command(self, name: str, args: str = "") -> Any:
        """Run a slash command and return what its handler returns. Raises: LookupError."""
        return self._loop.run(self._open().run_command(name, args))

    def advance(self, seconds: float) -> None:
        """Let time pass, so that timers fire."""
        self._loop.run(self._open().advance(seconds))

    @property
    def host(self) -> RecordingHost:
        """The session in memory, with everything that it was asked."""
        return self._open().host

    @property
    def extension(self) -> Extension:
        """The only extension, for its registrations."""
        return self._open().extension

    @property
    def tools(self) -> list[str]:
        """Names of the registered tools."""
        return self._open().tools

    @property
    def commands(self) -> list[str]:
        """Names by which commands are typed."""
        return self._open().commands

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a person would be shown."""
        return self._open().diagnostics


class PlainSession(_Plain[ScriptedSession]):
    """A `ScriptedSession` without await. In an async test `async with` gives the session itself."""

    @property
    def session(self) -> Session:
        """The session itself, bound."""
        return self._open().session

    def prompt(self, text: str) -> None:
        """Say something, and wait until nothing goes on any more."""
        self._loop.run(self._open().prompt(text))

    @property
    def events(self) -> list[Any]:
        """Everything that the session told, in order."""
        return self._open().events

    @property
    def texts(self) -> list[str]:
        """What the model said in words, answer by answer."""
        return self._open().texts

    @property
    def results(self) -> list[Any]:
        """The results of tools, in order."""
        return self._open().results

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a person would be shown."""
        return self._open().diagnostics
