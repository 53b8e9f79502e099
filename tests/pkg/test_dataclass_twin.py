"""Our `dataclass` and the standard one make the same values.

Touches: nothing.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pickle
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

# Not `from … import dataclass`: type checkers would then see the standard one twice.
OURS: Any = importlib.import_module("pi_pkg.values")


def described(module: Any, *, frozen: bool) -> Any:
    """The same class, made by either decorator."""

    @module.dataclass(frozen=frozen, slots=True)
    class Point:
        """A value with every kind of field that we use."""

        x: int
        y: int = 2
        tags: list[str] = module.field(default_factory=list, compare=False)
        seen: int = module.field(init=False, default=7, repr=False)
        kind: ClassVar[str] = "point"

        @property
        def total(self) -> int:
            return self.x + self.y

    return Point


FROZEN: tuple[Any, Any] = (described(OURS, frozen=True), described(dataclasses, frozen=True))
OPEN: tuple[Any, Any] = (described(OURS, frozen=False), described(dataclasses, frozen=False))
Pickled: Any = described(OURS, frozen=True)
Pickled.__module__, Pickled.__qualname__ = __name__, "Pickled"

calls = st.tuples(
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.sampled_from(["x", "y", "tags", "seen", "zz"]), st.integers(), max_size=3),
)


def behaviour(cls: Any, values: list[int], named: dict[str, int]) -> Any:
    """Everything that can be seen of a value, or that it cannot be made."""
    try:
        one = cls(*values, **named)
    except TypeError:
        return TypeError
    return repr(one).rpartition(".")[2], one.total, dataclasses.asdict(one), one.kind


@given(calls)
def test_they_take_the_same_arguments(call: tuple[list[int], dict[str, int]]) -> None:
    """Positional, named, defaulted, missing, surplus: both make equal values or refuse."""
    ours, standard = FROZEN
    assert behaviour(standard, *call) == behaviour(ours, *call)


@given(st.integers(0, 1), st.integers(0, 1), st.lists(st.text(max_size=1), max_size=1))
def test_they_compare_and_hash_alike(x: int, y: int, tags: list[str]) -> None:
    """Equality by the compared fields of one class, never across classes."""
    for cls in FROZEN:
        assert (cls(0, 0) == cls(x, y, tags)) == ((0, 0) == (x, y))
        assert (hash(cls(0, 0)) == hash(cls(x, y, tags))) == ((0, 0) == (x, y))
    assert FROZEN[0](1) != FROZEN[1](1)


def test_frozen_values_do_not_change() -> None:
    """The standard error, for setting and for deleting."""
    for cls in FROZEN:
        one = cls(1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.x = 3
        with pytest.raises(dataclasses.FrozenInstanceError):
            del one.x


def test_open_values_change_and_have_no_hash() -> None:
    """Without `frozen` a value is mutable, so it cannot be a key."""
    for cls in OPEN:
        one = cls(1)
        one.x = 3
        assert 5 == one.total
        with pytest.raises(TypeError):
            hash(one)


def test_slots_refuse_other_names() -> None:
    """A misspelt attribute is an error, and instances have no dictionary."""
    for cls in OPEN:
        with pytest.raises(AttributeError):
            cls(1).z = 3
        assert not hasattr(cls(1), "__dict__")


def test_the_standard_functions_work_on_ours() -> None:
    """fields, replace, asdict, is_dataclass."""
    ours, standard = FROZEN
    assert [one.name for one in dataclasses.fields(standard)] == [
        one.name for one in dataclasses.fields(ours)
    ]
    assert ours(1, 5) == dataclasses.replace(ours(1, 2), y=5)
    assert [True, True] == [dataclasses.is_dataclass(item) for item in (ours, ours(1))]
    assert {"x": 1, "y": 2, "tags": [], "seen": 7} == dataclasses.asdict(ours(1))


def test_copies_are_equal() -> None:
    """copy, deepcopy and pickle make equal values."""
    one = Pickled(1, 5, ["a"])
    for twin in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (one, ["a"]) == (twin, twin.tags)


def test_patterns_match() -> None:
    """Positional patterns see the fields in order."""
    match Pickled(1, 5):
        case Pickled(x, y):
            assert (1, 5) == (x, y)
        case other:
            raise AssertionError(other)


def test_a_mutable_default_is_refused() -> None:
    """One list for all values is a mistake in both."""
    for module in (OURS, dataclasses):
        with pytest.raises(ValueError, match="mutable default"):
            module.dataclass(frozen=True, slots=True)(
                type("Bad", (), {"__annotations__": {"x": list}, "x": []})
            )
