"""The interactive mode: how soon it is there, what a stream costs, how it opens a long conversation.

Touches: files, processes, pseudo terminals.
"""

from __future__ import annotations

import asyncio
import gc
import os
import pty
import select
import struct
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Mapping, Sequence
from fcntl import ioctl
from pathlib import Path
from statistics import median, quantiles
from termios import TIOCSWINSZ

from hookspecs.messages import (
    AssistantContent,
    AssistantMessage,
    TextContent,
    ToolCallContent,
    ToolResultMessage,
    UserMessage,
)
from pi_core.agent import events as e
from pi_core.bootstrap import RunRequest, prepare
from pi_core.history.sessions import create_session
from pi_core.history.store import SessionStore
from pi_core.modes.tui.app import Opened, PiApp
from pi_core.modes.tui.desk import Desk
from pi_core.modes.tui.mode import keep_what_is_loaded
from pi_core.providers import base as p
from pi_core.providers.models import SCRIPTED
from pi_pkg import Locations
from tests.bench.measure import BIN, quiet_environ

ROUNDS = 5
DELTAS, CHARS = 2000, 12
MESSAGES = 5000
BARE = """
from textual.app import App, ComposeResult
from textual.widgets import Static
class Bare(App):
    def compose(self) -> ComposeResult:
        yield Static("It is there")
Bare().run()
"""
PARAGRAPH = "Some **bold** text with `code` and a [link](https://example.org), long enough to be wrapped.\n\n"
LIST = (
    "- one item\n- another *item*\n\n```python\ndef answer() -> int:\n    return 42\n```\n\n## A heading\n\n"
)


