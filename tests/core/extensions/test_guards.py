"""A guard that cannot load refuses every tool call, says which guard it is, and goes with the next reload."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookspecs import ToolCall, TurnStart
from pi_core.api import Block
from pi_core.extensions.guards import guard_name
from pi_core.extensions.loader import LoadRequest
from pi_core.extensions.runner import Runner
from pi_core.testing import Harness
from pi_pkg import Provenance
from tests.core.extensions.support import HELLO, ask, inline, load, write

BASH = ToolCall(tool_name="bash", tool_call_id="1", input={"command": "ls"})


def broken(path: Path, **more: Any) -> LoadRequest:
    """A request for a guard whose library is missing."""
    return ask(write(path, "import surely_not_installed_anywhere"), guard=True, **more)


async def test_a_missing_guard_refuses_tools(tmp_path: Path) -> None:
    """QUIET 86: the call is blocked, and the reason names the guard and what is wrong with it."""
    async with Harness(broken(tmp_path / "gate.py")) as pi:
        answer = await pi.emit(BASH)
    assert answer.block
    assert str(tmp_path / "gate.py") in answer.reason
    assert "surely_not_installed_anywhere" in answer.reason


async def test_no_handler_can_open_it(tmp_path: Path) -> None:
    """The stand-in is asked before those that come first, whatever its rank."""

    def eager(pi: Any) -> None:
        pi.on("tool_call", lambda event, ctx: Block(reason="mine"), first=True)

    loaded = await load(broken(tmp_path / "gate.py"), inline(eager))
    first = await Runner(loaded.extensions, loaded.runtime, cwd="/").emit(BASH)
    last = await Runner(loaded.extensions[::-1], loaded.runtime, cwd="/").emit(BASH)
    assert "guard" in first.reason
    assert last.block


async def test_only_tools_are_refused(tmp_path: Path) -> None:
    """Other extensions work, and other events are told as ever."""
    async with Harness(broken(tmp_path / "gate.py"), write(tmp_path / "good.py", HELLO)) as pi:
        assert ["hello"] == pi.commands
        assert None is await pi.emit(TurnStart(turn_index=0, timestamp=0))


async def test_the_stand_in_is_no_loaded_guard(tmp_path: Path) -> None:
    """It carries the error of the guard, which is among the errors of the load, and a finding of its own."""
    loaded = await load(broken(tmp_path / "gate.py"))
    (extension,) = loaded.extensions
    assert loaded.errors == (extension.stands_in_for,)
    (told,) = extension.diagnostics
    assert ("error", "guard-missing", str(tmp_path / "gate.py")) == (told.severity, told.code, told.path)


async def test_a_guard_that_loads_is_an_extension_like_others(tmp_path: Path) -> None:
    """Nothing stands in for it, and it decides for itself."""
    loaded = await load(ask(write(tmp_path / "gate.py", HELLO), guard=True))
    assert [None] == [extension.stands_in_for for extension in loaded.extensions]
    assert not Runner(loaded.extensions, loaded.runtime, cwd="/").has_handlers("tool_call")


async def test_another_broken_extension_refuses_nothing(tmp_path: Path) -> None:
    """Without `guard = true` a failure leaves the extension out, and that is all."""
    loaded = await load(ask(write(tmp_path / "bad.py", "1 / 0")))
    assert () == loaded.extensions


@pytest.mark.parametrize(
    ("origin", "name"), [("package", "pypi:acme-gate (/x/gate.py)"), ("top-level", "/x/gate.py")]
)
def test_a_guard_is_called_by_its_package(origin: Any, name: str) -> None:
    """Where it came in one; people know packages better than paths."""
    assert name == guard_name("/x/gate.py", Provenance("/x/gate.py", "pypi:acme-gate", "user", origin))
