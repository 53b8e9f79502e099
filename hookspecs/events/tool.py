"""Events around the running of a tool, and what may be answered to two of them.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from hookspecs.messages import Usage, UserContent
from hookspecs.unset import UNSET, Unset
from hookspecs.values import dataclass


@dataclass(kw_only=True)
class ToolExecutionStart:
    """A tool call begins; `args` are as the model sent them, not yet validated."""

    event_name: ClassVar[str] = "tool_execution_start"
    tool_call_id: str
    tool_name: str
    args: Any
    parent_tool_call_id: str | None = None


@dataclass(kw_only=True)
class ToolCall:
    """A validated call is about to run. Editing `input` in place changes what the tool receives."""

    event_name: ClassVar[str] = "tool_call"
    tool_name: str
    tool_call_id: str
    input: dict[str, Any]
    parent_tool_call_id: str | None = None


@dataclass(kw_only=True)
class ToolExecutionUpdate:
    """A running tool reported a partial result."""

    event_name: ClassVar[str] = "tool_execution_update"
    tool_call_id: str
    tool_name: str
    args: Any
    partial_result: Any
    parent_tool_call_id: str | None = None


@dataclass(kw_only=True)
class ToolResultEvent:
    """A tool ran, well or badly. Blocked, unknown and invalid calls do not come here."""

    event_name: ClassVar[str] = "tool_result"
    tool_name: str
    tool_call_id: str
    input: dict[str, Any]
    content: list[UserContent]
    details: Any = None
    is_error: bool = False
    structured_content: Any = None
    usage: Usage | None = None
    parent_tool_call_id: str | None = None


@dataclass(kw_only=True)
class ToolExecutionEnd:
    """A tool call is over, whichever way it ended. `duration_ms` is None if it never ran."""

    event_name: ClassVar[str] = "tool_execution_end"
    tool_call_id: str
    tool_name: str
    result: Any
    is_error: bool = False
    duration_ms: int | None = None
    parent_tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Refuse the call: the model reads `reason`. `terminate` also lets the run end with this batch."""

    reason: str | Unset | None = UNSET
    terminate: bool | Unset = UNSET
    block: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPatch:
    """Replace parts of a tool's result; unset fields stay, None is a value.

    New `content` without new `structured_content` drops the old structured content.
    """

    content: str | list[UserContent] | Unset = UNSET
    details: Any = field(default=UNSET)
    structured_content: Any = field(default=UNSET)
    is_error: bool | Unset = UNSET
    usage: Usage | Mapping[str, Any] | Unset | None = UNSET
