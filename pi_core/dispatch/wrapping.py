"""Wrappers: generators around a whole dispatch, in which tracing, timing and policy are written.

A wrapper yields once, and receives the result, or the exception thrown in. What it then
yields or, if it is a plain generator, returns takes the place of the result; None keeps it.
A swallowed exception without another result gives None, but not where the event refuses on
failure: there the refusal stands. Cancellation always stands. Every wrapper that was entered
is left, from the inside out, whatever the others do.

Touches: nothing but the wrappers it is given.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any, TypeAlias

from hookspecs.values import dataclass
from pi_core.dispatch.algebra import Law
from pi_core.dispatch.failing import is_failure
from pi_core.dispatch.plan import Failure, HandlerFailed, Plan, Report, Wrapper, kind_of_error, text_of_error
from pi_core.dispatch.timing import Running

Dispatch: TypeAlias = Callable[..., Awaitable[Any]]


async def surround(
    dispatch: Dispatch, event: Any, plan: Plan, ctx: Any, law: Law, report: Report, running: Running
) -> Any:
    """Enter the wrappers from the outside in, dispatch, and leave them from the inside out.

    A wrapper counts as a listener: what is copied for the first one is copied before it runs.
    """
    fold = law.begin(event, report) if law.listens else None
    view = fold.view() if fold is not None and fold.fresh else event
    inner = Plan(plan.handlers)
    around = Surroundings(event, law, report, running)
    ending = Ending()
    entered: list[Entered] = []
    for wrapper in plan.wrappers:
        running.handler = wrapper
        ending = await around.enter(wrapper, view, ctx, entered)
        if ending.error is not None:
            break
    if ending.error is None:
        try:
            ending = Ending(await dispatch(event, inner, ctx, law, report, running, fold))
        except BaseException as error:  # noqa: BLE001 - raised again when the wrappers are left
            ending = Ending(error=error)
    for one in reversed(entered):
        running.handler = one.wrapper
        ending = await around.leave(one, ending)
    if ending.error is not None:
        raise ending.error
    return ending.result


@dataclass(frozen=True, slots=True)
class Ending:
    """How the dispatch ended, as seen from outside the innermost wrapper: a result or an error."""

    result: Any = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Entered:
    """A wrapper that stands at its yield."""

    wrapper: Wrapper
    generator: Any

    async def start(self) -> bool:
        """Run to the first yield. False: there was none."""
        finished, _ = await self.resume(Ending())
        return not finished

    async def resume(self, ending: Ending) -> tuple[bool, Any]:
        """Hand the ending in. Returns whether it finished, and what it returned or yielded."""
        generator, error = self.generator, ending.error
        try:
            if self.wrapper.is_async:
                step = generator.asend(ending.result) if error is None else generator.athrow(error)
                return False, await step
            return False, generator.send(ending.result) if error is None else generator.throw(error)
        except StopIteration as stop:
            return True, stop.value
        except StopAsyncIteration:
            return True, None

    async def close(self) -> None:
        """Run it to its end after its second yield. Raises RuntimeError at a third."""
        finished, _ = await self.resume(Ending())
        if finished:
            return
        if self.wrapper.is_async:
            await self.generator.aclose()
        else:
            self.generator.close()
        raise RuntimeError("a wrapper yields once, and once more to replace the result; this one went on")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The entering and leaving of wrappers around one dispatch."""

    event: Any
    law: Law
    report: Report
    running: Running

    async def enter(self, wrapper: Wrapper, view: Any, ctx: Any, entered: list[Entered]) -> Ending:
        """Run a wrapper up to its yield and add it to `entered`; one that fails is left out."""
        try:
            generator = wrapper.call(view, ctx)
            if not isinstance(generator, AsyncGenerator if wrapper.is_async else Generator):
                raise TypeError(f"a wrapper must give a generator, not a {type(generator).__name__}")
            one = Entered(wrapper, generator)
            if not await one.start():
                raise RuntimeError("the wrapper ended without a yield")
        except BaseException as error:  # noqa: BLE001 - the others must still be left
            return self._failed(wrapper, self._verdict(error), Ending())
        entered.append(one)
        if self.running.interruption is not None:
            return self._failed(wrapper, self._verdict(None), Ending())
        return Ending()

    async def leave(self, one: Entered, ending: Ending) -> Ending:
        """Run a wrapper to its end. What it cannot change is passed on as it was."""
        try:
            finished, value = await one.resume(ending)
        except BaseException as error:  # noqa: BLE001 - the outer ones must still be left
            if error is ending.error and self.running.interruption is None:
                return ending
            return self._failed(one.wrapper, self._verdict(error), ending)
        if self.running.interruption is not None:
            return self._failed(one.wrapper, self._verdict(None), ending)
        ending = self._replaced(one.wrapper, value, ending)
        if finished:
            return ending
        try:
            await one.close()
        except BaseException as error:  # noqa: BLE001 - as above
            return self._failed(one.wrapper, self._verdict(error), ending)
        return ending

    def _verdict(self, error: BaseException | None) -> BaseException:
        """What the end of the running wrapper counts as; a cancellation of the caller as itself."""
        try:
            return self.running.verdict(error)
        except CancelledError as cancelled:
            return cancelled

    def _replaced(self, wrapper: Wrapper, value: Any, ending: Ending) -> Ending:
        """The ending after a wrapper finished, with the value it gave, if any."""
        error = ending.error
        if error is not None and not isinstance(error, Exception):
            return ending
        if value is None:
            return ending if error is None or self.law.refuses else Ending()
        try:
            return Ending(self.law.adopt(value, self.event, wrapper, self.report))
        except HandlerFailed as refusal:
            return Ending(error=refusal)

    def _failed(self, wrapper: Wrapper, error: BaseException, ending: Ending) -> Ending:
        """The ending after a wrapper itself raised: reported, and a refusal where the event refuses."""
        if not is_failure(error):
            return ending if _stands(ending) else Ending(error=error)
        kind = kind_of_error(error, "wrapper")
        failure = Failure(wrapper.owner, self.law.row.event, text_of_error(error), kind, error)
        try:
            self.report(failure)
        except Exception as broken:  # noqa: BLE001 - a raising listener ends the dispatch, after the leaving
            return ending if _stands(ending) else Ending(error=broken)
        if not self.law.refuses or _stands(ending):
            return ending
        refusal = HandlerFailed(failure)
        refusal.__cause__ = error
        return Ending(error=refusal)


def _stands(ending: Ending) -> bool:
    """Whether the dispatch ends by a cancellation or an interrupt, which nothing may replace."""
    return ending.error is not None and not isinstance(ending.error, Exception)
