"""What every mode shares: the one way to standard output, how findings are told, an orderly end on signals.

Touches: standard output, standard error, process signals.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import select
import signal
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar

from hookspecs.messages import ImageContent
from hookspecs.values import dataclass
from pi_core.dispatch.failing import pass_interrupt
from pi_core.session.events import AutoRetryStart, CompactionEnd, DiagnosticFound, ExtensionError
from pi_core.session.plain import plain

if TYPE_CHECKING:
    from hookspecs.context import Mode
    from pi_core.session.events import SessionEvent
    from pi_core.session.runtime import SessionRuntime
    from pi_pkg import Diagnostic

T = TypeVar("T")

STOP_SIGNALS: Final[Mapping[str, int]] = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
"""Signal name → exit code. A platform that lacks one simply never gets it."""

QUIET: Final = frozenset({"stale-context", "handler-interrupted"})
"""Codes of what is no news to a person: old handles that find their session gone, and the wake of an abort.
They are in the stream of events, in `session.diagnostics` and in the log."""

READER_GONE: Final = (errno.EPIPE, *((errno.EINVAL,) if sys.platform == "win32" else ()))
"""How a system says that nobody reads any more."""

GRACE_S: Final = 15.0
"""How long an orderly end may take after a signal before the process is ended as it is."""
STOP_S: Final = 4.0
"""How long the work may take to end by itself once it is asked to, and again once it is cancelled."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing to say to the agent."""

    text: str
    images: tuple[ImageContent, ...] = ()


async def converse(runtime: SessionRuntime, prompts: Sequence[Prompt], mode: Mode) -> None:
    """Bind the session, say the prompts one after another, and wait until nothing is left to do.

    A prompt goes to whichever session is there when its turn comes. What extensions let slip into the
    loop is theirs.
    """
    with strays_told(runtime):
        await runtime.bind(mode=mode)
        for prompt in prompts:
            await runtime.session.prompt(prompt.text, images=prompt.images)
        await runtime.wait_for_idle()


