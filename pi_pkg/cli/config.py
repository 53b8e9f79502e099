"""`pi config`: what counts and what is switched off, and switching it.

Touches: files.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pi_pkg.cli.call import Call
from pi_pkg.cli.output import DONE, FAILED
from pi_pkg.cli.parser import add_scope
from pi_pkg.cli.report import as_diagnostic
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import NoSuchResource, ProjectNotTrusted
from pi_pkg.inventory import resolved
from pi_pkg.settings.model import Settings
from pi_pkg.toggle.model import Toggled, Wish, states_of, token_of
from pi_pkg.toggle.shown import Group, groups_of, resource_json
from pi_pkg.toggle.switching import switch
from pi_pkg.toggle.tokens import meant_by
from pi_pkg.trust.gate import notice
from pi_pkg.trust.record import person

ABOUT: Final = "Show every extension, skill, prompt and theme, and switch them on and off."
EXAMPLES: Final = """\
A TOKEN is what this command or pi list prints: KIND:PATH, a source for the whole package, or a short name.
Without -l the user's settings change, with -l the project's, where a change of something that the user
installed is written as a delta.

examples:
  pi config
  pi config --disable extensions/legacy.py
  pi config -l --disable pypi:NAME --enable prompts:.pi/prompts/review.md
"""
_SCOPES: Final = {"user": "User", "project": "Project", "environment": "Beside pi", "temporary": "This run"}


class _Wishes(argparse.Action):
    """Keeps `--enable` and `--disable` in the order in which they are given."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: Any = None
    ) -> None:
        wishes = [*(getattr(namespace, self.dest) or ()), *(Wish(word, bool(self.const)) for word in values)]
        setattr(namespace, self.dest, wishes)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for flag, on, about in (("--enable", True, "switch on"), ("--disable", False, "switch off")):
        parser.add_argument(
            flag, action=_Wishes, const=on, dest="wishes", nargs="+", metavar="TOKEN", help=about
        )
    add_scope(parser)
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of settings files")


def run(call: Call) -> int:
    options = call.command.options
    if options.schema:
        from pi_pkg.settings.schema import schema  # start-up time: only this asks for it

        call.output.say(json.dumps(schema(), indent=2, ensure_ascii=False))
        return DONE
    if options.wishes:
        return _switch(call, options.wishes)
    return _show(call)


# Showing.


def _show(call: Call) -> int:
    settings, findings = _in_force(call)
    found = resolved(call.manager.locations, settings)
    groups = groups_of(found)
    if call.command.project:
        groups = tuple(group for group in groups if group.scope == "project")
    if call.command.json:
        observed = [resource_json(item) for group in groups for item in group.resources]
        return call.output.document(call.command, observed, (*found.diagnostics, *findings))
    for line in _lines(groups):
        call.output.say(line)
    call.output.warn_all((*found.diagnostics, *findings))
    return DONE


def _in_force(call: Call) -> tuple[Settings, list[Diagnostic]]:
    """The layers in force, and what to tell about a project that was left out.

    Raises: SettingsError, TrustError; ProjectNotTrusted if the project is asked for.
    """
    decision = call.manager.trust()
    if call.command.project and not decision.trusted:
        raise ProjectNotTrusted(str(call.manager.locations.project_dir), "show its resources")
    settings = call.manager.settings(trusted=decision.trusted)
    for layer in settings.layers():
        if layer.error is not None:
            raise layer.error
    told = notice(decision, call.manager.locations)
    return settings, [] if told is None else [told]


def _lines(groups: Sequence[Group]) -> Iterator[str]:
    if not groups:
        yield "There is nothing to switch."
    for group in groups:
        title = _SCOPES[group.scope]
        yield f"{title}: {group.source}" if group.is_package else f"{title}, outside of packages:"
        for item in group.resources:
            rule = f"  ({item.rule})" if item.rule and not item.enabled else ""
            yield f"  {'on ' if item.enabled else 'off'}  {token_of(item)}{rule}"


# Switching.


def _switch(call: Call, wishes: Sequence[Wish]) -> int:
    manager = call.manager
    outcomes = switch(
        manager.locations, wishes, project=call.command.project,
        approve=manager.approve, by=person(manager.environ), write=manager.write,
    )  # fmt: skip
    return _report(call, [_advised(call, outcome) for outcome in outcomes])


def _advised(call: Call, outcome: Toggled) -> Toggled:
    """A refusal of something that the project's settings decide says so."""
    if call.command.project or not isinstance(outcome.error, NoSuchResource):
        return outcome
    try:
        settings, _ = _in_force(call)
        if settings.project is None:
            return outcome
        meant_by(outcome.token, resolved(call.manager.locations, settings), call.manager.locations)
    except NoSuchResource:
        return outcome
    error = NoSuchResource(outcome.token, hint="The project decides about it: add -l.")
    return Toggled(outcome.token, "refused", outcome.scope, outcome.path, error=error)


def _report(call: Call, outcomes: Sequence[Toggled]) -> int:
    ok = all(outcome.ok for outcome in outcomes)
    findings = [
        as_diagnostic(item.error, source=item.token, scope=item.scope) for item in outcomes if item.error
    ]
    findings += _overruled(call, outcomes)
    if call.command.json:
        return call.output.document(call.command, [item.to_json() for item in outcomes], findings, ok=ok)
    for outcome in outcomes:
        if outcome.error is not None:
            call.output.warn(f"refused {outcome.token}: {outcome.error}")
            continue
        state = " already" if outcome.did == "unchanged" else ""
        where = "" if outcome.did == "unchanged" else f" in {outcome.path}"
        call.output.say(f"{outcome.did} {outcome.token}{state}{where}")
    call.output.warn_all(finding for finding in findings if finding.severity != "error")
    return DONE if ok else FAILED


def _overruled(call: Call, outcomes: Sequence[Toggled]) -> list[Diagnostic]:
    """What the project here says otherwise about what was switched for the user."""
    if call.command.project:
        return []
    settings, _ = _in_force(call)
    if settings.project is None:
        return []
    states = {
        f"{kind}:{path}": enabled
        for (kind, path, _), enabled in states_of(resolved(call.manager.locations, settings)).items()
    }
    wanted = {"enabled": True, "disabled": False}
    return [
        Diagnostic(
            "info", "toggle-overruled", "settings",
            f"{token} stays {'on' if states[token] else 'off'} here, for the project's settings say so.",
            scope="project", path=settings.project.path, hint="Change that with -l.",
        )
        for outcome in outcomes
        for token in outcome.resources
        if outcome.did in wanted and states.get(token, wanted[outcome.did]) != wanted[outcome.did]
    ]  # fmt: skip
