"""Phases of the API: what works while loading, what needs a host, what is over with the session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from hookspecs import CustomMessage, ProviderConfig, ToolDefinition, ToolResult
from pi_core.extensions.actions import Runtime
from pi_core.extensions.errors import (
    NOT_READY,
    NOT_READY_SHORT,
    ExtensionNotReadyError,
    RegistrationError,
    StaleContextError,
)
from pi_core.testing import Harness
from tests.core.extensions.support import inline, load

ACTIONS: dict[str, Callable[[Any], Any]] = {
    "send_message": lambda pi: pi.send_message(CustomMessage(custom_type="x")),
    "send_user_message": lambda pi: pi.send_user_message("hi"),
    "append_entry": lambda pi: pi.append_entry("x"),
    "set_session_name": lambda pi: pi.set_session_name("n"),
    "get_session_name": lambda pi: pi.get_session_name(),
    "set_label": lambda pi: pi.set_label("1", "l"),
    "get_active_tools": lambda pi: pi.get_active_tools(),
    "get_all_tools": lambda pi: pi.get_all_tools(),
    "set_active_tools": lambda pi: pi.set_active_tools([]),
    "get_commands": lambda pi: pi.get_commands(),
    "get_thinking_level": lambda pi: pi.get_thinking_level(),
    "set_thinking_level": lambda pi: pi.set_thinking_level("low"),
    "get_settings": lambda pi: pi.get_settings(),
}
REGISTRATIONS: dict[str, Callable[[Any], Any]] = {
    "on": lambda pi: pi.on("turn_start", print),
    "tool": lambda pi: pi.tool(lambda text: text, name="t"),
    "register_tool": lambda pi: pi.register_tool(a_tool()),
    "register_command": lambda pi: pi.register_command("c", lambda args, ctx: None),
    "register_shortcut": lambda pi: pi.register_shortcut("ctrl+q", lambda ctx: None),
    "register_flag": lambda pi: pi.register_flag("f", type="boolean"),
    "get_flag": lambda pi: pi.get_flag("f"),
    "register_message_renderer": lambda pi: pi.register_message_renderer("t", print),
    "register_entry_renderer": lambda pi: pi.register_entry_renderer("t", print),
    "register_tool_renderer": lambda pi: pi.register_tool_renderer(print),
    "register_provider": lambda pi: pi.register_provider("p", ProviderConfig()),
    "unregister_provider": lambda pi: pi.unregister_provider("p"),
    "events.emit": lambda pi: pi.events.emit("c"),
    "events.on": lambda pi: pi.events.on("c", print),
    "spawn": lambda pi: pi.spawn(asyncio.sleep(0)),
    "every": lambda pi: pi.every(60, print),
}


def a_tool(name: str = "t") -> ToolDefinition:
    async def execute(*args: Any) -> ToolResult:
        return ToolResult(content="done")

    return ToolDefinition(name=name, description="", parameters={"type": "object"}, execute=execute)


@pytest.mark.parametrize("name", ACTIONS)
async def test_an_action_in_a_factory_fails_the_load(name: str) -> None:
    """L01: the session is not there yet; the text is the reference's."""
    loaded = await load(inline(ACTIONS[name]))
    (error,) = loaded.errors
    assert ("not-ready", f"Failed to load extension: {NOT_READY}") == (error.code, error.message)


async def test_set_model_in_a_factory_rejects() -> None:
    """L01: awaiting set_model raises the shorter text."""

    async def factory(pi: Any) -> None:
        with pytest.raises(ExtensionNotReadyError, match=f"^{NOT_READY_SHORT}$"):
            await pi.set_model(None)

    assert () == (await load(inline(factory))).errors


@pytest.mark.parametrize("name", REGISTRATIONS)
async def test_registrations_work_while_loading(name: str) -> None:
    """L02: everything that only registers, reads a flag or uses the bus works in a factory."""
    loaded = await load(inline(lambda pi: void(REGISTRATIONS[name](pi))))
    assert () == loaded.errors
    await loaded.runtime.background.close()


def void(_: object) -> None:
    """A factory's return value is nobody's business."""


async def test_exec_works_while_loading() -> None:
    """L02: a factory may run a program; the working folder is that of the load."""
    results: list[Any] = []

    async def factory(pi: Any) -> None:
        results.append(await pi.exec("pwd"))
        results.append(await pi.exec("no-such-program-anywhere"))

    await load(inline(factory), cwd="/")
    assert ("/\n", 0) == (results[0].stdout, results[0].code)
    assert (1, True) == (results[1].code, bool(results[1].stderr))


