"""One effective index configuration, whichever backend runs: settings, then variables, then pip's files.

Each key comes from the nearest layer that sets it, as pip reads its own: settings, PIP_ variables, UV_
variables, pip's files. Where settings name the index, no other layer adds places to it. The order of
the indexes is their rank; the first that knows a project decides, so a name can never come from another
index because another backend ran. An index that nobody named (the backends' default) comes last.

Touches: files.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from pi_pkg.install.errors import IndexConfigError

PLACES: Final = ("index-url", "extra-index-url", "find-links", "no-index")
_LISTS: Final = {"extra-index-url", "find-links", "trusted-host"}
Values: TypeAlias = Mapping[str, tuple[str, ...]]

_PIP_VARIABLES: Final = {
    "PIP_INDEX_URL": "index-url",
    "PIP_EXTRA_INDEX_URL": "extra-index-url",
    "PIP_FIND_LINKS": "find-links",
    "PIP_NO_INDEX": "no-index",
    "PIP_TRUSTED_HOST": "trusted-host",
    "PIP_CERT": "cert",
    "PIP_CLIENT_CERT": "client-cert",
    "PIP_PROXY": "proxy",
    "PIP_TIMEOUT": "timeout",
    "PIP_DEFAULT_TIMEOUT": "timeout",
    "PIP_KEYRING_PROVIDER": "keyring-provider",
}
_UV_VARIABLES: Final = {
    "UV_INDEX_URL": "index-url",
    "UV_DEFAULT_INDEX": "index-url",
    "UV_EXTRA_INDEX_URL": "extra-index-url",
    "UV_INDEX": "extra-index-url",
    "UV_FIND_LINKS": "find-links",
    "UV_NO_INDEX": "no-index",
    "UV_INSECURE_HOST": "trusted-host",
    "UV_HTTP_TIMEOUT": "timeout",
    "UV_KEYRING_PROVIDER": "keyring-provider",
}
_FILE_KEYS: Final = frozenset(_PIP_VARIABLES.values())
_DEFAULT_TIMEOUT_S: Final = 15
_SETTINGS_KEYS: Final = {
    "index-url": "index-url",
    "extra-index-urls": "extra-index-url",
    "find-links": "find-links",
}


@dataclass(frozen=True, slots=True)
class IndexConfig:
    """Where distributions come from, and how to reach it. Hashable; holds credentials: never print it."""

    index_urls: tuple[str, ...] = ()
    """Named indexes by rank, each once; empty means the backend's default alone."""
    uses_default: bool = True
    """Whether the backend's default index comes after the named ones."""
    find_links: tuple[str, ...] = ()
    """URLs, and absolute paths of folders, that offer archives beside the indexes."""
    trusted_hosts: tuple[str, ...] = ()
    """Hosts (with port if given) that may be asked without a valid certificate."""
    cert: str | None = None
    """Path of a bundle of certificates."""
    client_cert: str | None = None
    """Path of our own certificate with its key."""
    proxy: str | None = None
    """URL of a proxy, over the proxy variables."""
    timeout_s: int = _DEFAULT_TIMEOUT_S
    """How long an index may keep silent."""
    keyring: str | None = None
    """Keyring provider, by the name both backends know."""
    origins: tuple[tuple[str, str], ...] = ()
    """Key and where it was said, for `pi doctor`; sorted."""

    @property
    def no_index(self) -> bool:
        """Whether only `find_links` count."""
        return not self.index_urls and not self.uses_default


@dataclass(frozen=True, slots=True)
class _Layer:
    values: Values
    labels: Mapping[str, str]
    """Where each key was said."""


def effective_index(
    install: Mapping[str, object],
    environ: Mapping[str, str],
    *,
    base: Path,
    pip_files: Sequence[Path] | None = None,
) -> IndexConfig:
    """The configuration in force.

    `install` is the `[install]` table of the settings. Relative folders count from `base`. `pip_files`
    are pip's configuration files, farthest first; without them those of this machine are read.

    Raises IndexConfigError for a setting of the wrong type, an unreadable file of pip, or an index that
    is plain http without being on this machine or trusted.
    """
    settings = _from_settings(install)
    others = [_from_environ(environ, _PIP_VARIABLES), _from_environ(environ, _UV_VARIABLES)]
    others += _from_pip_files(pip_config_files(environ) if pip_files is None else pip_files)
    found: dict[str, tuple[str, ...]] = dict(settings.values)
    origins = dict(settings.labels)
    closed = PLACES if "index-url" in found else ()
    for layer in others:
        for key, value in layer.values.items():
            if key not in found and key not in closed:
                found[key] = value
                origins[key] = layer.labels[key]
    return _checked(_build(found, origins, base, environ))


def _build(found: Values, origins: Mapping[str, str], base: Path, environ: Mapping[str, str]) -> IndexConfig:
    no_index = _is_true(_one(found, "no-index"))
    named = () if no_index else (*found.get("index-url", ()), *found.get("extra-index-url", ()))
    return IndexConfig(
        index_urls=tuple(dict.fromkeys(url.rstrip("/") for url in named)),
        uses_default=not no_index and "index-url" not in found,
        find_links=tuple(_place(item, base, environ) for item in found.get("find-links", ())),
        trusted_hosts=found.get("trusted-host", ()),
        cert=_one(found, "cert") or environ.get("SSL_CERT_FILE"),
        client_cert=_one(found, "client-cert"),
        proxy=_one(found, "proxy"),
        timeout_s=_seconds(_one(found, "timeout")),
        keyring=_one(found, "keyring-provider"),
        origins=tuple(sorted(origins.items())),
    )


