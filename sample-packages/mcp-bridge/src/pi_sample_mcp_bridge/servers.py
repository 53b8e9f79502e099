"""What the settings say about servers, as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server: a `command` with its `args`, or a `url`; never both."""

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = TIMEOUT_S
    """How long one call may take."""


def servers_of(table: Any) -> tuple[dict[str, Server], dict[str, str]]:
    """The servers by name, and what is wrong with the others, by name as well."""
    given = table.get("servers", {}) if isinstance(table, Mapping) else {}
    if not isinstance(given, Mapping):
        return {}, {"": f"mcp.servers must be a table and is {given!r}"}
    servers, problems = {}, {}
    for name, fields in given.items():
        try:
            servers[str(name)] = _server(str(name), fields)
        except (TypeError, ValueError) as error:
            problems[str(name)] = f"mcp.servers.{name}: {error}"
    return servers, problems


def _server(name: str, fields: Any) -> Server:
    """Raises: TypeError, ValueError that say what is missing or has the wrong type."""
    if not isinstance(fields, Mapping):
        raise TypeError("needs a table")
    command, url = fields.get("command"), fields.get("url")
    if isinstance(command, str) == isinstance(url, str):
        raise ValueError("needs either a command or a url")
    timeout = fields.get("timeout-s", TIMEOUT_S)
    if not isinstance(timeout, int | float) or timeout <= 0:
        raise ValueError(f"timeout-s must be a number above 0 and is {timeout!r}")
    args = fields.get("args", [])
    if not isinstance(args, list):
        raise TypeError(f"args must be a list and is {args!r}")
    return Server(
        name=name,
        command=command if isinstance(command, str) else None,
        args=tuple(map(str, args)),
        env=_texts(fields.get("env")),
        url=url if isinstance(url, str) else None,
        headers=_texts(fields.get("headers")),
        timeout_s=float(timeout),
    )


def _texts(table: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in table.items()} if isinstance(table, Mapping) else {}
