"""The chat wire as servers really speak it: some give all calls of an answer the same place.

There another id is another call, wherever it stands; what comes without an id goes on with the last one.

Touches: network.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

from openai.types.chat.chat_completion_chunk import Choice
from pydantic_ai.messages import ModelResponseStreamEvent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

from hookspecs.values import dataclass


@dataclass(slots=True)
class Places:
    """Where each call of an answer belongs. Places are numbers, in the order in which calls begin."""

    _current: dict[int, tuple[str, int]] = field(default_factory=dict)
    _count: int = 0

    def place(self, index: int | None, call_id: str | None) -> int:
        """The place of a piece that says to belong to `index`, with the id if it has one."""
        known = self._current.get(index or 0)
        if known is None or (call_id and known[0] and call_id != known[0]):
            known = (call_id or "", self._count)
            self._count += 1
        self._current[index or 0] = (known[0] or call_id or "", known[1])
        return known[1]


@dataclass
class ChatAnswer(OpenAIStreamedResponse):
    """An answer whose calls are kept apart."""

    _places: Places = field(default_factory=Places, init=False)

    def _map_tool_call_delta(self, choice: Choice) -> Iterable[ModelResponseStreamEvent]:
        for piece in choice.delta.tool_calls or ():
            piece.index = self._places.place(piece.index, piece.id)
        return super()._map_tool_call_delta(choice)


class ChatModel(OpenAIChatModel):
    """A model on the chat wire."""

    @property
    def _streamed_response_cls(self) -> type[Any]:
        return ChatAnswer
