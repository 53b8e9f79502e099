"""`auth.json`: keys and logins by provider, shared with the TypeScript pi.

`{"NAME": {"type": "api_key", "key": …, "env"?: {…}} | {"type": "oauth", "access": …, "refresh": …,
"expires": milliseconds, …}}`. The file is its owner's alone. A change reads it anew under its lock,
keeps everything that it does not concern, and replaces it as a whole; a file that cannot be
understood is never overwritten.

Touches: files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final, TypeAlias

from hookspecs.values import dataclass
from pi_core.errors import AuthFileError
from pi_core.providers.auth_lock import WAIT_S, LockBusy, alone_with

API_KEY: Final = "api_key"
OAUTH: Final = "oauth"


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key of `auth.json`: a value as written, and variables that only it sees."""

    value: str
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredLogin:
    """What a login left in `auth.json`. `credentials` is the whole entry without its type.

    `expires_ms` is when the access token ends, in milliseconds since 1970; None if it does not say.
    """

    access: str
    expires_ms: float | None = None
    credentials: Mapping[str, Any] = field(default_factory=dict)

    def has_ended(self, now_ms: float) -> bool:
        """Whether the access token is of no use any more."""
        return self.expires_ms is not None and now_ms >= self.expires_ms


StoredEntry: TypeAlias = StoredKey | StoredLogin
Entries: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[Entries], Awaitable[bool]]
"""Changes the entries in place; answers whether there is anything to write."""


@dataclass(frozen=True, slots=True)
class AuthFile:
    """The entries of `auth.json` by provider. `problem` is a sentence if the file cannot be used."""

    keys: Mapping[str, StoredEntry] = field(default_factory=dict)
    problem: str | None = None


def read_auth_file(path: Path) -> AuthFile:
    """The file at `path`; empty if there is none. Never raises for what is in it."""
    try:
        return auth_file_of(read_entries(path))
    except AuthFileError as error:
        return AuthFile(problem=error.message)


def auth_file_of(entries: Mapping[str, Any]) -> AuthFile:
    """The keys and logins among the entries; anything else is left alone."""
    return AuthFile(
        {name: key for name, entry in entries.items() if (key := stored_entry(entry)) is not None}
    )


def read_entries(path: Path) -> Entries:
    """Every entry as it stands in the file; empty if there is none. Raises: AuthFileError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        value = json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}
    except json.JSONDecodeError as error:
        raise AuthFileError(str(path), f"line {error.lineno} is no JSON ({error.msg})") from error
    except (OSError, ValueError) as error:
        raise AuthFileError(str(path), f"it cannot be read ({error})") from error
    if not isinstance(value, dict):
        raise AuthFileError(str(path), "it is not an object of providers")
    return value


def stored_entry(entry: Any) -> StoredEntry | None:
    """The key or login of one entry; None for what is neither."""
    if not isinstance(entry, Mapping):
        return None
    if entry.get("type") == API_KEY:
        value, environment = entry.get("key"), entry.get("env")
        if not isinstance(value, str) or not value:
            return None
        return StoredKey(value, environment if isinstance(environment, Mapping) else {})
    access, expires = entry.get("access"), entry.get("expires")
    if not isinstance(access, str) or not access:
        return None
    is_time = isinstance(expires, (int, float)) and not isinstance(expires, bool)
    credentials = {key: value for key, value in entry.items() if key != "type"}
    return StoredLogin(access, expires if is_time else None, credentials)


@dataclass(frozen=True, slots=True)
class AuthStore:
    """The file at one place, to be changed."""

    path: Path
    wait_s: float = WAIT_S

    def read(self) -> AuthFile:
        """What it says now."""
        return read_auth_file(self.path)

    def stamp(self) -> tuple[int, int, int] | None:
        """Another value after each change; None without a file."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    async def edit(self, change: Change) -> AuthFile:
        """Change the entries while nobody else can; what they say afterwards.

        Raises: AuthFileError if the file cannot be understood, locked or written: it is as before. Whatever
            `change` raises; nothing is written then.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            async with alone_with(self.path, wait_s=self.wait_s):
                entries = read_entries(self.path)
                if await change(entries):
                    self._write(entries)
                return auth_file_of(entries)
        except LockBusy as error:
            raise AuthFileError(str(self.path), str(error)) from error
        except OSError as error:
            raise AuthFileError(
                str(self.path), f"it cannot be written ({error.strerror or error})"
            ) from error

    def _write(self, entries: Entries) -> None:
        target = Path(os.path.realpath(self.path))
        aside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        aside.unlink(missing_ok=True)
        try:
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w", encoding="utf-8") as stream:
                stream.write(json.dumps(entries, indent=2, ensure_ascii=False))
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(aside, target)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise


async def keep_key(store: AuthStore, provider: str, key: str) -> None:
    """Store a provider's key; the variables and whatever else stands beside an earlier key stay.

    Raises: AuthFileError.
    """

    async def change(entries: Entries) -> bool:
        earlier = entries.get(provider)
        kept = earlier if isinstance(earlier, dict) and earlier.get("type") == API_KEY else {}
        entries[provider] = {**kept, "type": API_KEY, "key": key}
        return True

    await store.edit(change)


async def keep_login(store: AuthStore, provider: str, credentials: Mapping[str, Any]) -> None:
    """Store what a login brought, in the place of whatever stood there. Raises: AuthFileError."""

    async def change(entries: Entries) -> bool:
        entries[provider] = login_entry(credentials)
        return True

    await store.edit(change)


async def forget(store: AuthStore, provider: str) -> bool:
    """Take a provider's entry out; False if there was none. Raises: AuthFileError."""
    found: list[Any] = []

    async def change(entries: Entries) -> bool:
        found.extend([entries.pop(provider)] if provider in entries else [])
        return bool(found)

    await store.edit(change)
    return bool(found)


def login_entry(credentials: Mapping[str, Any]) -> Entries:
    """The entry of a login."""
    return {"type": OAUTH, **{key: value for key, value in credentials.items() if key != "type"}}
