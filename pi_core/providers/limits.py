"""How long an answer may be: what is asked for, as far as the model's window has room.

Pure.
"""

from __future__ import annotations

import json
from typing import Final

from hookspecs.definitions import Model
from hookspecs.wire import to_wire
from pi_core.compaction.tokens import CHARACTERS_PER_TOKEN, estimate_tokens
from pi_core.providers.base import Context

MARGIN: Final = 4096
"""Tokens of the window that stay free, because the size of a request is an estimate."""


def answer_limit(model: Model, context: Context, wanted: int | None = None) -> int | None:
    """The most tokens that the answer may have: what is wanted or the model's most, if the window has room.

    Returns: at least 1; None if neither is known.
    """
    most = wanted or model.max_tokens
    if not most or most < 1:
        return None
    if model.context_window < 1:
        return most
    return max(1, min(most, model.context_window - request_tokens(context) - MARGIN))


def request_tokens(context: Context) -> int:
    """The size of a request, estimated at four characters a token."""
    tools = [[tool.name, tool.description, to_wire(tool.parameters)] for tool in context.tools]
    fixed = len(context.system_prompt) + (len(json.dumps(tools, default=str)) if tools else 0)
    return fixed // CHARACTERS_PER_TOKEN + sum(map(estimate_tokens, context.messages))
