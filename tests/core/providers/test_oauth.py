"""Logins of providers: kept, renewed once, ended with a sentence that says what to do."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hookspecs.definitions import Model, ProviderConfig
from hookspecs.login import OAuthHooks
from pi_core.errors import LoginError
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthStore, keep_login
from pi_core.providers.models import MalformedEntry, Provider, oauth_hooks
from pi_core.providers.oauth import log_in
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.values import Values
from tests.support.agent_cli import ROOT

MODELS = [{"id": "m"}, {"id": "n"}]
FOREVER = 4_000_000_000_000.0


class Callbacks:
    """A person who is never there."""

    def on_auth(self, url: str, instructions: str = "") -> None:
        raise AssertionError

    on_progress: Any = on_auth
    on_prompt: Any = on_auth
    on_select: Any = on_auth


def hooks(refresh: Callable[..., Any] | None = None, **more: Any) -> OAuthHooks:
    return OAuthHooks(login=lambda callbacks: {}, refresh=refresh or (lambda old: old), **more)


@pytest.fixture
def store(tmp_path: Path) -> AuthStore:
    return AuthStore(tmp_path / "auth.json")


async def logged_in(store: AuthStore, **credentials: Any) -> Credentials:
    await keep_login(store, "acme", {"access": "a1", "refresh": "r1", "expires": FOREVER, **credentials})
    return Credentials(store.read(), {}, Values({}, no_command), store)


async def no_command(command: str) -> str | None:
    return None


def acme(given: OAuthHooks | None = None, **more: Any) -> Provider:
    return Provider(name="acme", oauth=given, **more)


async def test_a_login_that_holds_is_the_key(store: AuthStore) -> None:
    """The access token, or what get_api_key makes of the credentials; also without hooks at hand."""
    keys = await logged_in(store, account="me")
    assert ["a1", "a1"] == [await keys.key(acme()), await keys.key(acme(hooks()))]
    made = hooks(get_api_key=lambda found: f"{found['access']}@{found['account']}")
    assert "a1@me" == await keys.key(acme(made))


async def test_a_login_that_has_ended_is_renewed_and_kept(store: AuthStore) -> None:
    """The new credentials stand in the file, over the old ones, and count from then on."""
    asked: list[Mapping[str, Any]] = []

    async def refresh(old: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(old)
        return {"access": "a2", "refresh": "r2", "expires": FOREVER}

    keys = await logged_in(store, expires=1, account="me")
    provider = acme(hooks(refresh))
    assert ["a2", "a2"] == [await keys.key(provider), await keys.key(provider)]
    assert ["r1"] == [old["refresh"] for old in asked]
    kept = json.loads(store.path.read_text(encoding="utf-8"))["acme"]
    assert {"type": "oauth", "access": "a2", "refresh": "r2", "expires": FOREVER, "account": "me"} == kept


async def test_many_requests_renew_once(store: AuthStore) -> None:
    """Whoever comes while a login is being renewed gets the new one."""
    count = 0

    async def refresh(old: Mapping[str, Any]) -> Mapping[str, Any]:
        nonlocal count
        count += 1
        await asyncio.sleep(0)
        return {"access": "a2", "refresh": "r2", "expires": FOREVER}

    await logged_in(store, expires=1)
    provider = acme(hooks(refresh))
    many = [Credentials(store.read(), {}, Values({}, no_command), store) for _ in range(5)]
    assert ["a2"] * 5 == list(await asyncio.gather(*(keys.key(provider) for keys in many)))
    assert 1 == count


def test_two_processes_renew_once(store: AuthStore) -> None:
    """The lock of the file holds among processes: the token server hears of one renewal."""
    asyncio.run(logged_in(store, expires=1))
    script = textwrap.dedent(
        """
        import asyncio, os, sys
        from pathlib import Path
        from hookspecs.login import OAuthHooks
        from pi_core.providers.auth import Credentials
        from pi_core.providers.auth_file import AuthStore
        from pi_core.providers.models import Provider
        from pi_core.providers.values import Values

        async def refresh(old):
            with open(sys.argv[2], "a") as log:
                log.write("renewed\\n")
            await asyncio.sleep(0.2)  # a server that takes its time
            return {"access": "a2", "refresh": "r2", "expires": 4e12}

        store = AuthStore(Path(sys.argv[1]))
        keys = Credentials(store.read(), {}, Values({}, None), store)
        hooks = OAuthHooks(login=print, refresh=refresh)
        sys.stdin.readline()
        print(asyncio.run(keys.key(Provider(name="acme", oauth=hooks))))
        """
    )
    log = store.path.with_name("log")
    command = [sys.executable, "-c", script, str(store.path), str(log)]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    running = [subprocess.Popen(command, **pipes) for _ in range(2)]
    for process in running:  # both have read the old login before either renews it
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert ["a2\n", "a2\n"] == [process.communicate(timeout=60)[0] for process in running]
    assert "renewed\n" == log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("refresh", "said"),
    [
        (lambda old: 1 / 0, "division by zero. Log in again: pi auth login acme"),
        (lambda old: "token", "its login answered str, not credentials"),
        (lambda old: {"refresh": "r"}, "its credentials have no access token"),
    ],
)
async def test_a_login_that_cannot_be_renewed(
    store: AuthStore, refresh: Callable[..., Any], said: str
) -> None:
    """One sentence names the provider, the reason and the command; the entry stays as it was."""
    keys = await logged_in(store, expires=1)
    before = store.path.read_bytes()
    with pytest.raises(LoginError, match=f"login at acme: {said}"):
        await keys.key(acme(hooks(refresh)))
    assert before == store.path.read_bytes()


async def test_a_login_nobody_can_renew(store: AuthStore) -> None:
    """Without the provider's hooks a login that has ended is no key, and that is known without asking."""
    keys = await logged_in(store, expires=1)
    assert (False, True) == (keys.is_configured(acme()), keys.is_configured(acme(hooks())))
    with pytest.raises(LoginError, match="it has ended, and nothing here can renew it"):
        await keys.key(acme())


