"""Cases of the extension system by their ids, at the level of one load: API, tools, keys, flags.

Cases that need a session, a mode or the command line stand with those rooms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookspecs import CustomMessage, Model, ProviderConfig, ToolDefinition, ToolResult, TurnStart
from pi_core.api import ExtensionAPI
from pi_core.extensions.actions import Runtime
from pi_core.extensions.errors import (
    NOT_READY,
    NOT_READY_SHORT,
    ExtensionNotReadyError,
    RegistrationError,
    StaleContextError,
)
from pi_core.extensions.runner import Runner
from pi_core.prompts.system_prompt import tool_options
from pi_core.session.toolset import ToolFilter, Toolset
from pi_core.testing import Harness
from tests.core.extensions.support import inline, load

TURN = TurnStart(turn_index=0, timestamp=0)
SCHEMA = {"type": "object", "properties": {}}


async def nothing(*args: Any) -> ToolResult:
    return ToolResult()


def tool(name: str, label: str = "", **more: Any) -> ToolDefinition:
    return ToolDefinition(name=name, description="", parameters=SCHEMA, execute=nothing, label=label, **more)


def tools(*given: ToolDefinition) -> Callable[[Any], None]:
    """An extension that registers tools."""

    def extension(pi: Any) -> None:
        for item in given:
            pi.register_tool(item)

    return extension


ACTIONS: dict[str, Callable[[Any], Any]] = {
    "send_message": lambda pi: pi.send_message(CustomMessage(custom_type="x")),
    "send_user_message": lambda pi: pi.send_user_message("x"),
    "append_entry": lambda pi: pi.append_entry("x"),
    "set_session_name": lambda pi: pi.set_session_name("x"),
    "get_session_name": lambda pi: pi.get_session_name(),
    "set_label": lambda pi: pi.set_label("1", "x"),
    "get_active_tools": lambda pi: pi.get_active_tools(),
    "get_all_tools": lambda pi: pi.get_all_tools(),
    "set_active_tools": lambda pi: pi.set_active_tools([]),
    "get_commands": lambda pi: pi.get_commands(),
    "get_thinking_level": lambda pi: pi.get_thinking_level(),
    "set_thinking_level": lambda pi: pi.set_thinking_level("off"),
    "get_settings": lambda pi: pi.get_settings(),
}
ANYTIME: dict[str, Callable[[Any], Any]] = {
    "on": lambda pi: pi.on("turn_start", lambda event, ctx: None),
    "tool": lambda pi: pi.register_tool(tool("t")),
    "command": lambda pi: pi.register_command("c", lambda args, ctx: None),
    "shortcut": lambda pi: pi.register_shortcut("f7", lambda ctx: None),
    "flag": lambda pi: pi.register_flag("f", type="boolean"),
    "get_flag": lambda pi: pi.get_flag("f"),
    "message_renderer": lambda pi: pi.register_message_renderer("x", lambda message, options, theme: None),
    "entry_renderer": lambda pi: pi.register_entry_renderer("x", lambda entry, options, theme: None),
    "tool_renderer": lambda pi: pi.register_tool_renderer(lambda name, following: None),
    "provider": lambda pi: pi.register_provider("p", ProviderConfig(base_url="http://127.0.0.1")),
    "unregister_provider": lambda pi: pi.unregister_provider("p"),
    "emit": lambda pi: pi.events.emit("x"),
    "bus": lambda pi: pi.events.on("x", lambda data: None),
}


@pytest.mark.parametrize("name", ACTIONS)
async def test_l01_an_action_in_a_factory_fails_the_load(name: str) -> None:
    """L01: with the text of the reference, and nothing of the extension stays."""
    loaded = await load(inline(ACTIONS[name]))
    assert ((), ["not-ready"]) == (loaded.extensions, [error.code for error in loaded.errors])
    assert NOT_READY in loaded.errors[0].message


async def test_l01_choosing_a_model_rejects() -> None:
    """L01: it is async, so the error comes when it is awaited, with the shorter text."""
    kept: list[Any] = []
    await load(inline(kept.append))
    choosing = kept[0].set_model(Model(id="m", provider="p", api="a"))
    with pytest.raises(ExtensionNotReadyError, match=f"^{NOT_READY_SHORT}$"):
        await choosing


@pytest.mark.parametrize("name", ANYTIME)
async def test_l02_registrations_work_in_a_factory(name: str) -> None:
    """L02: and so does whatever needs no session."""
    loaded = await load(inline(lambda pi: ANYTIME[name](pi) and None))
    assert () == loaded.errors


@pytest.mark.parametrize("name", ANYTIME)
async def test_l02_registrations_work_after_the_bind(name: str) -> None:
    """L02: they may come at any time."""
    kept: list[Any] = []
    async with Harness(kept.append, strict=True):
        ANYTIME[name](kept[0])


async def test_l03_a_name_alone_is_no_provider() -> None:
    """L03: the text says what is missing."""
    kept: list[Any] = []
    await load(inline(kept.append))
    with pytest.raises(RegistrationError, match="Provider config is required when registering by name"):
        kept[0].register_provider("p")


@pytest.mark.parametrize("name", [*ACTIONS, *ANYTIME])
async def test_l16_everything_is_stale_with_the_first_text(name: str) -> None:
    """L16, L17: after two invalidations all methods raise the first one's text, the bus included."""
    kept: list[Any] = []
    async with Harness(kept.append) as pi:
        pi.runner.invalidate("A")
        pi.runner.invalidate("B")
        with pytest.raises(StaleContextError, match=r"^A$"):
            (ACTIONS | ANYTIME)[name](kept[0])


