"""The laws in which a handler decides: gates merge answers, first decisions take one.

Pure.
"""

from __future__ import annotations

from typing import Any

from hookspecs.values import dataclass
from pi_core.dispatch.algebra import BaseFold, BaseLaw, Fold
from pi_core.dispatch.answers import as_bash_result, as_branch_summary, as_compaction, decides
from pi_core.dispatch.fields import get
from pi_core.dispatch.outcomes import GateAnswer
from pi_core.dispatch.plan import Handler, Report, Wrapper


@dataclass(frozen=True, slots=True)
class Gate(BaseLaw):
    """Answers merge field by field; the `stop` field, if it decides, ends the dispatch.

    The result is a GateAnswer, or None if nobody answered.
    """

    stop: str = "cancel"
    compaction: type[Any] | None = None

    def begin(self, event: Any, report: Report) -> Fold:
        return GateFold(self, event, report)

    def is_result(self, value: Any) -> bool:
        return value is None or isinstance(value, GateAnswer)


class GateFold(BaseFold):
    """A set field replaces, an unset one leaves."""

    __slots__ = ("fields",)

    law: Gate

    def __init__(self, law: Gate, event: Any, report: Report) -> None:
        self.law, self.event, self.report = law, event, report  # a call of `super` would be felt here
        self.fields: dict[str, Any] | None = None

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler)
        if found is None:
            return False
        self._make_exact(found, handler)
        self.fields = {**(self.fields or {}), **found}
        decision = found.get(self.law.stop)
        if decision is not None and not isinstance(decision, bool):
            word = "stops" if decides(decision) else "does not stop"
            self.note(
                handler,
                "odd-decision",
                f"{self.law.stop} should be a bool and is a {type(decision).__name__}; it {word}",
            )
        return decides(decision)

    def _make_exact(self, found: dict[str, Any], handler: Handler | Wrapper) -> None:
        """Turn summaries given as mappings into values; an odd one is dropped and reported."""
        if found.get("summary") is not None and "summary" in self.law.shape.known:
            self._exact(found, "summary", as_branch_summary(found["summary"]), handler)
        if self.law.compaction is not None and found.get("compaction") is not None:
            value = as_compaction(found["compaction"], self.law.compaction)
            self._exact(found, "compaction", value, handler)

    def _exact(self, found: dict[str, Any], name: str, value: Any, handler: Handler | Wrapper) -> None:
        if value is None:
            del found[name]
            self.wrong(handler, f"{name} lacks a field or holds one of another type; it is left out")
        else:
            found[name] = value

    def end(self) -> GateAnswer | None:
        return None if self.fields is None else GateAnswer(self.fields)


@dataclass(frozen=True, slots=True)
class FirstTrust(BaseLaw):
    """The first verdict wins; "undecided" and a missing verdict pass the question on.

    The result is a Trust, or None. Anything but the three words counts as no.
    """

    def begin(self, event: Any, report: Report) -> Fold:
        return TrustFold(self, event, report)

    def is_result(self, value: Any) -> bool:
        return value is None or isinstance(value, self.shape.classes)


class TrustFold(BaseFold):
    """Silence is heard too: a trust handler must answer."""

    __slots__ = ("verdict",)

    fresh = True
    silence = True

    def __init__(self, law: FirstTrust, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.verdict: Any = None

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        if answer is None:
            self.wrong(handler, 'project_trust needs an answer: "yes", "no" or "undecided"')
            return False
        found = self.read(answer, handler) or {}
        trusted = found.get("trusted")
        if trusted == "undecided":
            return False
        if trusted not in ("yes", "no"):
            self.note(handler, "odd-decision", f"trusted is {trusted!r}, which counts as no")
            trusted = "no"
        remember = {"remember": found["remember"]} if found.get("remember") is not None else {}
        self.verdict = self.law.shape.classes[0](trusted, **remember)
        return True

    def end(self) -> Any:
        return self.verdict


@dataclass(frozen=True, slots=True)
class FirstBash(BaseLaw):
    """The first answer wins and must name exactly one way of running the command.

    The result is a Bash, or None if the command runs as usual. An answer that names none,
    or both, refuses.
    """

    result: Any = None

    def begin(self, event: Any, report: Report) -> Fold:
        return BashFold(self, event, report)

    def is_result(self, value: Any) -> bool:
        return value is None or isinstance(value, self.shape.classes)


class BashFold(BaseFold):
    """Holds the answer, once there is one."""

    __slots__ = ("answer",)

    law: FirstBash

    def __init__(self, law: FirstBash, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.answer: Any = None

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler)
        if found is None:
            return False
        ways = [name for name in ("operations", "result") if name in found]
        if len(ways) != 1:
            given = " and ".join(ways) or "neither"
            self.wrong(handler, f"user_bash takes either operations or a result; {given} came")
        elif ways[0] == "operations":
            self._operations(found["operations"], handler)
        else:
            self._result(found["result"], handler)
        return True

    def _operations(self, operations: Any, handler: Handler | Wrapper) -> None:
        if not callable(get(operations, "exec")):
            self.wrong(handler, "the operations of user_bash need a callable exec")
        self.answer = self.law.shape.classes[0](operations=operations)

    def _result(self, given: Any, handler: Handler | Wrapper) -> None:
        result = as_bash_result(given, self.law.result)
        if result is None:
            self.wrong(handler, "the result of user_bash needs an output, and fields of their types")
        self.answer = self.law.shape.classes[0](result=result)

    def end(self) -> Any:
        return self.answer