async def test_what_another_process_stores_counts_at_once(store: AuthStore) -> None:
    """The file is looked at before each request; while it is broken, what was known counts."""
    keys = Credentials(store.read(), {}, Values({}, no_command), store)
    assert (None, False) == (await keys.key(acme()), keys.is_configured(acme()))
    await keep_login(store, "acme", {"access": "new", "expires": FOREVER})
    assert (True, "new") == (keys.is_configured(acme()), await keys.key(acme()))
    store.path.write_text("{", encoding="utf-8")
    assert "new" == await keys.key(acme())


async def test_logging_in(store: AuthStore) -> None:
    """What login brings is kept; what goes wrong there is a sentence, and nothing is kept."""
    good = OAuthHooks(login=lambda callbacks: {"access": "a", "refresh": "r", "expires": 1}, refresh=print)
    await log_in("acme", good, Callbacks(), store)
    assert {"acme"} == set(store.read().keys)
    bad = OAuthHooks(login=lambda callbacks: 1 / 0, refresh=print)
    with pytest.raises(LoginError, match="login at other: division by zero"):
        await log_in("other", bad, Callbacks(), store)
    assert {"acme"} == set(store.read().keys)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("x", "oauth is not an object"),
        ({"login": print}, "needs the functions login and refresh"),
        ({"login": print, "refresh": 1}, "needs the functions login and refresh"),
        ({"login": print, "refresh": print, "getApiKey": 1}, "get_api_key of oauth is not a function"),
        ({"login": print, "refresh": print, "modify_models": 1}, "modify_models of oauth is not"),
    ],
)
def test_hooks_are_checked_before_anything_happens(given: Any, problem: str) -> None:
    """A registration with half a login is refused."""
    with pytest.raises(MalformedEntry, match=problem):
        oauth_hooks(given)


def test_hooks_may_be_spelled_as_the_reference_does() -> None:
    """refreshToken, getApiKey and modifyModels are the functions' other names."""
    made = oauth_hooks({"name": "Acme", "login": print, "refreshToken": repr, "getApiKey": str})
    assert OAuthHooks(login=print, refresh=repr, get_api_key=str, name="Acme") == made


def registry(keys: Credentials, oauth: Any) -> ModelRegistry:
    models = ModelRegistry(keys)
    config = ProviderConfig(base_url="http://127.0.0.1", api="wire", models=MODELS, oauth=oauth)
    models.register("acme", config)
    return models


async def test_a_login_changes_the_models(store: AuthStore) -> None:
    """modify_models sees them only while somebody is logged in, with the credentials."""

    def modify(models: list[Model], credentials: Mapping[str, Any]) -> list[Any]:
        return [{"id": "extra", "baseUrl": credentials["endpoint"], "api": "wire"}, *models[:1]]

    before = registry(
        Credentials(store.read(), {}, Values({}, no_command), store), hooks(modify_models=modify)
    )
    assert ["m", "n"] == [model.id for model in before.models() if model.provider == "acme"]
    keys = await logged_in(store, endpoint="http://mine")
    after = registry(keys, hooks(modify_models=modify))
    own = [model for model in after.models() if model.provider == "acme"]
    assert [("extra", "http://mine"), ("m", "http://127.0.0.1")] == [(m.id, m.base_url) for m in own]
    before.credentials.read_again()
    assert ["extra", "m"] == [model.id for model in before.models() if model.provider == "acme"]


async def test_models_of_a_login_that_fail_are_refused_at_once(store: AuthStore) -> None:
    """The registration fails with the reason, and nothing is registered."""
    keys = await logged_in(store)
    with pytest.raises(MalformedEntry, match="modify_models failed: division by zero"):
        registry(keys, hooks(modify_models=lambda models, credentials: 1 / 0))


async def test_a_provider_with_a_login_needs_no_other_key(store: AuthStore) -> None:
    """It may have models without a key; until somebody logs in they cannot be used."""
    models = registry(Credentials(store.read(), {}, Values({}, no_command), store), hooks())
    model = models.find("acme", "m")
    assert model is not None
    assert not models.is_usable(model)
    assert not models.is_bare()