@pytest.mark.parametrize("name", [*ACTIONS, *REGISTRATIONS, "set_model", "exec"])
async def test_everything_is_over_with_the_session(name: str) -> None:
    """L16, L17: after invalidate every method of the API raises, the bus included."""
    uses: dict[str, Callable[[Any], Any]] = {
        **ACTIONS,
        **REGISTRATIONS,
        "set_model": lambda pi: pi.set_model(None),
        "exec": lambda pi: pi.exec("true"),
    }
    kept: list[Any] = []
    async with Harness(kept.append) as harness:
        harness.runner.invalidate("A")
        harness.runner.invalidate("B")
        with pytest.raises(StaleContextError, match=r"^A$"):
            await _maybe(uses[name](kept[0]))


async def _maybe(value: Any) -> Any:
    return await value if hasattr(value, "__await__") else value


@pytest.mark.parametrize("name", ACTIONS)
async def test_actions_reach_the_host(name: str) -> None:
    """Once a host is bound every action works."""
    kept: list[Any] = []
    async with Harness(kept.append, strict=True) as harness:
        ACTIONS[name](kept[0])
        await asyncio.sleep(0)
        asked = {wish[0] for wish in harness.host.asked}
        assert name in asked or name.startswith("get_")


async def test_a_failed_delivery_is_reported() -> None:
    """What goes wrong on a message's way is an error event of the runtime, not an exception."""
    kept: list[Any] = []
    async with Harness(kept.append) as harness:

        async def fail() -> None:
            raise RuntimeError("Agent is already processing")

        harness.host.send_user_message = lambda *args, **how: fail()  # type: ignore[method-assign] # a broken host
        kept[0].send_user_message("hi")
        await asyncio.sleep(0.01)
        (finding,) = harness.findings
        assert ("<runtime>", "send_user_message") == (finding.extension, finding.event)  # type: ignore[union-attr] # a failure


async def test_a_provider_needs_a_configuration() -> None:
    """L03: by name alone a provider cannot be registered."""
    loaded = await load(inline(lambda pi: pi.register_provider("p")))
    assert "Provider config is required when registering by name" in loaded.errors[0].message


async def test_a_configuration_may_be_a_mapping() -> None:
    """A mapping with keys in either spelling is a configuration; one with others is refused."""

    async def stream(*asked: Any) -> AsyncIterator[Any]:
        yield asked

    spelt = {"baseUrl": "http://x.invalid", "api_key": "k", "streamSimple": stream}
    async with Harness(lambda pi: pi.register_provider("a", spelt)) as harness:
        expected = ProviderConfig(base_url="http://x.invalid", api_key="k", stream=stream)
        assert {"a": expected} == harness.host.providers
    loaded = await load(inline(lambda pi: pi.register_provider("p", {"baseURI": "http://x.invalid"})))
    assert "the configuration of provider p has base_uri; known are api, api_key" in loaded.errors[0].message


async def test_providers_are_queued_and_flushed_at_the_bind() -> None:
    """L12: configurations first, then objects; a refused one is reported; a removed one is not offered."""

    class Native:
        name = "native"

    def factory(pi: Any) -> None:
        pi.register_provider("a", ProviderConfig())
        pi.register_provider(Native())
        pi.register_provider("bad", ProviderConfig())
        pi.register_provider("b", ProviderConfig())
        pi.unregister_provider("b")

    async with Harness(factory, bind=False) as harness:
        harness.host.refused_providers.add("bad")
        harness.bind()
        offered = [wish[1] for wish in harness.host.asked if wish[0] == "register_provider"]
        assert ["a", "native"] == offered
        assert [("<inline:1>", "register_provider")] == [
            (finding.extension, finding.event)  # type: ignore[union-attr] # a failure
            for finding in harness.findings
        ]


async def test_a_removal_counts_whoever_registered() -> None:
    """L13: E2 removes what E1 queued; nothing is offered."""
    async with Harness(
        lambda pi: pi.register_provider("a", ProviderConfig()), lambda pi: pi.unregister_provider("a")
    ) as harness:
        assert {} == harness.host.providers


async def test_after_the_bind_a_refusal_is_raised() -> None:
    """L14: registering a provider that the host refuses raises to the caller."""
    kept: list[Any] = []
    async with Harness(kept.append) as harness:
        harness.host.refused_providers.add("bad")
        with pytest.raises(ValueError, match="refused"):
            kept[0].register_provider("bad", ProviderConfig())


