"""How the answers of many handlers become one: the laws of the events, and the one loop.

`law_for(name)` gives the law, a `Plan` the listeners, and `await dispatch(…)` the result.

Pure.
"""

from __future__ import annotations

from pi_core.dispatch.algebra import Law
from pi_core.dispatch.flow import dispatch
from pi_core.dispatch.outcomes import (
    AgentStartOutcome,
    BoundaryOutcome,
    BranchSummary,
    CollectedResources,
    GateAnswer,
    InputOutcome,
    OwnedPath,
    ToolResultPatch,
)
from pi_core.dispatch.plan import (
    NOBODY,
    Failure,
    Handler,
    HandlerFailed,
    HandlerInterrupted,
    Plan,
    Report,
    Wrapper,
)
from pi_core.dispatch.table import UnknownEventError, law_for
from pi_core.dispatch.timing import Interruption, Running

__all__ = [
    "NOBODY",
    "AgentStartOutcome",
    "BoundaryOutcome",
    "BranchSummary",
    "CollectedResources",
    "Failure",
    "GateAnswer",
    "Handler",
    "HandlerFailed",
    "HandlerInterrupted",
    "InputOutcome",
    "Interruption",
    "Law",
    "OwnedPath",
    "Plan",
    "Report",
    "Running",
    "ToolResultPatch",
    "UnknownEventError",
    "Wrapper",
    "dispatch",
    "law_for",
]
