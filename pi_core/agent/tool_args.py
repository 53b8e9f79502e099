"""A model's arguments, made ready for a tool or refused with one line a fault.

A schema's validator is built at its first use and kept as long as its
`ArgumentChecks` live.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hookspecs.values import dataclass
from pi_core.agent.coercion import Coercion, resolved

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

MAX_ECHO: Final = 2000
NOWHERE: Final = "is described by a part of the tool's schema that does not exist"
SchemaPath: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong: where (keys and indexes from the top), the rule that is broken, and a sentence."""

    path: SchemaPath
    keyword: str
    message: str

    @property
    def place(self) -> str:
        """The path with dots, "root" for the whole."""
        return ".".join(map(str, self.path)) or "root"


class InvalidArguments(ValueError):
    """The arguments do not fit the tool. `faults` is not empty and in the order of the schema."""

    def __init__(self, tool_name: str, faults: Iterable[Fault], received: Any) -> None:
        self.tool_name = tool_name
        self.faults = tuple(faults)
        self.received = received
        lines = "\n".join(f"  - {fault.place}: {fault.message}" for fault in self.faults)
        echo = json.dumps(received, ensure_ascii=False, indent=2, default=str)
        if len(echo) > MAX_ECHO:
            echo = f"{echo[:MAX_ECHO]}… ({len(echo)} characters)"
        super().__init__(f'Validation failed for tool "{tool_name}":\n{lines}\n\nReceived arguments:\n{echo}')


class BrokenSchema(ValueError):
    """The parameters that a tool declares are no JSON schema, so no arguments can be checked."""

    def __init__(self, tool_name: str, error: Exception) -> None:
        problem = str(error).partition("\n")[0]
        super().__init__(f'The parameters of tool "{tool_name}" are not a valid JSON schema: {problem}')


class ArgumentChecks:
    """Checks arguments against schemas; compiles each schema object once."""

    def __init__(self) -> None:
        self._compiled: dict[int, tuple[Any, CompiledSchema]] = {}

    def ready(self, tool_name: str, schema: Mapping[str, Any], arguments: Any) -> dict[str, Any]:
        """The arguments as the tool gets them: a new object, coerced and valid.

        Raises: InvalidArguments if they do not fit the schema even after coercion; BrokenSchema.
        """
        try:
            compiled = self._schema(schema)
        except ValueError as error:
            raise BrokenSchema(tool_name, error) from error
        value = compiled.coerced(arguments)
        faults = compiled.faults(value)
        if faults:
            raise InvalidArguments(tool_name, faults, arguments)
        if not isinstance(value, dict):
            fault = Fault((), "type", f"{json.dumps(value)} is not an object")
            raise InvalidArguments(tool_name, [fault], arguments)
        return value

    def _schema(self, schema: Mapping[str, Any]) -> CompiledSchema:
        known = self._compiled.get(id(schema))
        if known is None or known[0] is not schema:
            known = (schema, CompiledSchema(schema))
            self._compiled[id(schema)] = known
        return known[1]


