"""Keys: where they may stand, in which order they count, and whether there is one.

A key given for this run wins over `auth.json`, that over the one configured
with the provider, that over the provider's variables in the environment.

Touches: files, processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pi_core.process import run_process
from pi_core.providers.models import Provider
from pi_core.providers.values import RunCommand, Values

COMMAND_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key of `auth.json`: a value as written, and variables that only it sees."""

    value: str
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuthFile:
    """The keys of `auth.json` by provider. `problem` is a sentence if the file cannot be used."""

    keys: Mapping[str, StoredKey] = field(default_factory=dict)
    problem: str | None = None


def read_auth_file(path: Path) -> AuthFile:
    """The file at `path`; empty if there is none. Never raises for what is in it."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return AuthFile()
    except (OSError, ValueError) as error:
        return AuthFile(problem=f"{path} cannot be read ({error})")
    if not isinstance(value, Mapping):
        return AuthFile(problem=f"{path} is not an object of providers")
    return AuthFile({name: key for name, entry in value.items() if (key := stored_key(entry)) is not None})


def stored_key(entry: Any) -> StoredKey | None:
    """The key of one entry; an access token counts as one. None for what is neither."""
    if not isinstance(entry, Mapping):
        return None
    value = entry.get("key") if entry.get("type") == "api_key" else entry.get("access")
    environment = entry.get("env")
    if not isinstance(value, str) or not value:
        return None
    return StoredKey(value, environment if isinstance(environment, Mapping) else {})


def command_runner(environment: Mapping[str, str], cwd: str) -> RunCommand:
    """Runs the commands of configured values in a shell, each for ten seconds at most."""

    async def run(command: str) -> str | None:
        result = await run_process(command, cwd=cwd, env=environment, timeout_s=COMMAND_TIMEOUT_S)
        return result.stdout.strip() or None if result.code == 0 else None

    return run


class Credentials:
    """Finds keys. `overrides` are keys for this run, by provider, and may be added at any time."""

    def __init__(self, stored: AuthFile, environment: Mapping[str, str], values: Values) -> None:
        self.stored = stored
        self.overrides: dict[str, str] = {}
        self._environment = environment
        self._values = values

    async def key(self, provider: Provider) -> str | None:
        """The provider's key, None if there is none. May run a command, once."""
        if (override := self.overrides.get(provider.name)) is not None:
            return override
        if (stored := self.stored.keys.get(provider.name)) is not None:
            return await self._values.resolve(stored.value, stored.environment)
        if provider.api_key is not None:
            return await self._values.resolve(provider.api_key)
        variable = self.variable(provider)
        return self._environment[variable] if variable is not None else None

    def is_configured(self, provider: Provider) -> bool:
        """Whether a key can be expected; runs nothing."""
        if provider.name in self.overrides or not provider.needs_key:
            return True
        if (stored := self.stored.keys.get(provider.name)) is not None:
            return self._values.is_configured(stored.value, stored.environment)
        if provider.api_key is not None:
            return self._values.is_configured(provider.api_key)
        return self.variable(provider) is not None

    def variable(self, provider: Provider) -> str | None:
        """The first variable of the provider that is set and not empty."""
        return next((name for name in provider.variables if self._environment.get(name)), None)

    async def headers(self, provider: Provider, key: str | None) -> dict[str, str]:
        """The provider's own headers, resolved; the ones that cannot be resolved are left out."""
        found = {"Authorization": f"Bearer {key}"} if provider.auth_header and key else {}
        for name, text in provider.headers.items():
            value = await self._values.resolve(text)
            if value is not None:
                found[name] = value
        return found
