"""A file or folder that is named as a source of prompt text, with where the name comes from.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookspecs.values import dataclass

if TYPE_CHECKING:
    from pi_pkg import Diagnostic, Provenance


@dataclass(frozen=True, slots=True)
class PromptPath:
    """An absolute path of a file, or of a folder to be looked through."""

    path: str
    provenance: Provenance | None = None


def finding(code: str, path: str, message: str, hint: str | None = None) -> Diagnostic:
    """A warning about a file of prompt text."""
    from pi_pkg import Diagnostic  # start-up time: only needed when something is wrong

    return Diagnostic("warning", code, "prompts", message, path=path, hint=hint)
