"""Events around a request to a model, the choice of a model, and the answers.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from hookspecs.definitions import Model, ThinkingLevel
from hookspecs.messages import Message
from hookspecs.values import dataclass


@dataclass(kw_only=True)
class Context:
    """The messages of the next request, copied: edit them freely, the history is out of reach."""

    event_name: ClassVar[str] = "context"
    messages: list[Message]


@dataclass(kw_only=True)
class ContextWithSystem:
    """The whole transcript after every `context` handler, with its system messages."""

    event_name: ClassVar[str] = "context_with_system"
    messages: list[Any]


@dataclass(kw_only=True)
class BeforeProviderHeaders:
    """The headers of a request. Edit the mapping in place; None deletes a header."""

    event_name: ClassVar[str] = "before_provider_headers"
    headers: dict[str, str | None]


@dataclass(kw_only=True)
class BeforeProviderRequest:
    """The body of a request as the provider's wire wants it."""

    event_name: ClassVar[str] = "before_provider_request"
    payload: Any


@dataclass(kw_only=True)
class AfterProviderResponse:
    """Status and headers arrived; the body was not read yet."""

    event_name: ClassVar[str] = "after_provider_response"
    status: int
    headers: dict[str, str]


@dataclass(kw_only=True)
class ProviderStreamEvent:
    """One raw chunk of the response, to be read only."""

    event_name: ClassVar[str] = "provider_stream_event"
    provider: str
    api: str
    model: str
    data: Any


@dataclass(kw_only=True)
class ModelSelect:
    """Another model was chosen."""

    event_name: ClassVar[str] = "model_select"
    model: Model
    previous_model: Model | None = None
    source: Literal["set", "cycle", "restore"] = "set"


@dataclass(kw_only=True)
class ThinkingLevelSelect:
    """The thinking level in effect changed."""

    event_name: ClassVar[str] = "thinking_level_select"
    level: ThinkingLevel
    previous_level: ThinkingLevel


@dataclass(frozen=True, slots=True)
class ReplaceMessages:
    """Send these messages; an empty list is an answer too."""

    messages: list[Message] | list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ReplacePayload:
    """Send this payload; the way to send None, which as a bare answer means no opinion."""

    payload: Any
