"""Every test runs in a home of its own and away from the machine's package and git configuration.

Touches: environment variables and signals of the test process.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

UNSEEN = {"PYTHONPATH", "VIRTUAL_ENV", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"}
"""Further variables that decide what a program finds or shows."""

settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")  # how long an example takes says how busy the machine is

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts us in the background hands that on; our own commands are to be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def sealed_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh HOME; no PIP_*, UV_*, PI_* or GIT_* of the machine, no size or colours of its terminal.

    An address that a test did not start itself is unreachable: every proxy variable points at the
    discard port of the loopback, and loopback itself is exempt.
    """
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_", "PI_", "GIT_", "XDG_")) or name in UNSEEN:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(home / ".cache" / "uv"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "test@example.invalid")
    for proxy in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(proxy, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    return home
