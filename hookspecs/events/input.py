"""Events about what the person types and is asked, and what may be answered.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Literal, TypeAlias

from hookspecs.messages import ImageContent
from hookspecs.unset import UNSET, Unset
from hookspecs.values import dataclass

InputSource: TypeAlias = Literal["interactive", "rpc", "extension"]
PromptKind: TypeAlias = Literal["select", "confirm", "input", "editor", "custom"]


@dataclass(kw_only=True)
class Input:
    """A prompt came in, after commands were matched and before skills and templates are expanded.

    `streaming_behavior` is None when the session is idle.
    """

    event_name: ClassVar[str] = "input"
    text: str
    source: InputSource = "interactive"
    images: list[ImageContent] | None = None
    streaming_behavior: Literal["steer", "followUp"] | None = None


@dataclass(kw_only=True)
class UserBash:
    """The person is about to run a shell command; `exclude_from_context` keeps it from the model."""

    event_name: ClassVar[str] = "user_bash"
    command: str
    cwd: str
    exclude_from_context: bool = False


@dataclass(kw_only=True)
class UiPromptStart:
    """The outermost dialog opened, in a mode with a real user interface."""

    event_name: ClassVar[str] = "ui_prompt_start"
    kind: PromptKind
    reason: str = ""
    title: str | None = None


@dataclass(kw_only=True)
class UiPromptEnd:
    """The outermost dialog closed."""

    event_name: ClassVar[str] = "ui_prompt_end"
    kind: PromptKind
    reason: str = ""
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Transform:
    """Go on with this text; images left unset stay as they are."""

    text: str
    images: list[ImageContent] | Unset | None = UNSET


@dataclass(frozen=True, slots=True)
class Handled:
    """The extension dealt with the input: no run, and no later handler."""

    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on unchanged; the same as answering nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BashResult:
    """What a command came to. `exit_code` is None if it was killed."""

    output: str
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bash:
    """How the command is run: by these `operations`, or not at all, since its `result` is here.

    Exactly one of the two. Operations have a callable `exec`.
    """

    operations: Any = field(default=UNSET)
    result: BashResult | Mapping[str, Any] | Unset = UNSET
