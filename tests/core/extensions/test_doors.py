"""The second door: functions and methods marked with @hookimpl become the same registrations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookspecs import ToolCall, TurnStart
from pi_core.api import Block, hookimpl
from pi_core.extensions.loader import LoadOutcome
from pi_core.extensions.runner import Runner
from pi_core.testing import Harness
from tests.core.extensions.support import load, load_source, refusal, write

HEAD = "from pi_core.api import Block, hookimpl\nlog = []\n"


async def emitted(loaded: LoadOutcome) -> Any:
    """Emit turn_start; returns the list `log` of the extension's module."""
    assert loaded.errors == ()
    runner = Runner(loaded.extensions, loaded.runtime, cwd="/somewhere")
    failures: list[Any] = []
    runner.on_error(failures.append)
    await runner.emit(TurnStart(turn_index=7, timestamp=0))
    assert failures == []
    target: Any = loaded.extensions[0].handlers[0].target
    return target.__globals__["log"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("event, ctx", "7 /somewhere"),
        ("ctx, event", "7 /somewhere"),
        ("event", "7 -"),
        ("ctx", "- /somewhere"),
        ("", "- -"),
        ("event, ctx=None", "7 /somewhere"),
        ("ctx=None, event=None", "7 /somewhere"),
    ],
)
@pytest.mark.parametrize("form", ["def", "async def"])
async def test_an_implementation_gets_what_it_names(
    tmp_path: Path, form: str, arguments: str, expected: str
) -> None:
    """Arguments are matched by name, in any order, with or without a default."""
    event = "event.turn_index" if "event" in arguments else "'-'"
    ctx = "ctx.cwd" if "ctx" in arguments else "'-'"
    loaded = await load_source(
        tmp_path / "e.py",
        f'{HEAD}@hookimpl\n{form} pi_turn_start({arguments}): log.append(f"{{{event}}} {{{ctx}}}")',
    )
    assert [expected] == await emitted(loaded)


async def test_specname_names_the_event(tmp_path: Path) -> None:
    """A function may be called otherwise than its hook, and one event may have several."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD + "@hookimpl\ndef pi_turn_start(): log.append(1)\n"
        "@hookimpl(specname='pi_turn_start')\ndef again(): log.append(2)\n",
    )
    assert [1, 2] == await emitted(loaded)


async def test_a_function_under_two_names_listens_twice(tmp_path: Path) -> None:
    """One marked function bound to two hook names is two registrations, none is lost."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD + "@hookimpl\ndef pi_turn_start(event, ctx): log.append(event)\npi_turn_end = pi_turn_start\n",
    )
    assert ["turn_start", "turn_end"] == [handler.event for handler in loaded.extensions[0].handlers]


async def test_a_class_is_a_plugin(tmp_path: Path) -> None:
    """The marked methods of a module's class listen, inherited, static and class methods included."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD
        + """
class Base:
    @hookimpl
    def pi_turn_start(self, event): log.append(("base", type(self).__name__, event.turn_index))
class Gate(Base):
    @staticmethod
    @hookimpl(specname="pi_turn_start")
    def static(event): log.append("static")
    @classmethod
    @hookimpl(specname="pi_turn_start")
    def cls_method(cls, event): log.append(cls.__name__)
""",
    )
    assert [("base", "Gate", 7), "static", "Gate"] == await emitted(loaded)


async def test_an_overridden_method_without_a_mark_does_not_listen(tmp_path: Path) -> None:
    """As pluggy has it: the mark belongs to the function, not to the name."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD
        + """
class Base:
    @hookimpl
    def pi_turn_start(self): log.append("base")
class Gate(Base):
    def pi_turn_start(self): log.append("override")
    @hookimpl
    def pi_turn_end(self): pass
""",
    )
    assert ["turn_end"] == [handler.event for handler in loaded.extensions[0].handlers]


async def test_a_class_may_take_the_api(tmp_path: Path) -> None:
    """A plugin class whose constructor takes one argument is handed the API."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD
        + """
class Gate:
    def __init__(self, pi): pi.register_command("gate", print)
    @hookimpl
    def pi_turn_start(self): pass
""",
    )
    assert ["gate"] == list(loaded.extensions[0].commands)


async def test_a_class_that_wants_more_is_refused(tmp_path: Path) -> None:
    """A constructor with two required arguments cannot be called."""
    error = await refusal(
        tmp_path / "e.py",
        HEAD
        + """
class Gate:
    def __init__(self, pi, path): pass
    @hookimpl
    def pi_turn_start(self): pass
""",
    )
    assert "bad-plugin-class" == error.code


async def test_an_instance_named_extension_is_a_plugin(tmp_path: Path) -> None:
    """`extension = Gate(…)` lets the author construct it."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD
        + """
class Gate:
    def __init__(self, name): self.name = name
    @hookimpl
    def pi_turn_start(self): log.append(self.name)
extension = Gate("mine")
""",
    )
    assert ["mine"] == await emitted(loaded)


async def test_both_doors_may_be_open(tmp_path: Path) -> None:
    """A module with hooks and a factory gets both, the hooks first."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD
        + """
