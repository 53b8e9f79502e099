"""A provider that logs people in, with hooks that are coroutines and hooks that are not."""

from __future__ import annotations

from typing import Any

from pi_core.api import ExtensionAPI, LoginCallbacks, LoginCredentials, Model, OAuthHooks, ProviderConfig


async def login(person: LoginCallbacks) -> LoginCredentials:
    """Ask for a code."""
    person.on_auth("http://127.0.0.1/device", "Enter the code there.")
    region = await person.on_select("Where", ["eu", "us"])
    code = await person.on_prompt("Code", placeholder="ABCD")
    person.on_progress("Fetching the token.")
    return {"access": code, "refresh": "r", "expires": 1, "region": region}


def refresh(credentials: LoginCredentials) -> LoginCredentials:
    """Make new ones of the old."""
    return {**credentials, "access": "a"}


def models(known: list[Model], credentials: LoginCredentials) -> list[Model | dict[str, Any]]:
    """What members have."""
    return [*known, {"id": f"{credentials['region']}-rocket"}]


def extension(pi: ExtensionAPI) -> None:
    hooks = OAuthHooks(
        name="Acme",
        login=login,
        refresh=refresh,
        get_api_key=lambda credentials: str(credentials["access"]),
        modify_models=models,
    )
    config = ProviderConfig(base_url="http://127.0.0.1", api="x", models=[{"id": "m"}], oauth=hooks)
    pi.register_provider("acme", config)