async def test_l22_a_context_is_live() -> None:
    """L22, as designed: one that was made before the bind shows the model of the session."""
    async with Harness(lambda pi: None, bind=False) as pi:
        ctx = pi.runner.context()
        assert (None, "") == (ctx.model, ctx.get_system_prompt())
        pi.bind()
        pi.host.model = Model(id="m", provider="p", api="a")
        pi.host.system_prompt = "S"
        assert ("m", "S") == (ctx.model and ctx.model.id, ctx.get_system_prompt())


async def test_l26_listeners_of_the_generation_before_are_gone() -> None:
    """L26: ten reloads, and one emit is heard once."""
    heard: list[int] = []

    def extension(number: int) -> Callable[[Any], None]:
        return lambda pi: pi.events.on("channel", lambda data: heard.append(number)) and None

    for number in range(10):
        runtime = Runtime()
        loaded = await load(inline(extension(number)), runtime=runtime)
        if number < 9:
            Runner(loaded.extensions, runtime, cwd="/").invalidate()
        runtime.bus.emit("channel")
    assert [9] == heard


# tools


def toolset(runner: Runner, only: ToolFilter | None = None, *custom: ToolDefinition) -> Toolset:
    """The tools of a session over those of the extensions, `grep` and four more built in."""
    built_in = {name: tool(name, "built in") for name in ("read", "bash", "edit", "write", "grep")}
    registered = runner.registry.tools
    return Toolset(built_in, lambda: [owned.value for owned in registered()], custom, only)


async def test_g01_g03_g04_activation_follows_registration() -> None:
    """G01, G03, G04: a new name is active at once; a replaced one keeps its state."""
    kept: list[Any] = []
    async with Harness(tools(tool("t1")), kept.append) as pi:
        found = toolset(pi.runner)
        four = ["read", "bash", "edit", "write"]
        assert [*four, "t1"] == found.active_names
        tools(tool("t2"), tool("grep", "mine"))(kept[0])
        found.refresh()
        assert [*four, "t1", "t2"] == found.active_names
        replaced = found.get("grep")
        assert replaced is not None
        assert "mine" == replaced.label


async def test_g05_g06_what_is_filtered_does_not_exist() -> None:
    """G05, G06: an allow-list and an exclusion hold for later registrations too."""
    kept: list[Any] = []
    async with Harness(tools(tool("t1")), kept.append) as pi:
        allowed = toolset(pi.runner, ToolFilter(allowed=("read", "t1")))
        excluded = toolset(pi.runner, ToolFilter(excluded=("bash", "t1")))
        tools(tool("t3"))(kept[0])
        allowed.refresh()
        excluded.refresh()
        assert ["read", "t1"] == [item.name for item in allowed.all()]
        assert {"bash", "t1"}.isdisjoint(item.name for item in excluded.all())


async def test_g07_the_embedder_beats_extensions_and_they_beat_built_in() -> None:
    """G07: by name, in one resolver for registry, prompt and dispatch."""
    async with Harness(tools(tool("t1", "extension"), tool("read", "extension"))) as pi:
        found = toolset(pi.runner, None, tool("t1", "embedder"))
        assert {"t1": "embedder", "read": "extension", "bash": "built in"} == {
            item.name: item.label for item in found.active() if item.name in ("t1", "read", "bash")
        }


async def test_g08_lines_of_the_prompt_are_tidied() -> None:
    """G08: a snippet is one line, guidelines are trimmed and said once, and gone with the tool."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool(prompt_snippet=" a\n b  c ", prompt_guidelines=[" g1 ", "g1", "", "g2"])
        def t() -> str:
            """A tool."""
            return ""

    async with Harness(extension) as pi:
        found = toolset(pi.runner)
        said = tool_options(found.active())
        assert ("a b c", ["g1", "g2"]) == (said["tool_snippets"]["t"], said["prompt_guidelines"])
        found.set_active(["read"])
        assert [] == tool_options(found.active())["prompt_guidelines"]


# flags


async def test_w01_flags_have_the_type_of_their_definition() -> None:
    """W01, W02: what the second reading of the command line is told; values are shared by all."""
    kept: list[Any] = []

    def extension(pi: Any) -> None:
        kept.append(pi)
        pi.register_flag("plan", type="boolean", default=False)
        pi.register_flag("lvl", type="string")

    async with Harness(extension, flags={"plan": True, "lvl": "high"}) as pi:
        assert {"plan": "boolean", "lvl": "string"} == pi.runner.registry.flag_types()
        assert (True, "high") == (kept[0].get_flag("plan"), kept[0].get_flag("lvl"))


async def test_l24_flag_values_survive_a_reload() -> None:
    """L24: the next generation starts with the values of this one, before any default."""
    first = Runtime(flag_values={"plan": True})

    def extension(pi: Any) -> None:
        pi.register_flag("plan", type="boolean", default=False)

    await load(inline(extension), runtime=first)
    second = Runtime(flag_values=first.flag_values)
    loaded = await load(inline(extension), runtime=second)
    assert True is second.flag(loaded.extensions[0], "plan")


async def test_n16_a_subscription_ends_its_handler() -> None:
    """N13, N16: the same function twice is two handlers, and each subscription ends its own."""
    heard: list[int] = []

    def handler(event: Any, ctx: Any) -> None:
        heard.append(1)

    kept: list[Any] = []
    async with Harness(kept.append, strict=True) as pi:
        first = kept[0].on("turn_start", handler)
        kept[0].on("turn_start", handler)
        await pi.emit(TURN)
        first()
        await pi.emit(TURN)
    assert 3 == len(heard)
