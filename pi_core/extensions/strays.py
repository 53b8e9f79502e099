"""Errors that nobody awaits: a callback or a task that an extension started behind our back.

Such an error comes out at the event loop, long after whoever is to blame. The frames of its
traceback lead to the extension's file, and so it becomes a failure like any other.

Touches: files (to resolve links).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from traceback import walk_tb
from typing import Any, Final

from pi_core.dispatch.plan import Failure, text_of_error
from pi_core.extensions.registrations import Extension
from pi_core.extensions.reports import RUNTIME_OWNER

STRAY: Final = "event_loop"
"""The event name of such a failure: it belongs to no event."""


def stray_failure(context: Mapping[str, Any], extensions: Iterable[Extension]) -> Failure | None:
    """The failure in what a loop tells its exception handler; None if no extension has to do with it.

    Nobody of ours asks a loop to end: an exit is the failure of an extension, though nobody knows of which.
    """
    error = context.get("exception")
    if not isinstance(error, BaseException):
        return None
    files = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
    owner = owner_of(reversed(files), extensions)
    if owner is None and not isinstance(error, (SystemExit, KeyboardInterrupt)):
        return None
    path = RUNTIME_OWNER if owner is None else owner.path
    return Failure(path, STRAY, text_of_error(error), error=error)


def owner_of(files: Iterable[str], extensions: Iterable[Extension]) -> Extension | None:
    """The extension to which the first of the files belongs that belongs to one.

    An extension that is a folder, or the `__init__.py` of one, owns what is in it; the innermost
    folder counts.
    """
    places = sorted(((_place(extension.path), extension) for extension in extensions), key=_longest_first)
    for file in files:
        real = os.path.realpath(file)
        for place, extension in places:
            if real == place or (place.endswith(os.sep) and real.startswith(place)):
                return extension
    return None


def _longest_first(item: tuple[str, Extension]) -> int:
    return -len(item[0])


def _place(path: str) -> str:
    """The file of an extension, or its folder with a separator at the end."""
    real = os.path.realpath(path)
    if os.path.basename(real) == "__init__.py":
        return os.path.dirname(real) + os.sep
    return real + os.sep if os.path.isdir(real) else real
