"""What answers cost."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookspecs.definitions import Model
from hookspecs.messages import AssistantMessage, Cost, Usage
from pi_core.providers.base import Done, StreamStart, TextDelta
from pi_core.providers.list_prices import list_price, prices_from
from pi_core.providers.prices import cost_of, priced, rates_for

PRICES = {"input": 2, "output": 10, "cacheRead": 0.5, "cacheWrite": 4}
LONG = {"inputTokensAbove": 1000, "input": 4, "output": 20, "cacheRead": 1, "cacheWrite": 8}
TOKENS = st.integers(0, 10_000_000)


def model(cost: Any = None) -> Model:
    return Model(id="m", provider="p", api="a", cost=cost or {})


def test_each_kind_of_token_has_its_price() -> None:
    """Prices are dollars a million tokens; reads of the cache and writes to it have their own."""
    usage = Usage(input=1_000_000, output=100_000, cache_read=2_000_000, cache_write=500_000)
    assert Cost(input=2, output=1, cache_read=1, cache_write=2, total=6) == cost_of(model(PRICES), usage)


def test_names_may_be_spelled_both_ways() -> None:
    """An extension in Python may write cache_read."""
    usage = Usage(cache_read=1_000_000)
    assert 3.0 == cost_of(model({"cache_read": 3}), usage).total


@pytest.mark.parametrize(("tokens", "price"), [(1000, 2.0), (1001, 4.0), (9000, 4.0), (9001, 8.0)])
def test_a_long_request_has_the_prices_of_its_step(tokens: int, price: float) -> None:
    """The highest step that the prompt exceeds counts, in whatever order they are listed."""
    tiers = [{**LONG, "inputTokensAbove": 9000, "input": 8}, LONG]
    assert price == rates_for({**PRICES, "tiers": tiers}, tokens)["input"]


def test_the_cache_counts_for_the_length() -> None:
    """What was read from the cache is part of the prompt."""
    usage = Usage(input=1, cache_read=999, cache_write=1)
    assert 8e-6 == pytest.approx(cost_of(model({**PRICES, "tiers": [LONG]}), usage).cache_write)


@given(TOKENS, TOKENS, TOKENS, TOKENS)
def test_the_total_is_the_sum(given_input: int, output: int, read: int, write: int) -> None:
    """Never negative, and the parts add up."""
    usage = Usage(input=given_input, output=output, cache_read=read, cache_write=write)
    cost = cost_of(model({**PRICES, "tiers": [LONG]}), usage)
    parts = (cost.input, cost.output, cost.cache_read, cost.cache_write)
    assert cost.total == pytest.approx(sum(parts))
    assert min(parts) >= 0


@pytest.mark.parametrize("cost", [{}, {"input": "2"}, {"tiers": [1]}, {"input": True}, {"tiers": 3}])
def test_odd_prices_are_none(cost: Any) -> None:
    """What is no number is no price."""
    assert 0.0 == cost_of(model(cost), Usage(input=1_000_000)).total


def test_messages_of_a_stream_get_their_cost() -> None:
    """The beginning and the end carry it; a cost that the provider told stays; deltas pass."""
    usage = Usage(input=1_000_000)
    start = StreamStart(partial=AssistantMessage(usage=usage))
    done = Done(message=AssistantMessage(usage=usage))
    assert (start, done) == (priced(start, model(PRICES)), priced(done, model(PRICES)))
    assert (2.0, 2.0) == (start.partial.usage.cost.total, done.message.usage.cost.total)
    assert 0.0 == usage.cost.total, "the provider's own object is left alone"
    own = Done(message=AssistantMessage(usage=Usage(input=1, cost=Cost(total=9.0))))
    priced(own, model(PRICES))
    assert 9.0 == own.message.usage.cost.total
    delta = TextDelta(content_index=0, delta="x")
    assert delta is priced(delta, model(PRICES))


def test_list_prices_have_steps() -> None:
    """Published prices become the prices of a model, steps included; absent ones stay absent."""
    stepped = SimpleNamespace(base=2, tiers=[SimpleNamespace(start=100, price=4)])
    listed = SimpleNamespace(input_mtok=stepped, output_mtok=10, cache_read_mtok=None)
    expected = {"input": 2.0, "output": 10.0, "tiers": [{"inputTokensAbove": 100, "input": 4.0}]}
    assert expected == prices_from(listed)


def test_list_prices_are_asked_only_where_they_are_loaded() -> None:
    """A price alone loads no library."""
    code = (
        "import sys; from pi_core.providers.list_prices import list_price;"
        "assert {} == list_price('openai', 'gpt-5.4');"
        "raise SystemExit('genai_prices' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_publishers_have_list_prices() -> None:
    """A server of one's own costs nothing, whatever its models are called."""
    assert {} == list_price("acme", "gpt-5.4")
