"""`pi trust`: whose files may be read, who said so, and whether they are still the same.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.output import DONE, FAILED, USAGE
from pi_pkg.errors import TrustRefused
from pi_pkg.locations import Locations
from pi_pkg.trust.gate import project_trust, surface
from pi_pkg.trust.record import allow_content, decide_folder, forget, person
from pi_pkg.trust.standing import Standing, project_at, standing_of, standings

if TYPE_CHECKING:
    import argparse

ABOUT: Final = "Decide whose project files pi may read, and see what was decided."
EXAMPLES: Final = """\
Without a verb, or with list, it shows the project here and every decision. Trust is for the files as they
are now, and ends when they change; --folder trusts a folder whatever it will hold.

examples:
  pi trust
  pi trust allow
  pi trust allow ../other --folder
  pi trust forget ../other
"""
VERBS: Final = ("list", "allow", "deny", "forget")
_HOW: Final = "pi trust"
_MATCH: Final = {"same": "unchanged", "changed": "CHANGED since", "any": "", "missing": "the folder is gone"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verb", nargs="?", choices=VERBS, default="list", help="what to do, list by default")
    parser.add_argument("path", nargs="?", default=None, help="folder of the project, this one by default")
    parser.add_argument("--folder", action="store_true", help="whatever it will hold, not its files now")


def run(call: Call) -> int:
    options = call.command.options
    there = project_at(call.manager.locations, options.path or ".")
    if options.folder and options.verb in {"list", "forget"}:
        call.output.warn(f"pi trust: --folder means nothing to {options.verb}")
        return USAGE
    match options.verb:
        case "allow":
            return _allow(call, there, whole_folder=options.folder)
        case "deny":
            before = standing_of(there)
            _check_folder(there)
            decide_folder(there, False, by=_person(call), how=_HOW)
            return _observed(call, there, "denied", before)
        case "forget":
            return _forget(call, there)
        case _:
            return _list(call, there, alone=options.path is not None)


def _person(call: Call) -> str:
    return person(call.manager.environ)


def _check_folder(there: Locations) -> None:
    if not there.project_dir.is_dir():
        raise TrustRefused(str(there.project_dir), "there is no such folder")
    if not there.has_project:
        raise TrustRefused(str(there.project_dir), "it is no project, for its own files are the user's")


def _allow(call: Call, there: Locations, *, whole_folder: bool) -> int:
    _check_folder(there)
    before = standing_of(there)
    if whole_folder:
        decide_folder(there, True, by=_person(call), how=_HOW)
    elif allow_content(there, by=_person(call), how=_HOW) is None:
        found = "there is too much to cover" if surface(there, with_digest=False).paths else _NOTHING
        raise TrustRefused(str(there.project_dir), found, hint="Trust whatever it will hold with --folder.")
    return _observed(call, there, "trusted", before)


_NOTHING: Final = "it holds nothing that needs trust"


def _forget(call: Call, there: Locations) -> int:
    before = standing_of(there)
    if forget(there) is None:
        hint = f"What counts is the decision about {before.folder}." if before else None
        raise TrustRefused(str(there.project_dir), "nothing was decided about it", hint=hint)
    return _observed(call, there, "forgotten", before)


def _observed(call: Call, there: Locations, did: str, before: Standing | None) -> int:
    """Say what counts from now on, and what changed since the last time."""
    after = standing_of(there)
    changes = before.changes if before is not None else ()
    if call.command.json:
        found: dict[str, Any] = {"folder": str(there.project_dir), "did": did, "changes": list(changes)}
        found["decision"] = None if after is None else after.to_json()
        return call.output.document(call.command, [found])
    call.output.say(f"{did} {there.project_dir}{_extent(after, did)}")
    if did == "trusted":
        for line in _gated(there):
            call.output.say(line)
        if changes:
            call.output.say("  changed since it was trusted before:")
        for change in changes:
            call.output.say(f"    {change}")
    return DONE


def _extent(after: Standing | None, did: str) -> str:
    if after is None:
        return ""
    if did == "forgotten":
        return f"; the decision about {after.folder} counts now"
    return ", whatever it will hold" if after.match == "any" else ", its files as they are now"


def _list(call: Call, there: Locations, *, alone: bool) -> int:
    """The project, then all decisions; a malformed store is an error."""
    found = standings(there)
    if alone:
        own = standing_of(there)
        found = () if own is None else (own,)
    if call.command.json:
        return call.output.document(call.command, [dict(item.to_json()) for item in found])
    for line in (*_project_lines(call, there), *_decision_lines(found)):
        call.output.say(line)
    return DONE if not alone or there.project_dir.is_dir() else FAILED


def _project_lines(call: Call, there: Locations) -> Iterator[str]:
    user = call.manager.settings(trusted=False).user
    decision = project_trust(there, user, override=call.manager.approve)
    default = user.values.get("default-project-trust", "ask")
    said = {
        "no-project": "no project: its own files are the user's",
        "no-resources": "nothing that needs trust",
        "override": "trusted for this run" if decision.trusted else "left out for this run",
        "default": f"{'trusted' if decision.trusted else 'not trusted'} by default-project-trust",
        "headless": f"not trusted: nobody decided, and default-project-trust is {default}",
    }
    if decision.changed:
        yield f"{there.project_dir}: CHANGED since it was trusted, so not trusted"
    else:
        word = "trusted" if decision.trusted else "not trusted"
        yield f"{there.project_dir}: {said.get(decision.step, word)}"
    yield from _gated(there)


def _gated(there: Locations) -> Iterator[str]:
    for path in surface(there, with_digest=False).paths:
        yield f"  {os.path.relpath(path, there.project_dir)}"


def _decision_lines(found: tuple[Standing, ...]) -> Iterator[str]:
    yield "Decisions:" if found else "No decisions."
    for item in found:
        decision = item.decision
        about = "folder" if decision.digest is None else "content"
        facts = [
            "trusted" if decision.trusted else "not trusted", about, _MATCH[item.match],
            "holds a guard" if decision.guard else "", decision.by, decision.when, item.how,
        ]  # fmt: skip
        yield f"  {item.folder}  {', '.join(fact for fact in facts if fact)}"
        for change in item.changes:
            yield f"    {change}"
