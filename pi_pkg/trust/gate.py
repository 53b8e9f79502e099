"""The one gate in front of a project's files: facts are gathered, the decision is made, a notice is worded.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.trust.decision import decide
from pi_pkg.trust.gated import gated_paths
from pi_pkg.trust.model import Answer, Decision, StoredDecision, Surface, TrustFacts, Vote
from pi_pkg.trust.store import TrustStore, canonical_folder
from pi_pkg.trust.surface import surface_of


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
    if override is not None:
        return Decision(override, "override")
    facts = trust_facts(locations, user)
    return decide(facts, votes, has_ui=has_ui, answer=answer)


def trust_facts(locations: Locations, user: Layer) -> TrustFacts:
    """What a decision depends on. The project's content is read only where an earlier decision is about it.

    Raises:
        TrustError: the store is malformed.
    """
    folder = canonical_folder(locations.project_dir)
    stored = TrustStore(locations.trust_store).nearest(folder)
    by_content = any(place == folder and decision.digest for place, decision in stored)
    default = user.values.get("default-project-trust", "ask")
    return TrustFacts(folder, surface(locations, with_digest=by_content), None, stored, str(default))


def surface(locations: Locations, *, with_digest: bool = True) -> Surface:
    """What needs trust in the project."""
    return surface_of(locations) if with_digest else Surface(gated_paths(locations), None)


def notice(decision: Decision, locations: Locations) -> Diagnostic | None:
    """What to tell a person about a project that was left out; None where nothing was."""
    if decision.trusted or decision.step == "override":
        return None
    found = "changed since it was trusted" if decision.changed else "is not trusted"
    message = f"{locations.project_dir} {found}; its settings, extensions, skills and prompts were not read."
    return Diagnostic(
        "warning",
        "project-changed" if decision.changed else "project-not-trusted",
        "trust",
        message,
        scope="project",
        path=str(locations.project_dir),
        hint="Use --approve to trust it for this run.",
    )


def remember_own_change(locations: Locations, before: Surface, *, when: str, command: str) -> None:
    """Trust what one of our own commands left in the project, if everything in it was trusted before.

    That is so where there was nothing that needs trust, or where the content was the trusted one.

    Raises:
        TrustError: the store cannot be read or written.
    """
    store = TrustStore(locations.trust_store)
    folder = canonical_folder(locations.project_dir)
    earlier = store.read().get(folder)
    ours = not before.paths or (earlier is not None and earlier.digest == before.digest is not None)
    if not ours or (earlier is not None and earlier.digest is None):
        return
    after = surface(locations)
    if after.digest is None and after.paths:
        return
    decision = StoredDecision(True, after.digest, when=when, how=command) if after.paths else None
    store.record([(folder, decision)])
