"""The agent: a state, two queues, and at most one run at a time.

Touches: the clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from hookspecs.definitions import ToolResult
from hookspecs.messages import Message
from pi_core.abort import AbortController, AbortSignal
from pi_core.agent.events import QueueUpdate
from pi_core.agent.loop import Queues, Run, RunParts
from pi_core.agent.ports import LoopHooks
from pi_core.agent.queues import MessageQueue
from pi_core.agent.state import AgentState
from pi_core.agent.tool_args import ArgumentChecks
from pi_core.errors import AgentError, BusyError
from pi_core.providers.base import Connect


class NothingToContinueError(AgentError):
    """A run without prompts was asked for, and there is nothing that a model could answer."""

    def __init__(self) -> None:
        super().__init__("Nothing to continue: no prompt, nothing queued, and the last message is an answer.")


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Agent:
    """Runs the loop over `state`. The host may edit the state and the queues' modes at any time."""

    def __init__(self, state: AgentState, hooks: LoopHooks, connect: Connect) -> None:
        self.state = state
        self.steering = MessageQueue()
        self.follow_ups = MessageQueue()
        self._hooks = hooks
        self._queues = Queues(self.steering, self.follow_ups)
        self._parts = RunParts(state, hooks, self._queues, connect, ArgumentChecks(), now_ms)
        self._run: Run | None = None
        self._controller: AbortController | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def is_running(self) -> bool:
        """True from the start of a run to its end."""
        return self._run is not None

    @property
    def signal(self) -> AbortSignal | None:
        """The signal of the run that goes on; None when idle."""
        return self._controller.signal if self._controller is not None else None

    async def run(
        self, prompts: Sequence[Message] = (), *, controller: AbortController | None = None
    ) -> list[Message]:
        """One run. Without prompts it goes on from the conversation and from what is queued.

        Returns the new messages in order; an error is the last of them, not an exception. A
        `controller` lets the caller abort from before the run on; otherwise the run has its own.

        Raises: BusyError, NothingToContinueError.
        """
        if self._run is not None:
            raise BusyError
        if not prompts and not self._may_continue():
            raise NothingToContinueError
        self._controller = controller or AbortController()
        self._run = Run(self._parts, self._controller.signal)
        self._idle.clear()
        try:
            return await self._run.drive(prompts)
        finally:
            self._run = self._controller = None
            self._idle.set()

    def abort(self, reason: Any = None) -> None:
        """Ask the run to end; nothing happens when idle. What is queued stays queued."""
        if self._controller is not None:
            self._controller.abort(reason)

    async def wait_for_idle(self) -> None:
        """Return when no run goes on."""
        await self._idle.wait()

    async def steer(self, message: Message) -> None:
        """Queue a message for after the current turn, and tell so."""
        self.steering.push(message)
        await self._hooks.emit(self._queues.update())

    async def follow_up(self, message: Message) -> None:
        """Queue a message for when the run would end, and tell so."""
        self.follow_ups.push(message)
        await self._hooks.emit(self._queues.update())

    def clear_queues(self) -> tuple[list[Message], list[Message]]:
        """Empty both queues without telling. Returns what waited, oldest first: steering, follow-ups."""
        return self.steering.clear(), self.follow_ups.clear()

    def queue_update(self) -> QueueUpdate:
        """What the person still waits for."""
        return self._queues.update()

    async def execute_tool(self, parent_tool_call_id: str, name: str, arguments: Any) -> ToolResult:
        """Run a tool for a tool that is running, through the same checks and hooks; never raises for it.

        Raises: RuntimeError when no turn goes on.
        """
        if self._run is None or self._run.tools is None:
            raise RuntimeError("a tool can call another one only while a run goes on")
        return await self._run.tools.run_nested(parent_tool_call_id, name, arguments)

    def _may_continue(self) -> bool:
        messages = self.state.messages
        waiting = len(self.steering) + len(self.follow_ups)
        return bool(waiting) or bool(messages and messages[-1].role != "assistant")