@contextmanager
def strays_told(runtime: SessionRuntime) -> Iterator[None]:
    """Report what extensions let slip into the loop, to whichever session is there then."""

    def on_stray(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        runtime.session.parts.runner.on_stray(loop, context)

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(on_stray)
    try:
        yield
    finally:
        loop.set_exception_handler(None)


class Output:
    """Protocol and answer bytes on their way to whoever started the process.

    When the reader goes away, or the bytes cannot be kept, `closed` becomes true, `on_closed` is called
    once, and later text is dropped. A reader that has seen enough is no failure; `failure` says what is one.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._at_terminal = os.isatty(descriptor)
        self.closed = False
        self.failure: str | None = None
        self.on_closed: Callable[[], None] | None = None

    def write(self, text: str) -> None:
        """Write all of the text, waiting for a slow reader. Lone surrogates become question marks."""
        data = memoryview(text.encode("utf-8", "replace"))
        while data and not self.closed:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:  # a pipe that its owner made so; it is full
                select.select([], [self._descriptor], [])
            except OSError as error:
                self._close(error)

    def show(self, text: str) -> None:
        """Write what others said: a terminal shows it and obeys nothing in it, all else gets it as it is."""
        self.write(cleaned(text) if self._at_terminal else text)

    def write_json(self, value: Any) -> None:
        """Write one record: a line that holds no other line feed."""
        self.write_document(json_line(value))

    def write_document(self, text: str) -> None:
        """Write JSON texts. What a terminal would obey stands there as its escape, which means the same."""
        if self._at_terminal:
            from pi_core.clean import clean_json  # start-up time: programs read through a pipe

            text = clean_json(text)
        self.write(text)

    def _close(self, error: OSError) -> None:
        self.closed = True
        if error.errno not in READER_GONE:
            self.failure = error.strerror or str(error)
            say(f"pi: cannot write to standard output: {self.failure}.")
        if self.on_closed is not None:
            self.on_closed()


def say(text: str) -> None:
    """A line on standard error; one that nobody can read any more is dropped."""
    try:
        print(text_for(sys.stderr, text), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass  # a closed pipe, or a closed stream


def text_for(stream: TextIO | None, text: str) -> str:
    """The text as a stream gets it: clean if that is a terminal."""
    return cleaned(text) if stream is not None and stream.isatty() else text


def cleaned(text: str) -> str:
    """The text with nothing in it that a terminal would obey."""
    from pi_core.clean import clean  # start-up time: only a terminal needs it

    return clean(text)


class Repeats:
    """Which of many equal failures a person is shown: a timer or a stream tells hundreds of them."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def shown(self, event: ExtensionError) -> int:
        """How often it came by now, if it is told this time, the 1st, 10th, 100th, … one; else 0."""
        key = event.extension_path, event.event, event.error
        self._counts[key] += 1
        times = self._counts[key]
        return times if str(times).strip("0") == "1" else 0


def counted(text: str, times: int) -> str:
    """A text with how often it came, if that is more than once."""
    return text if times == 1 else f"{text} ({times} times)"


def finding_teller() -> Callable[[SessionEvent], None]:
    """A listener that tells findings, and of equal failures only some."""
    repeats = Repeats()

    def listen(event: SessionEvent) -> None:
        times = repeats.shown(event) if isinstance(event, ExtensionError) else 1
        if times:
            tell_finding(event, times)

    return listen


def tell_finding(event: SessionEvent, times: int = 1) -> None:
    """A line for an event that is a finding, or that makes a person wait; nothing for all others.

    `times` is how often a failure came by now.
    """
    match event:
        case AutoRetryStart():
            wait = f"trying again in {event.delay_ms / 1000:g} s"
            say(f"pi: {event.error_message}; {wait} ({event.attempt} of {event.max_attempts})")
        case CompactionEnd(error_message=str(error)):
            say(f"pi: the conversation was not shortened: {error}")
        case ExtensionError(diagnostic=diagnostic) if diagnostic.code not in QUIET:
            place = f"extension {diagnostic.severity} ({event.extension_path}, {event.event})"
            say(counted(f"{place}: {event.error}", times))
        case DiagnosticFound(diagnostic=diagnostic) if diagnostic.code not in QUIET:
            say(finding_line(diagnostic))
        case _:
            pass


def finding_line(finding: Diagnostic) -> str:
    """How bad it is, where it is, what it is and what to do, on one line."""
    place = f"{finding.path}: " if finding.path and finding.path not in finding.message else ""
    end = "" if finding.message.endswith((".", "!", "?", ":")) else "."
    hint = f"{end} {finding.hint}" if finding.hint else ""
    severity = "" if finding.severity == "info" else f"{finding.severity}: "
    return f"pi: {severity}{place}{finding.message}{hint}"


def json_line(value: Any) -> str:
    """One JSON text and one line feed. Values that JSON does not know are written as their text."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError):  # objects, numbers that are none, halves of characters
        text = json.dumps(plain(value), separators=(",", ":"))
    return text + "\n"


@contextmanager
def protected_stdout() -> Iterator[Output]:
    """Keep standard output for `Output`: whatever else writes there lands on standard error.

    It holds for `print`, for libraries written in C and for child processes, and is undone at the end.
    """
    sys.stdout.flush()
    kept_stdout, kept_descriptor = sys.stdout, os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield Output(kept_descriptor)
    finally:
        sys.stdout = kept_stdout
        os.dup2(kept_descriptor, 1)
        os.close(kept_descriptor)


def run_to_the_end(work: Coroutine[Any, Any, int], *, leave_after_s: float = 1.0) -> int:
    """Run the work in an event loop of its own and return its code.

    An exit, or an interrupt, that comes out of a task or a callback of somebody else does not end the work.
    Tasks that it leaves behind are cancelled and get `leave_after_s` to end; no longer than that is waited.
    """
    loop = asyncio.new_event_loop()
    try:
        asyncio.set_event_loop(loop)
        code = _carried_through(loop, loop.create_task(work))
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=leave_after_s))
            loop.set_exception_handler(lambda *_: None)  # what is still pending would complain at the end
        loop.run_until_complete(loop.shutdown_asyncgens())
        return code
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _carried_through(loop: asyncio.AbstractEventLoop, work: asyncio.Task[int]) -> int:
    """Run the loop until the work is done. What stops it before is told to the loop's exception handler."""
    while True:
        try:
            return loop.run_until_complete(work)
        except (SystemExit, KeyboardInterrupt) as error:
            if work.done():
                raise
            pass_interrupt(error)
            loop.call_exception_handler({"message": "the event loop was told to end", "exception": error})


class Stopped(Exception):
    """The process was asked to end. `code` is its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"stopped with code {code}")
        self.code = code


class Stopper:
    """Turns the first signal into an orderly end, and makes sure that there is one.

    After `GRACE_S`, or at a second signal, the process ends as it is, whatever an extension is doing.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, *, grace_s: float = GRACE_S) -> None:
        self._loop = loop
        self._grace_s = grace_s
        self._asked: asyncio.Future[int] = loop.create_future()
        self._code: int | None = None
        self._guard: threading.Timer | None = None

    def stop(self, code: int) -> None:
        """Ask for the end. The first code counts; may be called from a signal handler."""
        if self._code is None:
            self._code = code
            self._loop.call_soon_threadsafe(self._announce, code)

    def _announce(self, code: int) -> None:
        if not self._asked.done():
            self._asked.set_result(code)

    async def run(self, work: Awaitable[T], *, on_stop: Callable[[], Awaitable[None]] | None = None) -> T:
        """The result of the work, unless the end is asked for first.

        Then `on_stop` may let the work finish by itself; what is left of it is cancelled.
        Raises `Stopped` in that case, and what the work raised in the other.
        """
        task = asyncio.ensure_future(work)
        try:
            either: set[asyncio.Future[Any]] = {task, self._asked}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not self._asked.done():
                return await task
            if on_stop is not None:
                await asyncio.wait({asyncio.ensure_future(on_stop())}, timeout=STOP_S)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=STOP_S)
        raise Stopped(self._asked.result())

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Listen to the stop signals; the handlers of before return at the end."""
        before = {}
        for name, code in STOP_SIGNALS.items():
            number = getattr(signal, name, None)
            if number is not None:
                before[number] = signal.signal(number, self._handler(code))
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            if self._guard is not None:
                self._guard.cancel()

    def _handler(self, code: int) -> Callable[[int, FrameType | None], None]:
        def handle(_number: int, _frame: FrameType | None) -> None:
            if self._code is not None:
                os._exit(self._code)
            self._guard = threading.Timer(self._grace_s, os._exit, (code,))
            self._guard.daemon = True
            self._guard.start()
            self.stop(code)

        return handle
