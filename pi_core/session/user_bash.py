"""Commands that the person runs beside the conversation, and which the model may read about later.

Extensions may run a command elsewhere, answer for it, or refuse it. What came of it joins the
conversation, never in the middle of a run.

Touches: files, processes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from hookspecs.events.input import Bash, BashResult, UserBash
from hookspecs.messages import BashExecutionMessage
from hookspecs.unset import UNSET
from pi_core.abort import AbortController
from pi_core.agent.agent import now_ms
from pi_core.agent.state import AgentState
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.plan import HandlerFailed
from pi_core.errors import UserCommandError
from pi_core.session.activity import Activities
from pi_core.session.events import BashExecutionUpdate
from pi_core.session.generation import SessionParts
from pi_core.session.recorder import Recorder
from pi_core.tools.operations import LocalShell, exit_code
from pi_core.tools.output_tail import OutputTail

OnChunk = Callable[[str], None]


class UserCommands:
    """The person's commands of one session. Any number may run at once."""

    def __init__(
        self, parts: SessionParts, recorder: Recorder, state: AgentState, activities: Activities
    ) -> None:
        self._parts = parts
        self._recorder = recorder
        self._state = state
        self._activities = activities
        self._running: set[AbortController] = set()
        self._waiting: list[BashExecutionMessage] = []

    @property
    def is_running(self) -> bool:
        """Whether a command is under way."""
        return bool(self._running)

    async def execute(
        self,
        command: str,
        exclude_from_context: bool,
        on_chunk: OnChunk | None,
        execution_id: str | int | None,
    ) -> BashResult:
        """Run a command to its end and put it into the conversation.

        Raises: UserCommandError if an extension refused it, or it could not start; nothing is kept then.
        """
        controller = AbortController()
        self._running.add(controller)

        def tell(piece: str) -> None:
            if on_chunk is not None:
                on_chunk(piece)
            self._parts.channel.tell(BashExecutionUpdate(delta=piece, id=execution_id))

        try:
            answer = await self._ask(command, exclude_from_context)
            result = await self._carry_out(command, answer, controller, tell)
        finally:
            self._running.discard(controller)
        self._keep(command, result, exclude_from_context)
        return result

    def abort(self) -> None:
        """Stop every command that is under way; does not wait for it."""
        for controller in tuple(self._running):
            controller.abort()

    def flush(self) -> None:
        """Put down what ended while a run was on, oldest first."""
        waiting, self._waiting = self._waiting, []
        for message in waiting:
            self._put_down(message)

    async def _ask(self, command: str, exclude_from_context: bool) -> Bash | None:
        runner = self._parts.runner
        if not runner.has_handlers("user_bash"):
            return None
        cwd = str(self._parts.cwd)
        event = UserBash(command=command, cwd=cwd, exclude_from_context=exclude_from_context)
        try:
            answer: Bash | None = await runner.emit(event)
        except HandlerFailed as failed:
            raise UserCommandError(command, f"an extension refused it: {failed}") from failed
        return answer

    async def _carry_out(
        self, command: str, answer: Bash | None, controller: AbortController, tell: OnChunk
    ) -> BashResult:
        if controller.signal.aborted:
            return BashResult(output="", cancelled=True)
        if answer is None:
            return await self._run_here(command, controller, tell)
        if isinstance(answer.result, BashResult):
            return answer.result
        if answer.operations is UNSET:
            raise UserCommandError(command, "an extension answered without a way to run it")
        return await self._run_there(command, answer.operations, controller, tell)

    async def _run_here(self, command: str, controller: AbortController, tell: OnChunk) -> BashResult:
        shell = self._parts.generation.shell
        output = _Output(tell, shell.output_directory)
        try:
            ended = await LocalShell(shell.shell_path).run(
                shell.full_command(command),
                cwd=str(self._parts.cwd),
                env=shell.full_environ(),
                timeout_s=None,
                signal=controller.signal,
                on_output=output.add,
            )
        except BaseException:
            output.close()
            raise
        if ended.spawn_error is not None:
            output.close()
            raise UserCommandError(command, ended.spawn_error)
        return output.result(None if ended.aborted else ended.code, cancelled=ended.aborted)

    async def _run_there(
        self, command: str, operations: Any, controller: AbortController, tell: OnChunk
    ) -> BashResult:
        """By an extension: `exec(command, cwd, on_data=…, signal=…, env=…)` gives the exit code."""
        shell = self._parts.generation.shell
        output = _Output(tell, shell.output_directory)
        try:
            ended = operations.exec(
                command,
                str(self._parts.cwd),
                on_data=output.add,
                signal=controller.signal,
                env=shell.full_environ(),
            )
            code = exit_code(await ended if inspect.isawaitable(ended) else ended)
        except FAILURES as error:
            pass_interrupt(error)
            if not controller.signal.aborted:
                output.close()
                raise UserCommandError(command, str(error) or type(error).__name__) from error
            code = None
        except BaseException:
            output.close()
            raise
        aborted = controller.signal.aborted
        return output.result(None if aborted else code, cancelled=aborted)

    def _keep(self, command: str, result: BashResult, exclude_from_context: bool) -> None:
        message = BashExecutionMessage(
            command=command,
            output=result.output,
            exit_code=result.exit_code,
            cancelled=result.cancelled,
            truncated=result.truncated,
            full_output_path=result.full_output_path,
            exclude_from_context=exclude_from_context or None,
            timestamp=now_ms(),
        )
        if self._activities.busy:
            self._waiting.append(message)
        else:
            self._put_down(message)

    def _put_down(self, message: BashExecutionMessage) -> None:
        self._recorder.message(message)
        self._state.messages.append(message)


class _Output:
    """What a command prints: told as it comes, its end kept."""

    def __init__(self, tell: OnChunk, directory: str | None) -> None:
        self._tell = tell
        self._tail = OutputTail(directory=directory)

    def add(self, piece: str | bytes) -> None:
        text = piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece
        self._tail.add(text)
        self._tell(text)

    def close(self) -> None:
        self._tail.close()

    def result(self, code: int | None, *, cancelled: bool) -> BashResult:
        shown = self._tail.close()
        return BashResult(
            output=shown.content,
            exit_code=code,
            cancelled=cancelled,
            truncated=shown.truncated,
            full_output_path=self._tail.path,
        )
