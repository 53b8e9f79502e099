"""Reading and changing a field of a value, be it a dataclass or a mapping.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, TypeVar

T = TypeVar("T")


def get(value: Any, name: str, default: Any = None) -> Any:
    """The field `name`, or the default where there is none."""
    if isinstance(value, Mapping):
        return value.get(name, default)
    return getattr(value, name, default)


def put(value: Any, name: str, item: Any) -> None:
    """Set the field `name` in place."""
    if isinstance(value, MutableMapping):
        value[name] = item
    else:
        setattr(value, name, item)


def another(event: T, changes: dict[str, Any]) -> T:
    """An event of the same class with the same attributes, but for the changed ones."""
    fresh: T = object.__new__(type(event))
    fresh.__dict__ = event.__dict__ | changes
    return fresh


def with_class(event: T, cls: type[Any], changes: dict[str, Any]) -> T:
    """The same as `another`, as an instance of a subclass."""
    fresh: T = object.__new__(cls)
    fresh.__dict__ = event.__dict__ | changes
    return fresh
