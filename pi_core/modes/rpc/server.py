"""The conversation with the client: its commands run side by side, and its end is ours.

Touches: standard input, standard output, and whatever the session touches.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.errors import AgentError
from pi_core.modes.base import Output, Stopper, say, strays_told
from pi_core.modes.rpc.call import Call, Command, response
from pi_core.modes.rpc.deltas import Deltas
from pi_core.modes.rpc.framing import Framing, Line, Record, Unreadable
from pi_core.modes.rpc.records import Records
from pi_core.modes.rpc.stdin import pieces_of, protected_stdin
from pi_core.modes.rpc.table import COMMANDS
from pi_core.modes.rpc.ui import RpcUI
from pi_core.session.events import BashExecutionUpdate, ExtensionError, SessionEvent
from pi_core.session.runtime import SessionRuntime
from pi_core.session.session import Session
from pi_core.session.warming import warm_up
from pi_core.session.wire_events import wire_event
from pi_pkg import Diagnostic, PackageError

AT_ONCE: Final = 10_000
"""How many commands may be in progress. More are refused; to read no further could leave dialogs open."""
LAST_WORDS_S: Final = 2.0
"""How long commands in progress may take once the client has closed its side."""
STAYS_AFTER_S: Final = 0.5
"""A client that is still there then will say more."""
ENDING: Final = "pi is shutting down"


class Server:
    """Serves one client with the session that `runtime` holds, whichever that is."""

    def __init__(self, runtime: SessionRuntime, records: Records) -> None:
        self._runtime = runtime
        self._records = records
        self._ui = RpcUI(records.write, self._not_offered, _dialog_limit(runtime.session))
        self._deltas = Deltas()
        self._calls: dict[asyncio.Task[None], Call] = {}
        self._begun = asyncio.Event()
        self._asked_to_end = asyncio.Event()
        self._reading: asyncio.Future[None] | None = None
        self._ending = False
        self._warming: asyncio.Future[None] | None = None

    async def serve(self, pieces: AsyncIterator[bytes]) -> None:
        """Bind the session, and serve until the client closes its side or an extension wants the end."""
        runtime = self._runtime
        self._set_pace(runtime.session)
        off = runtime.on_session(self._set_pace)
        self._reading = reading = asyncio.ensure_future(self._read(pieces))
        shutdown = asyncio.ensure_future(self._end_is_due())
        try:
            with strays_told(runtime):
                await self._bind(reading)
                await asyncio.wait({reading, shutdown}, return_when=asyncio.FIRST_COMPLETED)
                self._ending = True
                if reading.done():
                    await self._hear_out()
        finally:
            off()
            shutdown.cancel()

    async def stop(self) -> None:
        """Let go of everything that waits for the client, and stop what goes on."""
        self.let_go()
        await self._runtime.abort()

    def let_go(self) -> None:
        """Nothing waits for the client any more."""
        self._ending = True
        self._ui.leave()
        self._records.set_free()

    async def drop_calls(self) -> None:
        """Give up what is still in progress; every command that was read has an answer then."""
        for task in (self._reading, *self._calls):
            if task is not None:
                task.cancel()
        if self._calls:
            await asyncio.wait(self._calls, timeout=LAST_WORDS_S)

    def tell(self, event: SessionEvent) -> None:
        """The record of an event. A failure of an extension has its finding in it."""
        match event:
            case ExtensionError() if event.diagnostic.severity != "info":
                self._records.write(
                    {
                        "type": event.type,
                        "extensionPath": event.extension_path,
                        "event": event.event,
                        "error": event.error,
                        "diagnostic": event.diagnostic.to_json(),
                    }
                )
            case BashExecutionUpdate():
                fitting = self._deltas.fitting(event, room=not self._records.is_full)
                if fitting is not None:
                    self._records.write(wire_event(fitting))
            case _:
                self._records.write(wire_event(event))

    # the beginning and the end

    async def _bind(self, reading: asyncio.Future[None]) -> None:
        """Commands wait until the session is bound; answers to its first dialogs do not."""
        binding = asyncio.ensure_future(
            self._runtime.bind(
                mode="rpc",
                ui=self._ui,
                on_shutdown=self._asked_to_end.set,
                before_invalidate=self._ui.clear,
            )
        )
        try:
            await asyncio.wait({binding, reading}, return_when=asyncio.FIRST_COMPLETED)
            if not binding.done():
                self._ui.leave()  # the client is gone before we began
            await binding
        finally:
            binding.cancel()
        self._begun.set()

    async def _end_is_due(self) -> None:
        """Return when an extension asked for the end, and what goes on has ended.

        A command that waits for something, such as a dialog, gets a moment and no more.
        """
        await self._asked_to_end.wait()
        await self._runtime.wait_for_idle()
        if self._calls:
            await asyncio.wait(self._calls, timeout=LAST_WORDS_S)

    async def _hear_out(self) -> None:
        """The client says nothing more: what it asked for gets its answers, but a run does not go on."""
        self._ui.leave()
        try:
            async with asyncio.timeout(LAST_WORDS_S):
                for call in tuple(self._calls.values()):
                    await call.answered.wait()
        except TimeoutError:
            pass  # the end does not wait any longer

    def _set_pace(self, session: Session) -> None:
        session.parts.channel.pace = self._records.room

    # what comes in

    async def _read(self, pieces: AsyncIterator[bytes]) -> None:
        framing = Framing()
        async for piece in pieces:
            for line in framing.feed(piece):
                await self._take_safely(line)
            await asyncio.sleep(0)  # what was read begins before more is read
        for line in framing.close():
            await self._take_safely(line)

    async def _take_safely(self, line: Line) -> None:
        try:
            await self._take(line)
        except Exception as error:  # noqa: BLE001 - no line of a client ends the session
            self._report("rpc", error)

    async def _take(self, line: Line) -> None:
        match line:
            case Unreadable(reason=reason):
                self._refuse({}, "parse", f"Failed to parse command: {reason}")
            case Record(value=value) if value.get("type") == "extension_ui_response":
                self._ui.answer(value)
            case Record(value=value):
                self._dispatch(value)
                if self._records.is_crowded:
                    await self._records.room()

    def _dispatch(self, given: Mapping[str, Any]) -> None:
        name, envelope = given.get("type"), {"id": given["id"]} if "id" in given else {}
        if not isinstance(name, str):
            return self._refuse(envelope, "parse", 'Failed to parse command: "type" names the command')
        command = COMMANDS.get(name)
        if command is None:
            return self._refuse(envelope, name, f"Unknown command: {name}")
        if (mistake := command.mistake(given)) is not None:
            return self._refuse(envelope, name, mistake)
        if self._ending:
            return self._refuse(envelope, name, ENDING)
        if len(self._calls) >= AT_ONCE:
            return self._refuse(envelope, name, f"{AT_ONCE} commands are in progress")
        call = Call(self._runtime, self._records, self._ui, given)
        task = asyncio.get_running_loop().create_task(self._run(command, call), name=f"pi-rpc-{name}")
        self._calls[task] = call
        task.add_done_callback(lambda done: self._calls.pop(done, None))
        return None

    def _refuse(self, envelope: Mapping[str, Any], command: str, error: str) -> None:
        self._records.write(response(envelope, command, success=False, error=error))

    async def _run(self, command: Command, call: Call) -> None:
        try:
            await self._begun.wait()
            call.succeed(await command.run(call))
            self._warm_up()
            self._deltas.end(call.given.get("id"))
        except asyncio.CancelledError:
            call.fail(ENDING if self._ending else "cancelled")
            raise
        except (AgentError, PackageError, OSError) as error:
            self._tell_failure(call, command, error)
        except Exception as error:  # noqa: BLE001 - a command ends no session
            self._report(command.name, error)
            call.fail(text_of_error(error))

    def _warm_up(self) -> None:
        """Once a client has its first answer, there is time for what the first prompt will need.

        One that asks a question and goes away shall not wait for it at the end, so it has a moment to go.
        """
        if self._warming is None:
            self._warming = asyncio.ensure_future(self._warm_up_soon())

    async def _warm_up_soon(self) -> None:
        await asyncio.sleep(STAYS_AFTER_S)
        if not self._ending:
            await warm_up(self._runtime.session)

    def _tell_failure(self, call: Call, command: Command, error: Exception) -> None:
        """An answer if there was none yet; what goes wrong later is an event like others."""
        if call.answered.is_set():
            self._report(command.name, error)
        call.fail(str(error))

    def _report(self, asked: str, error: Exception) -> None:
        report = self._runtime.session.parts.channel.report
        report(Failure("<runtime>", asked, text_of_error(error), error=error))

    def _not_offered(self, method: str, wrong: str) -> None:
        text = f"a {method} dialog was answered in a way that was not offered: {wrong}"
        finding = Diagnostic("warning", "ui-answer-refused", "ui", text)
        self._runtime.session.parts.channel.report(finding)


def _dialog_limit(session: Session) -> float | None:
    """`[ui] dialog-limit-s` of the settings: when a dialog without a time limit of its own ends."""
    limit = session.parts.settings.get("ui", "dialog-limit-s")
    return float(limit) if isinstance(limit, int | float) and limit > 0 else None


async def run_rpc(runtime: SessionRuntime, output: Output, stopper: Stopper) -> int:
    """Serve the client to its end; the session has ended then, and everything that was told is written."""

    def flooded() -> None:
        say("pi: the client does not read what it is told, and counts as gone.")
        stopper.stop(1)

    with protected_stdin() as descriptor:
        records = Records(output, flooded)
        server = Server(runtime, records)
        with runtime.subscribe(server.tell):
            try:
                await stopper.run(server.serve(pieces_of(descriptor)), on_stop=server.stop)
            finally:
                server.let_go()
                await runtime.dispose()
                await server.drop_calls()
                await records.finish()
    return 0
