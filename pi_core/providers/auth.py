"""Keys: where they may stand, in which order they count, and whether there is one.

A key given for this run wins over `auth.json`, that over the one configured
with the provider, that over the provider's variables in the environment.

Touches: files, processes, and whatever renewing a login touches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from hookspecs.values import dataclass
from pi_core.process import run_process
from pi_core.providers.auth_file import AuthFile, AuthStore, StoredEntry, StoredKey, StoredLogin
from pi_core.providers.models import Provider
from pi_core.providers.oauth import ended, key_of_login, now_ms, renewed
from pi_core.providers.values import RunCommand, Values

COMMAND_TIMEOUT_S: Final = 10.0

KeyPlace: TypeAlias = Literal["run", "key", "login", "configured", "variable", "not-needed", "none"]
"""Where a key comes from: this run, `auth.json` (a key or a login), the provider, the environment."""


@dataclass(frozen=True, slots=True)
class KeyOrigin:
    """Where the key of a provider comes from, never the key.

    `detail` is a variable's name, or what is missing.
    """

    place: KeyPlace
    detail: str = ""
    usable: bool = True


def command_runner(
    environment: Mapping[str, str], cwd: str, *, timeout_s: float = COMMAND_TIMEOUT_S
) -> RunCommand:
    """Runs the commands of configured values in a shell; one that takes longer has no output."""

    async def run(command: str) -> str | None:
        result = await run_process(command, cwd=cwd, env=environment, timeout_s=timeout_s)
        return result.stdout.strip() or None if result.code == 0 else None

    return run


class Credentials:
    """Finds keys. `overrides` are keys for this run, by provider, and may be added at any time.

    With a `store` a login that has ended is renewed, and what others change in the file counts at once.
    """

    def __init__(
        self,
        stored: AuthFile,
        environment: Mapping[str, str],
        values: Values,
        store: AuthStore | None = None,
    ) -> None:
        self.stored = stored
        self.overrides: dict[str, str] = {}
        self.store = store
        self._environment = environment
        self._values = values
        self._stamp = store.stamp() if store is not None else None

    async def key(self, provider: Provider) -> str | None:
        """The provider's key, None if there is none. May run a command, once, and may renew a login.

        Raises: LoginError for a login that cannot be renewed; AuthFileError.
        """
        if (override := self.overrides.get(provider.name)) is not None:
            return override
        self.read_again()
        match self.stored.keys.get(provider.name):
            case StoredKey(value=value, environment=scoped):
                return await self._values.resolve(value, scoped)
            case StoredLogin() as login:
                return await self._key_of(provider, login)
            case None:
                pass
        if provider.api_key is not None:
            return await self._values.resolve(provider.api_key)
        variable = self.variable(provider)
        return self._environment[variable] if variable is not None else None

    def read_again(self) -> bool:
        """Take in what changed in the file; False if nothing did, or if it broke meanwhile."""
        stamp = self.store.stamp() if self.store is not None else None
        if self.store is None or stamp == self._stamp:
            return False
        self._stamp, found = stamp, self.store.read()
        if found.problem is None:
            self.stored = found
        return found.problem is None

    async def _key_of(self, provider: Provider, login: StoredLogin) -> str:
        if login.has_ended(now_ms()):
            if provider.oauth is None or self.store is None:
                raise ended(provider.name, "it has ended, and nothing here can renew it")
            self.stored = await renewed(provider.name, provider.oauth, self.store)
            now = self.stored.keys.get(provider.name)
            if not isinstance(now, StoredLogin):
                raise ended(provider.name, "somebody logged out meanwhile")
            login = now
        return await key_of_login(provider.name, provider.oauth, login)

    def is_configured(self, provider: Provider) -> bool:
        """Whether a key can be expected; runs nothing."""
        return self.origin(provider).usable

    def origin(self, provider: Provider) -> KeyOrigin:
        """Where the key would come from, and whether it can be expected; runs nothing."""
        self.read_again()
        if provider.name in self.overrides:
            return KeyOrigin("run")
        if (stored := self.stored.keys.get(provider.name)) is not None:
            return self._stored_origin(provider, stored)
        if not provider.needs_key:
            return KeyOrigin("not-needed")
        if provider.api_key is not None:
            missing = self._values.missing(provider.api_key)
            return KeyOrigin("configured", missing, not missing)
        variable = self.variable(provider)
        return KeyOrigin("none", usable=False) if variable is None else KeyOrigin("variable", variable)

    def _stored_origin(self, provider: Provider, stored: StoredEntry) -> KeyOrigin:
        if isinstance(stored, StoredKey):
            missing = self._values.missing(stored.value, stored.environment)
            return KeyOrigin("key", missing, not missing or not provider.needs_key)
        over = stored.has_ended(now_ms()) and provider.oauth is None
        return KeyOrigin("login", "it has ended" if over else "", not over)

    def variable(self, provider: Provider) -> str | None:
        """The first variable of the provider that is set and not empty."""
        return next((name for name in provider.variables if self._environment.get(name)), None)

    async def headers(self, provider: Provider, key: str | None) -> dict[str, str]:
        """The provider's own headers, resolved, with its key if it wants it there."""
        found = {"Authorization": f"Bearer {key}"} if provider.auth_header and key else {}
        return {**found, **await self.resolved(provider.headers)}

    async def resolved(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Headers with their values; the ones that cannot be resolved are left out."""
        found = {name: await self._values.resolve(text) for name, text in headers.items()}
        return {name: value for name, value in found.items() if value is not None}
