"""From a request to registrations: import, let in, run the factory, commit — or leave no trace.

Extensions are loaded one after another in the given order. Whatever one of them
raises, SystemExit included, becomes a Diagnostic and the next one follows; only
the cancellation of our own task passes through.

Touches: files, sys.modules, the event loop.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from types import ModuleType
from typing import Any, Final

from hookspecs.values import dataclass
from pi_core.dispatch.failing import pass_interrupt
from pi_core.dispatch.plan import text_of_error
from pi_core.dispatch.timing import is_cancelled
from pi_core.extensions.actions import Runtime
from pi_core.extensions.api import Api
from pi_core.extensions.authoring import ExtensionAPI
from pi_core.extensions.clashes import NO_RULES, ClashRules, Naming
from pi_core.extensions.doors import (
    Doors,
    doors_of,
    find_doors,
    has_hooks,
    hook_registrations,
    unmarked_hooks,
)
from pi_core.extensions.errors import ExtensionError, LoadError
from pi_core.extensions.exits import HeldExit
from pi_core.extensions.guards import stand_in
from pi_core.extensions.module_cache import ModuleCache
from pi_core.extensions.modules import (
    Imported,
    import_location,
    import_named,
    missing_module,
    watch_sources,
    withdraw,
)
from pi_core.extensions.owners import owner_names
from pi_core.extensions.registrations import Extension
from pi_core.extensions.reports import traceback_of
from pi_core.extensions.validation import check_callable, where_defined
from pi_pkg import Diagnostic, Provenance

FACTORY_LIMIT_S: Final = 30.0
LEFT_BEHIND_AFTER_S: Final = 1.0
"""How long a cancelled factory may take to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """One extension to load: a file or folder, a module by name, or a factory at hand (`path` is a label).

    `attribute` is dotted, inside the module. `import_root` must be on sys.path for the module. A `guard`
    that cannot load is replaced by one that refuses every tool call. Without `bytecode` only source is
    loaded: what stands in `__pycache__` of a project was never looked at by whoever trusted it.
    """

    path: str
    provenance: Provenance
    module: str | None = None
    attribute: str | None = None
    import_root: str | None = None
    explicit: bool = False
    guard: bool = False
    bytecode: bool = True
    factory: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class LoadOutcome:
    """What a load came to: the extensions in the order of the requests, and what is wrong with the others.

    The stand-in of a guard that could not load is among the extensions; see `Extension.stands_in_for`.
    """

    extensions: tuple[Extension, ...]
    errors: tuple[Diagnostic, ...]
    runtime: Runtime
    modules: ModuleCache
    """Hand it to the load of the next session; ask it for the next generation before a reload."""


async def load_extensions(
    requests: Sequence[LoadRequest],
    runtime: Runtime,
    *,
    cwd: str,
    factory_timeout_s: float = FACTORY_LIMIT_S,
    modules: ModuleCache | None = None,
    rules: ClashRules = NO_RULES,
) -> LoadOutcome:
    """Load extensions into a runtime; relative paths count from `cwd`.

    Modules found in `modules` are used as they are, and those of this load are kept there. `rules` are
    the person's decisions about names, which the registry of the extensions applies.

    A factory that takes longer than `factory_timeout_s` of waiting is given up. Never raises for an
    extension's sake. When our own task is cancelled the extension under way leaves no trace either.
    """
    extensions: list[Extension] = []
    errors: list[Diagnostic] = []
    modules = modules if modules is not None else ModuleCache()
    watch_sources()
    folder = os.path.abspath(cwd)
    generation = modules.enter(folder)
    around = _Around(runtime, folder, factory_timeout_s, modules, generation, rules, HeldExit())
    for request in requests:
        load = _Load(request, around)
        error = await load.run()
        if error is None:
            extensions.append(load.extension)
            continue
        errors.append(error)
        if request.guard:
            extensions.append(stand_in(request.path, request.provenance, error))
            runtime.commit(extensions[-1])
    runtime.hooks.settle()
    return LoadOutcome(tuple(extensions), tuple(errors), runtime, modules)


