"""Our `dataclass` and the standard one make the same values.

Touches: nothing.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pickle
from dataclasses import field
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

# Not `from … import dataclass`: type checkers would then see the standard one twice.
OURS: Any = importlib.import_module("hookspecs.values").dataclass
STANDARD: Any = dataclasses.dataclass
T = TypeVar("T")


def family(dataclass: Any, **options: Any) -> tuple[Any, Any]:
    """A class with every kind of field that we use, and one that inherits from it."""

    @dataclass(**options)
    class Point(Generic[T]):
        """A value."""

        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list, compare=False)
        seen: int = field(init=False, default=7, repr=False)
        made: list[int] = field(init=False, default_factory=list, compare=False)
        named: int = field(default=0, kw_only=True, metadata={"wire": False})
        kind: ClassVar[str] = "point"

        @property
        def total(self) -> int:
            return self.x + self.y

    @dataclass(**options)
    class Far(Point[int]):
        """One that has more."""

        y: int = 3
        z: int = 4

        def __post_init__(self) -> None:
            if self.z < 0:
                raise ValueError("z")

    return Point, Far


OPTIONS: list[dict[str, Any]] = [
    {},
    {"kw_only": True},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"slots": True, "eq": False, "repr": False},
    {"frozen": True, "slots": True, "eq": False},
]
PAIRS: list[tuple[Any, Any]] = [
    pair
    for options in OPTIONS
    for pair in zip(family(OURS, **options), family(STANDARD, **options), strict=True)
]
Pickled: Any = family(OURS, frozen=True, slots=True)[0]
Pickled.__module__, Pickled.__qualname__ = __name__, "Pickled"

calls = st.tuples(
    st.lists(st.integers(-1, 1), max_size=4),
    st.dictionaries(
        st.sampled_from(["x", "y", "z", "tags", "seen", "named", "zz"]), st.integers(-1, 1), max_size=4
    ),
)


def behaviour(cls: Any, values: list[int], named: dict[str, int]) -> Any:
    """Everything that can be seen of a value, or why it cannot be made."""
    try:
        one = cls(*values, **named)
    except (TypeError, ValueError) as error:
        return type(error)
    shown = repr(one) if "__repr__" in cls.__dict__ else ""
    return shown, one.total, dataclasses.asdict(one), one.kind, dataclasses.replace(one, x=5).x


@pytest.mark.parametrize("pair", PAIRS)
@given(call=calls)
def test_they_take_the_same_arguments(pair: tuple[Any, Any], call: tuple[list[int], dict[str, int]]) -> None:
    """Positional, named, defaulted, missing, surplus: both make equal values or refuse in the same way."""
    ours, standard = pair
    assert behaviour(standard, *call) == behaviour(ours, *call)


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_they_describe_the_same_fields(ours: Any, standard: Any) -> None:
    """Names, kinds, defaults, metadata, the options of the class and what `match` takes."""

    def rows(cls: Any) -> list[Any]:
        return [
            (
                f.name,
                f.type,
                f.default,
                f.default_factory,
                f.init,
                f.repr,
                f.compare,
                f.kw_only,
                dict(f.metadata),
            )
            for f in dataclasses.fields(cls)
        ]

    assert rows(standard) == rows(ours)
    assert standard.__match_args__ == ours.__match_args__
    params = ours.__dataclass_params__, standard.__dataclass_params__
    for name in ("repr", "eq", "frozen"):
        assert getattr(params[0], name) == getattr(params[1], name)
    assert dataclasses.is_dataclass(ours)


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_they_compare_and_hash_alike(ours: Any, standard: Any) -> None:
    """By the compared fields, never across classes; what can change has no hash."""
    for cls in (ours, standard):
        one, same, other = cls(x=1), cls(x=1, tags=["t"]), cls(x=2)
        by_value = "__eq__" in cls.__dict__
        assert ((one == same), (one == other)) == (by_value, False)
        assert (cls.__hash__ is None) == (by_value and not cls.__dataclass_params__.frozen)
        if cls.__hash__ is not None:
            assert (hash(one) == hash(same)) == by_value
    assert ours(x=1) != standard(x=1)


@pytest.mark.parametrize(("ours", "standard"), PAIRS)
def test_they_keep_the_same_state(ours: Any, standard: Any) -> None:
    """Copies are equal and of their own; what is frozen stays; slots leave no room."""
    for cls in (ours, standard):
        one = cls(x=1, tags=["t"])
        twin = copy.deepcopy(one)
        assert dataclasses.asdict(one) == dataclasses.asdict(twin) == dataclasses.asdict(copy.copy(one))
        assert one.tags is not twin.tags
        frozen = cls.__dataclass_params__.frozen
        try:
            one.x = 2
        except dataclasses.FrozenInstanceError:
            assert frozen
        else:
            assert (not frozen, 2) == (True, one.x)
    assert hasattr(ours(x=1), "__dict__") == hasattr(standard(x=1), "__dict__")


def test_a_frozen_value_travels() -> None:
    """pickle brings it back as it was."""
    assert Pickled(1, tags=["t"]) == pickle.loads(pickle.dumps(Pickled(1, tags=["t"])))


def test_what_a_class_writes_itself_stays() -> None:
    """A constructor, a comparison and a text of its own are not replaced."""

    def described(dataclass: Any) -> Any:
        @dataclass(frozen=True)
        class Own:  # noqa: PLW1641 - the decorator brings the hash
            x: int = 0

            def __repr__(self) -> str:
                return "mine"

            def __eq__(self, other: object) -> bool:
                return True

        return Own

    for cls in (described(OURS), described(STANDARD)):
        assert ("mine", True) == (repr(cls(1)), cls(1) == cls(2))
        assert hash(cls(1)) != hash(cls(2))


def test_a_shared_default_that_could_change_is_refused() -> None:
    """As the standard decorator does."""
    for dataclass in (OURS, STANDARD):
        with pytest.raises(ValueError, match="mutable default"):

            @dataclass()
            class Wrong:
                x: list[int] = []  # noqa: RUF012 - that is the mistake


def test_what_is_out_of_the_ordinary_is_the_standard_s_affair() -> None:
    """Initialisation variables, ordering, and a standard dataclass as base work as ever."""

    @STANDARD
    class Base:
        x: int

    @OURS
    class Below(Base):
        y: int = 1

    @OURS(order=True)
    class Ordered:
        x: int

    @OURS
    class Given:
        x: dataclasses.InitVar[int]
        y: int = 0

        def __post_init__(self, x: int) -> None:
            self.y = x

    below: Any = Below
    ordered: Any = Ordered
    given_: Any = Given
    assert (1, 2) == (below(1, 2).x, below(1, 2).y)
    assert ordered(1) < ordered(2)
    assert 5 == given_(5).y


def test_a_value_in_itself_has_a_text() -> None:
    """A circle ends in dots."""

    @OURS
    class Loop:
        inside: Any = None

    one: Any = Loop()
    one.inside = one
    assert "Loop(inside=...)" in repr(one)
