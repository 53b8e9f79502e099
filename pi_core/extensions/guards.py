"""A guard that cannot load is replaced by one that says no: tools are refused, and the refusal names it.

The stand-in is an extension like any other, so every way to a tool meets it: calls of the model,
nested calls, and those of any session that its registry serves.

Pure.
"""

from __future__ import annotations

from typing import Any

from pi_core.extensions.registrations import Extension, Registration
from pi_pkg import Diagnostic, Provenance


def stand_in(path: str, provenance: Provenance, why: Diagnostic) -> Extension:
    """An extension in the place of a guard that is not there because of `why`; commit it as it is.

    It refuses every tool call, before any other handler is asked, and carries the finding that says so.
    """
    from hookspecs.events.tool import Block  # start-up time: few runs lose a guard

    name = guard_name(path, provenance)
    reason = f"No tool runs, because the guard {name} could not be loaded: {why.message}"
    extension = Extension(path=path, provenance=provenance, stands_in_for=why)

    def refuse(event: Any, ctx: Any) -> Block:
        return Block(reason)

    extension.handlers.append(
        Registration(
            extension=extension,
            event="tool_call",
            target=refuse,
            sequence=extension.next_sequence(),
            first=True,
        )
    )
    extension.diagnostics.append(
        Diagnostic(
            "error",
            "guard-missing",
            why.stage,
            f"The guard {name} could not be loaded, so every tool call is refused.",
            source=provenance.source,
            scope=provenance.scope,
            path=path,
            hint="Repair it, or remove or disable it if you want to work without it.",
        )
    )
    return extension


def guard_name(path: str, provenance: Provenance) -> str:
    """How a guard is called in a refusal: its package where it has one, and its path."""
    return f"{provenance.source} ({path})" if provenance.origin == "package" else path
