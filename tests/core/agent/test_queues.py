"""Queued messages: their order, their number, and that none is lost."""

from __future__ import annotations

from hookspecs.messages import CustomMessage, UserMessage
from pi_core.agent.queues import MessageQueue

A, B, C = (UserMessage(content=name) for name in "ABC")


def filled(mode: str = "one-at-a-time") -> MessageQueue:
    queue = MessageQueue("all" if mode == "all" else "one-at-a-time")
    for message in (A, B, C):
        queue.push(message)
    return queue


def test_one_at_a_time() -> None:
    """By default each `take` hands out the oldest message."""
    queue = filled()
    assert [[A], [B], [C], []] == [queue.take() for _ in range(4)]


def test_all_at_once() -> None:
    """In mode "all" one `take` hands out everything."""
    queue = filled("all")
    assert [[A, B, C], []] == [queue.take(), queue.take()]


def test_a_message_is_listed_until_it_is_delivered() -> None:
    """13.A 13: the listed texts shrink by one with each delivery."""
    queue = filled("all")
    queue.take()
    assert ["A", "B", "C"] == queue.texts()
    assert queue.deliver(A)
    assert ["B", "C"] == queue.texts()


def test_delivery_goes_by_identity() -> None:
    """An equal message that was never queued is not taken for a queued one."""
    queue = filled()
    queue.take()
    assert not queue.deliver(UserMessage(content="A"))


def test_what_was_not_delivered_comes_first_again() -> None:
    """After a broken run the order is as if nothing had been taken."""
    queue = filled()
    queue.take()
    queue.restore()
    assert ["A", "B", "C"] == queue.texts()
    assert [A] == queue.take()


def test_clear_returns_everything() -> None:
    """Clearing gives back what waited, oldest first."""
    queue = filled()
    queue.take()
    assert [A, B, C] == queue.clear()
    assert 0 == len(queue)


def test_custom_messages_are_not_listed() -> None:
    """Only user messages are shown as waiting; custom ones wait unseen."""
    queue = MessageQueue()
    queue.push(CustomMessage(custom_type="x", content="hidden"))
    assert ([], 1) == (queue.texts(), len(queue))