def _checked(config: IndexConfig) -> IndexConfig:
    for url in (*config.index_urls, *config.find_links):
        parts = urlsplit(url)
        if parts.scheme == "http" and not _may_be_plain(parts.hostname or "", parts.port, config):
            host = parts.hostname or url
            raise IndexConfigError(
                f"the index at {host} is plain http, so anybody on the way could change what it sends.",
                hint=f"Use https, or trust it with PIP_TRUSTED_HOST={host}.",
            )
    return config


def _may_be_plain(host: str, port: int | None, config: IndexConfig) -> bool:
    if host in {"localhost", "::1"} or host.startswith("127.") or host.endswith(".localhost"):
        return True
    return host in config.trusted_hosts or f"{host}:{port}" in config.trusted_hosts


# Layers.
def _from_settings(install: Mapping[str, object]) -> _Layer:
    values: dict[str, tuple[str, ...]] = {}
    for key, name in _SETTINGS_KEYS.items():
        value = install.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            values[name] = (value,)
        elif name in _LISTS and isinstance(value, list) and all(isinstance(item, str) for item in value):
            values[name] = tuple(value)
        else:
            wanted = "a list of strings" if name in _LISTS else "a string"
            raise IndexConfigError(f"install.{key} in settings.toml is no {wanted.removeprefix('a ')}.")
    return _Layer(values, dict.fromkeys(values, "settings.toml"))


def _from_environ(environ: Mapping[str, str], names: Mapping[str, str]) -> _Layer:
    values: dict[str, tuple[str, ...]] = {}
    labels: dict[str, str] = {}
    for variable, key in names.items():
        text = environ.get(variable, "").strip()
        if text:
            items = _split(text, key, comma=variable.startswith("UV_"))
            values[key] = (*values.get(key, ()), *items) if key in _LISTS else items
            labels[key] = variable
    return _Layer(values, labels)


def _split(text: str, key: str, *, comma: bool) -> tuple[str, ...]:
    if key not in _LISTS:
        return (text,)
    items = text.replace(",", " ").split() if comma and key != "extra-index-url" else text.split()
    # uv lets an index carry a name: NAME=URL.
    return tuple(item.partition("=")[2] if _is_named(item) else item for item in items)


def _is_named(item: str) -> bool:
    name, equals, rest = item.partition("=")
    return bool(equals) and "://" in rest and "://" not in name and "/" not in name


def _from_pip_files(paths: Iterable[Path]) -> Iterator[_Layer]:
    for path in reversed(list(paths)):
        values = _read_pip_file(path)
        if values:
            yield _Layer(values, dict.fromkeys(values, str(path)))


def pip_config_files(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where pip looks for its configuration, farthest first; most do not exist.

    PIP_CONFIG_FILE set to the null device switches all of them off, as in pip.
    """
    if environ.get("PIP_CONFIG_FILE") == os.devnull:
        return
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "/")
    name = "pip.ini" if os.name == "nt" else "pip.conf"
    if os.name == "nt":
        yield Path(environ.get("PROGRAMDATA") or "C:/ProgramData", "pip", name)
        yield home / "pip" / name
        yield Path(environ.get("APPDATA") or home / "AppData" / "Roaming", "pip", name)
    else:
        for folder in reversed((environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")):
            yield Path(folder or "/etc/xdg", "pip", name)
        if sys.platform == "darwin":
            yield Path("/Library/Application Support/pip", name)
        yield Path("/etc", name)
        yield home / ".pip" / name
        if sys.platform == "darwin":
            yield home / "Library" / "Application Support" / "pip" / name
        yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config", "pip", name)
    yield Path(sys.prefix, name)
    if environ.get("PIP_CONFIG_FILE"):
        yield Path(environ["PIP_CONFIG_FILE"])


def _read_pip_file(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise IndexConfigError(f"could not read pip's configuration {path}: {error}.") from error
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error as error:
        reason = str(error).splitlines()[0]
        raise IndexConfigError(f"could not read pip's configuration {path}: {reason}.") from error
    values: dict[str, tuple[str, ...]] = {}
    for section in ("global", "install"):
        for name, value in parser.items(section) if parser.has_section(section) else ():
            key = _key(name)
            if key in _FILE_KEYS and value.strip():
                values[key] = tuple(value.split()) if key in _LISTS else (value.strip(),)
    return values


def _key(name: str) -> str:
    key = name.lower().replace("_", "-").removeprefix("--")
    return "timeout" if key == "default-timeout" else key


# Values.
def _place(item: str, base: Path, environ: Mapping[str, str]) -> str:
    if "://" in item:
        return item
    home = environ.get("HOME") or environ.get("USERPROFILE")
    path = Path(home) / item[1:].lstrip("/\\") if item.startswith("~") and home else Path(item)
    return os.path.normpath(base / path)


def _one(found: Values, key: str) -> str | None:
    return next(iter(found.get(key, ())), None)


def _is_true(text: str | None) -> bool:
    return (text or "").lower() in {"1", "true", "yes", "on", "y", "t"}


def _seconds(text: str | None) -> int:
    try:
        return max(1, round(float(text))) if text else _DEFAULT_TIMEOUT_S
    except ValueError:
        raise IndexConfigError(f"the index time-out {text!r} is no number of seconds.") from None
