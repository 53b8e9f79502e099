"""The standard `dataclass` for every module on the way of `pi list`, without its price at start-up.

The standard decorator compiles five methods of source text for each class, half a millisecond every
time, and its module takes longer to import than the interpreter to start: together more than half of
what that command may cost. Here the methods are closures. Type checkers see the standard decorator;
`dataclasses.replace`, `fields`, `asdict`, `copy` and `pickle` work as on the standard one. What none of
our values uses is left out: inheritance among them, ordering, keyword-only fields.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass, field
else:

    def dataclass(*, frozen: bool = False, slots: bool = False) -> Callable[[type], type]:
        """As the standard decorator with these two options; both forms of our values use `slots`."""
        return lambda cls: _made(cls, frozen=frozen, slots=slots)

    def field(**options: Any) -> _Field:
        """As the standard function; understands `default`, `default_factory`, `init`, `repr`, `compare`."""
        return _Field(**options)


__all__ = ["dataclass", "field"]

_MISSING: Final = object()
_setattr: Final = object.__setattr__


class _Field:
    """What a class body says about one field."""

    __slots__ = ("compare", "default", "default_factory", "init", "repr")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare

    @property
    def standard(self) -> dict[str, Any]:
        """The options for the standard function."""
        options = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in options.items() if value is not _MISSING}


class _StandardFields:
    """`__dataclass_fields__`, made by the standard module when somebody asks for it, and then kept."""

    __slots__ = ("fields", "name", "types")

    def __init__(self, name: str, fields: Mapping[str, _Field], types: Mapping[str, Any]) -> None:
        self.name = name
        self.fields = fields
        self.types = types

    def __get__(self, instance: object, owner: Any) -> Any:
        import dataclasses  # start-up time: the module this one stands in for

        rows = [
            (name, self.types[name], dataclasses.field(**one.standard)) for name, one in self.fields.items()
        ]
        twin = dataclasses.make_dataclass(self.name, rows, init=False, repr=False, eq=False)
        owner.__dataclass_fields__ = found = twin.__dict__["__dataclass_fields__"]
        return found


def _made(cls: type, *, frozen: bool, slots: bool) -> type:
    """The class with its methods; a new one where it has slots, which a class cannot get later."""
    types = {
        name: kind
        for name, kind in cls.__annotations__.items()
        if not str(kind).startswith(("ClassVar", "typing.ClassVar"))
    }
    namespace = dict(cls.__dict__)
    fields = {name: _field_of(namespace.pop(name, _MISSING)) for name in types}
    setters: list[Callable[[Any, Any], None]] = []
    for method in (_init(fields, setters), _eq(fields), _repr(fields)):
        namespace.setdefault(method.__name__, method)
    namespace["__match_args__"] = tuple(name for name, one in fields.items() if one.init)
    namespace["__dataclass_fields__"] = _StandardFields(cls.__name__, fields, types)
    namespace["__hash__"] = _hash(fields) if frozen else None
    if frozen:
        namespace.update(__setattr__=_refuse_change, __delattr__=_refuse_change)
    if slots:
        namespace.update(
            __slots__=tuple(fields), __getstate__=_getstate(fields), __setstate__=_setstate(fields)
        )
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    if slots and "__post_init__" not in namespace and all(one.init for one in fields.values()):
        setters += (getattr(made, name).__set__ for name in fields)
    return made


def _field_of(default: Any) -> _Field:
    if isinstance(default, _Field):
        return default
    if isinstance(default, list | dict | set):
        raise ValueError(f"mutable default {type(default)}: use default_factory")  # noqa: TRY004 - as the standard
    return _Field() if default is _MISSING else _Field(default=default)


def _init(fields: Mapping[str, _Field], setters: list[Callable[[Any, Any], None]]) -> Callable[..., None]:
    """The constructor. `setters`, filled later, put plain values into their slots, one a field."""
    names = tuple(name for name, one in fields.items() if one.init)
    allowed = frozenset(names)

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        if setters and not named and len(values) == len(setters):  # thousands are made with every value given
            for put, value in zip(setters, values):  # noqa: B905 - as long as each other
                put(self, value)
            return
        if len(values) > len(names) or not named.keys() <= allowed - set(names[: len(values)]):
            raise TypeError(f"{type(self).__name__} takes {', '.join(names)}, each at most once")
        named.update(zip(names, values, strict=False))
        for name, one in fields.items():
            if name in named:
                _setattr(self, name, named[name])
            elif one.default is not _MISSING:
                _setattr(self, name, one.default)
            elif one.default_factory is not _MISSING:
                _setattr(self, name, one.default_factory())
            elif one.init:
                raise TypeError(f"{type(self).__name__} needs {name!r}")
        if (finish := getattr(self, "__post_init__", None)) is not None:
            finish()

    return __init__


def _eq(fields: Mapping[str, _Field]) -> Callable[[Any, Any], bool]:
    values = _values(fields)

    def __eq__(self: Any, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return __eq__


def _hash(fields: Mapping[str, _Field]) -> Callable[[Any], int]:
    values = _values(fields)
    return lambda self: hash(values(self))


def _repr(fields: Mapping[str, _Field]) -> Callable[[Any], str]:
    shown = [name for name, one in fields.items() if one.repr]

    def __repr__(self: Any) -> str:
        rows = (f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({', '.join(rows)})"

    return __repr__


def _values(fields: Mapping[str, _Field]) -> Callable[[Any], Any]:
    """What two values are compared by."""
    names = [name for name, one in fields.items() if one.compare]
    return attrgetter(*names) if names else lambda self: ()


def _getstate(fields: Mapping[str, _Field]) -> Callable[[Any], list[Any]]:
    return lambda self: [getattr(self, name) for name in fields]


def _setstate(fields: Mapping[str, _Field]) -> Callable[[Any, list[Any]], None]:
    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(fields, state, strict=True):
            _setattr(self, name, value)

    return __setstate__


def _refuse_change(self: object, name: str, value: object = None) -> None:
    from dataclasses import FrozenInstanceError  # start-up time: as above

    raise FrozenInstanceError(f"cannot change field {name!r}")
