"""A typed function becomes a tool: schema, conversion, and what the host fills in by name."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from hookspecs import ToolResult
from pi_core.extensions.errors import RegistrationError
from pi_core.extensions.tool_functions import tool_from_function

if TYPE_CHECKING:
    from pi_core.api import ExtensionContext


class Point(BaseModel):
    x: int
    y: int = 0


def todo(
    text: Annotated[str, "what to do"],
    action: Literal["add", "list"] = "add",
    id: int | None = None,
    points: Annotated[list[Point], Field(description="where", max_length=3)] = [],  # noqa: B006 - copied
) -> str:
    """Keep a list."""
    return f"{action} {text} {id} {points}"


def test_the_signature_is_the_schema() -> None:
    """Types, defaults, choices and descriptions are in the schema; what has no default is required."""
    schema = tool_from_function(todo).parameters
    properties = schema["properties"]
    assert ("object", ["text"]) == (schema["type"], schema["required"])
    assert {"type": "string", "description": "what to do"} == properties["text"]
    assert {"type": "string", "enum": ["add", "list"], "default": "add"} == properties["action"]
    assert [{"type": "integer"}, {"type": "null"}] == properties["id"]["anyOf"]
    assert ("where", 3) == (properties["points"]["description"], properties["points"]["maxItems"])
    assert "title" not in schema["$defs"]["Point"]


def test_the_schema_is_one_plain_object() -> None:
    """Whoever asks gets the same dict, which JSON and validators can read."""
    tool = tool_from_function(todo)
    assert dict is type(tool.parameters)
    assert tool.parameters is tool.parameters


def test_a_changed_copy_keeps_the_schema() -> None:
    """The definition is a value: `replace` renames it and keeps the rest."""
    tool = tool_from_function(todo)
    renamed = replace(tool, name="other")
    assert ("other", tool.parameters) == (renamed.name, renamed.parameters)


def test_the_definition_speaks_for_the_function() -> None:
    """Name, description and label come from the function unless they are given."""
    tool = tool_from_function(todo, label="To-do", prompt_guidelines=["g"], mode="sequential")
    assert ("todo", "Keep a list.", "To-do") == (tool.name, tool.description, tool.label)
    assert (("g",), "sequential") == (tool.prompt_guidelines, tool.execution_mode)


async def test_arguments_become_the_annotated_types() -> None:
    """A number in a string is a number, an object a model; defaults fill in."""
    tool = tool_from_function(todo)
    given = {"text": "milk", "id": "3", "points": [{"x": "1"}]}
    answer: Any = await tool.execute("1", given, None, None, None)
    assert "add milk 3 [Point(x=1, y=0)]" == answer


@pytest.mark.parametrize("form", ["sync", "async"])
async def test_the_host_fills_in_what_the_function_names(form: str) -> None:
    """ctx, signal, on_update and tool_call_id are no parameters of the tool."""

    def plain(text: str, ctx: ExtensionContext, signal: Any, on_update: Any, tool_call_id: str) -> str:
        return f"{text} {ctx} {signal} {on_update} {tool_call_id}"

    async def waiting(
        text: str, *, tool_call_id: str, ctx: ExtensionContext, signal: Any, on_update: Any
    ) -> str:
        return plain(text, ctx, signal, on_update, tool_call_id)

    tool = tool_from_function(plain if form == "sync" else waiting)
    assert ["text"] == list(tool.parameters["properties"])
    answer: Any = await tool.execute("id", {"text": "t"}, "signal", "update", "ctx")
    assert "t ctx signal update id" == answer


async def test_arguments_that_do_not_fit_are_named() -> None:
    """Every bad parameter is in the text that the model reads."""
    tool = tool_from_function(todo)
    with pytest.raises(ValueError, match=r'^Validation failed for tool "todo":') as caught:
        await tool.execute("1", {"action": "sing", "id": "x"}, None, None, None)
    assert {"text", "action", "id"} <= {
        line.split(":")[0].removeprefix("  - ") for line in str(caught.value).split("\n")
    }


@pytest.mark.parametrize("name", ["json", "schema", "copy", "model_config", "class_", "p0"])
async def test_a_parameter_may_be_called_anything(name: str) -> None:
    """Names that a model class would claim for itself work."""
    scope: dict[str, Any] = {}
    exec(f"def tool({name}: str) -> str:\n    return {name} + '!'", scope)  # written as an author would
    tool = tool_from_function(scope["tool"])
    assert [name] == list(tool.parameters["properties"])
    answer: Any = await tool.execute("1", {name: "a"}, None, None, None)
    assert "a!" == answer


async def test_a_tool_without_parameters() -> None:
    """No parameters are an object without properties."""
    tool = tool_from_function(lambda: "pong", name="ping")
    assert ("object", {}) == (tool.parameters["type"], tool.parameters["properties"])
    answer: Any = await tool.execute("1", {}, None, None, None)
    assert "pong" == answer


async def test_a_schema_of_ones_own() -> None:
    """With `parameters` the arguments are handed on as they come, by name."""

    def free(**given: Any) -> ToolResult:
        return ToolResult(content=str(given))

    tool = tool_from_function(free, parameters={"type": "object", "properties": {"a": {}}})
    answer = await tool.execute("1", {"a": "5"}, None, None, None)
    assert "{'a': '5'}" == answer.content


@pytest.mark.parametrize("signature", ["*args", "**kwargs", "text, /"])
def test_parameters_without_a_name_are_refused(signature: str) -> None:
    """A model can only fill in what has a name."""
    scope: dict[str, Any] = {}
    exec(f"def tool({signature}): ...", scope)
    with pytest.raises(RegistrationError, match="cannot fill in"):
        tool_from_function(scope["tool"])


def test_an_annotation_that_cannot_be_resolved_is_refused() -> None:
    """A type that only type checkers see cannot become a schema; the place is named."""

    def tool(ctx: ExtensionContext, nowhere: Nowhere) -> str:  # type: ignore[name-defined] # noqa: F821 - the case
        return ""

    with pytest.raises(RegistrationError, match=f"Nowhere.*{inspect.getsourcelines(tool)[1]}"):
        tool_from_function(tool)


def test_types_of_the_factory_are_found() -> None:
    """A class defined in the enclosing function, and used by the tool, resolves."""

    class Local(BaseModel):
        n: int

    def tool(local: Local) -> str:
        return str(Local)

    assert "Local" in tool_from_function(tool).parameters["$defs"]


def test_registering_does_not_import_pydantic() -> None:
    """The schema library is loaded when somebody looks at a schema, not when a tool is registered."""
    script = (
        "import asyncio, sys\n"
        "from pi_core.testing import Harness\n"
        "def extension(pi):\n"
        "    @pi.tool\n"
        "    def t(text: str) -> str: return text\n"
        "async def main():\n"
        "    async with Harness(extension, strict=True) as pi:\n"
        "        assert ['t'] == pi.tools\n"
        "        assert 'pydantic' not in sys.modules\n"
        "        pi.runner.registry.find_tool('t').value.parameters\n"
        "        assert 'pydantic' in sys.modules\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "" == done.stderr
