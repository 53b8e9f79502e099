"""How a module asks to be let in: by a factory, by marked hook implementations, or by both.

Nothing of the author's is called here.

Pure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

from hookspecs.markers import PROJECT_NAME, is_async_wrapper
from hookspecs.values import dataclass
from pi_core.extensions.errors import LoadError, RegistrationError
from pi_core.extensions.fresh import FreshLoader
from pi_core.extensions.hookimpls import HOOK_PREFIX, HookTable
from pi_core.extensions.registrations import Extension, Registration, WrapperKind
from pi_core.extensions.validation import check_handler, name_of, where_defined

FACTORY_NAME: Final = "extension"
_MARK: Final = f"{PROJECT_NAME}_impl"
_NEVER_MARKED: Final = frozenset(
    {str, int, float, bool, type(None), dict, list, tuple, set, ModuleType, ModuleSpec, FreshLoader}
)


@dataclass(frozen=True, slots=True)
class Doors:
    """What a module offers, in the order in which it is let in: objects with hooks, classes, a factory."""

    plugins: tuple[object, ...] = ()
    """Modules and instances whose attributes are marked."""
    classes: tuple[type, ...] = ()
    """Classes with marked methods, to be made an instance of."""
    factory: Callable[..., Any] | None = None


def find_doors(module: ModuleType, attribute: str | None, path: str) -> Doors:
    """Look for the ways into a module, or into one attribute of it (dotted).

    `path` is how the extension is called in messages. Raises: LoadError if there is no way in.
    """
    if attribute is not None:
        return doors_of(_resolve(module, attribute, path), path)
    named = vars(module).get(FACTORY_NAME)
    plugins: tuple[object, ...] = (module,) if _has_marks(vars(module)) else ()
    if named is not None and not isinstance(named, ModuleType):
        offered = doors_of(named, path)
        if not plugins:
            return offered
        return Doors((*plugins, *offered.plugins), offered.classes, offered.factory)
    classes = _plugin_classes(module)
    if not plugins and not classes:
        raise LoadError(
            "extension-no-factory",
            f"Extension does not export a valid factory function: {path}",
            hint=f"Define `def {FACTORY_NAME}(pi)`, or mark functions {HOOK_PREFIX}<event> with @hookimpl.",
        )
    return Doors(plugins, classes)


def _plugin_classes(module: ModuleType) -> tuple[type, ...]:
    """The module's own public classes with hooks; one that another builds on is only a part of that one."""
    own = [
        value
        for value in dict.fromkeys(value for value in vars(module).values() if isinstance(value, type))
        if value.__module__ == module.__name__ and not value.__name__.startswith("_") and has_hooks(value)
    ]
    return tuple(cls for cls in own if not any(cls in other.__mro__[1:] for other in own))


def doors_of(thing: object, path: str) -> Doors:
    """The ways into a module, a factory, a class or an object with hooks. Raises: LoadError for others."""
    if isinstance(thing, ModuleType):
        return find_doors(thing, None, path)
    if isinstance(thing, FunctionType):
        return Doors(factory=thing)
    if isinstance(thing, type) and has_hooks(thing):
        return Doors(classes=(thing,))
    if not isinstance(thing, type) and has_hooks(type(thing)):
        return Doors(plugins=(thing,))
    if callable(thing):
        return Doors(factory=thing)
    raise LoadError(
        "extension-no-factory",
        f"Extension does not export a valid factory function: {path}",
        hint=f"Its `{FACTORY_NAME}` is of type {type(thing).__name__}; it must be a function taking the API.",
    )


def _resolve(module: ModuleType, attribute: str, path: str) -> object:
    found: object = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise LoadError(
                "extension-no-factory",
                f"Extension does not export a valid factory function: {path}",
                hint=f"{module.__name__} has no attribute {attribute}.",
            ) from None
    return found


def hook_registrations(extension: Extension, plugin: object, table: HookTable) -> Iterator[Registration]:
    """The marked implementations of a module or an instance, in the order in which they are written.

    Raises: UnknownEventError for a name that is no hook, RegistrationError for a wrapper of the old
    style or a generator that is no wrapper.
    """
    for name, target, options in _marked(plugin):
        hook = options.get("specname") or name
        where = where_defined(target)
        if not options.get("optionalhook") or not hook.startswith(HOOK_PREFIX):
            table.check_hook(hook, where)
        if options.get("hookwrapper"):
            raise RegistrationError(
                "bad-wrapper",
                f"{name_of(target)} is a wrapper of the old style",
                where=where,
                hint="Use @hookimpl(wrapper=True) from pi_core.api: `result = yield`, then return it.",
            )
        yield _registration(extension, hook.removeprefix(HOOK_PREFIX), target, options)


def _registration(
    extension: Extension, event: str, target: Callable[..., Any], options: Mapping[str, Any]
) -> Registration:
    kind: WrapperKind = "sync" if options.get("wrapper") else "async" if is_async_wrapper(target) else "none"
    if kind == "none" and (inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target)):
        check_handler(event, target)
    return Registration(
        extension=extension,
        event=event,
        target=target,
        sequence=extension.next_sequence(),
        door="hookimpl",
        first=bool(options.get("tryfirst")),
        last=bool(options.get("trylast")),
        optional=bool(options.get("optionalhook")),
        wrapper=kind,
    )


def unmarked_hooks(plugin: object, table: HookTable) -> list[str]:
    """Functions of a module that are called like a hook and carry no mark: a guard that guards nothing."""
    if not isinstance(plugin, ModuleType):
        return []
    return [
        name
        for name, value in vars(plugin).items()
        if inspect.isfunction(value)
        and value.__module__ == plugin.__name__
        and name.startswith(HOOK_PREFIX)
        and _mark_of(value) is None
        and table.knows(name.removeprefix(HOOK_PREFIX))
    ]


def _marked(plugin: object) -> Iterator[tuple[str, Callable[..., Any], Mapping[str, Any]]]:
    if isinstance(plugin, ModuleType):
        for name, value in vars(plugin).items():
            options = _mark_of(value)
            if options is not None:
                yield name, value, options
        return
    for name in _method_names(type(plugin)):
        options = _mark_of(inspect.getattr_static(plugin, name))
        if options is not None:
            yield name, getattr(plugin, name), options


def _method_names(cls: type) -> Iterator[str]:
    """Names in the order in which the classes write them, those of base classes first."""
    return iter(dict.fromkeys(name for base in reversed(cls.__mro__) for name in vars(base)))


def has_hooks(cls: type) -> bool:
    """Whether a class has a marked method."""
    return any(_mark_of(inspect.getattr_static(cls, name)) is not None for name in _method_names(cls))


def _has_marks(names: Mapping[str, object]) -> bool:
    """Whether a module holds a marked implementation."""
    for value in names.values():  # noqa: SIM110 - at every load, and twice as fast as any()
        if type(value) not in _NEVER_MARKED and _mark_of(value) is not None:
            return True
    return False


def _mark_of(value: object) -> Mapping[str, Any] | None:
    """The options that `hookimpl` left on a function, method, partial or callable object.

    Read from its dictionary: a proxy or a lazy object would answer anything when asked.
    """
    if type(value) is FunctionType:
        options = getattr(value, _MARK, None)
        return options if isinstance(options, dict) else None
    if type(value) in _NEVER_MARKED or isinstance(value, type):
        return None
    inner = value.__func__ if isinstance(value, staticmethod | classmethod | MethodType) else value
    for holder in (value, inner):
        marks = getattr(holder, "__dict__", None)
        options = marks.get(_MARK) if isinstance(marks, dict) else None
        if isinstance(options, dict):
            return options
    return None
