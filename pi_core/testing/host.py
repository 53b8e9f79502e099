"""A session in memory that does what it is asked and remembers that it was asked.

No model, no file, no process: enough for the context and the API of an extension.

Pure.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal

from hookspecs.context import (
    CommandInfo,
    ContextUsage,
    DeliverAs,
    Mode,
    ReloadOutcome,
    Replaced,
    ToolInfo,
    WithSession,
)
from hookspecs.definitions import Model, ThinkingLevel, ToolDefinition, ToolResult
from hookspecs.messages import CustomMessage, UserContent
from hookspecs.ui import UI
from pi_core.abort import AbortSignal
from pi_core.dispatch.failing import FAILURES, pass_interrupt
from pi_core.extensions.registry import Registry


class MemorySession:
    """A history without branches: entries with `id`, `type` and their data, oldest first."""

    session_file: str | None = None
    session_id: str = "memory"

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.session_name: str | None = None
        self.labels: dict[str, str] = {}
        self._numbers = itertools.count(1)

    def add(self, type: str, **data: Any) -> str:
        """Append an entry; returns its id."""
        entry = SimpleNamespace(
            id=f"{next(self._numbers):08x}", parent_id=self.get_leaf_id(), type=type, **data
        )
        self.entries.append(entry)
        return str(entry.id)

    def add_message(self, message: Any) -> str:
        """Append a message, such as the result of a tool."""
        return self.add("message", message=message)

    def get_branch(self) -> Sequence[Any]:
        """All entries."""
        return tuple(self.entries)

    def get_entries(self) -> Sequence[Any]:
        """All entries."""
        return tuple(self.entries)

    def get_entry(self, entry_id: str) -> Any:
        """The entry with an id, or None."""
        return next((entry for entry in self.entries if entry.id == entry_id), None)

    def get_leaf_id(self) -> str | None:
        """The id of the last entry."""
        return self.entries[-1].id if self.entries else None

    def get_label(self, entry_id: str) -> str | None:
        """The label of an entry, if it has one."""
        return self.labels.get(entry_id)

    def get_tree(self) -> Any:
        """Entries with their children: here a chain."""
        node: list[Any] = []
        for entry in reversed(self.entries):
            node = [SimpleNamespace(entry=entry, children=node)]
        return node


class RecordingHost:
    """Implements `Host`. `asked` holds every wish as (name, *arguments), in order.

    A replacement of the session is granted, and `with_session` goes on at once, in this same session.
    `following` makes the context for it.
    """

    following: Callable[[], Any]

    def __init__(self, registry: Registry, *, cwd: str, mode: Mode, ui: UI, has_ui: bool) -> None:
        self.registry = registry
        self.cwd = cwd
        self.mode: Mode = mode
        self.ui = ui
        self.has_ui = has_ui
        self.session = MemorySession()
        self.models: Any = None
        self.model: Model | None = None
        self.thinking_level: ThinkingLevel = "off"
        self.signal: AbortSignal | None = None
        self.idle = True
        self.trusted = True
        self.pending = False
        self.usage: ContextUsage | None = None
        self.system_prompt = ""
        self.settings: dict[str, Any] = {}
        self.labels = self.session.labels
        self.sent: list[CustomMessage] = []
        self.prompts: list[str | list[UserContent]] = []
        self.providers: dict[str, Any] = {}
        self.refused_providers: set[str] = set()
        self.asked: list[tuple[Any, ...]] = []
        self._active: list[str] | None = None

    def _note(self, *wish: Any) -> None:
        self.asked.append(wish)

    # facts

    def is_idle(self) -> bool:
        return self.idle

    def is_project_trusted(self) -> bool:
        return self.trusted

    def has_pending_messages(self) -> bool:
        return self.pending

    def get_context_usage(self) -> ContextUsage | None:
        return self.usage

    def get_system_prompt(self) -> str:
        return self.system_prompt

    def get_system_prompt_options(self) -> Any:
        return {}

    # messages and entries

    def send_message(
        self, message: CustomMessage, *, trigger_turn: bool = False, deliver_as: DeliverAs | None = None
    ) -> Awaitable[None]:
        self._note("send_message", message, trigger_turn, deliver_as)
        self.sent.append(message)
        return _done()

    def send_user_message(
        self, content: str | list[UserContent], *, deliver_as: DeliverAs | None = None, expand: bool = False
    ) -> Awaitable[None]:
        self._note("send_user_message", content, deliver_as, expand)
        self.prompts.append(content)
        return _done()

    def append_entry(self, custom_type: str, data: Any = None) -> str:
        self._note("append_entry", custom_type, data)
        return self.session.add("custom", custom_type=custom_type, data=data)

    def set_session_name(self, name: str | None) -> None:
        self._note("set_session_name", name)
        self.session.session_name = " ".join(name.split()) or None if name else None

    def get_session_name(self) -> str | None:
        return self.session.session_name

    @property
    def session_name(self) -> str | None:
        """The name that the session was given last."""
        return self.session.session_name

    def set_label(self, entry_id: str, label: str | None) -> None:
        self._note("set_label", entry_id, label)
        if label is None:
            self.labels.pop(entry_id, None)
        else:
            self.labels[entry_id] = label

    # tools, commands, models

    def get_active_tools(self) -> list[str]:
        names = [owned.value.name for owned in self.registry.tools()]
        return names if self._active is None else [name for name in self._active if name in names]

    def get_all_tools(self) -> list[ToolInfo]:
        return [
            ToolInfo(
                name=owned.value.name,
                description=owned.value.description,
                parameters=owned.value.parameters,
                prompt_guidelines=owned.value.prompt_guidelines,
                source_info=owned.extension.provenance,
            )
            for owned in self.registry.tools()
        ]

    def set_active_tools(self, names: Sequence[str]) -> None:
        self._note("set_active_tools", list(names))
        self._active = list(dict.fromkeys(names))

    def refresh_tools(self) -> None:
        self._note("refresh_tools")

    def get_commands(self) -> list[CommandInfo]:
        return [
            CommandInfo(
                name=command.invocation,
                description=command.definition.description,
                source_info=command.extension.provenance,
            )
            for command in self.registry.commands()
        ]

    async def execute_tool(self, name: str, args: Mapping[str, Any], *, parent_id: str) -> ToolResult:
        """Run a registered tool, without the guards of a real session."""
        self._note("execute_tool", name, dict(args), parent_id)
        owned = self.registry.find_tool(name)
        if owned is None:
            return ToolResult(content=f"Tool {name} not found", is_error=True)
        return await run_tool(owned.value, args, f"{parent_id}/1", None)

    async def set_model(self, model: Model) -> bool:
        self._note("set_model", model)
        self.model = model
        return True

    def get_thinking_level(self) -> ThinkingLevel:
        return self.thinking_level

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        self._note("set_thinking_level", level)
        self.thinking_level = level

    def get_settings(self) -> Mapping[str, Any]:
        return self.settings

    def register_provider(self, name: str, config: Any) -> None:
        """Remember a provider; those named in `refused_providers` are refused."""
        if name in self.refused_providers:
            raise ValueError(f"provider {name} is refused")
        self._note("register_provider", name, config)
        self.providers[name] = config

    def unregister_provider(self, name: str) -> None:
        self._note("unregister_provider", name)
        self.providers.pop(name, None)

    # the session as a whole

    def abort(self) -> None:
        self._note("abort")

    def shutdown(self) -> None:
        self._note("shutdown")

    def compact(
        self,
        custom_instructions: str | None = None,
        *,
        on_complete: Callable[[Any], Any] | None = None,
        on_error: Callable[[BaseException], Any] | None = None,
    ) -> None:
        self._note("compact", custom_instructions)

    async def wait_for_idle(self) -> None:
        self._note("wait_for_idle")

    async def new_session(
        self, *, setup: Callable[[Any], Any] | None = None, with_session: WithSession | None = None
    ) -> Replaced:
        self._note("new_session")
        if setup is not None:
            await _maybe_await(setup(self.session))
        return await self._replaced(with_session)

    async def fork(
        self,
        entry_id: str,
        *,
        position: Literal["before", "at"] = "before",
        with_session: WithSession | None = None,
    ) -> Replaced:
        self._note("fork", entry_id, position)
        return await self._replaced(with_session)

    async def navigate_tree(
        self,
        target_id: str,
        *,
        summarize: bool = False,
        custom_instructions: str | None = None,
        replace_instructions: bool = False,
        label: str | None = None,
    ) -> Replaced:
        self._note("navigate_tree", target_id, summarize, label)
        return Replaced()

    async def switch_session(self, path: str, *, with_session: WithSession | None = None) -> Replaced:
        self._note("switch_session", path)
        return await self._replaced(with_session)

    async def reload(self) -> ReloadOutcome:
        self._note("reload")
        return "done"

    async def _replaced(self, with_session: WithSession | None) -> Replaced:
        if with_session is not None:
            await _maybe_await(with_session(self.following()))
        return Replaced()


async def _maybe_await(answer: Any) -> None:
    if inspect.isawaitable(answer):
        await answer


async def _done() -> None:
    """A message in memory has arrived at once."""


async def run_tool(tool: ToolDefinition, args: Mapping[str, Any], call_id: str, ctx: Any) -> ToolResult:
    """Run a tool as the agent would, without schema and guards: what it raises becomes an error result."""
    given: Any = dict(args)
    try:
        if tool.prepare_arguments is not None:
            given = tool.prepare_arguments(given)
        answer: Any = await tool.execute(call_id, given, None, lambda update: None, ctx)
    except FAILURES as error:  # a tool that raises has an error result
        pass_interrupt(error)
        return ToolResult(content=str(error) or type(error).__name__, is_error=True)
    return answer if isinstance(answer, ToolResult) else ToolResult(content=answer)