def first_paint_s(arguments: Sequence[str], sign: bytes, cwd: Path, environ: Mapping[str, str]) -> float:
    """Seconds from the start of a program to the moment at which it has painted a sign on a terminal."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(arguments[0], list(arguments), dict(environ))
    started = time.perf_counter()
    ioctl(master, TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    seen = b""
    while sign not in seen:
        if not select.select([master], [], [], 30)[0]:
            raise TimeoutError(f"{arguments[0]} painted nothing like {sign!r}")
        try:
            seen += os.read(master, 65536)
        except OSError as error:
            raise RuntimeError(f"{arguments[0]} ended: {seen[-2000:].decode('utf-8', 'replace')}") from error
    spent = time.perf_counter() - started
    os.kill(pid, 9)
    os.close(master)
    os.waitpid(pid, 0)
    return spent


def answer(app: PiApp) -> Callable[[str], None]:
    """Begin an answer; what is returned adds a piece to it."""
    message = AssistantMessage()
    assert app.attached is not None
    hear = app.attached.feed.hear
    hear(e.MessageStart(message=message))

    def add(piece: str) -> None:
        event = p.TextDelta(content_index=0, delta=piece)
        hear(e.MessageUpdate(message=message, assistant_message_event=event))

    return add


def running(use: Callable[[PiApp], Awaitable[float]]) -> float:
    """What a use of the application measures, with a screen of 100 by 40 and a session of its own."""

    async def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)

            async def opening(_: Desk) -> Opened:
                request = RunRequest(locations=Locations(place / "agent", place, place), mode="tui")
                return Opened(await (await prepare(request)).begin())

            app = PiApp(opening, when_open=keep_what_is_loaded)
            async with app.run_test(size=(100, 40)) as pilot:
                while not app.attached:
                    await pilot.pause(0.01)
                await pilot.pause(0.1)
                measured = await use(app)
            await app.runtime.dispose()
            return measured

    return asyncio.run(run())


def pieces() -> list[str]:
    text = (PARAGRAPH + LIST) * (DELTAS * CHARS // len(PARAGRAPH + LIST) + 1)
    return [text[at : at + CHARS] for at in range(0, DELTAS * CHARS, CHARS)]


class Stalls:
    """The longest time for which the loop worked without coming round; what others take does not count."""

    def __init__(self) -> None:
        self.worst_s = 0.0

    async def watch(self) -> None:
        last = time.process_time()
        while True:
            await asyncio.sleep(0)
            now = time.process_time()
            self.worst_s = max(self.worst_s, now - last)
            last = now


async def stream(app: PiApp, *, pause_s: float, measure: str) -> float:
    stalls = Stalls()
    watching = asyncio.ensure_future(stalls.watch()) if measure == "stall" else None
    add = answer(app)
    started = time.process_time()
    for piece in pieces():
        add(piece)
        await asyncio.sleep(pause_s)
    await asyncio.sleep(0.2)
    spent = time.process_time() - started
    if watching is not None:
        watching.cancel()
    return stalls.worst_s * 1000 if measure == "stall" else spent


async def typing(app: PiApp, clock: Callable[[], float] = time.perf_counter) -> float:
    """The 95th percentile of the milliseconds from a key to its letter on the screen, under a stream."""
    add = answer(app)

    async def pour() -> None:
        for piece in pieces():
            add(piece)
            await asyncio.sleep(0.02)

    pouring = asyncio.ensure_future(pour())
    taken = []
    for number in range(120):
        letter = "abcdefgh"[number % 8]
        before = len(app.editor.text)
        started = clock()
        app.simulate_key(letter)
        while len(app.editor.text) == before or app.editor in app.screen._dirty_widgets:  # noqa: ASYNC110
            await asyncio.sleep(0.001)  # nobody tells that it is painted
        taken.append((clock() - started) * 1000)
        await asyncio.sleep(0.03)
    pouring.cancel()
    return quantiles(taken, n=20)[18]


def said(content: list[AssistantContent]) -> AssistantMessage:
    return AssistantMessage(content=content, provider=SCRIPTED, model=SCRIPTED)


def long_conversation(folder: Path, cwd: Path) -> SessionStore:
    """A conversation of 5,000 messages: prompts, answers, calls and their results."""
    store = create_session(folder, str(cwd))
    store.append_model_change(SCRIPTED, SCRIPTED)
    for number in range(MESSAGES // 4):
        call = ToolCallContent(id=f"c{number}", name="bash", arguments={"command": f"echo {number}"})
        store.append_message(UserMessage(content=f"Question {number}: " + PARAGRAPH))
        store.append_message(said([TextContent(text=PARAGRAPH * 3), call]))
        store.append_message(
            ToolResultMessage(
                tool_call_id=call.id, tool_name="bash", content=[TextContent(text="line\n" * 20)]
            )
        )
        store.append_message(said([TextContent(text=PARAGRAPH + LIST)]))
    return store


async def opening_ms(app: PiApp, store: SessionStore) -> float:
    started = time.perf_counter()
    assert app.attached is not None
    app.attached.feed.restore(store.get_branch())
    app.log_view.settle()
    await asyncio.sleep(0)
    assert app.log_view.line(app.log_view.virtual_size.height - 1).text.strip()
    return (time.perf_counter() - started) * 1000


async def memory_ratio(app: PiApp, store: SessionStore) -> float:
    """Bytes that the log takes for each byte of text, after all of it was scrolled through."""
    text = sum(len(str(getattr(entry, "message", ""))) for entry in store.get_entries())
    gc.collect()
    tracemalloc.start()
    assert app.attached is not None
    app.attached.feed.restore(store.get_branch())
    app.log_view.settle()
    for _ in range(400):
        app.log_view.move(-40)
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return taken / text


def rows() -> list[tuple[str, float, float | None]]:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        home = Path(folder, "home")
        environ = {**quiet_environ(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        home.mkdir()
        store = long_conversation(Path(folder, "sessions"), project)
        session = [str(BIN / "pi"), "--session", store.session_file or ""]
        commands: list[tuple[list[str], bytes]] = [
            ([sys.executable, "-c", BARE], b"It is there"),
            ([str(BIN / "pi")], b"sk anything"),
            ([str(BIN / "pi")], b"Scripted"),
            (session, b"answer"),
        ]
        times = [
            [first_paint_s(words, sign, project, environ) for words, sign in commands] for _ in range(ROUNDS)
        ]
        bare, painted, opened, long = (median(column) for column in zip(*times, strict=True))
        return [
            ("first paint of a bare application (ms)", bare * 1000, None),
            ("first paint / bare application", painted / bare, 2.0),
            ("session there / bare application", opened / bare, None),
            (f"{MESSAGES} messages, start to first paint of them (ms)", long * 1000, None),
            (f"{MESSAGES} messages more than none (ms)", (long - opened) * 1000, 1000.0),
            (
                f"{MESSAGES} messages into the log and painted (ms)",
                running(lambda app: opening_ms(app, store)),
                1000.0,
            ),
            (f"{MESSAGES} messages, memory / text", running(lambda app: memory_ratio(app, store)), 3.0),
            (
                f"{DELTAS} deltas at once, CPU (s)",
                running(lambda app: stream(app, pause_s=0, measure="cpu")),
                1.0,
            ),
            (
                f"{DELTAS} deltas at once, worst stall (ms)",
                running(lambda app: stream(app, pause_s=0, measure="stall")),
                60.0,
            ),
            (
                f"{DELTAS} deltas at 200 a second, CPU (s)",
                running(lambda app: stream(app, pause_s=0.005, measure="cpu")),
                None,
            ),
            (
                f"{DELTAS} deltas at 200 a second, worst stall (ms)",
                running(lambda app: stream(app, pause_s=0.005, measure="stall")),
                60.0,
            ),
            ("typing under 50 deltas a second, 95th percentile (ms)", running(typing), 30.0),
            (
                "the same, without what other programs took (ms)",
                running(lambda app: typing(app, time.process_time)),
                30.0,
            ),
        ]
