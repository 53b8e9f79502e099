"""How observations are written: lines for people, one JSON document for programs.

Pure.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, assert_never

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import PackageError
from pi_pkg.locations import RESOURCE_TYPES, ResourceType

if TYPE_CHECKING:
    from pi_pkg.listed import ListedPackage, ListedResource
    from pi_pkg.outcome import Outcome

_SCOPES: Final = {"user": "User packages", "project": "Project packages", "environment": "Beside pi"}
_STATES: Final = {
    "missing": "not installed",
    "broken": "cannot be read",
    "incompatible": "cannot load here",
    "disabled": "switched off",
}
_RELATIONS: Final = {
    "overrides-user": "overrides the user's entry",
    "changes-user": "changes the user's entry",
    "overridden-by-project": "overridden by the project",
    "changed-by-project": "changed by the project",
}
_SHORT_COMMIT: Final = 7


def document(
    command: str, ok: bool, observed: Sequence[dict[str, Any]], diagnostics: Iterable[Diagnostic]
) -> str:
    """The one JSON document of a command, with a line end."""
    import json  # start-up time: people read lines

    found = {
        "command": command,
        "ok": ok,
        "observed": list(observed),
        "diagnostics": [diagnostic.to_json() for diagnostic in diagnostics],
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def as_diagnostic(error: PackageError, *, source: str | None = None, scope: str | None = None) -> Diagnostic:
    """A refusal as a finding."""
    path = getattr(error, "path", None)
    return Diagnostic(
        "error", error.code, error.stage, error.message, source, scope,
        path if isinstance(path, str) else None, error.hint, error.detail,
    )  # fmt: skip


def outcome_line(outcome: Outcome) -> str:
    """One sentence about one source."""
    note = f" ({outcome.note})" if outcome.note else ""
    where = " in the project" if outcome.scope == "project" else ""
    name = outcome.asked
    after = f" {outcome.after}" if outcome.after else ""
    match outcome.did:
        case "installed":
            return f"installed {name}{after}{where}{note}"
        case "changed":
            return f"changed {name} {outcome.before or 'none'} → {outcome.after or 'none'}{where}{note}"
        case "updated":
            return f"{name} {outcome.before or 'none'} → {outcome.after or 'none'}{where}{note}"
        case "unchanged":
            at = f" at {outcome.after}" if outcome.after else ""
            more = f", {outcome.available} available" if outcome.available else ""
            return f"{name} {'pinned' if outcome.pinned else 'unchanged'}{at}{more}{where}{note}"
        case "removed":
            return f"removed {name}{where}{note}"
        case "planned":
            return f"would {outcome.note}"
        case "refused":
            return f"refused {name}: {outcome.error}"
        case _:
            assert_never(outcome.did)


def diagnostic_lines(diagnostic: Diagnostic) -> Iterator[str]:
    """A finding for people: one line, then its longer output indented."""
    hint = f" {diagnostic.hint}" if diagnostic.hint else ""
    yield f"{diagnostic.severity}: {diagnostic.message}{hint}"
    yield from detail_lines(diagnostic.detail)


def detail_lines(detail: str | None) -> Iterator[str]:
    """Longer output, indented."""
    yield from (f"  {line}" for line in (detail or "").splitlines())


def counted(number: int) -> str:
    """A number of packages in words."""
    return "1 package" if number == 1 else f"{number} packages"


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One row a source, for commands with several."""
    width = max(len(outcome.asked) for outcome in outcomes)
    for outcome in outcomes:
        now = f" {outcome.after}" if outcome.after else ""
        still = ", still" if now and not outcome.ok else ""
        yield f"  {outcome.asked:<{width}}  {outcome.did}{still}{now}"


def list_lines(packages: Sequence[ListedPackage], *, everything: bool) -> Iterator[str]:
    """The packages by scope, each with what it contributes; what is off only with `everything`."""
    if not packages:
        yield "No packages installed."
    for scope, title in _SCOPES.items():
        members = [package for package in packages if package.scope == scope]
        if members:
            yield f"{title}:"
        for package in members:
            yield from _package_lines(package, everything)


def _package_lines(package: ListedPackage, everything: bool) -> Iterator[str]:
    facts = [package.version, (package.commit or "")[:_SHORT_COMMIT] or None]
    if package.pinned:
        facts.append("pinned")
    if package.filtered:
        facts.append("filtered")
    if package.relation is not None:
        facts.append(_RELATIONS[package.relation])
    if package.state in _STATES:
        facts.append(_STATES[package.state])
    shown = [fact for fact in facts if fact]
    yield f"  {package.source}" + (f"  {', '.join(shown)}" if shown else "")
    if package.root is not None and package.kind in {"git", "local"}:
        yield f"    {package.root}"
    if package.state in {"missing", "broken", "incompatible"} and package.remove:
        import shlex  # start-up time: most packages are well

        yield f"    take it out: {shlex.join(package.remove)}"
    for kind in RESOURCE_TYPES:
        resources = package.resources.get(kind, ())
        visible = [item for item in resources if item.enabled or everything]
        if visible:
            yield f"    {kind}: {', '.join(_resource(item, package, kind) for item in visible)}"
    hidden = sum(not item.enabled for items in package.resources.values() for item in items)
    if hidden and not everything:
        yield f"    {hidden} switched off (--all shows them)"


def _resource(item: ListedResource, package: ListedPackage, kind: ResourceType) -> str:
    """A short name: the path inside the package, a skill by its folder."""
    path = item.path
    if kind == "skills" and os.path.basename(path) == "SKILL.md":
        path = os.path.dirname(path)
    root = package.root
    if root is not None and path.startswith(root + os.sep):
        path = path[len(root) + 1 :]
    return path if item.enabled else f"{path} (off{f': {item.rule}' if item.rule else ''})"
