"""A server by its address. Its models are those that it lists.

Touches: the network.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.request import urlopen

from pi_core.api import ProviderConfig


async def provider(address: str) -> ProviderConfig:
    """The provider with the models of the server. Raises: OSError if it does not answer as it should."""
    listed = await asyncio.to_thread(_get, f"{address.rstrip('/')}/models")
    try:
        models = [{"id": str(model["id"])} for model in listed["data"]]
    except (KeyError, TypeError) as error:
        raise OSError("it lists no models") from error
    return ProviderConfig(name="Workshop", base_url=address, api="openai-completions", models=models)


def _get(address: str) -> Any:
    with urlopen(address, timeout=5) as answer:
        try:
            return json.load(answer)
        except ValueError as error:
            raise OSError("it does not answer in JSON") from error
