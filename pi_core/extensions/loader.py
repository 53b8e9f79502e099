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
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pi_core.extensions.actions import Runtime
from pi_core.extensions.api import Api
from pi_core.extensions.authoring import ExtensionAPI
from pi_core.extensions.doors import Doors, find_doors, hook_registrations, unmarked_hooks
from pi_core.extensions.errors import ExtensionError, LoadError
from pi_core.extensions.modules import (
    Imported,
    ModuleCache,
    import_location,
    import_named,
    missing_module,
    withdraw,
)
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

    `attribute` is dotted, inside the module. `import_root` must be on sys.path for the module.
    """

    path: str
    provenance: Provenance
    module: str | None = None
    attribute: str | None = None
    import_root: str | None = None
    explicit: bool = False
    factory: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load came to: the extensions in the order of the requests, and what is wrong with the others."""

    extensions: tuple[Extension, ...]
    errors: tuple[Diagnostic, ...]
    runtime: Runtime
    modules: ModuleCache
    """Clear it before a reload, or hand it to the load of the next session."""


async def load_extensions(
    requests: Sequence[LoadRequest],
    runtime: Runtime,
    *,
    cwd: str,
    factory_timeout_s: float = FACTORY_LIMIT_S,
    modules: ModuleCache | None = None,
) -> Loaded:
    """Load extensions into a runtime; relative paths count from `cwd`.

    Modules found in `modules` are used as they are, and those of this load are kept there.

    A factory that takes longer than `factory_timeout_s` of waiting is given up. Never raises for an
    extension's sake. When our own task is cancelled the extension under way leaves no trace either.
    """
    extensions: list[Extension] = []
    errors: list[Diagnostic] = []
    modules = modules if modules is not None else ModuleCache()
    modules.enter(os.path.abspath(cwd))
    for request in requests:
        load = _Load(request, runtime, cwd, factory_timeout_s, modules)
        error = await load.run()
        if error is not None:
            errors.append(error)
        else:
            extensions.append(load.extension)
    return Loaded(tuple(extensions), tuple(errors), runtime, modules)


class _Load:
    """One extension on its way in."""

    def __init__(
        self, request: LoadRequest, runtime: Runtime, cwd: str, limit_s: float, modules: ModuleCache
    ) -> None:
        self.request = request
        self.modules = modules
        self.runtime = runtime
        self.cwd = cwd
        self.limit_s = limit_s
        self.stage = "import"
        self.location = Path(os.path.abspath(os.path.join(cwd, request.path)))
        self.imported: Imported | None = None
        self.extension = Extension(
            path=request.path, provenance=request.provenance, explicit=request.explicit
        )

    async def run(self) -> Diagnostic | None:
        """Load, or say what is wrong."""
        started = time.perf_counter()
        try:
            doors = self._import()
            self.stage = "factory"
            await self._let_in(doors)
            self.stage = "register"
            self.runtime.commit(self.extension)
        except BaseException as error:
            self._undo()
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                raise
            return self._diagnostic(error)
        if self.imported is not None:
            self.modules.keep(self._key(), self.imported)
        self.extension.load_ms = (time.perf_counter() - started) * 1000
        return None

    def _key(self) -> object:
        return self.request.module or str(self.location)

    def _import(self) -> Doors:
        request = self.request
        if request.factory is not None:
            return Doors(factory=request.factory)
        root = None if request.import_root is None else Path(os.path.abspath(request.import_root))
        name = request.module or _name_below(root, self.location)
        module = self.modules.find(self._key())
        if module is None:
            self.imported = module = (
                import_location(self.location) if name is None else import_named(name, root)
            )
        if name is not None:
            self._check_origin(name, module.module, root)
        return find_doors(module.module, request.attribute, request.path)

    def _check_origin(self, name: str, module: ModuleType, root: Path | None) -> None:
        file = getattr(module, "__file__", None)
        if root is None or file is None or root.resolve() in Path(file).resolve().parents:
            return
        self._warn(
            "module-from-elsewhere",
            f"{name} was imported from {file}, not from {root}",
            "Another package or pi itself brings a module of this name; it can be loaded only once.",
        )

    async def _let_in(self, doors: Doors) -> None:
        api: ExtensionAPI = Api(self.extension, self.runtime, self.cwd)
        for plugin in doors.plugins:
            self._register_hooks(plugin)
        for cls in doors.classes:
            self._register_hooks(_instance(cls, api))
        if doors.factory is not None:
            check_callable(doors.factory, "the factory", ("pi",), "bad-factory")
            await self._call(doors.factory, api)

    def _register_hooks(self, plugin: object) -> None:
        table = self.runtime.hooks
        self.extension.handlers.extend(hook_registrations(self.extension, plugin, table))
        for name in unmarked_hooks(plugin, table):
            self._warn(
                "hook-unmarked",
                f"{name} is called like a hook but is not marked with @hookimpl, so it never runs",
                "Mark it, or give it another name.",
            )

    async def _call(self, factory: Callable[..., Any], api: ExtensionAPI) -> None:
        answer = factory(api)
        if inspect.isgenerator(answer) or inspect.isasyncgen(answer):
            raise LoadError(
                "bad-factory",
                f"the factory has a yield, so calling it runs nothing ({where_defined(factory)})",
            )
        if inspect.isawaitable(answer):
            await self._wait(answer)

    async def _wait(self, answer: Awaitable[Any]) -> None:
        """Wait for an async factory. It has a task of its own, so that it can be left behind."""
        task = asyncio.ensure_future(_outcome(answer))
        try:
            await asyncio.wait({task}, timeout=self.limit_s)
        except asyncio.CancelledError:
            await self._give_up(task)
            raise
        if not task.done():
            await self._give_up(task)
            raise LoadError("extension-timeout", f"the factory did not return within {self.limit_s:g} s")
        error = task.result()
        if error is not None:
            raise error

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
        text = error.message if isinstance(error, ExtensionError) else str(error) or type(error).__name__
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
        folder = None if here is None else here if here.is_dir() else here.parent
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


def _name_below(root: Path | None, location: Path) -> str | None:
    """The import name of a file or package below an import root; None without a root."""
    if root is None:
        return None
    try:
        parts = location.relative_to(root).with_suffix("").parts
    except ValueError:
        return None
    named = parts[:-1] if parts and parts[-1] == "__init__" else parts
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


async def _outcome(answer: Awaitable[Any]) -> BaseException | None:
    try:
        await answer
    except BaseException as error:  # noqa: BLE001 - handed to the loader, never to the event loop
        return error
    return None


def _is_cancelled() -> bool:
    """Whether somebody cancelled the task that loads, rather than an extension raising the error."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