@dataclass(frozen=True, slots=True)
class _Around:
    """What the loads of one call share."""

    runtime: Runtime
    cwd: str
    limit_s: float
    modules: ModuleCache
    generation: int
    rules: ClashRules
    held_exit: HeldExit


class _Load:
    """One extension on its way in."""

    __slots__ = ("around", "extension", "imported", "location", "request", "runtime", "stage")

    def __init__(self, request: LoadRequest, around: _Around) -> None:
        self.request = request
        self.around = around
        self.runtime = around.runtime
        self.stage = "import"
        path = request.path
        self.location = os.path.normpath(path if os.path.isabs(path) else os.path.join(around.cwd, path))
        self.imported: Imported | None = None
        self.extension = Extension(path=path, provenance=request.provenance, explicit=request.explicit)
        if around.rules:
            self.extension.naming = Naming(owner_names(path, request.provenance), around.rules)

    async def run(self) -> Diagnostic | None:
        """Load, or say what is wrong."""
        started = time.perf_counter()
        try:
            with self.around.held_exit:
                waiting = self._enter()
            if waiting is not None:
                await self._wait(waiting)
            self.stage = "register"
            self.runtime.commit(self.extension)
        except BaseException as error:
            self._undo()
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            pass_interrupt(error)
            return self._diagnostic(error)
        if self.imported is not None:
            self.around.modules.keep(self._key(), self.imported, self.around.generation)
        self.extension.load_ms = (time.perf_counter() - started) * 1000
        return None

    def _enter(self) -> Awaitable[Any] | None:
        """Import, and go through the doors; returns what an async factory still has to do."""
        doors = self._import()
        self.stage = "factory"
        api: ExtensionAPI = Api(self.extension, self.runtime, self.around.cwd)
        for plugin in doors.plugins:
            self._register_hooks(plugin)
        for cls in doors.classes:
            self._register_hooks(_instance(cls, api))
        if doors.factory is None:
            return None
        check_callable(doors.factory, "the factory", ("pi",), "bad-factory")
        return self._call(doors.factory, api)

    def _key(self) -> object:
        return self.request.module or self.location

    def _import(self) -> Doors:
        request = self.request
        if request.factory is not None:
            return doors_of(request.factory, request.path)
        root = None if request.import_root is None else os.path.abspath(request.import_root)
        name = request.module or _name_below(root, self.location)
        imported = self.around.modules.find(self._key())
        if imported is None:
            self.imported = imported = (
                import_location(self.location, bytecode=request.bytecode)
                if name is None
                else import_named(name, root, bytecode=request.bytecode)
            )
        if name is not None:
            self._check_origin(name, imported.module, root)
        return find_doors(imported.module, request.attribute, request.path)

    def _check_origin(self, name: str, module: ModuleType, root: str | None) -> None:
        file = getattr(module, "__file__", None)
        if root is None or file is None or file.startswith(root + os.sep):
            return
        if os.path.realpath(file).startswith(os.path.realpath(root) + os.sep):
            return
        self._warn(
            "module-from-elsewhere",
            f"{name} was imported from {file}, not from {root}",
            "Another package or pi itself brings a module of this name; it can be loaded only once.",
        )

    def _register_hooks(self, plugin: object) -> None:
        table = self.runtime.hooks
        self.extension.handlers.extend(hook_registrations(self.extension, plugin, table))
        for name in unmarked_hooks(plugin, table):
            self._warn(
                "hook-unmarked",
                f"{name} is called like a hook but is not marked with @hookimpl, so it never runs",
                "Mark it, or give it another name.",
            )

    def _call(self, factory: Callable[..., Any], api: ExtensionAPI) -> Awaitable[Any] | None:
        answer = factory(api)
        if answer is None:
            return None
        if inspect.isgenerator(answer) or inspect.isasyncgen(answer):
            raise LoadError(
                "bad-factory",
                f"the factory has a yield, so calling it runs nothing ({where_defined(factory)})",
            )
        if inspect.isawaitable(answer):
            return answer
        self._take_in(answer)
        return None

    def _take_in(self, returned: object) -> None:
        """A factory may hand over an object with hooks; whatever else it returns means nothing."""
        if returned is not None and has_hooks(type(returned)):
            self._register_hooks(returned)

    async def _wait(self, answer: Awaitable[Any]) -> None:
        """Wait for an async factory. It has a task of its own, so that it can be left behind."""
        task = asyncio.ensure_future(_outcome(answer))
        try:
            await asyncio.wait({task}, timeout=self.around.limit_s)
        except asyncio.CancelledError:
            await self._give_up(task)
            raise
        if not task.done():
            await self._give_up(task)
            raise LoadError(
                "extension-timeout", f"the factory did not return within {self.around.limit_s:g} s"
            )
        returned, error = task.result()
        if error is not None:
            raise error
        self._take_in(returned)

    async def _give_up(self, task: asyncio.Future[Any]) -> None:
        task.cancel()
        await asyncio.wait({task}, timeout=LEFT_BEHIND_AFTER_S)
        if not task.done():
            self.runtime.background.adopt(task)

    def _undo(self) -> None:
        self.runtime.discard(self.extension)
        if self.imported is not None:
            withdraw(self.imported)
            self.imported = None

    def _warn(self, code: str, message: str, hint: str) -> None:
        self.extension.diagnostics.append(self._finding("warning", code, message, hint, None))

    def _diagnostic(self, error: BaseException) -> Diagnostic:
        code = error.code if isinstance(error, ExtensionError) else f"extension-{self.stage}-failed"
        text = error.message if isinstance(error, ExtensionError) else text_of_error(error)
        own = code in ("extension-no-factory", "extension-missing")
        hint = error.hint if isinstance(error, ExtensionError) else self._advice(error)
        message = text if own else f"Failed to load extension: {text}"
        detail = traceback_of(error)
        harmless = code == "extension-no-factory" and self._was_found_by_chance()
        return self._finding("info" if harmless else "error", code, message, hint, detail)

    def _was_found_by_chance(self) -> bool:
        """A file beside extensions that nobody named may be a part of one of them."""
        return self.request.provenance.source == "auto" and not self.request.explicit

    def _advice(self, error: BaseException) -> str | None:
        here = None if self.request.module or self.request.factory else self.location
        folder = here if here is None or os.path.isdir(here) else os.path.dirname(here)
        return missing_module(error, self.request.module, folder)

    def _finding(
        self, severity: Any, code: str, message: str, hint: str | None, detail: str | None
    ) -> Diagnostic:
        provenance = self.request.provenance
        return Diagnostic(
            severity=severity,
            code=code,
            stage=self.stage,
            message=message,
            source=provenance.source,
            scope=provenance.scope,
            path=self.request.path,
            hint=hint,
            detail=detail,
        )


def _name_below(root: str | None, location: str) -> str | None:
    """The import name of a file or package below an import root; None without a root."""
    if root is None or not location.startswith(root + os.sep):
        return None
    parts = os.path.splitext(location[len(root) + 1 :])[0].split(os.sep)
    named = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(named) if named and all(part.isidentifier() for part in named) else None


def _instance(cls: type, api: ExtensionAPI) -> object:
    """An object of a class with hooks; it may take the API."""
    signature = inspect.signature(cls)
    try:
        signature.bind()
    except TypeError:
        check_callable(cls, f"the class {cls.__qualname__}", ("pi",), "bad-plugin-class")
        return cls(api)
    return cls()


async def _outcome(answer: Awaitable[Any]) -> tuple[object, BaseException | None]:
    try:
        return await answer, None
    except BaseException as error:  # noqa: BLE001 - handed to the loader, never to the event loop
        return None, error
