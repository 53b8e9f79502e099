"""What a change observed, one outcome a source.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import PackageError
from pi_pkg.provenance import Scope

Did: TypeAlias = Literal["installed", "changed", "updated", "unchanged", "removed", "refused", "planned"]
"""What happened to one source: new in the scope, there before in another form, moved to another version or
commit, there before as asked, gone, left as it was, or only looked at (`--dry-run`, `--check`)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did about one source."""

    asked: str
    """The source as given."""
    did: Did
    scope: Scope
    source: str | None = None
    """The source as stored; None if nothing was or is stored."""
    identity: str | None = None
    """None for a string that is no source."""
    before: str | None = None
    """Version or short commit before; None for none."""
    after: str | None = None
    """Version or short commit afterwards; None for none, or not known without running code."""
    note: str | None = None
    """More about it: what a range was translated to, who satisfies it already."""
    pinned: bool = False
    """Whether updates leave it where it is."""
    available: str | None = None
    """A newer version or tag that is there and was not taken."""
    error: PackageError | None = None
    """Why it was refused."""

    @property
    def ok(self) -> bool:
        return self.did != "refused"

    def to_json(self) -> dict[str, Any]:
        """The item of `observed` in the JSON form."""
        return {
            "source": self.source or self.asked,
            "asked": self.asked,
            "identity": self.identity,
            "scope": self.scope,
            "did": self.did,
            "before": self.before,
            "after": self.after,
            "note": self.note,
            "pinned": self.pinned,
            "available": self.available,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What a command did, source by source in the order given."""

    outcomes: tuple[Outcome, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    """Findings beside the outcomes; a refusal is in its outcome."""

    @property
    def ok(self) -> bool:
        """Whether nothing was refused."""
        return all(outcome.ok for outcome in self.outcomes)
