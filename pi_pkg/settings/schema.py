"""The JSON Schema of a settings file, made from the table of keys, for editors that complete and check.

`settings.schema.json` beside this file is what it makes.

Pure.
"""

from __future__ import annotations

from typing import Any, Final, assert_never

from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.settings.keys import Key, Tree, tree
from pi_pkg.settings.layer import USER_ONLY

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_STRINGS: Final = {"type": "array", "items": {"type": "string"}}
_TABLES: Final = {
    "model": "Which model answers.",
    "compaction": "When long conversations are summarised.",
    "branch-summary": "What happens to a branch that is left.",
    "retry": "What happens when a request fails.",
    "retry.provider": "What the provider's own library does.",
    "images": "What happens to images.",
    "ui": "How the terminal looks.",
    "install": "Where packages come from and what installs them.",
    "budgets": "How long extensions may take.",
    "clashes": "Who wins where two extensions use one name.",
}
_NO_EFFECT: Final = "Only in the settings of the user."


def schema() -> dict[str, Any]:
    """The schema; keys that it does not name are allowed everywhere, for they are kept."""
    return {
        "$schema": _DIALECT,
        "title": "Settings of pi",
        "description": "settings.toml of the user or of a project.",
        "type": "object",
        "properties": {"packages": _packages(), **_properties(tree(), "")},
    }


def _properties(level: Tree, above: str) -> dict[str, Any]:
    found = {}
    for name, inner in level.items():
        path = f"{above}{name}"
        if isinstance(inner, Key):
            made = {"description": inner.about, **_value(inner)}
        else:
            made = {"description": _TABLES[path], "type": "object"}
            made["properties"] = _properties(inner, f"{path}.")
        if not above and name in USER_ONLY:
            made["description"] += f" {_NO_EFFECT}"
        found[name] = made
    return found


def _value(key: Key) -> dict[str, Any]:
    match key.kind:
        case "string" | "boolean":
            return {"type": key.kind}
        case "integer" | "number":
            return {"type": key.kind} | ({} if key.least is None else {"minimum": key.least})
        case "choice":
            return {"enum": list(key.choices)}
        case "strings":
            return _STRINGS
        case "string-table":
            return {"type": "object", "additionalProperties": {"type": "string"}}
        case "keys-table":
            return {"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, _STRINGS]}}
        case _:
            assert_never(key.kind)


def _packages() -> dict[str, Any]:
    filters: dict[str, Any] = {
        kind: {"description": f"Patterns that choose among its {kind}; empty: nothing.", **_STRINGS}
        for kind in RESOURCE_TYPES
    }
    properties: dict[str, Any] = {
        "source": {"description": "Where the package comes from.", "type": "string"},
        "autoload": {
            "description": "False: nothing but what the patterns name; in a project, over the user's.",
            "type": "boolean",
        },
    }
    entry = {
        "type": "object",
        "required": ["source"],
        "properties": properties | filters,
        "additionalProperties": False,
    }
    return {
        "description": "The packages, each a source or a table with its source and filters.",
        "type": "array",
        "items": {"anyOf": [{"type": "string"}, entry]},
    }
