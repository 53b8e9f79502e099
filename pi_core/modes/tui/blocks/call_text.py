"""A tool call in a few words: what it is about, from its arguments.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from pi_core.clean import clean_line

MAX_VALUE: Final = 60


def call_summary(name: str, args: Any) -> str:
    """What a call is about, on one line: the path, the command, the pattern; else its arguments."""
    if not isinstance(args, Mapping) or not args:
        return ""
    tell = _TELLERS.get(name)
    told = tell(args) if tell is not None else ""
    return clean_line(told or _pairs(args))


def _pairs(args: Mapping[str, Any]) -> str:
    if len(args) == 1:
        only = next(iter(args.values()))
        if isinstance(only, str):
            return _short(only)
    return "  ".join(f"{key}={_short(_plain(value))}" for key, value in args.items())


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    if len(first) > MAX_VALUE * 2:
        return first[: MAX_VALUE * 2 - 1] + "…"
    return f"{first} …" if rest else first


def _word(args: Mapping[str, Any], key: str) -> str:
    value = args.get(key)
    return value if isinstance(value, str) else ""


def _read(args: Mapping[str, Any]) -> str:
    path, offset, limit = _word(args, "path"), args.get("offset"), args.get("limit")
    if not isinstance(offset, int) and not isinstance(limit, int):
        return path
    first = offset if isinstance(offset, int) else 1
    last = f"{first + limit - 1}" if isinstance(limit, int) else ""
    return f"{path}:{first}-{last}"


def _path(args: Mapping[str, Any]) -> str:
    return _word(args, "path") or "."


def _bash(args: Mapping[str, Any]) -> str:
    first, _, rest = _word(args, "command").strip().partition("\n")
    return f"$ {first}" + (f"  (+{rest.count(chr(10)) + 1} lines)" if rest else "")


def _grep(args: Mapping[str, Any]) -> str:
    where = _word(args, "path")
    only = _word(args, "glob")
    return f"/{_word(args, 'pattern')}/" + (f" in {where}" if where else "") + (f" ({only})" if only else "")


def _find(args: Mapping[str, Any]) -> str:
    where = _word(args, "path")
    return _word(args, "pattern") + (f" in {where}" if where else "")


_TELLERS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "read": _read,
    "write": _path,
    "edit": _path,
    "ls": _path,
    "bash": _bash,
    "grep": _grep,
    "find": _find,
}
