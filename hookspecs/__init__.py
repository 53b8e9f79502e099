"""What core and extensions say to each other: events, answers, messages, definitions, markers.

A lazy face: a name is imported from its file when it is first asked for.

Pure.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hookspecs.context import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.definitions import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events.agent import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events.input import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events.provider import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events.resources import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events.session import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events.tool import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.events.trust import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.laws import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.login import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.markers import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.messages import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.specs import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.ui import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.unset import *  # noqa: F403 - the same names, for type checkers
    from hookspecs.wire import *  # noqa: F403 - the same names, for type checkers

_BY_FILE: Final = {
    "hookspecs.markers": "PROJECT_NAME hookspec hookimpl is_async_wrapper",
    "hookspecs.unset": "Unset UNSET",
    "hookspecs.laws": "LawName CopyRule FailurePolicy EventLaw LAWS",
    "hookspecs.specs": "PiSpecs",
    "hookspecs.messages": (
        "JsonObject StopReason TextContent ImageContent ThinkingContent ToolCallContent UserContent "
        "AssistantContent Cost Usage UserMessage AssistantMessage ToolResultMessage CustomMessage "
        "BashExecutionMessage CompactionSummaryMessage BranchSummaryMessage Message text_of"
    ),
    "hookspecs.definitions": (
        "ExecutionMode ThinkingLevel FlagType JsonSchema ToolResult UpdateSink ExecuteTool "
        "ToolDefinition CommandDefinition FlagDefinition ShortcutDefinition Model StreamFunction "
        "RefreshModelsContext RefreshModels ProviderConfig ExecResult"
    ),
    "hookspecs.login": "LoginCredentials LoginCallbacks OAuthHooks",
    "hookspecs.context": (
        "Mode DeliverAs CommandKind ReloadOutcome WithSession SourceInfo ToolInfo CommandInfo ContextUsage "
        "Replaced SessionView SessionFacts ExtensionContext ToolContext SessionChanges CommandContext "
        "ReplacedSessionContext ProjectTrustContext SessionActions Host"
    ),
    "hookspecs.ui": "Severity Placement UIUnavailable Dialogs UI",
    "hookspecs.shapes": "field_types fits",
    "hookspecs.wire": (
        "snake camel FieldShape shapes_of to_wire is_message message_from_wire content_from_wire "
        "usage_from_wire"
    ),
    "hookspecs.events.session": (
        "StartReason ShutdownReason CompactionReason SessionStart SessionInfoChanged SessionBeforeSwitch "
        "SessionBeforeFork SessionBeforeCompact SessionCompact SessionCompactFailed SessionBeforeTree "
        "SessionTree SessionShutdown Cancel Compaction TreeSummary"
    ),
    "hookspecs.events.tool": (
        "ToolExecutionStart ToolCall ToolExecutionUpdate ToolResultEvent ToolExecutionEnd Block ResultPatch"
    ),
    "hookspecs.events.agent": (
        "Outcome BeforeAgentStart AgentStartEvent AgentEnd AgentSettled AgentBeforeSettle TurnStart "
        "TurnEnd MessageStart MessageUpdate MessageEnd ReplaceMessage AgentStart Boundary"
    ),
    "hookspecs.events.input": (
        "InputSource PromptKind Input UserBash UiPromptStart UiPromptEnd Transform Handled Continue "
        "BashResult Bash"
    ),
    "hookspecs.events.provider": (
        "Context ContextWithSystem BeforeProviderHeaders BeforeProviderRequest AfterProviderResponse "
        "ProviderStreamEvent ModelSelect ThinkingLevelSelect ReplaceMessages ReplacePayload"
    ),
    "hookspecs.events.resources": "ResourcesDiscover Resources",
    "hookspecs.events.trust": "ProjectTrust Trust",
    "hookspecs.events": "EVENTS event_class",
}
_FILES: Final = {name: module for module, names in _BY_FILE.items() for name in names.split()}

__all__ = list(_FILES)


def __getattr__(name: str) -> Any:
    module = _FILES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
