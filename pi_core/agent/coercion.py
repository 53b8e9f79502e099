"""A model's arguments bent towards the schema, where the meaning is plain: "5" for 5, "true" for true.

Nothing here judges: what cannot be bent stays as it is, for the validator to
name. The given value is never changed.

Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

Accepts: TypeAlias = Callable[[Any, Any], bool]
"""`accepts(value, schema)`: whether the value is valid as it stands."""

NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
PREFIXED: Final = re.compile(r"0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
EXPONENT: Final = re.compile(r"e([+-])0+(?=\d)")  # Python writes 1e-07 where JSON's home writes 1e-7
TRUTHS: Final[Mapping[Any, bool]] = {"true": True, "false": False, "1": True, "0": False}
MAX_DEPTH: Final = 64


class Coercion:
    """Coerces values against sub-schemas of one `root`; `accepts` decides between alternatives."""

    def __init__(self, root: Any, accepts: Accepts) -> None:
        self._root = root
        self._accepts = accepts

    def apply(self, value: Any, schema: Any, depth: int = 0) -> Any:
        """The value, bent as far as `schema` makes it plain."""
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
            return value
        if isinstance(reference := schema.get("$ref"), str):
            return self.apply(value, resolved(self._root, reference), depth + 1)
        for part in schema.get("allOf", ()):
            value = self.apply(value, part, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                value = self._alternative(value, schema[keyword], depth)
        return self._typed(value, schema, depth)

    def _alternative(self, value: Any, branches: Iterable[Any], depth: int) -> Any:
        branches = list(branches)
        if any(self._accepts(value, branch) for branch in branches):
            return value
        for branch in branches:
            candidate = self.apply(value, branch, depth + 1)
            if self._accepts(candidate, branch):
                return candidate
        return value

    def _typed(self, value: Any, schema: Mapping[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, str):
            value = scalar(value, kind)
            if kind == "array" and not isinstance(value, list | Mapping) and "prefixItems" not in schema:
                value = [value]
        elif isinstance(kind, list):
            value = first_fitting(value, kind)
        if isinstance(value, Mapping):
            return self._object(value, schema, depth)
        if isinstance(value, list):
            return self._array(value, schema, depth)
        return value

    def _object(self, value: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        done: dict[str, Any] = {}
        for name, item in value.items():
            rule = property_rule(schema, name)
            if item is None and name in properties and name not in required:
                if self._accepts(None, rule):
                    done[name] = None
                continue
            done[name] = self.apply(item, rule, depth + 1)
        return done

    def _array(self, value: list[Any], schema: Mapping[str, Any], depth: int) -> list[Any]:
        prefix = schema.get("prefixItems", ())
        rest = schema.get("items", True)
        rules = [prefix[index] if index < len(prefix) else rest for index in range(len(value))]
        return [self.apply(item, rule, depth + 1) for item, rule in zip(value, rules, strict=True)]


def resolved(root: Any, reference: str) -> Any:
    """The part of `root` that a reference within it names; None if there is none."""
    if not reference.startswith("#"):
        return None
    found = root
    for part in reference[1:].split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def property_rule(schema: Mapping[str, Any], name: str) -> Any:
    """The schema of one property: named, by pattern, or the one for all others."""
    properties = schema.get("properties", {})
    if name in properties:
        return properties[name]
    for pattern, rule in schema.get("patternProperties", {}).items():
        if matches(pattern, name):
            return rule
    return schema.get("additionalProperties", True)


def matches(pattern: str, name: str) -> bool:
    """Whether a property's name has the pattern; False for one that only other languages can read."""
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def first_fitting(value: Any, kinds: Iterable[str]) -> Any:
    """The value if it has one of the types, else its first conversion that does."""
    kinds = list(kinds)
    if any(is_a(value, kind) for kind in kinds):
        return value
    for kind in kinds:
        candidate = "" if value is None and kind == "string" else scalar(value, kind)
        if is_a(candidate, kind):
            return candidate
    return value


def is_a(value: Any, kind: str) -> bool:
    """Whether a JSON value has a JSON type; a whole float is an integer, a boolean never is."""
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, Mapping)
        case "integer":
            return is_number(value) and float(value).is_integer()
        case "number":
            return is_number(value)
        case _:
            return False


def is_number(value: Any) -> bool:
    """True for finite numbers; booleans are not numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def scalar(value: Any, kind: str) -> Any:
    """A number, boolean, string or null as another of these types; everything else unchanged."""
    if isinstance(value, list | Mapping) or is_a(value, kind):
        return value
    match kind:
        case "number" | "integer":
            number = as_number(value)
            return value if number is None else whole(number) if kind == "integer" else number
        case "boolean":
            return as_boolean(value)
        case "string":
            return as_text(value)
        case "null":
            return None if value in ("", 0) else value
        case _:
            return value


def as_number(value: Any) -> int | float | None:
    """A number for text, booleans and null (0); None where there is none."""
    if isinstance(value, str):
        return number_of(value.strip())
    if value is None or isinstance(value, bool):
        return int(bool(value))
    return value if is_number(value) else None


def number_of(text: str) -> int | float | None:
    """The number that a text spells, "" being 0; None for anything else, infinities included."""
    if not text:
        return 0
    if PREFIXED.fullmatch(text):
        return int(text, 0)
    if not NUMBER.fullmatch(text):
        return None
    number = float(text)
    return None if math.isinf(number) else int(number) if number.is_integer() else number


def whole(number: int | float) -> int:
    """The number without its fraction."""
    return math.trunc(number)


def as_boolean(value: Any) -> Any:
    """A boolean for true, false, 1, 0 in any spelling and for null (false); else the value itself."""
    if value is None:
        return False
    if isinstance(value, str):
        return TRUTHS.get(value.lower(), value)
    return bool(value) if value in (0, 1) else value


def as_text(value: Any) -> str:
    """A scalar the way JSON writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return EXPONENT.sub(r"e\1", str(value))
