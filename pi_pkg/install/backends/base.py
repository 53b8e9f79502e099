"""What a backend is: from a request to a command line, and from its output to one clear error.

Pure.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

from pi_pkg.errors import InstallError
from pi_pkg.install.host import Distribution
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.process import Finished

INSTALL_TIMEOUT_S: Final = 1800.0
"""The longest that one run of a backend may take."""

# What an installer may see of our environment: who and where we are, how to reach the network, and, for
# builds that the user allowed, which compiler. No secret, no other interpreter, no setting of the tools.
_KEPT: Final = frozenset(
    {
        "HOME", "USER", "LOGNAME", "USERNAME", "PATH", "SHELL", "TMPDIR", "TEMP", "TMP", "LANG", "LANGUAGE",
        "TZ", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
        "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "PROGRAMFILES", "PROGRAMFILES(X86)",
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC",
        "DBUS_SESSION_BUS_ADDRESS", "PYTHON_KEYRING_BACKEND",
        "PIP_CACHE_DIR", "UV_CACHE_DIR", "UV_LINK_MODE",
        "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG_PATH",
        "MACOSX_DEPLOYMENT_TARGET",
    }
)  # fmt: skip
_KEPT_PREFIXES: Final = ("LC_", "XDG_")


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """One run of a backend over a generation that is being built."""

    python: Path
    """The generation's interpreter."""
    requirements: tuple[str, ...]
    """All that the scope asks for, as PEP 508 requirements; never empty."""
    constraints: Path
    """File that keeps the host's distributions and the trees at their versions."""
    index: IndexConfig
    log: Path
    """File for a backend's own log, read when it fails."""
    wheels: tuple[str, ...] = ()
    """Folders with wheels that were built for this request."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line and what it needs in its environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


class Backend(Protocol):
    """An installer. It has no state."""

    @property
    def name(self) -> str:
        """`pip` or `uv`."""

    @property
    def guard(self) -> str | None:
        """Text of a `.pth` file that must stand in the generation while the backend runs; None for none."""

    def command(self, request: InstallRequest) -> Command:
        """How to run it. Raises IndexConfigError for an index configuration it cannot express."""

    def explain(
        self, finished: Finished, request: InstallRequest, host: Mapping[str, Distribution]
    ) -> InstallError:
        """Why it failed, in one sentence, its whole output as detail. `host` is what pi's environment has."""


def child_environ(environ: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """The environment of a backend: little of ours, no secrets, and nothing that moves its target."""
    kept = {
        name: value
        for name, value in environ.items()
        if name.upper() in _KEPT or name.upper().startswith(_KEPT_PREFIXES)
    }
    fixed = {
        "PIP_CONFIG_FILE": os.devnull,
        "PYTHONNOUSERSITE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
    }
    return {**kept, **fixed, **extra}


def has_credentials(url: str) -> bool:
    """Whether a URL carries a user or password: then it must not stand on a command line."""
    return "://" in url and "@" in urlsplit(url).netloc
