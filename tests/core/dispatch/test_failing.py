"""An interrupt that code raises is a failure of it; Ctrl-C of a person is none, however it arrives."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from pi_core.dispatch.failing import is_failure, pass_interrupt


@pytest.fixture
def sigint() -> Iterator[None]:
    """The handler of the process is put back."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def raised_by(work: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as found:  # noqa: PT011 - each test says which
        work()
    return found.value


def press() -> None:
    """What Ctrl-C does to a process in the middle of something."""
    signal.raise_signal(signal.SIGINT)
    for _ in range(1000):
        pass


def says(error: type[BaseException]) -> None:
    raise error


def reads_and_gives_up() -> None:
    try:
        says(EOFError)
    except EOFError as error:
        raise KeyboardInterrupt from error


def tidies_up() -> None:
    try:
        press()
    finally:
        sorted([2, 1])


def raises_again() -> None:
    try:
        press()
    except KeyboardInterrupt:
        raise


def raises_its_own() -> None:
    try:
        press()
    except KeyboardInterrupt:
        raise KeyboardInterrupt("enough") from None


class Program:
    """An embedder with a handler of its own."""

    def end(self, _number: int, _frame: object, word: str = "") -> None:
        raise KeyboardInterrupt(word)


@pytest.mark.parametrize(
    "work",
    [partial(says, KeyboardInterrupt), reads_and_gives_up, partial(says, SystemExit), partial(says, OSError)],
)
def test_what_code_raises_is_its_failure(work: Callable[[], object]) -> None:
    """An interrupt in so many words is as good as an exit or any exception."""
    error = raised_by(work)
    pass_interrupt(error)
    assert is_failure(error)


@pytest.mark.parametrize(
    "handler", [signal.default_int_handler, Program().end, partial(Program().end, word="x")]
)
@pytest.mark.parametrize("work", [press, tidies_up, raises_again, raises_its_own])
def test_ctrl_c_passes_through(sigint: None, handler: Any, work: Callable[[], object]) -> None:
    """It is raised again, as itself, whatever code did when it met it."""
    signal.signal(signal.SIGINT, handler)
    error = raised_by(work)
    assert not is_failure(error)
    with pytest.raises(KeyboardInterrupt) as again:
        pass_interrupt(error)
    assert error is again.value
