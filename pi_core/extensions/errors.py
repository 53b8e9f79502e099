"""What an author can do wrong with the extension API: what was asked, what was found, where.

    ExtensionError
    ├── RegistrationError      a registration that cannot stand (code says which kind)
    │   └── UnknownEventError  an event or hook name that does not exist
    ├── LoadError              a file or module that is no extension
    ├── ExtensionNotReadyError an action before the session is there
    └── StaleContextError      an action on a session, or an extension, that is gone

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from pi_core.errors import AgentError

NOT_READY: Final = (
    "Extension runtime not initialized. Action methods cannot be called during extension loading."
)
NOT_READY_SHORT: Final = "Extension runtime not initialized"


class ExtensionError(AgentError):
    """Root of the tree. `code` is the stable kebab-case name that a Diagnostic carries."""

    code = "extension-error"


class RegistrationError(ExtensionError):
    """A registration that cannot stand. `where` is `file:line` of what was registered, if known."""

    def __init__(self, code: str, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message if where is None else f"{message} ({where})", hint=hint)
        self.code = code
        self.where = where


class UnknownEventError(RegistrationError):
    """An event, or a `hook`, that nobody emits. `nearest` is the known name that looks most like it."""

    def __init__(
        self, name: str, known: Iterable[str], *, hook: bool = False, where: str | None = None
    ) -> None:
        nearest = next(iter(get_close_matches(name, list(known), n=1, cutoff=0.5)), None)
        advice = f"Did you mean {nearest!r}? " if nearest else ""
        option = "optionalhook=True" if hook else "optional=True"
        super().__init__(
            "unknown-event",
            f"there is no {'hook' if hook else 'event'} {name!r}",
            where=where,
            hint=f"{advice}Pass {option} if only another version of pi has it.",
        )
        self.event = name
        self.nearest = nearest


class LoadError(ExtensionError):
    """A file, folder or module that cannot be an extension. `code` says at which point it failed."""

    def __init__(self, code: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class ExtensionNotReadyError(ExtensionError):
    """An action was called while extensions load; the session is not there yet."""

    code = "not-ready"

    def __init__(self, message: str = NOT_READY) -> None:
        super().__init__(message)


class StaleContextError(ExtensionError):
    """An action on a session that was replaced or reloaded, or by an extension that failed to load."""

    code = "stale-context"
