"""Reading an answer: an answer class or a mapping becomes plain fields, or is no answer.

A mapping may spell its keys in snake_case or camelCase. Keys that nobody knows are
kept, and named so that the caller can report them.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final

from hookspecs.unset import UNSET
from hookspecs.values import dataclass
from hookspecs.wire import snake
from pi_core.dispatch.outcomes import BranchSummary, or_none


@dataclass(frozen=True, slots=True)
class Shape:
    """What an event accepts: its answer classes, and the fields that they have between them."""

    classes: tuple[type[Any], ...]
    known: frozenset[str]

    def read(self, answer: Any) -> dict[str, Any] | None:
        """The fields that the answer sets; None if it is neither a mapping nor one of the classes."""
        if isinstance(answer, self.classes):
            return _from_class(answer)
        if isinstance(answer, Mapping):
            return _from_mapping(answer)
        return None

    def unknown(self, found: Mapping[str, Any]) -> list[str]:
        """The fields of an answer that this event does not know, in the order of the answer."""
        return [name for name in found if name not in self.known]

    def expected(self) -> str:
        """What may be answered, for a message."""
        names = " or ".join(kind.__name__ for kind in self.classes)
        return f"{names} or a dict with {', '.join(sorted(self.known))}"


def _from_mapping(answer: Mapping[Any, Any]) -> dict[str, Any] | None:
    try:
        found = {snake(key): item for key, item in answer.items() if item is not UNSET}
    except Exception:  # noqa: BLE001 - an author's mapping may do anything; it is then no answer
        return None
    if "continue" in found:
        found["continue_"] = found.pop("continue")
    return found


def _from_class(answer: Any) -> dict[str, Any]:
    for kind in type(answer).__mro__:
        convert = _CONVERTERS.get(kind.__name__)
        if convert is not None:
            found: dict[str, Any] = convert(answer)
            return found
    return _set_fields(answer)


def _set_fields(answer: Any) -> dict[str, Any]:
    values = ((spec.name, getattr(answer, spec.name)) for spec in fields(answer))
    return {name: value for name, value in values if value is not UNSET}


def _tree_summary(answer: Any) -> dict[str, Any]:
    found = _set_fields(answer)
    details, usage = found.pop("details", None), found.pop("usage", None)
    if "summary" in found:
        found["summary"] = BranchSummary(found["summary"], details, usage)
    return found


_CONVERTERS: Final[Mapping[str, Callable[[Any], dict[str, Any]]]] = {
    "Compaction": lambda answer: {"compaction": answer},
    "TreeSummary": _tree_summary,
    "Transform": lambda answer: {"action": "transform", **_set_fields(answer)},
    "Handled": lambda answer: {**answer.extra, "action": "handled"},
    "Continue": lambda answer: {"action": "continue"},
}


def as_branch_summary(value: Any) -> BranchSummary | None:
    """A summary given as text or as a mapping with `summary`; None if it is neither."""
    if isinstance(value, BranchSummary):
        return value
    if isinstance(value, str):
        return BranchSummary(value)
    found = _from_mapping(value) if isinstance(value, Mapping) else None
    if not found or not isinstance(found.get("summary"), str):
        return None
    return BranchSummary(found["summary"], found.get("details"), found.get("usage"))


def as_compaction(value: Any, compaction: type[Any]) -> Any:
    """A compaction given as a mapping, as a value of its class; None if a field is missing or odd."""
    if isinstance(value, compaction):
        return value
    found = _from_mapping(value) if isinstance(value, Mapping) else None
    if not found:
        return None
    kinds = {"summary": str, "first_kept_entry_id": str, "tokens_before": int}
    if not all(isinstance(found.get(name), kind) for name, kind in kinds.items()):
        return None
    return compaction(
        **{name: found[name] for name in kinds},
        details=or_none(found.get("details")),
        usage=or_none(found.get("usage")),
    )


def as_bash_result(value: Any, kind: Any) -> Any:
    """A result given as a mapping, as a value of its class; None if a field is missing or odd."""
    if isinstance(value, kind):
        return value
    found = _from_mapping(value) if isinstance(value, Mapping) else None
    if not found or not isinstance(found.get("output"), str):
        return None
    flags = [found.get(name, False) for name in ("cancelled", "truncated")]
    code, path = found.get("exit_code"), found.get("full_output_path")
    exact = all(isinstance(flag, bool) for flag in flags) and _is_int_or_none(code)
    if not exact or not (path is None or isinstance(path, str)):
        return None
    return kind(
        output=found["output"], exit_code=code, cancelled=flags[0], truncated=flags[1], full_output_path=path
    )


def _is_int_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def decides(value: Any) -> bool:
    """Whether a cancel or block field stops: everything but absence, False, zero and empty text.

    Empty collections stop too. A value that cannot even be tested stops: a guard must not fail open.
    """
    if value is None or isinstance(value, (list, tuple, dict, set)):
        return value is not None
    try:
        return bool(value)
    except Exception:  # noqa: BLE001 - see the docstring
        return True
