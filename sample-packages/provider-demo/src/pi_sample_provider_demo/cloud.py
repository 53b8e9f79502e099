"""A server for people who are logged in, by a code that is typed into a browser.

Touches: the network.
"""

from __future__ import annotations

import asyncio
import json
import time
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pi_core.api import LoginCallbacks, OAuthHooks, ProviderConfig

TRIES = 120
PAUSE_S = 1.0


def provider(address: str) -> ProviderConfig:
    """The provider; its hooks know where the server is."""
    base = address.rstrip("/")
    hooks = OAuthHooks(name="Cloud", login=partial(login, base), refresh=partial(refresh, base))
    return ProviderConfig(
        name="Cloud", base_url=f"{base}/v1", api="openai-completions", models=[{"id": "nimbus"}], oauth=hooks
    )


async def login(base: str, person: LoginCallbacks) -> dict[str, Any]:
    """Credentials, once the person has typed the code. Raises: RuntimeError if that takes too long."""
    device = await asyncio.to_thread(_post, f"{base}/device", {})
    person.on_auth(device["url"], f"Type the code {device['code']}")
    for _ in range(TRIES):
        granted = await asyncio.to_thread(_post, f"{base}/token", {"device": device["device"]})
        if "access" in granted:
            return _credentials(granted)
        person.on_progress("Waiting for the browser")
        await asyncio.sleep(device.get("pause", PAUSE_S))
    raise RuntimeError("nobody typed the code in time")


async def refresh(base: str, credentials: Any) -> dict[str, Any]:
    """New credentials for ones that have ended. Raises: RuntimeError if the server does not want to."""
    return _credentials(await asyncio.to_thread(_post, f"{base}/token", {"refresh": credentials["refresh"]}))


def _credentials(granted: dict[str, Any]) -> dict[str, Any]:
    ends = int((time.time() + granted["seconds"]) * 1000)
    return {"access": granted["access"], "refresh": granted["refresh"], "expires": ends}


def _post(address: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of the server. Raises: RuntimeError with what it said."""
    request = Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=10) as answer:
            return dict(json.load(answer))
    except HTTPError as error:
        raise RuntimeError(f"the server answered {error.code}: {error.read().decode()}") from error