class CompiledSchema:
    """One schema with its validators; those of alternatives are built when first needed."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        plain = json.loads(json.dumps(schema))
        self._missing = set(dead_references(plain, plain, ()))
        self._root: Any = without(plain, self._missing, ())
        self._validator = build(self._root)
        self._parts: dict[str, Draft202012Validator] = {}

    def coerced(self, value: Any) -> Any:
        """A new value, bent towards the schema as far as the meaning is plain."""
        return Coercion(self._root, self._accepts).apply(json.loads(json.dumps(value)), self._root)

    def faults(self, value: Any) -> list[Fault]:
        """What is wrong, in the order of the schema, each place and rule once; empty if all is well."""
        found: dict[tuple[SchemaPath, str], Fault] = {}
        for error in self._validator.iter_errors(value):
            for fault in self._explained(error):
                found.setdefault((fault.path, fault.keyword), fault)
        return sorted(found.values(), key=lambda fault: rank(fault, self._root))

    def _accepts(self, value: Any, schema: Any) -> bool:
        if isinstance(schema, bool):
            return schema
        key = json.dumps(schema)
        if key not in self._parts:
            shared = {"$defs": self._root["$defs"]} if "$defs" in self._root else {}
            self._parts[key] = build({**shared, **schema})
        return self._parts[key].is_valid(value)

    def _explained(self, error: ValidationError) -> Iterator[Fault]:
        kind: Any = error.kind
        path = tuple(error.instance_path)
        match kind.name:
            case "required":
                yield Fault((*path, kind.property), kind.name, "is required")
            case "additionalProperties" | "unevaluatedProperties":
                for name in kind.unexpected:
                    yield Fault((*path, name), kind.name, "is not a known property")
            case "anyOf" | "oneOf" if kind.context and all(kind.context):
                for branch_error in most_telling(kind.context, len(path)):
                    yield from self._explained(branch_error)
            case "not" if tuple(error.schema_path)[:-1] in self._missing:
                yield Fault(path, "$ref", NOWHERE)
            case name:
                yield Fault(path, name, error.message)


def build(schema: Any) -> Draft202012Validator:
    """A validator of one schema, formats included; references out of the schema are never followed.

    Raises: ValueError if the schema itself is broken.
    """
    from jsonschema_rs import Draft202012Validator  # 40 ms, and only where a tool is called

    return Draft202012Validator(schema, validate_formats=True, retriever=stay_inside)


def stay_inside(reference: str) -> Any:
    """Refuse to fetch what a schema points to."""
    raise ValueError(f"the schema points outside itself, to {reference}")


def most_telling(branches: Sequence[Sequence[ValidationError]], depth: int) -> list[ValidationError]:
    """The errors of the alternatives that fit best: those whose type is right, else all."""
    right = [errors for errors in branches if not any(is_wrong_type(error, depth) for error in errors)]
    return [error for errors in right or branches for error in errors]


def is_wrong_type(error: ValidationError, depth: int) -> bool:
    """Whether the value at `depth` itself has a type that the alternative does not know."""
    kind: Any = error.kind
    if kind.name in ("anyOf", "oneOf"):
        nested = (kind.context or ()) if len(error.instance_path) == depth else ()
        return bool(nested) and all(any(is_wrong_type(one, depth) for one in errors) for errors in nested)
    return kind.name == "type" and len(error.instance_path) == depth


def rank(fault: Fault, root: Any) -> list[tuple[int, int]]:
    """Where a fault stands: in each object first what is missing, then its properties, then the rest."""
    schema = root
    ranks: list[tuple[int, int]] = []
    for depth, part in enumerate(fault.path):
        if isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
            schema = resolved(root, schema["$ref"])
        properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
        missing = fault.keyword == "required" and depth == len(fault.path) - 1
        if isinstance(part, int):
            ranks.append((1, part))
            schema = schema.get("items") if isinstance(schema, Mapping) else None
        elif part in properties:
            ranks.append((0 if missing else 1, list(properties).index(part)))
            schema = properties[part]
        else:
            ranks.append((0 if missing else 2, 0))
            schema = None
    return [*ranks, (3, 0)]


def dead_references(schema: Any, root: Any, path: SchemaPath) -> Iterator[SchemaPath]:
    """The places of local references that name no part of the schema."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from dead_references(item, root, (*path, index))
    elif isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str) and resolved(root, reference) is None:
            yield path
        for name, item in schema.items():
            yield from dead_references(item, root, (*path, name))


def without(schema: Any, dead: set[SchemaPath], path: SchemaPath) -> Any:
    """The schema with a rule that nothing meets in each of the `dead` places."""
    if path in dead:
        return {"not": {}}
    if isinstance(schema, list):
        return [without(item, dead, (*path, index)) for index, item in enumerate(schema)]
    if isinstance(schema, dict):
        return {name: without(item, dead, (*path, name)) for name, item in schema.items()}
    return schema
