"""The standard `dataclass` without its price at start-up.

The standard decorator compiles five methods of source text for every class, half a millisecond each time,
and a session is made of three hundred classes, most of which a run never uses. Here a class is ready at
once: its constructor is compiled when the first instance is made, its fields are described when somebody
asks for them, and the other methods are shared closures. Type checkers see the standard decorator, and
`dataclasses.replace`, `fields`, `asdict`, `copy`, `pickle` and `match` work as on the standard one. What
is out of the ordinary (other options, initialisation variables, abstract classes, a standard dataclass as
base) is left to the standard decorator.

Pure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        repr: bool = True,
        eq: bool = True,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
        **others: Any,
    ) -> Any:
        """As the standard decorator; see there for the options."""
        options = {"repr": repr, "eq": eq, "frozen": frozen, "slots": slots, "kw_only": kw_only}

        def decorate(cls: type) -> type:
            if others or _is_unusual(cls):
                return dataclasses.dataclass(cls, **options, **others)
            return _made(cls, **options)

        return decorate if cls is None else decorate(cls)


_MISSING: Final = dataclasses.MISSING
_OURS: Final = "__light_fields__"
_setattr: Final = object.__setattr__


class _Spec:
    """What is known of one field: its annotation, and the standard description with its defaults."""

    __slots__ = ("annotation", "field", "kw_only", "name")

    def __init__(self, name: str, annotation: Any, value: Any, kw_only: bool) -> None:
        is_field = isinstance(value, dataclasses.Field)
        field: Any = value if is_field else dataclasses.field(default=value)
        if field.default.__class__.__hash__ is None:
            raise ValueError(f"mutable default {type(field.default)} for {name}: use default_factory")
        self.name = name
        self.annotation = annotation
        self.field = field
        self.kw_only = kw_only if field.kw_only is _MISSING else bool(field.kw_only)

    @property
    def has_default(self) -> bool:
        return self.field.default is not _MISSING or self.field.default_factory is not _MISSING


def _is_unusual(cls: type) -> bool:
    """Whether only the standard decorator can make it."""
    if type(cls) is not type:
        return True
    marks = ("InitVar", "KW_ONLY")
    if any(mark in str(kind) for kind in get_annotations(cls).values() for mark in marks):
        return True
    return any("__dataclass_fields__" in base.__dict__ and _OURS not in base.__dict__ for base in cls.__mro__)


def _made(cls: type, *, repr: bool, eq: bool, frozen: bool, slots: bool, kw_only: bool) -> type:
    """The class with its methods; a new one where it has slots, which a class cannot get later."""
    specs: dict[str, _Spec] = {}
    for base in reversed(cls.__mro__[1:]):
        specs.update(base.__dict__.get(_OURS, {}))
    namespace = dict(cls.__dict__)
    own = _own(cls, namespace, kw_only)
    specs.update(own)
    owner: list[type] = []
    methods: dict[str, Any] = {"__init__": _first_init(owner, specs, frozen)}
    if repr:
        methods["__repr__"] = _repr(specs)
    if eq:
        methods["__eq__"] = _eq(specs)
    added = {name: method for name, method in methods.items() if name not in namespace}
    added["__match_args__"] = tuple(
        spec.name for spec in specs.values() if spec.field.init and not spec.kw_only
    )
    added[_OURS] = specs
    added["__dataclass_fields__"] = _Described(specs)
    added["__dataclass_params__"] = _Params(repr, eq, frozen, slots, kw_only)
    if eq and namespace.get("__hash__") is None:
        added["__hash__"] = _hash(specs) if frozen else None
    if frozen:
        added |= {"__setattr__": _refuse_change, "__delattr__": _refuse_change}
    made = _with_slots(cls, namespace, own, added, frozen) if slots else _changed(cls, own, added)
    owner.append(made)
    return made


def _own(cls: type, namespace: Mapping[str, Any], kw_only: bool) -> dict[str, _Spec]:
    """The fields that the class itself names, in order."""
    return {
        name: _Spec(name, kind, namespace.get(name, _MISSING), kw_only)
        for name, kind in get_annotations(cls).items()
        if not str(kind).startswith(("ClassVar", "typing.ClassVar"))
    }


def _changed(cls: type, own: Mapping[str, _Spec], added: Mapping[str, Any]) -> type:
    for name, spec in own.items():
        if isinstance(cls.__dict__.get(name), dataclasses.Field):
            if spec.field.default is _MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, spec.field.default)
    for name, value in added.items():
        setattr(cls, name, value)
    return cls


def _with_slots(
    cls: type, namespace: dict[str, Any], own: Mapping[str, _Spec], added: Mapping[str, Any], frozen: bool
) -> type:
    inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    for name in (*own, "__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace |= {**added, "__slots__": tuple(name for name in own if name not in inherited)}
    if frozen:
        names = tuple(added[_OURS])
        namespace.setdefault("__getstate__", lambda self: [getattr(self, name) for name in names])
        namespace.setdefault("__setstate__", _setstate(names))
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


class _Params:
    """`__dataclass_params__`: the options of the class, as the standard one names them."""

    init = match_args = True
    order = unsafe_hash = weakref_slot = False

    def __init__(self, repr: bool, eq: bool, frozen: bool, slots: bool, kw_only: bool) -> None:
        self.repr = repr
        self.eq = eq
        self.frozen = frozen
        self.slots = slots
        self.kw_only = kw_only


class _Described:
    """`__dataclass_fields__`, made by the standard module when somebody asks for it, and then kept."""

    __slots__ = ("specs",)

    def __init__(self, specs: Mapping[str, _Spec]) -> None:
        self.specs = specs

    def __get__(self, instance: object, asked: type) -> Any:
        owner: Any = next(kind for kind in asked.__mro__ if kind.__dict__.get(_OURS) is self.specs)
        rows = []
        for spec in self.specs.values():
            given = {
                name: getattr(spec.field, name)
                for name in ("default", "default_factory", "init", "repr", "hash", "compare", "metadata")
            }
            rows.append((spec.name, spec.annotation, dataclasses.field(**given, kw_only=spec.kw_only)))
        twin = dataclasses.make_dataclass(owner.__name__, rows, init=False, repr=False, eq=False)
        owner.__dataclass_fields__ = found = twin.__dict__["__dataclass_fields__"]
        return found


def _first_init(owner: list[type], specs: Mapping[str, _Spec], frozen: bool) -> Callable[..., None]:
    """A constructor that puts the compiled one in its place when it is called."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        compiled = _init(owner[0], specs, frozen)
        owner[0].__init__ = compiled  # type: ignore[misc]  # from now on
        compiled(self, *values, **named)

    return __init__


