"""The cell in which a dispatch notes the handler that runs at this moment.

It is a list of one item, made once by whoever owns the dispatches and handed to each
of them, because storing into it costs next to nothing. A nested dispatch puts back
what it found, so the cell names the innermost running handler, or None.

Pure.
"""

from __future__ import annotations

from typing import TypeAlias

from pi_core.dispatch.plan import Handler, Wrapper

Running: TypeAlias = list[Handler | Wrapper | None]


def new_cell() -> Running:
    """A cell in which nothing runs."""
    return [None]
