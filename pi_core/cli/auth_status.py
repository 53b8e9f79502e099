"""Where the key of each provider comes from, for people and for programs; never the key.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pi_core.providers.auth_file import StoredLogin
from pi_core.providers.models import SCRIPTED, Provider
from pi_core.providers.registry import ModelRegistry


def observed(registry: ModelRegistry) -> list[dict[str, Any]]:
    """One item a provider, in order; entries of `auth.json` that nobody knows come last."""
    known = [provider for provider in registry.providers() if provider.name != SCRIPTED]
    names = {provider.name for provider in known}
    unknown = [Provider(name=name) for name in registry.credentials.stored.keys if name not in names]
    return [
        *(_item(registry, provider, known=True) for provider in known),
        *(_item(registry, provider, known=False) for provider in unknown),
    ]


def _item(registry: ModelRegistry, provider: Provider, *, known: bool) -> dict[str, Any]:
    origin = registry.credentials.origin(provider)
    stored = registry.credentials.stored.keys.get(provider.name)
    return {
        "provider": provider.name,
        "label": provider.label or provider.name,
        "known": known,
        "usable": origin.usable,
        "source": origin.place,
        "detail": origin.detail,
        "login": "oauth" if provider.oauth is not None else "key",
        "variables": list(provider.variables),
        "expires": stored.expires_ms if isinstance(stored, StoredLogin) else None,
        "models": len(provider.models),
    }


def status_lines(items: Sequence[dict[str, Any]]) -> list[str]:
    """One line a provider: its name, and where its key comes from or what to do."""
    width = max((len(item["provider"]) for item in items), default=0)
    return [f"{item['provider']:<{width}}  {_told(item)}" for item in items]


def _told(item: dict[str, Any]) -> str:
    name, detail = item["provider"], item["detail"]
    if not item["known"]:
        return "auth.json has an entry for it, and nothing here knows the provider"
    match item["source"]:
        case "key":
            return "auth.json" + (f", needs {detail}" if detail else "")
        case "login":
            return f"logged in, but {detail}: pi auth login {name}" if detail else _until(item["expires"])
        case "configured":
            return (
                f"configured with the provider, needs {detail}" if detail else "configured with the provider"
            )
        case "variable":
            return f"${detail}"
        case "not-needed":
            return "needs none"
        case "run":
            return "given for this run"
        case _:
            variables = " or ".join(f"${variable}" for variable in item["variables"])
            return f"none: pi auth login {name}" + (f", or set {variables}" if variables else "")


def _until(expires_ms: float | None) -> str:
    if expires_ms is None:
        return "logged in"
    try:
        when = datetime.fromtimestamp(expires_ms / 1000).astimezone()
    except (OverflowError, ValueError, OSError):
        return "logged in"
    return f"logged in; its token is renewed after {when:%Y-%m-%d %H:%M}"