def _init(owner: type, specs: Mapping[str, _Spec], frozen: bool) -> Callable[..., None]:
    space: dict[str, Any] = {"_MISSING": _MISSING, "_set": _setattr}
    body: list[str] = []
    positional: list[str] = []
    keyword: list[str] = []
    for spec in specs.values():
        name, value = spec.name, spec.name
        space[f"_default_{name}"], space[f"_make_{name}"] = spec.field.default, spec.field.default_factory
        if spec.field.default_factory is not _MISSING:
            given = "_MISSING"
            value = (
                f"_make_{name}() if {name} is _MISSING else {name}" if spec.field.init else f"_make_{name}()"
            )
        else:
            given = f"_default_{name}"
        if spec.field.init:
            (keyword if spec.kw_only else positional).append(f"{name}={given}" if spec.has_default else name)
        elif not spec.has_default:
            continue
        elif spec.field.default_factory is _MISSING:
            value = given
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(owner, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ["self", *positional, *(["*", *keyword] if keyword else [])]
    text = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
    exec(text, space)
    made: Callable[..., None] = space["__init__"]
    made.__qualname__ = f"{owner.__qualname__}.__init__"
    return made


def _values(specs: Mapping[str, _Spec], *, hashed: bool = False) -> Callable[[Any], Any]:
    """What two values are compared by."""
    names = [
        spec.name
        for spec in specs.values()
        if (spec.field.hash if hashed and spec.field.hash is not None else spec.field.compare)
    ]
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda self: (getattr(self, names[0]),)) if names else lambda self: ()


def _eq(specs: Mapping[str, _Spec]) -> Callable[[Any, Any], bool]:
    values = _values(specs)

    def __eq__(self: Any, other: Any) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(specs: Mapping[str, _Spec]) -> Callable[[Any], int]:
    values = _values(specs, hashed=True)
    return lambda self: hash(values(self))


def _repr(specs: Mapping[str, _Spec]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        shown = (f"{spec.name}={getattr(self, spec.name)!r}" for spec in specs.values() if spec.field.repr)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    return __repr__


def _setstate(names: tuple[str, ...]) -> Callable[[Any, list[Any]], None]:
    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            _setattr(self, name, value)

    return __setstate__


def _refuse_change(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")
