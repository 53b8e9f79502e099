"""Asks the providers of extensions which models they have now, and puts the answers in force.

Each answer has the time of a handler. Until it is there, and where there is none, the list is as it
was. What is under way ends with its load.

Touches: whatever the functions of the providers touch, and what finding a key touches.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from math import isinf
from typing import Any, Final

from hookspecs.definitions import ProviderConfig, RefreshModelsContext
from hookspecs.values import dataclass
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.dispatch.plan import Failure, FailureKind, text_of_error
from pi_core.extensions.actions import Runtime
from pi_core.extensions.registrations import Extension
from pi_core.extensions.reports import RUNTIME_OWNER
from pi_core.providers.auth_file import StoredLogin
from pi_core.providers.models import MalformedEntry, Provider
from pi_core.providers.registry import ModelRegistry

EVENT: Final = "refresh_models"
_ASKING: ContextVar[bool] = ContextVar("asking", default=False)
"""Whether this is a provider's answer being made: one that asks for fresh lists would wait for itself."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a provider answered, or the error that it failed by."""

    value: Any = None
    error: BaseException | None = None


def make_refreshable(registry: ModelRegistry, runtime: Runtime) -> None:
    """Let `registry.refresh()` ask the providers that the extensions of `runtime` registered."""
    registry.refresher = ModelRefresh(registry, runtime).run


class ModelRefresh:
    """The fresh lists of one load. A provider that is being asked is not asked a second time meanwhile."""

    def __init__(self, registry: ModelRegistry, runtime: Runtime) -> None:
        self._registry = registry
        self._runtime = runtime
        self._under_way: dict[str, asyncio.Task[None]] = {}

    async def run(self, patience_s: float | None = None) -> None:
        """Ask them all at once. Returns when each has answered, failed or run out of time.

        After `patience_s` it returns all the same, and answers count as they come.
        """
        if self._runtime.stale is not None or _ASKING.get():
            return
        tasks = {self._task(provider) for provider in self._registry.refreshable()}
        if tasks:
            await asyncio.wait(tasks, timeout=patience_s)

    def _task(self, provider: Provider) -> asyncio.Task[None]:
        name = provider.name
        if (running := self._under_way.get(name)) is not None:
            return running
        owner = self._runtime.refreshers.get(name)
        task = self._runtime.background.spawn(owner, EVENT, self._renewed(provider, owner))
        self._under_way[name] = task
        task.add_done_callback(lambda _: self._under_way.pop(name, None))
        return task

    async def _renewed(self, provider: Provider, owner: Extension | None) -> None:
        limit_s = self._runtime.watch.budgets.handler_s
        asked = self._runtime.background.spawn(owner, EVENT, self._answer(provider))
        await asyncio.wait({asked}, timeout=None if isinf(limit_s) else limit_s)
        kind: FailureKind = "raised"
        error: BaseException | None = None
        problem: str | None
        if not asked.done():
            asked.cancel()
            problem, kind = f"it gave no list within {limit_s:g} s", "overdue"
        elif asked.cancelled():
            problem = "what it waited for was cancelled"
        elif (error := asked.result().error) is not None:
            problem = text_of_error(error)
        else:
            problem, kind = self._put_in_force(provider, asked.result().value), "wrong-answer"
        if problem is not None and self._is_wanted(provider):
            path = RUNTIME_OWNER if owner is None else owner.path
            text = f"provider {provider.name}: {problem.rstrip('.')}; its models stay as they are"
            self._runtime.report(Failure(path, EVENT, text, kind, error))

    async def _answer(self, provider: Provider) -> _Answer:
        _ASKING.set(True)
        ask = provider.refresh_models
        try:
            answer: Any = ()
            if ask is not None:
                answer = ask(await self._context(provider)) if _takes_context(ask) else ask()
            return _Answer(await answer if inspect.isawaitable(answer) else answer)
        except FAILURES as error:  # reported; the others go on
            pass_interrupt(error)
            return _Answer(error=error)

    async def _context(self, provider: Provider) -> RefreshModelsContext:
        whole = self._registry.provider(provider.name) or provider
        key = await self._registry.credentials.key(whole)
        login = self._registry.credentials.stored.keys.get(provider.name)
        return RefreshModelsContext(
            provider=provider.name,
            models=whole.models,
            api_key=key,
            credentials=login.credentials if isinstance(login, StoredLogin) else None,
        )

    def _put_in_force(self, provider: Provider, listed: Any) -> str | None:
        """Register the models, as the extension itself might. Returns what is wrong with them."""
        if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)):
            return f"it answered {_kind_of(listed)}, not a list of models"
        if not self._is_wanted(provider):
            return None
        host = self._runtime.bound
        register = self._registry.register if host is None else host.register_provider
        try:
            register(provider.name, ProviderConfig(models=listed))
        except MalformedEntry as error:
            return str(error).removeprefix(f"provider {provider.name}: ")
        return None

    def _is_wanted(self, provider: Provider) -> bool:
        """Whether the load still counts, and the provider is still registered with this function."""
        now = self._registry.registered(provider.name)
        same = now is not None and now.refresh_models == provider.refresh_models
        return same and self._runtime.stale is None


def _takes_context(ask: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument; one that does not say is called without."""
    try:
        inspect.signature(ask).bind(None)
    except (TypeError, ValueError):
        return False
    return True


def _kind_of(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
