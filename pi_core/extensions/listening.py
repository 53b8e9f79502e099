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
    def on(
        self, event: Literal["session_start"], **how: Unpack[How]
    ) -> Callable[[SessionStartF], SessionStartF]: ...
    @overload
    def on(
        self, event: Literal["session_start"], handler: Observer[h.SessionStart], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_info_changed"], **how: Unpack[How]
    ) -> Callable[[SessionInfoChangedF], SessionInfoChangedF]: ...
    @overload
    def on(
        self,
        event: Literal["session_info_changed"],
        handler: Observer[h.SessionInfoChanged],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_compact"], **how: Unpack[How]
    ) -> Callable[[SessionCompactF], SessionCompactF]: ...
    @overload
    def on(
        self, event: Literal["session_compact"], handler: Observer[h.SessionCompact], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_tree"], **how: Unpack[How]
    ) -> Callable[[SessionTreeF], SessionTreeF]: ...
    @overload
    def on(
        self, event: Literal["session_tree"], handler: Observer[h.SessionTree], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_shutdown"], **how: Unpack[How]
    ) -> Callable[[SessionShutdownF], SessionShutdownF]: ...
    @overload
    def on(
        self, event: Literal["session_shutdown"], handler: Observer[h.SessionShutdown], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["agent_start"], **how: Unpack[How]
    ) -> Callable[[AgentStartF], AgentStartF]: ...
    @overload
    def on(
        self, event: Literal["agent_start"], handler: Observer[h.AgentStartEvent], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["agent_end"], **how: Unpack[How]) -> Callable[[AgentEndF], AgentEndF]: ...
    @overload
    def on(
        self, event: Literal["agent_end"], handler: Observer[h.AgentEnd], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["agent_settled"], **how: Unpack[How]
    ) -> Callable[[AgentSettledF], AgentSettledF]: ...
    @overload
    def on(
        self, event: Literal["agent_settled"], handler: Observer[h.AgentSettled], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["turn_start"], **how: Unpack[How]) -> Callable[[TurnStartF], TurnStartF]: ...
    @overload
    def on(
        self, event: Literal["turn_start"], handler: Observer[h.TurnStart], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["message_start"], **how: Unpack[How]
    ) -> Callable[[MessageStartF], MessageStartF]: ...
    @overload
    def on(
        self, event: Literal["message_start"], handler: Observer[h.MessageStart], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["message_update"], **how: Unpack[How]
    ) -> Callable[[MessageUpdateF], MessageUpdateF]: ...
    @overload
    def on(
        self, event: Literal["message_update"], handler: Observer[h.MessageUpdate], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["tool_execution_start"], **how: Unpack[How]
    ) -> Callable[[ToolExecutionStartF], ToolExecutionStartF]: ...
    @overload
    def on(
        self,
        event: Literal["tool_execution_start"],
        handler: Observer[h.ToolExecutionStart],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["tool_execution_update"], **how: Unpack[How]
    ) -> Callable[[ToolExecutionUpdateF], ToolExecutionUpdateF]: ...
    @overload
    def on(
        self,
        event: Literal["tool_execution_update"],
        handler: Observer[h.ToolExecutionUpdate],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["tool_execution_end"], **how: Unpack[How]
    ) -> Callable[[ToolExecutionEndF], ToolExecutionEndF]: ...
    @overload
    def on(
        self, event: Literal["tool_execution_end"], handler: Observer[h.ToolExecutionEnd], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["after_provider_response"], **how: Unpack[How]
    ) -> Callable[[AfterProviderResponseF], AfterProviderResponseF]: ...
    @overload
    def on(
        self,
        event: Literal["after_provider_response"],
        handler: Observer[h.AfterProviderResponse],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["model_select"], **how: Unpack[How]
    ) -> Callable[[ModelSelectF], ModelSelectF]: ...
    @overload
    def on(
        self, event: Literal["model_select"], handler: Observer[h.ModelSelect], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["thinking_level_select"], **how: Unpack[How]
    ) -> Callable[[ThinkingLevelSelectF], ThinkingLevelSelectF]: ...
    @overload
    def on(
        self,
        event: Literal["thinking_level_select"],
        handler: Observer[h.ThinkingLevelSelect],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_compact_failed"], **how: Unpack[How]
    ) -> Callable[[SessionCompactFailedF], SessionCompactFailedF]: ...
    @overload
    def on(
        self,
        event: Literal["session_compact_failed"],
        handler: Observer[h.SessionCompactFailed],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["provider_stream_event"], **how: Unpack[How]
    ) -> Callable[[ProviderStreamF], ProviderStreamF]: ...
    @overload
    def on(
        self,
        event: Literal["provider_stream_event"],
        handler: Observer[h.ProviderStreamEvent],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["ui_prompt_start"], **how: Unpack[How]
    ) -> Callable[[UiPromptStartF], UiPromptStartF]: ...
    @overload
    def on(
        self, event: Literal["ui_prompt_start"], handler: Observer[h.UiPromptStart], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["ui_prompt_end"], **how: Unpack[How]
    ) -> Callable[[UiPromptEndF], UiPromptEndF]: ...
    @overload
    def on(
        self, event: Literal["ui_prompt_end"], handler: Observer[h.UiPromptEnd], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["project_trust"], **how: Unpack[How]
    ) -> Callable[[ProjectTrustF], ProjectTrustF]: ...
    @overload
    def on(
        self,
        event: Literal["project_trust"],
        handler: Callable[[h.ProjectTrust, h.ProjectTrustContext], Answer[h.Trust]],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["user_bash"], **how: Unpack[How]) -> Callable[[UserBashF], UserBashF]: ...
    @overload
    def on(
        self, event: Literal["user_bash"], handler: Handler[h.UserBash, h.Bash], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["tool_call"], **how: Unpack[How]) -> Callable[[ToolCallF], ToolCallF]: ...
    @overload
    def on(
        self, event: Literal["tool_call"], handler: Handler[h.ToolCall, h.Block], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_before_switch"], **how: Unpack[How]
    ) -> Callable[[SessionBeforeSwitchF], SessionBeforeSwitchF]: ...
    @overload
    def on(
        self,
        event: Literal["session_before_switch"],
        handler: Handler[h.SessionBeforeSwitch, h.Cancel],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_before_fork"], **how: Unpack[How]
    ) -> Callable[[SessionBeforeForkF], SessionBeforeForkF]: ...
    @overload
    def on(
        self,
        event: Literal["session_before_fork"],
        handler: Handler[h.SessionBeforeFork, h.Cancel],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_before_compact"], **how: Unpack[How]
    ) -> Callable[[SessionBeforeCompactF], SessionBeforeCompactF]: ...
    @overload
    def on(
        self,
        event: Literal["session_before_compact"],
        handler: Handler[h.SessionBeforeCompact, h.Cancel | h.Compaction],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["session_before_tree"], **how: Unpack[How]
    ) -> Callable[[SessionBeforeTreeF], SessionBeforeTreeF]: ...
    @overload
    def on(
        self,
        event: Literal["session_before_tree"],
        handler: Handler[h.SessionBeforeTree, h.Cancel | h.TreeSummary],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["input"], **how: Unpack[How]) -> Callable[[InputF], InputF]: ...
    @overload
    def on(
        self,
        event: Literal["input"],
        handler: Handler[h.Input, h.Transform | h.Handled | h.Continue],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["context"], **how: Unpack[How]) -> Callable[[ContextF], ContextF]: ...
    @overload
    def on(
        self, event: Literal["context"], handler: Handler[h.Context, h.ReplaceMessages], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["context_with_system"], **how: Unpack[How]
    ) -> Callable[[ContextWithSystemF], ContextWithSystemF]: ...
    @overload
    def on(
        self,
        event: Literal["context_with_system"],
        handler: Handler[h.ContextWithSystem, h.ReplaceMessages],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["before_provider_request"], **how: Unpack[How]
    ) -> Callable[[BeforeProviderRequestF], BeforeProviderRequestF]: ...
    @overload
    def on(
        self,
        event: Literal["before_provider_request"],
        handler: Observer[h.BeforeProviderRequest],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["tool_result"], **how: Unpack[How]
    ) -> Callable[[ToolResultF], ToolResultF]: ...
    @overload
    def on(
        self,
        event: Literal["tool_result"],
        handler: Handler[h.ToolResultEvent, h.ResultPatch],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["message_end"], **how: Unpack[How]
    ) -> Callable[[MessageEndF], MessageEndF]: ...
    @overload
    def on(
        self,
        event: Literal["message_end"],
        handler: Handler[h.MessageEnd, h.ReplaceMessage],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["before_agent_start"], **how: Unpack[How]
    ) -> Callable[[BeforeAgentStartF], BeforeAgentStartF]: ...
    @overload
    def on(
        self,
        event: Literal["before_agent_start"],
        handler: Handler[h.BeforeAgentStart, h.AgentStart],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["before_provider_headers"], **how: Unpack[How]
    ) -> Callable[[BeforeProviderHeadersF], BeforeProviderHeadersF]: ...
    @overload
    def on(
        self,
        event: Literal["before_provider_headers"],
        handler: Observer[h.BeforeProviderHeaders],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["resources_discover"], **how: Unpack[How]
    ) -> Callable[[ResourcesDiscoverF], ResourcesDiscoverF]: ...
    @overload
    def on(
        self,
        event: Literal["resources_discover"],
        handler: Handler[h.ResourcesDiscover, h.Resources],
        **how: Unpack[How],
    ) -> Subscription: ...
    @overload
    def on(self, event: Literal["turn_end"], **how: Unpack[How]) -> Callable[[TurnEndF], TurnEndF]: ...
    @overload
    def on(
        self, event: Literal["turn_end"], handler: Handler[h.TurnEnd, h.Boundary], **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def on(
        self, event: Literal["agent_before_settle"], **how: Unpack[How]
    ) -> Callable[[AgentBeforeSettleF], AgentBeforeSettleF]: ...
    @overload
    def on(
        self,
        event: Literal["agent_before_settle"],
        handler: Handler[h.AgentBeforeSettle, h.Boundary],
        **how: Unpack[How],
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
