"""An event is there as a whole or not at all: value, law, specification, documentation and a test.

Touches: files.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from hookspecs.events import EVENTS, event_class
from hookspecs.laws import LAWS
from hookspecs.specs import PiSpecs
from pi_core.dispatch import law_for
from tests.architecture.sources import ROOT

NAMES = sorted(EVENTS)


@cache
def sections() -> dict[str, str]:
    """Heading → text of docs/events.md, for headings of the second level."""
    text = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^## (?=[a-z_]+$)", text, flags=re.MULTILINE)
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


@cache
def texts_of_tests() -> str:
    """All test modules but the architecture tests, which name no event by itself."""
    folders = ("specs", "core", "conformance", "samples")
    files = sorted(path for folder in folders for path in (ROOT / "tests" / folder).rglob("test_*.py"))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def one_line(text: str) -> str:
    return " ".join(text.split())


def fields_of(event: str) -> list[str]:
    """The fields that authors see; what is the host's own is left out."""
    specs = dataclasses.fields(event_class(event))
    return [spec.name for spec in specs if spec.metadata.get("wire", True)]


def test_the_three_lists_agree() -> None:
    """EVT 132: the catalogue, the laws and the specifications name the same events."""
    specified = {name.removeprefix("pi_") for name in vars(PiSpecs) if name.startswith("pi_")}
    assert set(EVENTS) == set(LAWS) == specified == set(sections())


@pytest.mark.parametrize("event", NAMES)
def test_an_event_has_a_value(event: str) -> None:
    """A documented, mutable dataclass in its own module, with the event's name."""
    cls = event_class(event)
    assert (event, EVENTS[event]) == (cls.event_name, (cls.__module__, cls.__name__))
    assert dataclasses.is_dataclass(cls)
    assert not cls.__dataclass_params__.frozen  # type: ignore[attr-defined] # set by the decorator
    assert not (cls.__doc__ or "").startswith(f"{cls.__name__}(")


@pytest.mark.parametrize("event", NAMES)
def test_an_event_has_a_law(event: str) -> None:
    """Its answers stand beside it as documented frozen values, and the dispatcher knows the law."""
    row, module = LAWS[event], import_module(EVENTS[event][0])
    answers: list[Any] = [getattr(module, name) for name in row.answer]
    assert all(answer.__dataclass_params__.frozen and answer.__doc__ for answer in answers)
    assert (event, row) == (row.event, law_for(event).row)


@pytest.mark.parametrize("event", NAMES)
def test_an_event_has_a_specification(event: str) -> None:
    """Its hook takes the event and the context, and its docstring says what the law says."""
    spec, row = getattr(PiSpecs, f"pi_{event}"), LAWS[event]
    assert hasattr(spec, "pi_spec")
    assert ["self", "event", "ctx"] == list(inspect.signature(spec).parameters)
    text = one_line(spec.__doc__ or "")
    for part in (
        "Fires: ",
        "Sees: ",
        f"Law: {row.law} ",
        f"On failure: {row.on_failure} ",
        f"Since: {row.since}.",
    ):
        assert part in text
    for answer in row.answer:
        assert answer in text.partition("May answer: ")[2]


@pytest.mark.parametrize("event", NAMES)
def test_an_event_is_documented(event: str) -> None:
    """Its section names class, fields, answers, law, failure policy and version."""
    row, text = LAWS[event], one_line(sections()[event])
    facts = [f"**Law** {row.law}", f"**On failure** {row.on_failure}", f"**Since** {row.since}"]
    names = [f"`{name}`" for name in (event_class(event).__name__, *fields_of(event))]
    for fact in ["**Fires** ", "**Sees** ", "**May answer** ", *facts, *names]:
        assert fact in text
    for answer in row.answer:
        assert f"{answer}(" in text


@pytest.mark.parametrize("event", NAMES)
def test_an_event_is_named_by_a_test(event: str) -> None:
    """Some test uses its class."""
    assert re.search(rf"\b{event_class(event).__name__}\(", texts_of_tests())
