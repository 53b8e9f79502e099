"""The order in which trust is decided: the command line, extensions, what was stored, the default, a person.

Pure.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import assert_never

from pi_pkg.trust.model import Answer, Decision, StoredDecision, TrustFacts, Vote


def decide(
    facts: TrustFacts, votes: Sequence[Vote] = (), *, has_ui: bool = False, answer: Answer | None = None
) -> Decision:
    """Whether the project's files may be read.

    Args:
        facts: what is known.
        votes: answers of the user's extensions, in load order.
        has_ui: whether a person can be asked.
        answer: what the person answered; None: not asked yet, or dismissed.
    """
    changed, guard_lost = _lost(facts)
    if facts.override is not None:
        return Decision(facts.override, "override", changed, guard_lost and not facts.override)
    if not facts.surface.paths:
        stored = _stored(facts)
        if stored is not None:
            return Decision(stored, "stored", changed, guard_lost)
        return Decision(True, "no-resources", changed, guard_lost)
    silent = tuple(vote.extension for vote in _heard(votes) if vote.answer is None)
    vote = next((vote for vote in votes if vote.answer not in {None, "undecided"}), None)
    if vote is not None:
        return _voted(facts, vote, changed, silent)
    stored = _stored(facts)
    if stored is not None:
        return Decision(stored, "stored", changed, silent=silent)
    if facts.default in {"always", "never"}:
        trusted = facts.default == "always"
        return Decision(trusted, "default", changed, guard_lost and not trusted, silent=silent)
    if not has_ui:
        return Decision(False, "headless", changed, guard_lost, silent=silent)
    return _answered(facts, answer, changed, silent)


def _heard(votes: Sequence[Vote]) -> Sequence[Vote]:
    """The votes up to the one that decides; later extensions are not asked."""
    for place, vote in enumerate(votes):
        if vote.answer not in {None, "undecided"}:
            return votes[: place + 1]
    return votes


def _stored(facts: TrustFacts) -> bool | None:
    """The nearest earlier decision. One about content binds its own folder only, and only this content:
    if it is another now, nobody decided, whatever holds for the folders above.
    """
    for folder, decision in facts.stored:
        if decision.digest is None:
            return decision.trusted
        if folder == facts.folder:
            return decision.trusted if decision.digest == facts.surface.digest else None
    return None


def _lost(facts: TrustFacts) -> tuple[bool, bool]:
    """Whether trusted content changed, and whether a guard was part of it."""
    for folder, decision in facts.stored:
        if folder == facts.folder and decision.trusted and decision.digest is not None:
            changed = decision.digest != facts.surface.digest
            return changed, changed and decision.guard
    return False, False


def _voted(facts: TrustFacts, vote: Vote, changed: bool, silent: tuple[str, ...]) -> Decision:
    trusted = vote.answer == "yes"
    remember: tuple[tuple[str, StoredDecision | None], ...] = ()
    if vote.remember:
        remember = ((facts.folder, StoredDecision(trusted, by=vote.extension, how="extension")),)
    return Decision(trusted, "extension", changed, remember=remember, silent=silent)


def _answered(facts: TrustFacts, answer: Answer | None, changed: bool, silent: tuple[str, ...]) -> Decision:
    here = facts.folder
    remember: tuple[tuple[str, StoredDecision | None], ...] = ()
    match answer:
        case None | "deny-session" | "trust-session":
            pass
        case "trust-content":  # too much to cover has no digest, and would be the folder: it is for this run
            if facts.surface.digest is not None:
                remember = ((here, StoredDecision(True, facts.surface.digest, how="prompt")),)
        case "trust-folder":
            remember = ((here, StoredDecision(True, how="prompt")),)
        case "deny-folder":
            remember = ((here, StoredDecision(False, how="prompt")),)
        case "trust-parent":
            parent = os.path.dirname(here)
            remember = ((here, None), (parent, StoredDecision(True, how="prompt")))
        case _:
            assert_never(answer)
    trusted = answer is not None and answer.startswith("trust")
    return Decision(trusted, "prompt", changed, remember=remember, silent=silent)
