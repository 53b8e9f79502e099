"""The one gate in front of a project's files: facts are gathered, the decision is made, a notice is worded.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.trust.decision import decide
from pi_pkg.trust.gated import gated_paths
from pi_pkg.trust.model import Answer, Decision, Surface, TrustFacts, Vote
from pi_pkg.trust.store import TrustStore, canonical_folder
from pi_pkg.trust.surface import surface_of

APPROVE = "Trust it with 'pi trust allow', or for this run with --approve."


def project_trust(
    locations: Locations,
    user: Layer,
    *,
    override: bool | None = None,
    votes: Sequence[Vote] = (),
    has_ui: bool = False,
    answer: Answer | None = None,
) -> Decision:
    """Whether the project's files exist for this run. Nothing is stored; no project file is run.

    Args:
        locations: the places.
        user: the user's settings, for their default.
        override: `--approve` is True, `--no-approve` False, None neither.
        votes: answers of the user's extensions, in load order.
        has_ui: whether a person can be asked.
        answer: the person's answer, None for none yet.

    Raises:
        TrustError: the store is malformed; never with an override.
    """
    if not locations.has_project:
        return Decision(False, "no-project")
    if override is not None:
        return Decision(override, "override")
    facts = trust_facts(locations, user, with_digest=answer == "trust-content")
    return decide(facts, votes, has_ui=has_ui, answer=answer)


def said_trust(locations: Locations, user: Layer, *, override: bool | None = None) -> Decision:
    """The same for what runs by itself, such as an update: a default and an empty project are no word.

    Raises:
        TrustError: as `project_trust`.
    """
    decision = project_trust(locations, user, override=override)
    if decision.said or not decision.trusted:
        return decision
    from dataclasses import replace  # start-up time: a library that `pi list` does without

    return replace(decision, trusted=False)


def trust_facts(locations: Locations, user: Layer, *, with_digest: bool = False) -> TrustFacts:
    """What a decision depends on. The project's content is read only where an earlier decision is about it,
    or where this one will be (`with_digest`).

    Raises:
        TrustError: the store is malformed.
    """
    folder = canonical_folder(locations.project_dir)
    stored = TrustStore(locations.trust_store).nearest(folder)
    by_content = any(place == folder and decision.digest for place, decision in stored)
    default = user.values.get("default-project-trust", "ask")
    return TrustFacts(
        folder, surface(locations, with_digest=by_content or with_digest), None, stored, str(default)
    )


def surface(locations: Locations, *, with_digest: bool = True) -> Surface:
    """What needs trust in the project."""
    return surface_of(locations) if with_digest else Surface(gated_paths(locations), None)


def notice(decision: Decision, locations: Locations) -> Diagnostic | None:
    """What to tell about a project that was left out: how much of it, and how to approve. None where nothing
    was, or where it was asked for."""
    if decision.trusted or decision.step in {"override", "no-project"}:
        return None
    left_out = [os.path.relpath(path, locations.project_dir) for path in gated_paths(locations)]
    items = f"{len(left_out)} item{'' if len(left_out) == 1 else 's'}"
    found = "has changed since it was trusted" if decision.changed else "is not trusted"
    names = f": {', '.join(left_out)}" if left_out else ""
    return Diagnostic(
        "warning",
        "project-changed" if decision.changed else "project-not-trusted",
        "trust",
        f"{locations.project_dir} {found}; ignored {items}{names}.",
        scope="project",
        path=str(locations.project_dir),
        hint=APPROVE,
        detail=_what_changed(locations) if decision.changed else None,
    )


def _what_changed(locations: Locations) -> str | None:
    from pi_pkg.trust.snapshot import changes_since  # start-up time: most projects are as they were

    changes = changes_since(locations, surface(locations))
    return "\n".join(changes) or None
