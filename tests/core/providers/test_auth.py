"""Keys: which place wins, and that finding out whether there is one runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_core.providers.auth import Credentials, command_runner
from pi_core.providers.auth_file import AuthFile, StoredKey
from pi_core.providers.models import Provider
from pi_core.providers.values import Values

ENVIRONMENT = {"ACME_KEY": "from-variable", "OTHER": "from-other", "EMPTY": ""}


class Commands:
    """Answers every command with its own text, and counts."""

    def __init__(self) -> None:
        self.run: list[str] = []

    async def __call__(self, command: str) -> str | None:
        self.run.append(command)
        return f"ran {command}"


def credentials(commands: Commands | None = None, **stored: StoredKey) -> Credentials:
    values = Values(ENVIRONMENT, commands or Commands())
    return Credentials(AuthFile(stored), ENVIRONMENT, values)


def acme(**more: Any) -> Provider:
    return Provider(name="acme", variables=("EMPTY", "ACME_KEY"), **more)


async def test_the_order_of_keys() -> None:
    """This run's key, then auth.json, then the provider's own, then its variables."""
    full = credentials(acme=StoredKey("stored"))
    provider = acme(api_key="configured")
    full.overrides["acme"] = "override"
    assert "override" == await full.key(provider)
    del full.overrides["acme"]
    assert "stored" == await full.key(provider)
    assert "configured" == await credentials().key(provider)
    assert "from-variable" == await credentials().key(acme())
    assert await credentials().key(Provider(name="acme")) is None


async def test_a_stored_key_has_variables_of_its_own() -> None:
    """The variables of an entry win over the environment for that entry."""
    keys = credentials(acme=StoredKey("$OTHER", {"OTHER": "scoped"}))
    assert "scoped" == await keys.key(acme())


async def test_asking_runs_no_command() -> None:
    """A command counts as configured; it runs when the key is needed, and once."""
    commands = Commands()
    keys = credentials(commands)
    provider = acme(api_key="!secret tool")
    assert keys.is_configured(provider)
    assert [] == commands.run
    assert ["ran secret tool"] * 2 == [await keys.key(provider), await keys.key(provider)]
    assert ["secret tool"] == commands.run


@pytest.mark.parametrize(
    ("provider", "configured"),
    [
        (Provider(name="p"), False),
        (Provider(name="p", variables=("EMPTY",)), False),
        (Provider(name="p", variables=("OTHER",)), True),
        (Provider(name="p", api_key="$UNSET_Q"), False),
        (Provider(name="p", api_key="text"), True),
        (Provider(name="p", needs_key=False), True),
    ],
)
def test_whether_there_is_a_key(provider: Provider, configured: bool) -> None:
    """13.C 82: an unset variable leaves a provider without a key."""
    assert configured == credentials().is_configured(provider)


async def test_headers() -> None:
    """A bearer header where asked for; headers that cannot be resolved are left out."""
    provider = acme(auth_header=True, headers={"X-A": "$OTHER", "X-B": "$UNSET_Q"})
    assert {"Authorization": "Bearer k", "X-A": "from-other"} == await credentials().headers(provider, "k")


async def test_a_command_in_a_shell(tmp_path: Path) -> None:
    """Output counts, trimmed; failure and silence are no value."""
    run = command_runner({"PATH": "/usr/bin:/bin", "A": "x"}, str(tmp_path))
    assert ["x", None, None] == [await run("echo $A"), await run("exit 3"), await run("true")]


async def test_a_command_has_its_time(tmp_path: Path) -> None:
    """One that takes longer than it may is ended, and there is no value."""
    run = command_runner({"PATH": "/usr/bin:/bin"}, str(tmp_path), timeout_s=0.05)
    assert await run("echo early; sleep 60") is None
