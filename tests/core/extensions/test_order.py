"""Who runs before whom: first, plain, last; then rank; then order of registration. A total order."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookspecs import TurnStart
from pi_core.extensions.actions import Runtime
from pi_core.extensions.plans import compile_plan
from pi_core.extensions.registrations import Extension, Registration, WrapperKind
from pi_core.extensions.runner import Runner
from pi_pkg import Provenance
from tests.core.extensions.support import load, write

FLAGS = ["plain", "first", "last"]


def record(runtime: Runtime, flags: list[list[str]], wrapper: WrapperKind = "none") -> list[Extension]:
    """Extensions whose handlers carry these flags, registered in reverse order of rank."""
    extensions = []
    for rank, given_flags in enumerate(flags):
        path = f"E{rank}"
        extension = Extension(path=path, provenance=Provenance(path, "inline", "temporary", "top-level"))
        for flag in given_flags:
            extension.handlers.append(
                Registration(
                    extension=extension,
                    event="turn_start",
                    target=_wrapper if wrapper == "sync" else _handler,
                    sequence=extension.next_sequence(),
                    first=flag == "first",
                    last=flag == "last",
                    wrapper=wrapper,
                    door="hookimpl" if wrapper == "sync" else "on",
                )
            )
        extensions.append(extension)
    for extension in reversed(extensions):
        runtime.commit(extension)
    return extensions


def _handler(event: Any, ctx: Any) -> None:
    """Does nothing."""


def _wrapper(event: Any, ctx: Any) -> Any:
    yield


def expected(flags: list[list[str]]) -> list[str]:
    """The rule, written down once more: owners in the order in which they run."""
    keyed = [
        (("first", "plain", "last").index(flag), rank, place)
        for rank, given_flags in enumerate(flags)
        for place, flag in enumerate(given_flags)
    ]
    return [f"E{rank}" for _, rank, _ in sorted(keyed)]


@given(st.lists(st.lists(st.sampled_from(FLAGS), max_size=4), max_size=5))
def test_handlers_run_by_flag_rank_and_sequence(flags: list[list[str]]) -> None:
    """EVT 127: whatever the flags and whoever registered when, the order is that of the key."""
    runtime = Runtime()
    extensions = record(runtime, flags)
    plan = compile_plan("turn_start", runtime.hooks, {e: rank for rank, e in enumerate(extensions)})
    assert expected(flags) == [handler.owner for handler in plan.handlers]


def test_wrappers_are_ordered_by_the_same_key() -> None:
    """EVT 127: for every set of four flags, the foremost wrapper is the outermost."""
    for flags in itertools.product(FLAGS, repeat=4):
        runtime = Runtime()
        extensions = record(runtime, [[flag] for flag in flags], wrapper="sync")
        plan = compile_plan("turn_start", runtime.hooks, {e: rank for rank, e in enumerate(extensions)})
        assert expected([[flag] for flag in flags]) == [wrapper.owner for wrapper in plan.wrappers]


def test_an_extension_without_a_rank_does_not_take_part() -> None:
    """Only the extensions of the runner are heard."""
    runtime = Runtime()
    extensions = record(runtime, [["plain"], ["plain"]])
    plan = compile_plan("turn_start", runtime.hooks, {extensions[1]: 0})
    assert ["E1"] == [handler.owner for handler in plan.handlers]


async def test_both_doors_share_one_order(tmp_path: Path) -> None:
    """tryfirst of the second door and first of the first door sort together, by rank."""
    hooks = """
        from pi_core.api import hookimpl
        @hookimpl(trylast=True)
        def pi_turn_start(event): event.log.append("hook last")
        @hookimpl(specname="pi_turn_start", tryfirst=True)
        def early(event): event.log.append("hook first")
    """
    listeners = """
        def extension(pi):
            pi.on("turn_start", lambda event, ctx: event.log.append("on last"), last=True)
            pi.on("turn_start", lambda event, ctx: event.log.append("on plain"))
            pi.on("turn_start", lambda event, ctx: event.log.append("on first"), first=True)
    """
    loaded = await load(write(tmp_path / "a.py", listeners), write(tmp_path / "b.py", hooks))
    event: Any = TurnStart(turn_index=0, timestamp=0)
    event.log = []
    await Runner(loaded.extensions, loaded.runtime, cwd="/").emit(event)
    assert ["on first", "hook first", "on plain", "on last", "hook last"] == event.log
