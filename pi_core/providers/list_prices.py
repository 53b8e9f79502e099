"""The published prices of models that no catalogue names, from a library that comes with the vendors'.

It is asked only where it is loaded already, as it is once a vendor's model has answered: loading it
for a price alone would cost more than the price is worth.

Touches: modules that are loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

LIBRARY: Final = "genai_prices"
PUBLISHERS: Final = {
    "anthropic": "anthropic",
    "openai": "openai",
    "google": "google",
    "openrouter": "openrouter",
    "xai": "x-ai",
    "groq": "groq",
    "deepseek": "deepseek",
}
"""Our providers, and what the library calls them."""
FIELDS: Final = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cacheRead": "cache_read_mtok",
    "cacheWrite": "cache_write_mtok",
}


def list_price(provider: str, model_id: str) -> Mapping[str, Any]:
    """Prices in the shape of a model's `cost`; empty if they are not known here and now."""
    snapshots = sys.modules.get(f"{LIBRARY}.data_snapshot")
    publisher = PUBLISHERS.get(provider)
    if snapshots is None or publisher is None:
        return {}
    try:
        snapshot = snapshots.get_snapshot()
        _, info = snapshot.find_provider_model(model_id, None, publisher, None)
        return prices_from(info.get_prices(datetime.now(UTC)))
    except (LookupError, AttributeError, TypeError, ValueError):
        return {}  # an unknown model, or another version of the library


def prices_from(listed: Any) -> dict[str, Any]:
    """The library's prices, steps included, in the shape of a model's `cost`."""
    found: dict[str, Any] = {}
    steps: dict[int, dict[str, Any]] = {}
    for key, name in FIELDS.items():
        price = getattr(listed, name, None)
        if price is None:
            continue
        found[key] = float(getattr(price, "base", price))
        for step in getattr(price, "tiers", ()):
            steps.setdefault(step.start, {})[key] = float(step.price)
    if steps:
        found["tiers"] = [{"inputTokensAbove": start, **steps[start]} for start in sorted(steps)]
    return found
