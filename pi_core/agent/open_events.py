"""What was started and not ended: so that a run that breaks leaves nothing open.

Pure.
"""

from __future__ import annotations

from hookspecs.messages import AssistantMessage, Message
from pi_core.agent.events import (
    LoopEvent,
    MessageEnd,
    MessageStart,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
)
from pi_core.agent.ports import Listener
from pi_core.agent.results import error_result


class OpenEvents:
    """Passes events on and keeps count of the open ones."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._message: Message | None = None
        self._calls: dict[str, ToolExecutionStart] = {}
        self._turn: TurnStart | None = None
        self._next_turn = 0

    @property
    def message(self) -> Message | None:
        """The message that was started and not ended."""
        return self._message

    async def emit(self, event: LoopEvent) -> None:
        """Tell the listener. An event counts as told even if the listener fails."""
        match event:
            case MessageStart(message=message):
                self._message = message
            case MessageEnd():
                self._message = None
            case ToolExecutionStart(tool_call_id=call_id):
                self._calls[call_id] = event
            case ToolExecutionEnd(tool_call_id=call_id):
                self._calls.pop(call_id, None)
            case TurnStart():
                self._turn = event
            case TurnEnd(turn_index=index):
                self._turn = None
                self._next_turn = index + 1
            case _:
                pass
        await self._listener.emit(event)

    async def close(self, failure: AssistantMessage) -> None:
        """End what is open; `failure` is the answer of the open turn, or of a turn of its own."""
        for call in list(self._calls.values()):
            await self._end_call(call, failure.error_message or "")
        turn = self._turn
        if turn is None:
            turn = TurnStart(turn_index=self._next_turn, timestamp=failure.timestamp)
            await self.emit(turn)
        if not isinstance(self._message, AssistantMessage):
            if self._message is not None:
                await self.emit(MessageEnd(message=self._message))
            await self.emit(MessageStart(message=failure))
        await self.emit(MessageEnd(message=failure))
        await self.emit(TurnEnd(message=failure, tool_results=[], turn_index=turn.turn_index))

    async def _end_call(self, call: ToolExecutionStart, text: str) -> None:
        await self.emit(
            ToolExecutionEnd(
                tool_call_id=call.tool_call_id,
                tool_name=call.tool_name,
                result=error_result(text, details={}),
                is_error=True,
                parent_tool_call_id=call.parent_tool_call_id,
            )
        )
