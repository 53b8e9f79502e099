"""The API object of one extension: every call is written into its record or handed to the host.

A registration may come at any time; a wish to the session only once a host is
bound. The object dies with a load that failed and goes stale with the session.

Touches: processes, the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from copy import deepcopy
from types import NoneType
from typing import Any, TypeVar

from hookspecs.context import CommandInfo, DeliverAs, ToolInfo
from hookspecs.definitions import (
    CommandDefinition,
    ExecResult,
    ExecutionMode,
    FlagDefinition,
    FlagType,
    JsonSchema,
    Model,
    ProviderConfig,
    ShortcutDefinition,
    ThinkingLevel,
    ToolDefinition,
)
from hookspecs.messages import CustomMessage, UserContent
from pi_core.extensions.actions import Runtime
from pi_core.extensions.errors import NOT_READY_SHORT, RegistrationError
from pi_core.extensions.events_bus import OwnedBus
from pi_core.extensions.provider_changes import provider_change
from pi_core.extensions.registrations import Extension, FlagValue, ProviderChange, Registration
from pi_core.extensions.subscription import Subscription
from pi_core.extensions.tool_functions import tool_from_function
from pi_core.extensions.validation import (
    check_callable,
    check_command,
    check_delivery,
    check_flag,
    check_handler,
    check_interval,
    check_kind,
    check_level,
    check_shortcut,
    check_texts,
    check_tool,
)

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Api:
    """Implements `ExtensionAPI` for one extension. `cwd` is where `exec` runs unless told otherwise."""

    def __init__(self, extension: Extension, runtime: Runtime, cwd: str) -> None:
        self._extension = extension
        self._runtime = runtime
        self._cwd = cwd
        self.events = OwnedBus(runtime.bus, extension, self._check)

    def _check(self) -> None:
        self._runtime.assert_active(self._extension)

    # events

    def on(
        self,
        event: Any,
        handler: Callable[..., Any] | None = None,
        *,
        optional: bool = False,
        first: bool = False,
        last: bool = False,
    ) -> Any:
        """Listen to an event, given by class or by name; see `ExtensionAPI.on`."""
        self._check()
        name = event if isinstance(event, str) else _event_name(event)
        if not optional:
            self._runtime.hooks.check_event(name, handler)
        if first and last:
            raise RegistrationError("bad-order", f"a handler of {name} cannot be both first and last")

        if handler is not None:
            return self._add(str(name), handler, optional, first, last)

        def register(target: F) -> F:
            self._check()
            self._add(str(name), target, optional, first, last)
            return target

        return register

    def _add(self, event: str, target: Any, optional: bool, first: bool, last: bool) -> Subscription:
        check_handler(event, target)
        registration = Registration(
            extension=self._extension,
            event=event,
            target=target,
            sequence=self._extension.next_sequence(),
            optional=optional,
            first=first,
            last=last,
        )
        self._runtime.add_handler(registration)
        return Subscription(lambda: self._runtime.remove_handler(registration))

    # tools, commands, keys, flags

    def tool(
        self,
        fn: F | None = None,
        /,
        *,
        name: str | None = None,
        label: str | None = None,
        description: str | None = None,
        prompt_snippet: str | None = None,
        prompt_guidelines: Sequence[str] = (),
        mode: ExecutionMode = "parallel",
        parameters: JsonSchema | None = None,
        prepare_arguments: Callable[[Any], Any] | None = None,
        render_call: Callable[..., Any] | None = None,
        render_result: Callable[..., Any] | None = None,
    ) -> Any:
        """Make a typed function a tool; used with or without arguments; see `ExtensionAPI.tool`."""

        def register(function: F) -> F:
            self._add_tool(
                tool_from_function(
                    function,
                    name=name,
                    label=label,
                    description=description,
                    prompt_snippet=prompt_snippet,
                    prompt_guidelines=prompt_guidelines,
                    mode=mode,
                    parameters=parameters,
                    prepare_arguments=prepare_arguments,
                    render_call=render_call,
                    render_result=render_result,
                ),
                schema=parameters is not None,
            )
            return function

        return register if fn is None else register(fn)

    def register_tool(self, tool: ToolDefinition) -> None:
        """Register a tool; a later one of the same name takes its place."""
        self._add_tool(tool, schema=True)

    def _add_tool(self, tool: ToolDefinition, *, schema: bool) -> None:
        self._check()
        check_tool(tool, schema=schema)
        self._extension.tools[tool.name] = tool
        self._runtime.tools_changed(self._extension)

    def command(
        self, name: str, *, description: str = "", complete: Callable[[str], Any] | None = None
    ) -> Callable[[F], F]:
        """Make a function `(args, ctx)` a slash command."""

        def register(handler: F) -> F:
            self.register_command(name, handler, description=description, complete=complete)
            return handler

        return register

    def register_command(
        self,
        name: str,
        handler: Callable[..., Any],
        *,
        description: str = "",
        complete: Callable[[str], Any] | None = None,
    ) -> None:
        """Register a slash command; a later one of the same name takes its place."""
        self._check()
        check_command(name, handler)
        self._extension.commands[name] = CommandDefinition(
            name=name, handler=handler, description=description, complete=complete
        )

    def shortcut(self, key: str, *, action_id: str | None = None, description: str = "") -> Callable[[F], F]:
        """Give a function `(ctx)` a key."""

        def register(handler: F) -> F:
            self.register_shortcut(key, handler, action_id=action_id, description=description)
            return handler

        return register

    def register_shortcut(
        self, key: str, handler: Callable[..., Any], *, action_id: str | None = None, description: str = ""
    ) -> None:
        """Register a key; read when shortcuts are set up, at the bind and after a reload."""
        self._check()
        check_shortcut(key, handler)
        self._extension.shortcuts[key] = ShortcutDefinition(
            key=key, handler=handler, action_id=action_id, description=description
        )

    def register_flag(
        self, name: str, *, type: FlagType, default: FlagValue | None = None, description: str = ""
    ) -> None:
        """Register a command-line flag; the first default of a name counts, the last definition."""
        self._check()
        flag = FlagDefinition(name=name, type=type, default=default, description=description)
        check_flag(flag)
        self._extension.flags[name] = flag
        public = self._extension.public("flag", name)
        if default is not None and public is not None:
            self._runtime.set_flag_default(self._extension, public, default)

    def get_flag(self, name: str) -> FlagValue | None:
        """The value of a flag that this extension registered; None otherwise."""
        self._check()
        return self._runtime.flag(self._extension, name)

    # renderers

    def register_message_renderer(self, custom_type: str, renderer: Callable[..., Any]) -> None:
        """Show custom messages of a type."""
        self._check()
        check_callable(renderer, f"the renderer of {custom_type}", ("message", "options", "theme"))
        self._extension.message_renderers[custom_type] = renderer

    def register_entry_renderer(self, custom_type: str, renderer: Callable[..., Any]) -> None:
        """Show custom entries of a type."""
        self._check()
        check_callable(renderer, f"the renderer of {custom_type}", ("entry", "options", "theme"))
        self._extension.entry_renderers[custom_type] = renderer

    def register_tool_renderer(self, resolver: Callable[..., Any]) -> None:
        """Ask `resolver(name, next)` for the renderers of every tool."""
        self._check()
        check_callable(resolver, "the resolver of tool renderers", ("name", "next"))
        self._extension.tool_renderers.append(resolver)

    # providers and programs

    def register_provider(
        self,
        name_or_provider: str | ProviderConfig | Any,
        config: ProviderConfig | Mapping[str, Any] | None = None,
    ) -> None:
        """Bring a provider: by name with a configuration, or as an object that has a name.

        A mapping is a configuration, too, its keys in either spelling.
        """
        self._check()
        self._runtime.change_provider(provider_change(self._extension, name_or_provider, config))

    def unregister_provider(self, name: str) -> None:
        """Take a provider away, whoever brought it."""
        self._check()
        self._runtime.change_provider(ProviderChange(verb="unregister", name=name, extension=self._extension))

    async def exec(
        self,
        command: str,
        args: Sequence[str] = (),
        *,
        cwd: str | None = None,
        timeout_s: float | None = None,
        signal: Any = None,
    ) -> ExecResult:
        """Run a program without a shell; never raises for its sake."""
        self._check()
        check_texts(args, "exec")
        return await self._runtime.exec(
            self._extension, command, list(args), cwd=cwd or self._cwd, timeout_s=timeout_s, signal=signal
        )

    # owned background work

    def spawn(self, coro: Coroutine[Any, Any, T], *, name: str | None = None) -> asyncio.Task[T]:
        """Run a coroutine in the background until the extension goes; returns its task."""
        try:
            self._check()
        except Exception:
            coro.close()  # or Python complains of a coroutine that nobody awaited
            raise
        check_kind(coro, Coroutine, "spawn takes a coroutine", "Call the function: pi.spawn(work()).")
        label = f"spawn:{name or getattr(coro, '__qualname__', 'task')}"
        return self._runtime.background.spawn(self._extension, label, coro)

    def every(self, seconds: float, fn: Callable[[], Any]) -> Subscription:
        """Call a function every so many seconds until the subscription or the extension ends."""
        self._check()
        check_interval(seconds)
        check_callable(fn, "a function of every()", ())
        label = f"every:{getattr(fn, '__qualname__', 'timer')}"
        return self._runtime.background.every(self._extension, seconds, fn, label)

    # actions: once a host is bound

    def send_message(
        self, message: CustomMessage, *, trigger_turn: bool = False, deliver_as: DeliverAs | None = None
    ) -> None:
        """Put a custom message into the conversation; a failure is reported, not raised."""
        self._check()
        check_delivery(deliver_as)
        sending = self._runtime.host().send_message(message, trigger_turn=trigger_turn, deliver_as=deliver_as)
        self._runtime.background.watch(None, "send_message", sending)

    def send_user_message(
        self, content: str | list[UserContent], *, deliver_as: DeliverAs | None = None, expand: bool = False
    ) -> None:
        """Prompt in the person's name; a failure is reported, not raised."""
        self._check()
        check_kind(content, (str, list), "a user message is a text or a list of blocks")
        check_delivery(deliver_as)
        sending = self._runtime.host().send_user_message(content, deliver_as=deliver_as, expand=expand)
        self._runtime.background.watch(None, "send_user_message", sending)

    def append_entry(self, custom_type: str, data: Any = None) -> str:
        """Store an entry that the model never sees; returns its id."""
        self._check()
        check_kind(custom_type, str, "the type of an entry is a text")
        return self._runtime.host().append_entry(custom_type, data)

    def set_session_name(self, name: str | None) -> None:
        """Name the session; None and blanks clear the name."""
        self._check()
        check_kind(name, (str, NoneType), "the name of a session is a text or None")
        self._runtime.host().set_session_name(name)

    def get_session_name(self) -> str | None:
        """The name of the session, if it has one."""
        self._check()
        return self._runtime.host().get_session_name()

    def set_label(self, entry_id: str, label: str | None) -> None:
        """Label an entry; None takes the label off."""
        self._check()
        check_kind(label, (str, NoneType), "a label is a text or None")
        self._runtime.host().set_label(entry_id, label)

    def get_active_tools(self) -> list[str]:
        """Names of the tools that the model is offered, in order."""
        self._check()
        return self._runtime.host().get_active_tools()

    def get_all_tools(self) -> list[ToolInfo]:
        """Every tool there is."""
        self._check()
        return self._runtime.host().get_all_tools()

    def set_active_tools(self, names: Sequence[str]) -> None:
        """Offer these tools from the next turn on; unknown names are left out."""
        self._check()
        check_texts(names, "set_active_tools")
        own = self._extension.tools
        known = [self._extension.public("tool", name) or name if name in own else name for name in names]
        self._runtime.host().set_active_tools(known)

    def get_commands(self) -> list[CommandInfo]:
        """Everything that can be typed after a slash."""
        self._check()
        return self._runtime.host().get_commands()

    async def set_model(self, model: Model) -> bool:
        """Choose a model for this session; False if there is no key for it."""
        self._check()
        host = self._runtime.host(NOT_READY_SHORT)
        check_kind(model, Model, "set_model takes a Model", "Find one: ctx.models.find(provider, id).")
        return await host.set_model(model)

    def get_thinking_level(self) -> ThinkingLevel:
        """The thinking level in effect."""
        self._check()
        return self._runtime.host().get_thinking_level()

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Choose a thinking level for this session, as far as the model has it."""
        self._check()
        check_level(level)
        self._runtime.host().set_thinking_level(level)

    def get_settings(self) -> Mapping[str, Any]:
        """The merged settings as they are now. The copy is the caller's, so an edit changes nothing."""
        self._check()
        return deepcopy(dict(self._runtime.host().get_settings()))


def _event_name(event: object) -> object:
    """The name of an event given by its class."""
    return getattr(event, "event_name", None) or getattr(event, "__name__", event)
