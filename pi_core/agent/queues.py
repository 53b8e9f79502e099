"""Messages that wait for their turn: first in, first out, one at a time or all at once.

A message that was taken stays listed until it is delivered, so that a run that
breaks off in between loses nothing.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from hookspecs.messages import Message, UserMessage, text_of

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]


class MessageQueue:
    """One queue. `mode` says how much `take` hands out and may change at any time."""

    def __init__(self, mode: QueueMode = "one-at-a-time") -> None:
        self.mode: QueueMode = mode
        self._leaving: list[Message] = []
        self._waiting: list[Message] = []

    def __len__(self) -> int:
        return len(self._leaving) + len(self._waiting)

    def push(self, message: Message) -> None:
        """Put a message at the end."""
        self._waiting.append(message)

    def take(self) -> list[Message]:
        """The messages to deliver now, oldest first; empty if none waits."""
        count = len(self._waiting) if self.mode == "all" else 1
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        self._leaving.extend(taken)
        return taken

    def deliver(self, message: Message) -> bool:
        """Note that a taken message arrives now. False if it never was in this queue."""
        for index, leaving in enumerate(self._leaving):
            if leaving is message:
                del self._leaving[index]
                return True
        return False

    def restore(self) -> None:
        """Put what was taken and not delivered back to the front."""
        self._waiting = [*self._leaving, *self._waiting]
        self._leaving = []

    def clear(self) -> list[Message]:
        """Empty the queue. Returns what was in it, oldest first."""
        self.restore()
        cleared, self._waiting = self._waiting, []
        return cleared

    def texts(self) -> list[str]:
        """What the person still waits for: the texts of the user messages, oldest first."""
        return texts_of([*self._leaving, *self._waiting])


def texts_of(messages: Iterable[Message]) -> list[str]:
    """The texts of the user messages among these, in order."""
    return [text_of(message.content) for message in messages if isinstance(message, UserMessage)]
