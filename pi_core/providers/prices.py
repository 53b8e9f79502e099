"""What an answer costs: its tokens at the model's prices, by kind of token.

Prices are US dollars a million tokens. `tiers` hold the prices of long requests: the one with the
highest `inputTokensAbove` that the whole prompt exceeds, cache included, counts for all of it.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hookspecs.definitions import Model
from hookspecs.messages import Cost, Usage
from hookspecs.wire import snake
from pi_core.providers.base import BlockEvent, Done, Failed, StreamStart
from pi_core.providers.list_prices import list_price

MILLION: Final = 1_000_000
KINDS: Final = ("input", "output", "cache_read", "cache_write")


def priced(event: BlockEvent, model: Model) -> BlockEvent:
    """The event; where it carries a message, its usage says what it costs. For whoever reads a stream.

    A cost that the provider told stays. The message belongs to the reader, and is changed in place.
    """
    if isinstance(event, (Done, Failed)):
        message = event.message
    elif isinstance(event, StreamStart):
        message = event.partial
    else:
        return event
    if not message.usage.cost.total:
        message.usage = replace(message.usage, cost=cost_of(model, message.usage))
    return event


def cost_of(model: Model, usage: Usage) -> Cost:
    """The price of the tokens; all zero for a model without prices."""
    if not (usage.input or usage.output or usage.cache_read or usage.cache_write):
        return Cost()
    prices = model.cost or list_price(model.provider, model.id)
    if not prices:
        return Cost()
    rates = rates_for(prices, usage.input + usage.cache_read + usage.cache_write)
    parts = {kind: rates.get(kind, 0.0) * getattr(usage, kind) / MILLION for kind in KINDS}
    return Cost(**parts, total=sum(parts.values()))


def rates_for(prices: Mapping[str, Any], prompt_tokens: int) -> dict[str, float]:
    """The prices by kind that count for a request of this size. Keys may be spelled both ways."""
    rates, passed = _numbers(prices), -1.0
    tiers = prices.get("tiers")
    for tier in tiers if isinstance(tiers, (list, tuple)) else ():
        numbers = _numbers(tier) if isinstance(tier, Mapping) else {}
        threshold = numbers.get("input_tokens_above")
        if threshold is not None and passed < threshold < prompt_tokens:
            rates, passed = {**_numbers(prices), **numbers}, threshold
    return rates


def _numbers(prices: Mapping[str, Any]) -> dict[str, float]:
    return {
        snake(str(key)): float(value)
        for key, value in prices.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
