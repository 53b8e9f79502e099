"""The messages of a request pass from handler to handler: what each may change, and what is lost.

Pure.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from hookspecs import Context, ContextWithSystem, UserMessage
from pi_core.dispatch.fields import get
from tests.core.dispatch.kit import Function, tell


def user(text: str) -> UserMessage:
    return UserMessage(content=text)


def texts(messages: Any) -> list[Any]:
    return [get(message, "content") for message in messages]


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


async def result_of(*handlers: Function, given: tuple[Any, ...] = ()) -> list[Any]:
    messages: list[Any] = [*given] or [user("a")]
    told = await tell(Context(messages=messages), *handlers)
    return texts(told.result)


def appending(text: str) -> Function:
    """Edits the list in place and says nothing."""
    return lambda event, ctx: event.messages.append(user(text))


def silent(event: Any, ctx: Any) -> None:
    return None


def failing_after(edit: Function) -> Function:
    def handler(event: Any, ctx: Any) -> None:
        edit(event, ctx)
        raise ValueError("x")

    return handler


async def test_edits_in_place_add_up() -> None:
    """Every handler sees the list as the one before left it, said or unsaid, the last one included."""
    assert ["a", "b", "c"] == await result_of(appending("b"), silent, appending("c"))


async def test_a_failing_handler_loses_its_own_edits_only() -> None:
    """Those before it and after it stay."""
    handlers = appending("b"), silent, failing_after(appending("lost")), silent, appending("c")
    assert ["a", "b", "c"] == await result_of(*handlers)
    assert ["a"] == await result_of(failing_after(appending("lost")))


async def test_edits_inside_of_messages_stay() -> None:
    """Also those of a handler that fails: the messages are copies, and they are the same for all."""

    def edit(event: Any, ctx: Any) -> None:
        event.messages[0].content += "!"

    assert ["a!!"] == await result_of(edit, failing_after(edit), silent)


async def test_assigning_a_field_changes_nothing() -> None:
    """Only an answer replaces the list; the next handler gets it as it was."""
    seen: list[Any] = []

    def assign(event: Any, ctx: Any) -> None:
        event.messages = [user("mine")]

    def look(event: Any, ctx: Any) -> None:
        seen.append(texts(event.messages))

    assert ["a", "b"] == await result_of(appending("b"), assign, look)
    assert [["a", "b"]] == seen


async def test_every_handler_has_an_event_of_its_own() -> None:
    """What one notes on its event the next does not see."""
    seen: list[bool] = []

    def note(event: Any, ctx: Any) -> None:
        seen.append(hasattr(event, "note"))
        event.note = "mine"

    await result_of(note, note, note)
    assert [False, False, False] == seen


async def test_an_answer_comes_after_edits() -> None:
    """A list that is answered takes the place of the edited one, and is passed on."""

    def answer(event: Any, ctx: Any) -> Any:
        event.messages.append(user("edited"))
        return {"messages": [user("b"), *event.messages[:1]]}

    assert ["b", "a", "c"] == await result_of(appending("lost"), answer, appending("c"))


async def test_replacing_a_message_by_an_equal_one_counts() -> None:
    """A copy that is equal today may be edited tomorrow: it is the copy that is sent."""
    mine = user("a")

    def swap(event: Any, ctx: Any) -> None:
        event.messages[0] = mine

    def edit(event: Any, ctx: Any) -> None:
        event.messages[0].content = "edited"

    assert ["edited"] == await result_of(swap, silent, edit)
    assert "edited" == mine.content


class Incomparable:
    content = "odd"
    role = "user"

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment] # as Python does it


async def test_a_message_that_cannot_be_compared_is_passed_on() -> None:
    """The look at what a handler left does not fail over an odd object."""

    def swap(event: Any, ctx: Any) -> None:
        event.messages[0] = Incomparable()

    assert ["odd", "b"] == await result_of(swap, silent, appending("b"))


async def test_a_wrapper_edits_a_list_of_its_own() -> None:
    """Handlers get the list as it came, whatever the wrapper does to the one it sees."""

    async def wrapper(event: Any, ctx: Any) -> AsyncGenerator[None, Any]:
        event.messages.append(user("mine"))
        yield

    told = await tell(Context(messages=[user("a")]), appending("b"), wrappers=[wrapper])
    assert ["a", "b"] == texts(told.result)


async def test_system_messages_keep_their_places_until_somebody_changes_the_list() -> None:
    """Handlers do not see them; after a change they stand at the head, as one."""
    given = user("a"), system("s1"), user("b"), system("s2")
    assert ["a", "s1", "b", "s2"] == await result_of(silent, silent, given=given)
    assert ["s1\n\ns2", "a", "b", "c"] == await result_of(silent, appending("c"), silent, given=given)
    failing = failing_after(appending("lost"))
    assert ["a", "s1", "b", "s2"] == await result_of(failing, silent, given=given)


@pytest.mark.parametrize("handlers", [(), (silent,), (silent, silent)])
async def test_the_history_is_out_of_reach(handlers: tuple[Function, ...]) -> None:
    """With listeners the messages are copies; without, they are the caller's own."""
    message = user("a")
    told = await tell(Context(messages=[message]), *handlers)
    assert (not handlers) is (told.result[0] is message)


async def test_the_whole_transcript_is_one_list() -> None:
    """In context_with_system a failing handler's edits stay, and a removed head is reported."""

    def behead(event: Any, ctx: Any) -> None:
        del event.messages[0]

    event = ContextWithSystem(messages=[system("s"), user("a")])
    told = await tell(event, failing_after(appending("b")), behead)
    assert (["a", "b"], ["raised", "system-head-removed"]) == (texts(told.result), told.kinds)