def extension(pi): pi.on("turn_start", lambda event, ctx: log.append("factory"))
@hookimpl
def pi_turn_start(): log.append("hook")
""",
    )
    assert ["hook", "factory"] == await emitted(loaded)


@pytest.mark.parametrize(
    "marked",
    [
        "functools.partial(record, 'partial')",
        "_Listener()",
        "_Listener().method",
    ],
)
async def test_marked_objects_that_are_no_functions_listen_too(tmp_path: Path, marked: str) -> None:
    """A marked partial, callable object or bound method is never lost."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD
        + f"""
import functools
def record(what, event, ctx): log.append(what)
class _Listener:
    def __call__(self, event, ctx): log.append("object")
    def method(self, event, ctx): log.append("method")
mark = hookimpl
pi_turn_start = {marked}
mark(getattr(pi_turn_start, "__func__", pi_turn_start))
""",
    )
    assert ["turn_start"] == [handler.event for handler in loaded.extensions[0].handlers]
    runner = Runner(loaded.extensions, loaded.runtime, cwd="/")
    failures: list[Any] = []
    runner.on_error(failures.append)
    await runner.emit(TurnStart(turn_index=0, timestamp=0))
    assert [] == failures


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("pi_tool_cal", "pi_tool_call"), ("pi_sesion_start", "pi_session_start"), ("tool_call", "pi_tool_call")],
)
async def test_a_misspelt_hook_is_refused(tmp_path: Path, name: str, nearest: str) -> None:
    """A hook that does not exist is a dead guard: refused, with the nearest name, file and line."""
    error = await refusal(tmp_path / "e.py", f"{HEAD}@hookimpl\ndef {name}(event, ctx): pass")
    assert "unknown-event" == error.code
    assert repr(nearest) in (error.hint or "")
    assert "e.py:3" in error.message


async def test_an_optional_hook_may_be_unknown(tmp_path: Path) -> None:
    """optionalhook accepts a name of another version; it listens to nothing here."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD + "@hookimpl(optionalhook=True)\ndef pi_from_the_future(event, ctx): pass",
    )
    assert (1, ()) == (len(loaded.extensions), loaded.errors)


@pytest.mark.parametrize("signature", ["event, ctx, more", "payload", "evnt, ctx"])
async def test_an_unknown_argument_is_refused(tmp_path: Path, signature: str) -> None:
    """pluggy checks the names of arguments; the message leads to file and line."""
    error = await refusal(tmp_path / "e.py", f"{HEAD}@hookimpl\ndef pi_turn_start({signature}): pass")
    assert "bad-signature" == error.code
    assert "e.py:3" in error.message


async def test_a_hook_without_its_mark_is_pointed_out(tmp_path: Path) -> None:
    """A function that is called like a hook and carries no mark would guard nothing in silence."""
    loaded = await load_source(
        tmp_path / "e.py",
        HEAD + "@hookimpl\ndef pi_turn_start(): pass\ndef pi_tool_call(event, ctx): return Block('no')",
    )
    (finding,) = loaded.extensions[0].diagnostics
    assert ("hook-unmarked", "warning") == (finding.code, finding.severity)
    assert "pi_tool_call" in finding.message


class Gate:
    """A guard that an embedder has at hand."""

    @hookimpl
    def pi_tool_call(self) -> Block:
        return Block("no")


async def returning(pi: Any) -> Gate:
    return Gate()


@pytest.mark.parametrize(
    "given", [Gate, Gate(), lambda pi: Gate(), returning], ids=["class", "object", "factory", "async"]
)
async def test_hooks_at_hand_are_never_dead(given: Any) -> None:
    """A class, an object, or what a factory hands over: where a file could hold it, it counts."""
    async with Harness(given, strict=True) as pi:
        assert (await pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={}))).block


async def test_an_old_style_wrapper_is_refused(tmp_path: Path) -> None:
    """Only wrapper=True is known; pluggy's older kind is refused with the way to write it."""
    error = await refusal(
        tmp_path / "e.py",
        "import pluggy\n@pluggy.HookimplMarker('pi')(hookwrapper=True)\ndef pi_turn_start(event):\n    yield",
    )
    assert "bad-wrapper" == error.code


async def test_a_generator_that_is_no_wrapper_is_refused(tmp_path: Path) -> None:
    """Without wrapper=True a function with a yield would run nothing."""
    error = await refusal(tmp_path / "e.py", f"{HEAD}@hookimpl\ndef pi_turn_start(event):\n    yield")
    assert "bad-handler" == error.code


@pytest.mark.parametrize("form", ["def", "async def"])
async def test_a_wrapper_surrounds_the_dispatch(tmp_path: Path, form: str) -> None:
    """A sync or async generator marked as wrapper sees the result of all handlers, and may be alone."""
    path = write(
        tmp_path / "w.py",
        f"{HEAD}@hookimpl(wrapper=True)\n{form} pi_tool_call(event):\n"
        "    log.append('before')\n    result = yield\n    log.append(result.reason)\n"
        + ("    return result\n" if form == "def" else ""),
    )
    gate = write(tmp_path / "g.py", HEAD + "@hookimpl\ndef pi_tool_call(event): return Block('no')")
    loaded = await load(path, gate)
    runner = Runner(loaded.extensions, loaded.runtime, cwd="/")
    answer = await runner.emit(ToolCall(tool_name="bash", tool_call_id="1", input={}))
    target: Any = loaded.extensions[0].handlers[0].target
    assert (["before", "no"], "no") == (target.__globals__["log"], answer.reason)
