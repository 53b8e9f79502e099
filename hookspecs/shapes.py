"""Which JSON values a field may hold, by its annotation.

A file, or a program on the other side, may say anything; what is no value of a field must not get into it.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "str": (str,),
    "StopReason": (str,),
    "int": (int, float),
    "float": (int, float),
    "bool": (bool,),
    "None": (type(None),),
    "JsonObject": (dict,),
    "Usage": (dict,),
    "Cost": (dict,),
    "Message": (dict,),
    "Replacement": (dict,),
}
_CONTENT: Final = (str, list, type(None))
"""A content that is null is an empty one."""


def field_types(annotation: Any) -> tuple[type, ...] | None:
    """The types of JSON values that an annotation (as text) allows; None if any will do."""
    types: set[type] = set()
    for part in str(annotation).split(" | "):
        if part.startswith(("list[UserContent", "list[AssistantContent")):
            types.update(_CONTENT)
        elif part.startswith("list["):
            types.add(list)
        elif part in _KINDS:
            types.update(_KINDS[part])
        else:
            return None
    return tuple(types)


def fits(value: Any, types: tuple[type, ...] | None) -> bool:
    """Whether a value is of one of the types; true and false are no numbers."""
    if types is None or type(value) in types:
        return True
    return not isinstance(value, bool) and isinstance(value, types)
