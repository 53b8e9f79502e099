"""Commands that the person runs beside the conversation."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import BashExecutionMessage
from pi_core.api import Bash, BashResult, ExtensionAPI
from pi_core.errors import DisposedError, UserCommandError
from pi_core.providers.transcript import for_model
from pi_core.session.session import Session
from tests.core.session.test_compaction import answers
from tests.support.session_bench import Factory, SessionBench


def kept(session: Session) -> list[BashExecutionMessage]:
    """The commands in the conversation."""
    return [message for message in session.messages if isinstance(message, BashExecutionMessage)]


async def test_74_a_command_joins_the_conversation(tmp_path: Path) -> None:
    """74: its output is told piece by piece; the next request has it as a text of the person."""
    pieces: list[str] = []

    async def run(session: Session) -> None:
        result = await session.execute_bash("echo out; exit 2", on_chunk=pieces.append, execution_id="7")
        assert BashResult(output="out\n", exit_code=2) == result
        await session.prompt("go")
        text = str(for_model(session.messages, session.model)[0].content)
        assert ("Ran `echo out; exit 2`" in text, "exited with code 2" in text) == (True, True)

    bench = await SessionBench(tmp_path, ["ok"]).run(then=run)
    updates = bench.of_type("bash_execution_update")
    assert ("out\n", {"7"}) == ("".join(pieces), {update["id"] for update in updates})
    assert pieces == [update["delta"] for update in updates]
    assert ["bashExecution", "user", "assistant"] == [m.role for m in bench.store.build_context().messages]


async def test_75_a_command_during_a_run_waits_for_its_end(tmp_path: Path) -> None:
    """75: nothing comes between the messages of an activity; then the command is stored, and told nobody."""

    async def run(session: Session) -> None:
        running = asyncio.ensure_future(session.prompt("go"))
        await bench.until("message_end user")
        await session.execute_bash("true")
        assert [] == kept(session)
        await running
        assert ["user", "assistant", "bashExecution"] == [message.role for message in session.messages]

    bench = SessionBench(tmp_path, [{"text": "some words", "pace_s": 0.1}])
    await bench.run(then=run)
    assert ["user", "assistant", "bashExecution"] == [m.role for m in bench.store.build_context().messages]


async def test_a_command_may_be_kept_from_the_model(tmp_path: Path) -> None:
    """It stays in the history."""

    async def run(session: Session) -> None:
        await session.execute_bash("echo secret", exclude_from_context=True)
        assert ([True], []) == (
            [message.exclude_from_context for message in kept(session)],
            for_model(session.messages, session.model),
        )

    await SessionBench(tmp_path).run(then=run)


async def test_a_command_is_stopped(tmp_path: Path) -> None:
    """What it printed stays; it has no exit code."""

    async def run(session: Session) -> None:
        began = asyncio.Event()
        running = asyncio.ensure_future(
            session.execute_bash("echo begun; sleep 600", on_chunk=lambda piece: began.set())
        )
        await began.wait()
        session.abort_bash()
        assert BashResult(output="begun\n", cancelled=True) == await running
        assert [True] == [message.cancelled for message in kept(session)]

    await SessionBench(tmp_path).run(then=run)


async def test_the_end_of_a_session_stops_commands(tmp_path: Path) -> None:
    """And no further one begins."""

    async def run(session: Session) -> None:
        began = asyncio.Event()
        running = asyncio.ensure_future(
            session.execute_bash("echo begun; sleep 600", on_chunk=lambda piece: began.set())
        )
        await began.wait()
        await session.dispose()
        assert (await running).cancelled
        with pytest.raises(DisposedError):
            await session.execute_bash("true")

    await SessionBench(tmp_path).run(then=run)


async def test_a_long_output_is_in_a_file(tmp_path: Path) -> None:
    """The message has its end, and names the file."""

    async def run(session: Session) -> None:
        result = await session.execute_bash("seq 1 5000")
        assert (True, True) == (result.truncated, result.output.rstrip().endswith("5000"))
        path = Path(result.full_output_path or "")
        assert path.read_text(encoding="utf-8").startswith("1\n2\n")
        path.unlink()

    await SessionBench(tmp_path).run(then=run)


async def test_an_extension_answers_for_a_command(tmp_path: Path) -> None:
    """Nothing runs; what it says is kept like any other."""
    given = Bash(result={"output": "elsewhere", "exitCode": 3})

    async def run(session: Session) -> None:
        assert BashResult(output="elsewhere", exit_code=3) == await session.execute_bash("touch here")
        assert (["elsewhere"], False) == (
            [message.output for message in kept(session)], (tmp_path / "here").exists(),
        )  # fmt: skip

    await SessionBench(tmp_path, [], answers("user_bash", given)).run(then=run)


class Elsewhere:
    """Operations of an extension. `hangs` waits until it is stopped."""

    def __init__(self, code: Any = 0, *, hangs: bool = False) -> None:
        self.code, self.hangs = code, hangs
        self.calls: list[tuple[str, str]] = []

    async def exec(self, command: str, cwd: str, *, on_data: Any, signal: Any, env: Any) -> Any:
        self.calls.append((command, cwd))
        on_data(b"there\n")
        if self.hangs:
            await signal.wait()
            raise OSError("the line is cut")
        if isinstance(self.code, Exception):
            raise self.code
        return self.code


@pytest.mark.parametrize(("code", "expected"), [(4, 4), ({"exitCode": 5}, 5), (None, None)])
async def test_an_extension_runs_a_command_elsewhere(code: Any, expected: Any, tmp_path: Path) -> None:
    """It gets command and folder, tells output as bytes or text, and returns the exit code."""
    there, pieces = Elsewhere(code), list[str]()

    async def run(session: Session) -> None:
        result = await session.execute_bash("ls", on_chunk=pieces.append)
        assert (BashResult(output="there\n", exit_code=expected), ["there\n"]) == (result, pieces)

    await SessionBench(tmp_path, [], answers("user_bash", Bash(operations=there))).run(then=run)
    assert [("ls", str(tmp_path))] == there.calls


async def test_a_command_elsewhere_is_stopped(tmp_path: Path) -> None:
    """By the signal; what it then raises is no failure."""
    there = Elsewhere(hangs=True)

    async def run(session: Session) -> None:
        running = asyncio.ensure_future(
            session.execute_bash("ls", on_chunk=lambda piece: session.abort_bash())
        )
        assert BashResult(output="there\n", cancelled=True) == await running

    await SessionBench(tmp_path, [], answers("user_bash", Bash(operations=there))).run(then=run)


def raises(pi: ExtensionAPI) -> None:
    """An extension that fails when it is asked."""

    @pi.on("user_bash")
    def broken(event: Any, ctx: Any) -> None:
        raise ValueError("q")


REFUSALS: dict[str, Factory] = {
    "a handler that fails (U02)": raises,
    "an empty answer (U01)": answers("user_bash", {}),
    "two ways (U03)": answers("user_bash", {"result": {"output": "o"}, "operations": Elsewhere()}),
    "operations that fail": answers("user_bash", Bash(operations=Elsewhere(OSError("no line")))),
}


@pytest.mark.parametrize("extension", REFUSALS.values(), ids=REFUSALS)
async def test_what_refuses_a_command(extension: Factory, tmp_path: Path) -> None:
    """Nothing runs here instead, and nothing is kept."""

    async def run(session: Session) -> None:
        with pytest.raises(UserCommandError):
            await session.execute_bash("touch here")
        assert ([], False, False) == (kept(session), (tmp_path / "here").exists(), session.bash.is_running)

    await SessionBench(tmp_path, [], extension).run(then=run)


async def test_a_shell_that_is_not_there(tmp_path: Path) -> None:
    """Is an error that says so."""

    async def run(session: Session) -> None:
        with pytest.raises(UserCommandError, match="no-shell"):
            await session.execute_bash("true")

    await SessionBench(tmp_path, settings='shell-path = "/no-shell"\n').run(then=run)
