"""A typed function becomes a tool: its parameters are the schema, its docstring the description.

The schema is built, and pydantic imported, when somebody first looks at it or
calls the tool; names and annotations are judged at once.

Pure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Final, cast, get_origin, get_type_hints

from hookspecs.definitions import ExecutionMode, JsonSchema, ToolDefinition
from hookspecs.values import dataclass
from pi_core.extensions.errors import RegistrationError
from pi_core.extensions.validation import name_of, where_defined

if TYPE_CHECKING:
    from pydantic import BaseModel

HANDED: Final = ("ctx", "signal", "on_update", "tool_call_id")
"""Parameters that the host fills in by name; all others are the tool's own."""


class TypedTool(ToolDefinition):
    """A tool whose parameters may be a function that makes the schema at the first look."""

    __slots__ = ("_source",)

    _source: JsonSchema | Callable[[], JsonSchema]

    @property
    def parameters(self) -> JsonSchema:  # a field of the base, computed here
        """The JSON schema; always the same object."""
        if callable(self._source):
            object.__setattr__(self, "_source", self._source())
        return cast("JsonSchema", self._source)

    @parameters.setter
    def parameters(self, value: JsonSchema | Callable[[], JsonSchema]) -> None:
        object.__setattr__(self, "_source", value)


def renamed(tool: ToolDefinition, name: str) -> ToolDefinition:
    """The same tool under another name; a schema that nobody looked at is still not made."""
    if not isinstance(tool, TypedTool):
        return replace(tool, name=name)
    values = {part.name: getattr(tool, part.name) for part in fields(tool) if part.name != "parameters"}
    return TypedTool(**values | {"name": name, "parameters": tool._source})


@dataclass(slots=True)
class ToolSignature:
    """The parameters of a tool function: name → (annotation, default)."""

    function: Callable[..., Any]
    tool_name: str
    own: Mapping[str, tuple[Any, Any]]
    handed: tuple[str, ...]
    _model: type[BaseModel] | None = field(default=None)

    def schema(self) -> JsonSchema:
        """The JSON schema of the tool's own parameters."""
        schema = self.model().model_json_schema(by_alias=True)
        for part in (schema, *schema.get("$defs", {}).values()):
            part.pop("title", None)
            for parameter in part.get("properties", {}).values():
                parameter.pop("title", None)
        schema.setdefault("properties", {})
        schema.pop("description", None)
        return schema

    def model(self) -> type[BaseModel]:
        """The pydantic model of the parameters, each under an alias, so that any name may be used."""
        if self._model is None:
            from pydantic import ConfigDict, Field, create_model  # 100 ms, and few sessions call every tool

            fields: dict[str, Any] = {}
            for number, (name, (annotation, default)) in enumerate(self.own.items()):
                required = default is inspect.Parameter.empty
                fields[f"p{number}"] = (
                    _described(annotation),
                    Field(..., alias=name) if required else Field(default, alias=name),
                )
            config = ConfigDict(arbitrary_types_allowed=True, protected_namespaces=())
            self._model = create_model(self.tool_name or "tool", __config__=config, **fields)
        return self._model

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function. Raises: ValueError that names each bad parameter."""
        from pydantic import ValidationError  # loaded already, with the model

        try:
            value = self.model().model_validate(dict(given))
        except ValidationError as error:
            lines = (
                f"  - {'.'.join(map(str, part['loc'])) or 'root'}: {part['msg']}" for part in error.errors()
            )
            raise ValueError("\n".join((f'Validation failed for tool "{self.tool_name}":', *lines))) from None
        return {name: getattr(value, f"p{number}") for number, name in enumerate(self.own)}


def tool_from_function(
    function: Callable[..., Any],
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
) -> ToolDefinition:
    """Build the definition of a tool.

    With `parameters`, a JSON schema, the function gets the arguments by name as they come; without,
    they are made into the annotated types first. Raises: RegistrationError for parameters that
    cannot be given by name or whose annotation cannot be resolved. What the function returns is read
    by the agent: text, content blocks or a result.
    """
    tool_name = name or str(getattr(function, "__name__", ""))
    signature = _signature(function, tool_name, typed=parameters is None)

    async def execute(tool_call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any) -> Any:
        given = params if parameters is not None else signature.read(params)
        extra = {"tool_call_id": tool_call_id, "signal": signal, "on_update": on_update, "ctx": ctx}
        answer = function(**given, **{key: extra[key] for key in signature.handed})
        if inspect.isawaitable(answer):
            answer = await answer
        return answer

    return TypedTool(
        name=tool_name,
        description=description or inspect.getdoc(function) or label or tool_name,
        parameters=cast("JsonSchema", parameters if parameters is not None else signature.schema),
        execute=execute,
        label=label or tool_name,
        prompt_snippet=prompt_snippet,
        # A text is a sequence of texts too; it is refused when the tool is registered.
        prompt_guidelines=prompt_guidelines
        if isinstance(prompt_guidelines, str)
        else tuple(prompt_guidelines),
        prepare_arguments=prepare_arguments,
        execution_mode=mode,
        render_call=render_call,
        render_result=render_result,
    )


def _signature(function: Callable[..., Any], tool_name: str, *, typed: bool) -> ToolSignature:
    parameters = inspect.signature(function).parameters.values()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    odd = [str(parameter) for parameter in parameters if parameter.kind not in by_name]
    if typed and odd:
        raise RegistrationError(
            "bad-tool-parameters",
            f"{name_of(function)} takes {', '.join(odd)}, which a model cannot fill in",
            where=where_defined(function),
            hint="Name every parameter, or give `parameters` as a JSON schema.",
        )
    handed = tuple(parameter.name for parameter in parameters if parameter.name in HANDED)
    own = [parameter for parameter in parameters if parameter.name not in HANDED]
    annotations = _resolved(function, own) if typed else {}
    return ToolSignature(
        function,
        tool_name,
        {parameter.name: (annotations.get(parameter.name, Any), parameter.default) for parameter in own},
        handed,
    )


def _resolved(function: Callable[..., Any], own: Sequence[inspect.Parameter]) -> dict[str, Any]:
    """The annotations of the tool's own parameters; those of the host's may be for type checkers only."""
    inner = inspect.unwrap(function)
    inner = getattr(inner, "__func__", inner)
    local = inspect.getclosurevars(inner).nonlocals if inspect.isfunction(inner) else {}
    given = {
        parameter.name: parameter.annotation
        for parameter in own
        if parameter.annotation is not inspect.Parameter.empty
    }
    try:
        return get_type_hints(
            cast("Any", SimpleNamespace(__annotations__=given)),
            getattr(inner, "__globals__", {}),
            dict(local),
            include_extras=True,
        )
    except (NameError, TypeError, SyntaxError) as error:
        raise RegistrationError(
            "bad-tool-parameters",
            f"an annotation of {name_of(function)} cannot be resolved: {error}",
            where=where_defined(function),
            hint="Define or import the type at the top of the module, outside `if TYPE_CHECKING`.",
        ) from None


def _described(annotation: Any) -> Any:
    """`Annotated[str, "what it is"]` describes the parameter, as `Field(description=…)` does."""
    if get_origin(annotation) is not Annotated:
        return annotation
    from pydantic import Field  # loaded already, with the model

    metadata = tuple(
        Field(description=part) if isinstance(part, str) else part for part in annotation.__metadata__
    )
    return Annotated[(annotation.__origin__, *metadata)]
