"""Two layers become one view: tables merge at every depth, everything else is replaced.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pi_pkg.settings.model import Layer, Settings

_MODIFIABLE: Final = "default-tools"
"""A list whose `+name` and `-name` items change the user's list instead of replacing it."""


def merged(user: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """The project's values over the user's; keys in the user's order, then the project's new ones."""
    result = dict(user)
    for key, value in project.items():
        below = result.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[key] = merged(below, value)
        else:
            result[key] = value
    return result


def settings_of(user: Layer, project: Layer | None) -> Settings:
    """The layers and their merged view; `project` is None for a project that is not trusted."""
    if project is None:
        return Settings(user, None, dict(user.values))
    effective = merged(user.values, project.values)
    modified = _modified(user.values.get(_MODIFIABLE), project.values.get(_MODIFIABLE))
    if modified is not None:
        effective[_MODIFIABLE] = modified
    return Settings(user, project, effective)


def _modified(below: Any, above: Any) -> list[Any] | None:
    """The lists joined if the upper one holds modifiers only, else None: it replaces."""
    if not isinstance(below, list) or not isinstance(above, list) or not above:
        return None
    only_modifiers = all(isinstance(item, str) and item.startswith(("+", "-")) for item in above)
    return [*below, *above] if only_modifiers else None
