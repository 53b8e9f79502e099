"""What the next request is made of: model, prompt, tools and the conversation.

The host may change any field at any time. The loop reads model, prompt, tools
and thinking level when a turn begins, so a change takes effect with the next one.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from hookspecs.definitions import ExecutionMode, Model, ThinkingLevel, ToolDefinition
from hookspecs.messages import Message
from hookspecs.values import dataclass


@dataclass(kw_only=True)
class AgentState:
    """The state of one agent. `messages` is the loop's own list, oldest first; it only ever grows here."""

    model: Model
    system_prompt: str = ""
    tools: Sequence[ToolDefinition] = ()
    messages: list[Message] = field(default_factory=list)
    thinking: ThinkingLevel = "off"
    execution_mode: ExecutionMode = "parallel"
    conversation_id: str | None = None
    left_behind: set[asyncio.Future[Any]] = field(default_factory=set)
    """Tools that an abort could not end; here until they end by themselves."""
