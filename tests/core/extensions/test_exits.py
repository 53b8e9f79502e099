"""Loading an extension cannot end the process, whichever way the extension tries."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pi_core.extensions.exits import HeldExit
from tests.core.extensions.support import HELLO, ask, load, write


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos._exit(3)",
        "import os\ndef extension(pi): os._exit(3)",
        "import os\nasync def extension(pi): raise SystemExit",
        "import os\nclass P:\n  def __init__(self): os._exit(3)\n  @hookimpl\n  def pi_turn_end(self): 0",
    ],
)
async def test_an_exit_is_a_failure_to_load(tmp_path: Path, source: str) -> None:
    """ISO 74: it is told like any other, and the next extension loads."""
    bad = write(tmp_path / "bad.py", "from pi_core.api import hookimpl\n" + source)
    loaded = await load(ask(bad), ask(write(tmp_path / "good.py", HELLO)))
    assert 1 == len(loaded.extensions) == len(loaded.errors)
    assert loaded.errors[0].path == str(bad)


async def test_afterwards_the_exit_is_the_real_one(tmp_path: Path) -> None:
    """Whatever came of the load."""
    real = os._exit
    await load(write(tmp_path / "good.py", HELLO), write(tmp_path / "bad.py", "1 / 0"))
    assert real is os._exit


def test_other_threads_exit_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the thread that loads is held back."""
    ended: list[int] = []
    monkeypatch.setattr("pi_core.extensions.exits.REAL_EXIT", ended.append)

    def leave() -> None:
        with pytest.raises(SystemExit):  # as nobody really left
            os._exit(4)

    with HeldExit():
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
        with pytest.raises(SystemExit):
            os._exit(5)
    assert [4] == ended


def test_two_may_hold_and_let_go_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """As loads in two threads do; what is left over lets everybody exit."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", os._exit)  # put back after the test
    monkeypatch.setattr("pi_core.extensions.exits.REAL_EXIT", ended.append)
    first, second = HeldExit(), HeldExit()
    first.__enter__()
    second.__enter__()
    first.__exit__()
    with pytest.raises(SystemExit):  # the second still holds
        os._exit(1)
    second.__exit__()
    assert [] == ended
    with pytest.raises(SystemExit):  # as nobody really left
        os._exit(2)
    assert [2] == ended


if hasattr(os, "fork"):

    def test_a_child_exits_as_ever() -> None:
        """A process forked while loading ends for real, or it would go on as a second host."""
        with HeldExit():
            child = os.fork()
            if child == 0:
                os._exit(7)
        assert 7 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
