"""The typed face of `pi.on`: an event's name decides what its handler is handed and may answer.

Written by `python -m tests.core.extensions.on_overloads` from the laws; edit that.

Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, overload

import hookspecs as h
from pi_core.extensions.subscription import Subscription

T = TypeVar("T")
E = TypeVar("E")
Answer: TypeAlias = T | Mapping[str, Any] | Awaitable[T | Mapping[str, Any] | None] | None
"""What a handler may return: an answer, its wire form as a dict, nothing; or an awaitable of those."""
Handler: TypeAlias = Callable[[E, h.ExtensionContext], Answer[T]]
Observer: TypeAlias = Callable[[E, h.ExtensionContext], object]
Same: TypeAlias = Callable[[T], T]
"""A decorator that gives back what it is given."""


class How(TypedDict, total=False):
    """The place of a handler among those of all extensions."""

    first: bool
    last: bool


SessionStartF = TypeVar("SessionStartF", bound="Observer[h.SessionStart]")
SessionInfoChangedF = TypeVar("SessionInfoChangedF", bound="Observer[h.SessionInfoChanged]")
SessionCompactF = TypeVar("SessionCompactF", bound="Observer[h.SessionCompact]")
SessionTreeF = TypeVar("SessionTreeF", bound="Observer[h.SessionTree]")
SessionShutdownF = TypeVar("SessionShutdownF", bound="Observer[h.SessionShutdown]")
AgentStartF = TypeVar("AgentStartF", bound="Observer[h.AgentStartEvent]")
AgentEndF = TypeVar("AgentEndF", bound="Observer[h.AgentEnd]")
AgentSettledF = TypeVar("AgentSettledF", bound="Observer[h.AgentSettled]")
TurnStartF = TypeVar("TurnStartF", bound="Observer[h.TurnStart]")
MessageStartF = TypeVar("MessageStartF", bound="Observer[h.MessageStart]")
MessageUpdateF = TypeVar("MessageUpdateF", bound="Observer[h.MessageUpdate]")
ToolExecutionStartF = TypeVar("ToolExecutionStartF", bound="Observer[h.ToolExecutionStart]")
ToolExecutionUpdateF = TypeVar("ToolExecutionUpdateF", bound="Observer[h.ToolExecutionUpdate]")
ToolExecutionEndF = TypeVar("ToolExecutionEndF", bound="Observer[h.ToolExecutionEnd]")
AfterProviderResponseF = TypeVar("AfterProviderResponseF", bound="Observer[h.AfterProviderResponse]")
ModelSelectF = TypeVar("ModelSelectF", bound="Observer[h.ModelSelect]")
ThinkingLevelSelectF = TypeVar("ThinkingLevelSelectF", bound="Observer[h.ThinkingLevelSelect]")
SessionCompactFailedF = TypeVar("SessionCompactFailedF", bound="Observer[h.SessionCompactFailed]")
ProviderStreamF = TypeVar("ProviderStreamF", bound="Observer[h.ProviderStreamEvent]")
UiPromptStartF = TypeVar("UiPromptStartF", bound="Observer[h.UiPromptStart]")
UiPromptEndF = TypeVar("UiPromptEndF", bound="Observer[h.UiPromptEnd]")
ProjectTrustF = TypeVar(
    "ProjectTrustF", bound="Callable[[h.ProjectTrust, h.ProjectTrustContext], Answer[h.Trust]]"
)
UserBashF = TypeVar("UserBashF", bound="Handler[h.UserBash, h.Bash]")
ToolCallF = TypeVar("ToolCallF", bound="Handler[h.ToolCall, h.Block]")
SessionBeforeSwitchF = TypeVar("SessionBeforeSwitchF", bound="Handler[h.SessionBeforeSwitch, h.Cancel]")
SessionBeforeForkF = TypeVar("SessionBeforeForkF", bound="Handler[h.SessionBeforeFork, h.Cancel]")
SessionBeforeCompactF = TypeVar(
    "SessionBeforeCompactF", bound="Handler[h.SessionBeforeCompact, h.Cancel | h.Compaction]"
)
SessionBeforeTreeF = TypeVar(
    "SessionBeforeTreeF", bound="Handler[h.SessionBeforeTree, h.Cancel | h.TreeSummary]"
)
InputF = TypeVar("InputF", bound="Handler[h.Input, h.Transform | h.Handled | h.Continue]")
ContextF = TypeVar("ContextF", bound="Handler[h.Context, h.ReplaceMessages]")
ContextWithSystemF = TypeVar("ContextWithSystemF", bound="Handler[h.ContextWithSystem, h.ReplaceMessages]")
BeforeProviderRequestF = TypeVar("BeforeProviderRequestF", bound="Observer[h.BeforeProviderRequest]")
ToolResultF = TypeVar("ToolResultF", bound="Handler[h.ToolResultEvent, h.ResultPatch]")
MessageEndF = TypeVar("MessageEndF", bound="Handler[h.MessageEnd, h.ReplaceMessage]")
BeforeAgentStartF = TypeVar("BeforeAgentStartF", bound="Handler[h.BeforeAgentStart, h.AgentStart]")
BeforeProviderHeadersF = TypeVar("BeforeProviderHeadersF", bound="Observer[h.BeforeProviderHeaders]")
ResourcesDiscoverF = TypeVar("ResourcesDiscoverF", bound="Handler[h.ResourcesDiscover, h.Resources]")
TurnEndF = TypeVar("TurnEndF", bound="Handler[h.TurnEnd, h.Boundary]")
AgentBeforeSettleF = TypeVar("AgentBeforeSettleF", bound="Handler[h.AgentBeforeSettle, h.Boundary]")
F = TypeVar("F", bound=Callable[..., Any])
X = TypeVar("X")


class Keep(Protocol[X]):
    """Takes a handler of the event and gives it back."""

    def __call__(
        self, handler: Callable[[X, h.ExtensionContext], T], /
    ) -> Callable[[X, h.ExtensionContext], T]: ...


class KeepAny(Protocol):
    """Takes a handler and gives it back."""

    def __call__(self, handler: F, /) -> F: ...


class Listening(Protocol):
    """`on`, for every event by its name and by its class."""

    @overload
    def on(self, event: Literal["session_start"], **how: Unpack[How]) -> Same[SessionStartF]: ...
    @overload
    def on(
        self, event: Literal["session_start"], handler: SessionStartF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["session_info_changed"], **how: Unpack[How]) -> Same[SessionInfoChangedF]: ...
    @overload
    def on(
        self, event: Literal["session_info_changed"], handler: SessionInfoChangedF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["session_compact"], **how: Unpack[How]) -> Same[SessionCompactF]: ...
    @overload
    def on(
        self, event: Literal["session_compact"], handler: SessionCompactF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["session_tree"], **how: Unpack[How]) -> Same[SessionTreeF]: ...
    @overload
    def on(
        self, event: Literal["session_tree"], handler: SessionTreeF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["session_shutdown"], **how: Unpack[How]) -> Same[SessionShutdownF]: ...
    @overload
    def on(
        self, event: Literal["session_shutdown"], handler: SessionShutdownF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["agent_start"], **how: Unpack[How]) -> Same[AgentStartF]: ...
    @overload
    def on(self, event: Literal["agent_start"], handler: AgentStartF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["agent_end"], **how: Unpack[How]) -> Same[AgentEndF]: ...
    @overload
    def on(self, event: Literal["agent_end"], handler: AgentEndF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["agent_settled"], **how: Unpack[How]) -> Same[AgentSettledF]: ...
    @overload
    def on(
        self, event: Literal["agent_settled"], handler: AgentSettledF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["turn_start"], **how: Unpack[How]) -> Same[TurnStartF]: ...
    @overload
    def on(self, event: Literal["turn_start"], handler: TurnStartF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["message_start"], **how: Unpack[How]) -> Same[MessageStartF]: ...
    @overload
    def on(
        self, event: Literal["message_start"], handler: MessageStartF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["message_update"], **how: Unpack[How]) -> Same[MessageUpdateF]: ...
    @overload
    def on(
        self, event: Literal["message_update"], handler: MessageUpdateF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["tool_execution_start"], **how: Unpack[How]) -> Same[ToolExecutionStartF]: ...
    @overload
    def on(
        self, event: Literal["tool_execution_start"], handler: ToolExecutionStartF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["tool_execution_update"], **how: Unpack[How]
    ) -> Same[ToolExecutionUpdateF]: ...
    @overload
    def on(
        self, event: Literal["tool_execution_update"], handler: ToolExecutionUpdateF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["tool_execution_end"], **how: Unpack[How]) -> Same[ToolExecutionEndF]: ...
    @overload
    def on(
        self, event: Literal["tool_execution_end"], handler: ToolExecutionEndF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["after_provider_response"], **how: Unpack[How]
    ) -> Same[AfterProviderResponseF]: ...
    @overload
    def on(
        self, event: Literal["after_provider_response"], handler: AfterProviderResponseF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["model_select"], **how: Unpack[How]) -> Same[ModelSelectF]: ...
    @overload
    def on(
        self, event: Literal["model_select"], handler: ModelSelectF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["thinking_level_select"], **how: Unpack[How]
    ) -> Same[ThinkingLevelSelectF]: ...
    @overload
    def on(
        self, event: Literal["thinking_level_select"], handler: ThinkingLevelSelectF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_compact_failed"], **how: Unpack[How]
    ) -> Same[SessionCompactFailedF]: ...
    @overload
    def on(
        self, event: Literal["session_compact_failed"], handler: SessionCompactFailedF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["provider_stream_event"], **how: Unpack[How]) -> Same[ProviderStreamF]: ...
    @overload
    def on(
        self, event: Literal["provider_stream_event"], handler: ProviderStreamF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["ui_prompt_start"], **how: Unpack[How]) -> Same[UiPromptStartF]: ...
    @overload
    def on(
        self, event: Literal["ui_prompt_start"], handler: UiPromptStartF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["ui_prompt_end"], **how: Unpack[How]) -> Same[UiPromptEndF]: ...
    @overload
    def on(
        self, event: Literal["ui_prompt_end"], handler: UiPromptEndF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["project_trust"], **how: Unpack[How]) -> Same[ProjectTrustF]: ...
    @overload
    def on(
        self, event: Literal["project_trust"], handler: ProjectTrustF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["user_bash"], **how: Unpack[How]) -> Same[UserBashF]: ...
    @overload
    def on(self, event: Literal["user_bash"], handler: UserBashF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["tool_call"], **how: Unpack[How]) -> Same[ToolCallF]: ...
    @overload
    def on(self, event: Literal["tool_call"], handler: ToolCallF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_before_switch"], **how: Unpack[How]
    ) -> Same[SessionBeforeSwitchF]: ...
    @overload
    def on(
        self, event: Literal["session_before_switch"], handler: SessionBeforeSwitchF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["session_before_fork"], **how: Unpack[How]) -> Same[SessionBeforeForkF]: ...
    @overload
    def on(
        self, event: Literal["session_before_fork"], handler: SessionBeforeForkF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_before_compact"], **how: Unpack[How]
    ) -> Same[SessionBeforeCompactF]: ...
    @overload
    def on(
        self, event: Literal["session_before_compact"], handler: SessionBeforeCompactF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["session_before_tree"], **how: Unpack[How]) -> Same[SessionBeforeTreeF]: ...
    @overload
    def on(
        self, event: Literal["session_before_tree"], handler: SessionBeforeTreeF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["input"], **how: Unpack[How]) -> Same[InputF]: ...
    @overload
    def on(self, event: Literal["input"], handler: InputF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["context"], **how: Unpack[How]) -> Same[ContextF]: ...
    @overload
    def on(self, event: Literal["context"], handler: ContextF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["context_with_system"], **how: Unpack[How]) -> Same[ContextWithSystemF]: ...
    @overload
    def on(
        self, event: Literal["context_with_system"], handler: ContextWithSystemF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["before_provider_request"], **how: Unpack[How]
    ) -> Same[BeforeProviderRequestF]: ...
    @overload
    def on(
        self, event: Literal["before_provider_request"], handler: BeforeProviderRequestF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["tool_result"], **how: Unpack[How]) -> Same[ToolResultF]: ...
    @overload
    def on(self, event: Literal["tool_result"], handler: ToolResultF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["message_end"], **how: Unpack[How]) -> Same[MessageEndF]: ...
    @overload
    def on(self, event: Literal["message_end"], handler: MessageEndF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["before_agent_start"], **how: Unpack[How]) -> Same[BeforeAgentStartF]: ...
    @overload
    def on(
        self, event: Literal["before_agent_start"], handler: BeforeAgentStartF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["before_provider_headers"], **how: Unpack[How]
    ) -> Same[BeforeProviderHeadersF]: ...
    @overload
    def on(
        self, event: Literal["before_provider_headers"], handler: BeforeProviderHeadersF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["resources_discover"], **how: Unpack[How]) -> Same[ResourcesDiscoverF]: ...
    @overload
    def on(
        self, event: Literal["resources_discover"], handler: ResourcesDiscoverF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["turn_end"], **how: Unpack[How]) -> Same[TurnEndF]: ...
    @overload
    def on(self, event: Literal["turn_end"], handler: TurnEndF, **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: Literal["agent_before_settle"], **how: Unpack[How]) -> Same[AgentBeforeSettleF]: ...
    @overload
    def on(
        self, event: Literal["agent_before_settle"], handler: AgentBeforeSettleF, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: type[E], **how: Unpack[How]) -> Keep[E]: ...
    @overload
    def on(self, event: type[E], handler: Observer[E], **how: Unpack[How]) -> Subscription: ...
    @overload
    def on(self, event: str, *, optional: Literal[True], first: bool = ..., last: bool = ...) -> KeepAny: ...
    @overload
    def on(
        self,
        event: str,
        handler: Callable[..., Any],
        *,
        optional: Literal[True],
        first: bool = ...,
        last: bool = ...,
    ) -> Subscription: ...
    def on(self, event: Any, handler: Any = None, **how: Any) -> Any:
        """Listen to an event, given by name or by class.

        As a decorator it returns the function, called with a handler a Subscription that ends it. The
        handler is called as `handler(event, ctx)` and may be async. `first` and `last` move it before
        or behind the handlers of all other extensions; `optional` accepts an event that this version
        does not have. Raises: UnknownEventError, RegistrationError for a handler of another form.
        """
        ...
