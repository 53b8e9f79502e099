"""`auth.json`: what is read, and that a change is whole, private and alone."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pi_core.errors import AuthFileError
from pi_core.providers.auth_file import (
    AuthFile,
    AuthStore,
    Entries,
    StoredKey,
    StoredLogin,
    forget,
    keep_key,
    keep_login,
    read_auth_file,
)
from pi_core.providers.auth_lock import STALE_S
from tests.support.agent_cli import ROOT

LOGIN = {"type": "oauth", "access": "token", "refresh": "r", "expires": 5, "account": "me"}


def entries(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "auth.json"


def written(path: Path, text: str) -> AuthStore:
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return AuthStore(path, wait_s=0.2)


def test_an_auth_file(path: Path) -> None:
    """Keys and logins are read; anything else in the file is left alone."""
    given = {
        "a": {"type": "api_key", "key": "k", "env": {"X": "1"}},
        "b": LOGIN,
        "c": {"type": "api_key"},
        "d": "x",
    }
    store = written(path, json.dumps(given))
    login = StoredLogin("token", 5, {key: value for key, value in LOGIN.items() if key != "type"})
    assert {"a": StoredKey("k", {"X": "1"}), "b": login} == store.read().keys


@pytest.mark.parametrize("text", ["{", "[]", "\xff"])
def test_a_broken_file_is_named(path: Path, text: str) -> None:
    """A file that cannot be used is named; there are no keys then."""
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("latin-1"))
    file = read_auth_file(path)
    assert ({}, True) == (file.keys, str(path) in (file.problem or ""))
    assert AuthFile() == read_auth_file(path.with_name("none.json"))


@pytest.mark.parametrize("text", ["{", "[]", '{"a": {"type": "api_key", "key": "k"}, }'])
async def test_a_broken_file_is_never_overwritten(path: Path, text: str) -> None:
    """A change of it is refused with its name; its bytes are as before."""
    store = written(path, text)
    with pytest.raises(AuthFileError, match=r"auth\.json.*Nothing was changed"):
        await keep_key(store, "acme", "k")
    assert text == path.read_text(encoding="utf-8")


async def test_the_file_is_its_owners_alone(path: Path) -> None:
    """0600 in a folder of 0700, also where the file was open to others before."""
    store = AuthStore(path)
    await keep_key(store, "acme", "k")
    assert (0o700, 0o600) == tuple(stat.S_IMODE(item.stat().st_mode) for item in (path.parent, path))
    path.chmod(0o644)
    await keep_key(store, "acme", "other")
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


async def test_a_change_keeps_what_it_does_not_concern(path: Path) -> None:
    """Other providers, unknown entries, and what stands beside a key stay as they are."""
    own = {"type": "api_key", "key": "old", "env": {"X": "1"}, "note": 1}
    store = written(path, json.dumps({"acme": own, "odd": [1], "b": LOGIN}))
    await keep_key(store, "acme", "new")
    assert {"acme": {**own, "key": "new"}, "odd": [1], "b": LOGIN} == entries(path)


async def test_a_login_and_a_logout(path: Path) -> None:
    """A login takes the place of a key with everything it brought; forgetting takes one entry out."""
    store = written(path, json.dumps({"acme": {"type": "api_key", "key": "k"}, "b": LOGIN}))
    await keep_login(store, "acme", {"access": "t", "refresh": "r", "expires": 9, "more": {"x": 1}})
    assert {"type": "oauth", "access": "t", "refresh": "r", "expires": 9, "more": {"x": 1}} == entries(path)[
        "acme"
    ]
    assert (True, False) == (await forget(store, "acme"), await forget(store, "acme"))
    assert {"b": LOGIN} == entries(path)


async def test_a_linked_file_stays_a_link(path: Path, tmp_path: Path) -> None:
    """Who keeps the file elsewhere finds the change there."""
    elsewhere = tmp_path / "dotfiles.json"
    elsewhere.write_text("{}", encoding="utf-8")
    path.parent.mkdir()
    path.symlink_to(elsewhere)
    await keep_key(AuthStore(path), "acme", "k")
    assert (True, {"acme"}) == (path.is_symlink(), set(entries(elsewhere)))


async def test_changes_come_one_after_another(path: Path) -> None:
    """Many at once lose nothing, and leave nothing but the file behind."""
    await asyncio.gather(*(keep_key(AuthStore(path), f"p{index}", "k") for index in range(8)))
    assert {f"p{index}" for index in range(8)} == set(entries(path))
    assert {"auth.json", ".auth.json.lock"} >= {item.name for item in path.parent.iterdir()}


async def test_a_change_that_fails_changes_nothing(path: Path) -> None:
    """What it raises comes out, the file is as before, and the lock is free."""
    store = written(path, "{}")

    async def change(found: Entries) -> bool:
        found["acme"] = 1
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        await store.edit(change)
    assert {} == entries(path)
    await keep_key(store, "acme", "k")


async def test_the_other_pi_holds_the_file(path: Path) -> None:
    """Its lock is a folder; while somebody touches that, a change waits, and then says who is in the way."""
    store = written(path, "{}")
    path.with_name("auth.json.lock").mkdir()
    with pytest.raises(AuthFileError, match="another process has been changing it"):
        await keep_key(store, "acme", "k")


async def test_a_lock_that_was_left_behind(path: Path) -> None:
    """A folder that nobody touched for half a minute holds nobody."""
    store = written(path, "{}")
    lock = path.with_name("auth.json.lock")
    lock.mkdir()
    old = time.time() - STALE_S - 1
    os.utime(lock, (old, old))
    await keep_key(store, "acme", "k")
    assert ({"acme"}, False) == (set(entries(path)), lock.exists())


HOLDER = """
import asyncio, sys
from pathlib import Path
from pi_core.providers.auth_file import AuthStore

async def change(entries):
    print("held", flush=True)
    await asyncio.Event().wait()

asyncio.run(AuthStore(Path(sys.argv[1])).edit(change))
"""


def test_a_holder_of_ours_that_was_killed_is_not_waited_for(path: Path) -> None:
    """Its folder is known by what it wrote down, and its lock of the system ended with it."""
    store = written(path, "{}")
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as holder:
        assert holder.stdout is not None
        assert "held\n" == holder.stdout.readline()
        with pytest.raises(AuthFileError, match="another process has been changing it"):
            asyncio.run(keep_key(store, "acme", "k"))
        holder.kill()
    assert path.with_name("auth.json.lock").exists()
    asyncio.run(keep_key(store, "acme", "k"))
    assert ({"acme"}, False) == (set(entries(path)), path.with_name("auth.json.lock").exists())
