"""Whether a registration can stand, judged at once, where the author wrote it.

Every function returns nothing, or raises `RegistrationError` with the file and
line of what was handed in.

Pure.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from types import FunctionType
from typing import Final, TypeGuard, cast, get_args

from hookspecs.context import DeliverAs
from hookspecs.definitions import FlagDefinition, ThinkingLevel, ToolDefinition
from pi_core.extensions.errors import RegistrationError
from pi_core.extensions.shortcuts import unknown_modifiers

_VARARGS: Final = inspect.CO_VARARGS
_YIELDS: Final = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_MODES: Final = ("parallel", "sequential")
_DELIVERIES: Final = get_args(DeliverAs)
_LEVELS: Final = get_args(ThinkingLevel)
_FLAG_TYPES: Final = {"boolean": bool, "string": str}


def where_defined(target: object) -> str | None:
    """`file:line` of a function, method, partial, class or callable object; None if there is no source."""
    while isinstance(target, functools.partial):
        target = target.func
    target = inspect.unwrap(target) if callable(target) else target
    if not hasattr(target, "__code__") and not hasattr(target, "__func__"):
        target = vars(type(target)).get("__call__", target)  # an object that can be called
    code = getattr(target, "__code__", None)
    if code is None:
        return None
    return f"{code.co_filename}:{code.co_firstlineno}"


def name_of(target: object) -> str:
    """How to call a callable in a message."""
    return getattr(target, "__qualname__", None) or type(target).__qualname__


def check_handler(event: str, handler: object) -> None:
    """A handler is called with two positional arguments, (event, ctx), and answers with its result."""
    if _takes(handler, 2) and not handler.__code__.co_flags & _YIELDS:
        return
    if not callable(handler):
        raise RegistrationError(
            "bad-handler", f"the handler of {event} is a {type(handler).__name__}, not a function"
        )
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise RegistrationError(
            "bad-handler",
            f"{name_of(handler)} has a yield, so calling it runs nothing",
            where=where_defined(handler),
            hint="A wrapper is a function pi_<event> marked with @hookimpl(wrapper=True).",
        )
    check_callable(handler, f"a handler of {event}", ("event", "ctx"), "bad-signature")


def check_callable(handler: object, what: str, arguments: Sequence[str], code: str = "bad-handler") -> None:
    """Something that the host will call with these positional arguments."""
    if _takes(handler, len(arguments)):
        return
    if not callable(handler):
        raise RegistrationError(code, f"{what} is a {type(handler).__name__}, not a function")
    try:
        signature = inspect.signature(handler)
    except (TypeError, ValueError):
        return  # a builtin that does not say; the call will tell
    try:
        signature.bind(*arguments)
    except TypeError as mismatch:
        raise RegistrationError(
            code,
            f"{what} is called with ({', '.join(arguments)}), but {name_of(handler)}{signature}: {mismatch}",
            where=where_defined(handler),
        ) from None


def _takes(handler: object, count: int) -> TypeGuard[FunctionType]:
    """The quick yes for a plain function; everything else goes through its signature."""
    if type(handler) is not FunctionType or hasattr(handler, "__wrapped__"):
        return False
    code = handler.__code__
    required = code.co_argcount - len(handler.__defaults__ or ())
    enough = code.co_argcount >= count or bool(code.co_flags & _VARARGS)
    return required <= count and enough and not code.co_kwonlyargcount


def check_tool(tool: object, *, schema: bool = True) -> None:
    """A tool has a name, a coroutine to execute, and an object schema for its parameters.

    `schema` False does not look at the parameters, which may be made when somebody first does.
    """
    if not isinstance(tool, ToolDefinition):
        raise RegistrationError("bad-tool", f"a tool is a ToolDefinition, not a {type(tool).__name__}")
    if not isinstance(tool.name, str) or not tool.name.strip():
        raise RegistrationError("bad-tool-name", f"a tool needs a name, not {tool.name!r}")
    if schema and not _is_object_schema(tool.parameters):
        raise RegistrationError(
            "bad-tool-parameters",
            f"the parameters of {tool.name} are no JSON schema of an object",
            hint='Without parameters write {"type": "object", "properties": {}}.',
        )
    if not callable(tool.execute):
        raise RegistrationError("bad-tool", f"execute of tool {tool.name} is no function")
    if isinstance(tool.prompt_guidelines, str):
        raise RegistrationError(
            "bad-tool", f"prompt_guidelines of tool {tool.name} is a text, not a list of texts"
        )
    if tool.execution_mode not in _MODES:
        raise RegistrationError(
            "bad-tool", f"tool {tool.name} runs {' or '.join(_MODES)}, not {tool.execution_mode!r}"
        )
    if tool.prepare_arguments is not None:
        check_callable(tool.prepare_arguments, f"prepare_arguments of {tool.name}", ("raw",), "bad-tool")


def _is_object_schema(parameters: object) -> bool:
    if not isinstance(parameters, Mapping):
        return False
    kinds = parameters.get("type", "object")
    return "object" in ([kinds] if isinstance(kinds, str) else kinds)


def check_command(name: object, handler: object) -> None:
    """A command has a name without blanks and slashes in front, and a handler of (args, ctx)."""
    if not isinstance(name, str) or not name or name != name.strip() or any(char.isspace() for char in name):
        raise RegistrationError("bad-command-name", f"{name!r} is no name of a command: it needs one word")
    if name.startswith("/"):
        raise RegistrationError(
            "bad-command-name", f"the command {name!r} has its slash already", hint="Leave the slash out."
        )
    check_callable(handler, f"the handler of /{name}", ("args", "ctx"), "bad-command-handler")


def check_flag(flag: FlagDefinition) -> None:
    """A flag is boolean or string, and its default is of that type."""
    expected = _FLAG_TYPES.get(flag.type)
    if not isinstance(flag.name, str) or not flag.name or flag.name.startswith("-"):
        raise RegistrationError("bad-flag-name", f"{flag.name!r} is no name of a flag: leave out the dashes")
    if expected is None:
        raise RegistrationError(
            "bad-flag-type", f"flag --{flag.name} is boolean or string, not {flag.type!r}"
        )
    if flag.default is not None and type(flag.default) is not expected:
        raise RegistrationError(
            "bad-flag-default",
            f"flag --{flag.name} is a {flag.type} and its default {flag.default!r} is not",
        )


def check_shortcut(key: object, handler: object) -> None:
    """A shortcut has a key such as ctrl+alt+p, and a handler of (ctx)."""
    if not isinstance(key, str) or not key.strip():
        raise RegistrationError("bad-shortcut-key", f"{key!r} is no key", hint="Write it as ctrl+alt+p.")
    strange = unknown_modifiers(key)
    if strange:
        raise RegistrationError(
            "bad-shortcut-key",
            f"{key!r} is no key: {', '.join(strange)} is no modifier",
            hint="There are ctrl, alt, shift, super and meta.",
        )
    check_callable(handler, f"the handler of {key}", ("ctx",))


def check_delivery(deliver_as: object) -> None:
    """Where a message waits while a run goes on: one of the three places, or None for none."""
    if deliver_as is not None and deliver_as not in _DELIVERIES:
        raise RegistrationError(
            "bad-delivery", f"deliver_as is {', '.join(_DELIVERIES)} or None, not {deliver_as!r}"
        )


def check_level(level: object) -> None:
    """A thinking level is one of the known ones; what a model lacks of them is the host's affair."""
    if level not in _LEVELS:
        raise RegistrationError(
            "bad-thinking-level", f"a thinking level is one of {', '.join(_LEVELS)}, not {level!r}"
        )


def check_texts(values: object, what: str) -> None:
    """A list of texts; a single text would be taken for a list of its letters."""
    listed = isinstance(values, Iterable) and not isinstance(values, str | bytes)
    if not listed or not all(isinstance(value, str) for value in cast("Iterable[object]", values)):
        raise RegistrationError("bad-argument", f"{what} takes a list of texts, not {values!r}")


def check_kind(value: object, kinds: type | tuple[type, ...], what: str, hint: str | None = None) -> None:
    """An argument of one of these types."""
    if not isinstance(value, kinds):
        raise RegistrationError("bad-argument", f"{what}, not a {type(value).__name__}", hint=hint)


def check_callback(function: object, what: str, arguments: Sequence[str]) -> None:
    """A function that may be left out."""
    if function is not None:
        check_callable(function, what, arguments, "bad-argument")


def check_interval(seconds: object) -> None:
    """A timer needs time between two ticks, or the program does nothing else."""
    if not isinstance(seconds, int | float) or not isfinite(seconds) or seconds <= 0:
        raise RegistrationError("bad-interval", f"every() needs a number of seconds above 0, not {seconds!r}")
