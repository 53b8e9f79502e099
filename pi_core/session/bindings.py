"""The session as extensions see it: every question and wish of theirs, answered by the live session.

Implements the `Host` port.

Touches: whatever the session touches.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal

from hookspecs.context import (
    CommandInfo,
    ContextUsage,
    DeliverAs,
    Mode,
    ReloadOutcome,
    Replaced,
    SessionView,
    ToolInfo,
    WithSession,
)
from hookspecs.definitions import Model, ThinkingLevel, ToolResult
from hookspecs.messages import CustomMessage, ImageContent, UserContent, text_of
from hookspecs.ui import UI
from pi_core.abort import AbortSignal
from pi_core.agent.agent import now_ms
from pi_core.errors import AgentError, CannotReplaceError
from pi_core.session.binding import CommandActions
from pi_core.session.foreign import as_custom_message
from pi_core.session.history_view import HistoryView
from pi_core.session.session import Session
from pi_pkg import Provenance


class SessionHost:
    """Implements `Host` over one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._parts = session.parts

    # facts

    @property
    def mode(self) -> Mode:
        return self._session.mode

    @property
    def cwd(self) -> str:
        return str(self._parts.cwd)

    @property
    def ui(self) -> UI:
        return self._session.ui

    @property
    def has_ui(self) -> bool:
        return self._session.binding.ui is not None

    @property
    def session(self) -> SessionView:
        return HistoryView(self._parts.store)

    @property
    def models(self) -> Any:
        return self._parts.models.registry

    @property
    def model(self) -> Model | None:
        return self._parts.models.model

    @property
    def thinking_level(self) -> ThinkingLevel:
        return self._parts.models.thinking

    @property
    def signal(self) -> AbortSignal | None:
        return self._session.activities.signal

    def is_idle(self) -> bool:
        return self._session.is_idle

    def is_project_trusted(self) -> bool:
        return self._parts.trusted

    def has_pending_messages(self) -> bool:
        return self._session.delivery.pending > 0

    def get_context_usage(self) -> ContextUsage | None:
        return self._session.context_usage()

    def get_system_prompt(self) -> str:
        return self._session.system_prompt

    def get_system_prompt_options(self) -> Any:
        return self._parts.system.options(self._parts.toolset)

    def get_settings(self) -> Mapping[str, Any]:
        return self._parts.settings.effective

    # messages

    def send_message(
        self, message: CustomMessage, *, trigger_turn: bool = False, deliver_as: DeliverAs | None = None
    ) -> asyncio.Task[None]:
        custom = as_custom_message(message, now_ms())
        deliver = self._session.delivery.custom
        return self._start(lambda: deliver(custom, trigger_turn=trigger_turn, deliver_as=deliver_as))

    def send_user_message(
        self, content: str | list[UserContent], *, deliver_as: DeliverAs | None = None, expand: bool = False
    ) -> asyncio.Task[None]:
        images = [block for block in content if isinstance(block, ImageContent)]
        waiting_as = "follow_up" if deliver_as == "next_turn" else deliver_as

        async def prompt() -> None:
            await self._session.prompt(
                text_of(content), images=images, source="extension", deliver_as=waiting_as, expand=expand
            )

        return self._start(prompt)

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        return self._session.activities.start(work)

    # history

    def append_entry(self, custom_type: str, data: Any = None) -> str:
        return self._session.recorder.entry(custom_type, data)

    def set_session_name(self, name: str | None) -> None:
        self._session.controls.set_session_name(name)

    def get_session_name(self) -> str | None:
        return self._parts.store.session_name

    def set_label(self, entry_id: str, label: str | None) -> None:
        self._parts.store.append_label(entry_id, label)

    # tools and commands

    def get_active_tools(self) -> list[str]:
        return self._parts.toolset.active_names

    def get_all_tools(self) -> list[ToolInfo]:
        return [
            ToolInfo(
                name=tool.name,
                description=tool.description,
                parameters=deepcopy(dict(tool.parameters)),  # one tool must not edit another's
                prompt_guidelines=tuple(tool.prompt_guidelines),
                source_info=self._source_of_tool(tool.name),
            )
            for tool in self._parts.toolset.all()
        ]

    def _source_of_tool(self, name: str) -> Provenance:
        kind = self._parts.toolset.kind_of(name)
        owned = self._parts.runner.registry.find_tool(name) if kind == "extension" else None
        if owned is not None:
            return owned.extension.provenance
        return Provenance(f"{kind}:{name}", kind, "temporary", "top-level")

    def set_active_tools(self, names: Sequence[str]) -> None:
        self._parts.toolset.set_active(names)
        self._session.refresh()

    def refresh_tools(self) -> None:
        self._parts.toolset.refresh()
        self._session.refresh()

    def get_commands(self) -> list[CommandInfo]:
        own = [
            CommandInfo(
                name=command.invocation,
                description=command.definition.description,
                source_info=command.extension.provenance,
            )
            for command in self._parts.runner.registry.commands()
        ]
        return [*own, *self._parts.system.commands()]

    async def execute_tool(self, name: str, args: Mapping[str, Any], *, parent_id: str) -> ToolResult:
        return await self._session.agent.execute_tool(parent_id, name, dict(args))

    # model

    async def set_model(self, model: Model) -> bool:
        return await self._session.controls.set_model(model, by_person=False)

    def get_thinking_level(self) -> ThinkingLevel:
        return self._parts.models.thinking

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        self._session.controls.set_thinking_level(level, by_person=False)

    def register_provider(self, name: str, config: Any) -> None:
        self._parts.models.registry.register(name, config)
        self._renew_model()

    def unregister_provider(self, name: str) -> None:
        self._parts.models.registry.unregister(name)
        self._renew_model()

    def _renew_model(self) -> None:
        self._parts.models.renew()
        self._session.refresh()

    # the whole session

    def abort(self) -> None:
        (self._session.binding.on_abort or self._session.request_abort)()

    def shutdown(self) -> None:
        if self._session.binding.on_shutdown is not None:
            self._session.binding.on_shutdown()

    async def wait_for_idle(self) -> None:
        await self._session.wait_for_idle()

    def compact(
        self,
        custom_instructions: str | None = None,
        *,
        on_complete: Callable[[Any], Any] | None = None,
        on_error: Callable[[BaseException], Any] | None = None,
    ) -> None:
        async def compact() -> None:
            try:
                result = await self._session.compact(custom_instructions)
            except AgentError as error:  # told already; whoever asked hears it, too
                await _call(on_error, error)
            else:
                await _call(on_complete, result)

        self._session.controls.in_background("compact", compact)

    async def new_session(
        self, *, setup: Callable[[Any], Any] | None = None, with_session: WithSession | None = None
    ) -> Replaced:
        return await self._actions("new_session").new_session(setup=setup, with_session=with_session)

    async def fork(
        self,
        entry_id: str,
        *,
        position: Literal["before", "at"] = "before",
        with_session: WithSession | None = None,
    ) -> Replaced:
        actions = self._actions("fork")
        return await actions.fork(entry_id, position=position, with_session=with_session)

    async def navigate_tree(
        self,
        target_id: str,
        *,
        summarize: bool = False,
        custom_instructions: str | None = None,
        replace_instructions: bool = False,
        label: str | None = None,
    ) -> Replaced:
        moved = await self._session.navigate_tree(
            target_id,
            summarize=summarize,
            custom_instructions=custom_instructions,
            replace_instructions=replace_instructions,
            label=label,
        )
        on_navigated = self._session.binding.on_navigated
        if on_navigated is not None and not moved.cancelled:
            on_navigated(moved)
        return Replaced(cancelled=moved.cancelled)

    async def switch_session(self, path: str, *, with_session: WithSession | None = None) -> Replaced:
        return await self._actions("switch_session").switch_session(path, with_session=with_session)

    async def reload(self) -> ReloadOutcome:
        return await self._session.reload_for_extension()

    def _actions(self, asked: str) -> CommandActions:
        actions = self._session.binding.command_actions
        if actions is None:
            raise CannotReplaceError(asked)
        return actions


async def _call(listener: Callable[[Any], Any] | None, value: Any) -> None:
    """Tell somebody who may want to know, and who may be async."""
    if listener is not None:
        answer = listener(value)
        if inspect.isawaitable(answer):
            await answer
