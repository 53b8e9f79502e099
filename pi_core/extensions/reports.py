"""From what went wrong to what is shown: every failure of an extension becomes a Diagnostic.

Pure.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Final, Literal

from pi_core.dispatch.plan import Failure, FailureKind, HandlerInterrupted
from pi_core.extensions.errors import ExtensionError, StaleContextError
from pi_core.extensions.registrations import Extension
from pi_pkg import Diagnostic

RUNTIME_OWNER: Final = "<runtime>"
"""The owner of failures that belong to no extension in particular: pi itself, or nobody knows."""

SEVERITIES: Final[Mapping[FailureKind, Literal["warning", "info"]]] = {
    "unknown-key": "warning",
    "odd-decision": "warning",
    "slow": "warning",
    "blocking": "warning",
    "interrupted": "info",
    "ui-unavailable": "info",
}
"""Those failures that are no errors."""


def diagnostic_of(failure: Failure, extension: Extension | None = None) -> Diagnostic:
    """A failure as a finding about its extension, with the traceback where there is one."""
    stale = isinstance(failure.error, StaleContextError)
    provenance = None if extension is None else extension.provenance
    return Diagnostic(
        severity="info" if stale else SEVERITIES.get(failure.kind, "error"),
        code="stale-context" if stale else f"handler-{failure.kind}",
        stage=failure.event,
        message=sentence_of(failure),
        source=None if provenance is None else provenance.source,
        scope=None if provenance is None else provenance.scope,
        path=None if _named(failure) else failure.extension,
        detail=None if failure.error is None else traceback_of(failure.error),
    )


def sentence_of(failure: Failure) -> str:
    """Who failed, at what, and how: a command, a shortcut or a part of the screen by what people call it."""
    named = _named(failure)
    if named:
        return f"{named[0].upper()}{named[1:]} failed: {failure.message}"
    if failure.extension == RUNTIME_OWNER:
        return f"{failure.event}: {failure.message}"
    return f"Extension {failure.extension}, {failure.event}: {failure.message}"


def _named(failure: Failure) -> str:
    """What failed, where no extension is known by its path; else empty."""
    kind, colon, name = failure.extension.partition(":")
    if failure.event == "render":
        return failure.extension
    if colon and kind == failure.event == "command":
        return f"/{name}"
    return f"the shortcut {name}" if colon and kind == failure.event == "shortcut" else ""


def traceback_of(error: BaseException) -> str | None:
    """The traceback as text, without our own frames; None where it tells nothing beyond the message."""
    frames = traceback.TracebackException.from_exception(error)
    own = [frame for frame in frames.stack if not is_ours(frame.filename)]
    if not own and isinstance(error, (ExtensionError, HandlerInterrupted)):
        return None
    if own or isinstance(error, SyntaxError):  # which has a place of its own
        frames.stack = traceback.StackSummary.from_list(own)
    return "".join(frames.format())


def is_ours(filename: str) -> bool:
    """Whether code stands between an extension and its caller, and tells an author nothing."""
    parts = filename.replace("\\", "/").split("/")
    return filename.startswith("<frozen importlib") or parts[-3:-1] in (
        ["pi_core", "extensions"],
        ["pi_core", "dispatch"],
    )