async def test_a_tool_of_a_running_extension_refreshes_the_host() -> None:
    """Registering a tool after the bind tells the host at once; while loading it does not."""
    kept: list[Any] = []

    def factory(pi: Any) -> None:
        kept.append(pi)
        pi.register_tool(a_tool())

    async with Harness(factory) as harness:
        assert [] == harness.host.asked
        kept[0].register_tool(a_tool("later"))
        assert [("refresh_tools",)] == harness.host.asked


async def test_the_first_default_of_a_flag_sticks() -> None:
    """L09: the definition is the last, the value the first."""

    def factory(pi: Any) -> None:
        pi.register_flag("f", type="string", default="one")
        pi.register_flag("f", type="string", default="two")

    loaded = await load(inline(factory))
    assert "two" == loaded.extensions[0].flags["f"].default
    assert {"f": "one"} == loaded.runtime.flag_values


async def test_a_flag_is_shared_among_those_who_registered_it() -> None:
    """L10: E1 without a default sees E2's; E3, which did not register the flag, sees nothing."""
    apis: list[Any] = []

    def first(pi: Any) -> None:
        apis.append(pi)
        pi.register_flag("f", type="boolean")

    def second(pi: Any) -> None:
        apis.append(pi)
        pi.register_flag("f", type="boolean", default=True)

    await load(inline(first, 1), inline(second, 2), inline(apis.append, 3))
    assert [True, True, None] == [pi.get_flag("f") for pi in apis]


async def test_a_value_from_the_command_line_comes_first() -> None:
    """L24: a value that was there before the load, as at a reload, wins over every default."""
    apis: list[Any] = []

    def factory(pi: Any) -> None:
        apis.append(pi)
        pi.register_flag("plan", type="boolean", default=False)

    await load(inline(factory), runtime=Runtime(flag_values={"plan": True}))
    assert True is apis[0].get_flag("plan")


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda pi: pi.register_command("", print), "bad-command-name"),
        (lambda pi: pi.register_command("two words", print), "bad-command-name"),
        (lambda pi: pi.register_command("/x", print), "bad-command-name"),
        (lambda pi: pi.register_command("x", None), "bad-command-handler"),
        (lambda pi: pi.register_command("x", lambda args: None), "bad-command-handler"),
        (lambda pi: pi.register_flag("f", type="boolean", default="yes"), "bad-flag-default"),
        (lambda pi: pi.register_flag("f", type="string", default=True), "bad-flag-default"),
        (lambda pi: pi.register_flag("f", type="number"), "bad-flag-type"),
        (lambda pi: pi.register_flag("--f", type="boolean"), "bad-flag-name"),
        (lambda pi: pi.register_shortcut("", print), "bad-shortcut-key"),
        (lambda pi: pi.register_shortcut("f5", lambda: None), "bad-handler"),
        (lambda pi: pi.register_tool({"name": "x"}), "bad-tool"),
        (lambda pi: pi.register_tool(a_tool(" ")), "bad-tool-name"),
        (lambda pi: pi.register_provider(object()), "bad-provider-name"),
        (lambda pi: pi.register_message_renderer("t", 1), "bad-handler"),
        (lambda pi: pi.events.on("c", 1), "bad-handler"),
    ],
)
async def test_a_registration_that_cannot_stand_is_refused(use: Callable[[Any], Any], code: str) -> None:
    """Each kind of mistake has its own code, and fails the load."""
    loaded = await load(inline(use))
    assert [code] == [error.code for error in loaded.errors]


@pytest.mark.parametrize("parameters", ["object", [], None])
async def test_the_parameters_of_a_tool_are_an_object(parameters: Any) -> None:
    """A schema that is no mapping is refused at registration."""
    tool = ToolDefinition(name="t", description="", parameters=parameters, execute=a_tool().execute)
    loaded = await load(inline(lambda pi: pi.register_tool(tool)))
    assert ["bad-tool-parameters"] == [error.code for error in loaded.errors]


async def test_a_registration_error_names_file_and_line() -> None:
    """The place of the handler is in the message."""
    kept: list[Any] = []
    async with Harness(kept.append):
        with pytest.raises(RegistrationError, match=r"test_actions\.py:\d+"):
            kept[0].register_command("x", lambda: None)
