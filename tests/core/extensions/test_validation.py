"""Registrations that cannot stand are refused at once, by what is wrong with them and where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookspecs import CustomMessage, ToolDefinition, ToolResult
from pi_core.api import ExtensionAPI
from pi_core.extensions.errors import RegistrationError
from pi_core.extensions.validation import check_callable, check_shortcut, check_tool, where_defined
from pi_core.testing import Harness
from tests.core.extensions.support import inline, load, refusal


async def nothing(*args: Any) -> ToolResult:
    return ToolResult()


def tool(**changes: Any) -> ToolDefinition:
    given = {"name": "t", "description": "", "parameters": {"type": "object"}, "execute": nothing, **changes}
    return ToolDefinition(**given)


def typed(pi: ExtensionAPI, **options: Any) -> None:
    """Register a typed function as a tool."""

    @pi.tool(**options)
    def t(text: str) -> str:
        """A tool."""
        return text


WRONG_TOOLS: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda pi: pi.register_tool(tool(parameters={"type": "string"})), "bad-tool-parameters", "of an object"),
    (lambda pi: pi.register_tool(tool(parameters=["x"])), "bad-tool-parameters", "of an object"),
    (lambda pi: pi.register_tool(tool(execute="run")), "bad-tool", "execute of tool t"),
    (lambda pi: pi.register_tool(tool(execution_mode="both")), "bad-tool", "parallel or sequential"),
    (lambda pi: pi.register_tool(tool(prepare_arguments=7)), "bad-tool", "prepare_arguments of t"),
    (lambda pi: pi.register_tool(tool(prompt_guidelines="Use it.")), "bad-tool", "a text, not a list"),
    (lambda pi: typed(pi, prompt_guidelines="Use it."), "bad-tool", "a text, not a list"),
    (lambda pi: typed(pi, mode="both"), "bad-tool", "parallel or sequential"),
    (lambda pi: typed(pi, name=" "), "bad-tool-name", "needs a name"),
    (lambda pi: typed(pi, parameters={"type": "array"}), "bad-tool-parameters", "of an object"),
]


@pytest.mark.parametrize(("register", "code", "sentence"), WRONG_TOOLS)
async def test_a_tool_that_cannot_work_is_refused(
    register: Callable[[Any], Any], code: str, sentence: str
) -> None:
    """Both ways to register one are held to the same rules."""
    loaded = await load(inline(register))
    (error,) = loaded.errors
    assert code == error.code
    assert sentence in error.message


@pytest.mark.parametrize(
    "parameters", [{}, {"type": "object"}, {"type": ["object", "null"]}, {"$ref": "#/x"}]
)
def test_schemas_of_objects_pass(parameters: Any) -> None:
    """A schema without a type may be one of an object."""
    check_tool(tool(parameters=parameters))


def test_a_builtin_that_does_not_tell_its_arguments_passes() -> None:
    """The call will tell."""
    check_callable(type, "a handler", ("event", "ctx"))


def test_a_callable_object_has_a_place() -> None:
    """Messages name the file and line of its `__call__`."""

    class Callable:
        def __call__(self, event: Any, ctx: Any) -> None: ...

    assert __file__ in (where_defined(Callable()) or "")
    assert None is where_defined(len)


async def test_a_configuration_of_another_type_is_refused() -> None:
    """ISO 79: where it is made, not when the session is bound."""
    loaded = await load(inline(lambda pi: pi.register_provider("p", "http://127.0.0.1")))
    assert ["bad-provider-config"] == [error.code for error in loaded.errors]


NOTE = CustomMessage(custom_type="note", content="x")
WRONG_WISHES: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda pi: pi.send_message(NOTE, deliver_as="later"), "bad-delivery", "steer, follow_up, next_turn"),
    (lambda pi: pi.send_user_message("x", deliver_as="followUp"), "bad-delivery", "not 'followUp'"),
    (lambda pi: pi.set_thinking_level("hig"), "bad-thinking-level", "minimal, low, medium, high"),
    (lambda pi: pi.set_active_tools("read"), "bad-argument", "a list of texts"),
    (lambda pi: pi.set_active_tools(None), "bad-argument", "a list of texts"),
    (lambda pi: pi.append_entry(None), "bad-argument", "not a NoneType"),
    (lambda pi: pi.set_label("1", 5), "bad-argument", "a text or None, not a int"),
    (lambda pi: pi.set_session_name(5), "bad-argument", "a text or None, not a int"),
    (lambda pi: pi.send_user_message(None), "bad-argument", "a text or a list of blocks"),
    (lambda pi: pi.spawn(print), "bad-argument", "spawn takes a coroutine"),
    (lambda pi: pi.every(0, print), "bad-interval", "above 0"),
    (lambda pi: pi.every(float("nan"), print), "bad-interval", "above 0"),
    (lambda pi: pi.every("1", print), "bad-interval", "above 0"),
    (lambda pi: pi.register_shortcut("ctr+p", print), "bad-shortcut-key", "ctr is no modifier"),
]


@pytest.mark.parametrize(("wish", "code", "sentence"), WRONG_WISHES)
async def test_a_wish_that_cannot_be_meant_is_refused(
    wish: Callable[[Any], Any], code: str, sentence: str
) -> None:
    """At once, where the author wrote it; nothing reaches the session."""
    kept: list[Any] = []
    async with Harness(kept.append, strict=True) as pi:
        with pytest.raises(RegistrationError, match=sentence) as caught:
            wish(kept[0])
        assert (code, []) == (caught.value.code, pi.host.asked)


@pytest.mark.parametrize("key", ["f7", "ctrl++", "+", "Shift+CTRL+p", "ctrl+alt+shift+super+meta+x"])
def test_a_key_with_known_modifiers_passes(key: str) -> None:
    """In any order and case; the key itself may be a plus."""
    check_shortcut(key, lambda ctx: None)


async def test_arguments_that_no_hook_has_are_named(tmp_path: Path) -> None:
    """An implementation takes event and ctx by name; the place and the strange name are said."""
    told = await refusal(
        tmp_path / "hook.py",
        """
        from pi_core.api import hookimpl
        @hookimpl
        def pi_session_start(event, context): ...
        """,
    )
    assert "pi_session_start is called with event and ctx, not with context" in told.message
    assert "hook.py:3" in told.message


@pytest.mark.parametrize("args", ["abc", [1], None, b"x"])
async def test_arguments_of_a_program_are_a_list(args: Any) -> None:
    """A text would be taken apart into letters."""
    kept: list[Any] = []
    async with Harness(kept.append) as pi:
        with pytest.raises(RegistrationError, match="exec takes a list of texts"):
            await kept[0].exec("echo", args)
        assert [] == pi.host.asked


async def test_a_model_is_not_its_name() -> None:
    """The hint says where to find one."""
    kept: list[Any] = []
    async with Harness(kept.append):
        with pytest.raises(RegistrationError, match="takes a Model, not a str") as caught:
            await kept[0].set_model("claude")
        assert "ctx.models.find" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["new_session", "fork", "switch_session"])
async def test_what_goes_on_in_a_new_session_is_checked_before_there_is_one(name: str) -> None:
    """Afterwards it would be too late: the old session is gone."""
    async with Harness(lambda pi: None) as pi:
        ctx: Any = pi.runner.command_context()
        given = () if name == "new_session" else ("x",)
        with pytest.raises(RegistrationError, match="with_session"):
            await getattr(ctx, name)(*given, with_session=lambda: None)
        assert [] == pi.host.asked
