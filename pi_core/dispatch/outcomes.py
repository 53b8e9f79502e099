"""What a dispatch comes to: one value a law, handed to whoever asked.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from hookspecs.unset import UNSET
from hookspecs.values import dataclass


class GateAnswer:
    """The merged answers of a gate. A field that nobody set reads as None."""

    __slots__ = ("fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = dict(fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.fields.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GateAnswer) and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment] # mutable values have no hash

    def __repr__(self) -> str:
        return f"GateAnswer({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"


@dataclass(frozen=True, slots=True)
class BranchSummary:
    """A summary that an extension wrote for the branch that is left."""

    summary: str
    details: Any = None
    usage: Any = None


@dataclass(frozen=True, slots=True)
class InputOutcome:
    """What becomes of an input. `extra` holds what else a handler said when it handled it."""

    action: Literal["continue", "transform", "handled"]
    text: str = ""
    images: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResultPatch:
    """The whole result after at least one handler patched it; never a part of it."""

    content: Any
    details: Any = None
    structured_content: Any = None
    is_error: bool = False
    usage: Any = None


@dataclass(frozen=True, slots=True)
class AgentStartOutcome:
    """What handlers made of the start of a run: messages in handler order, the prompt, the options.

    `overridden` if somebody returned a prompt or forced one through the options.
    """

    messages: tuple[Any, ...]
    system_prompt: str
    options: Any
    overridden: bool = False


@dataclass(frozen=True, slots=True)
class OwnedPath:
    """A path and the extension that contributed it."""

    path: str
    extension: str


@dataclass(frozen=True, slots=True)
class CollectedResources:
    """Paths in the order of the handlers; duplicates are kept."""

    skill_paths: tuple[OwnedPath, ...] = ()
    prompt_paths: tuple[OwnedPath, ...] = ()
    theme_paths: tuple[OwnedPath, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundaryOutcome:
    """Entries to commit and whether to go on. Invalid: no entries and no continuation."""

    entries: list[Any] = field(default_factory=list)
    continue_: bool = False
    context: Any = None
    valid: bool = True


def or_none(value: Any) -> Any:
    """The value, or None where it is unset."""
    return None if value is UNSET else value
