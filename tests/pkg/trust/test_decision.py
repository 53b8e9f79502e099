"""The order in which trust is decided, beyond what the recording holds: content, guards, laws.

Touches: nothing.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.trust.decision import decide
from pi_pkg.trust.model import StoredDecision, Surface, TrustFacts, Vote

HERE = Surface(("/p/.pi/settings.toml",), "sha256:1")
FACTS = TrustFacts("/p", HERE)


def with_stored(decision: StoredDecision, folder: str = "/p", surface: Surface = HERE) -> TrustFacts:
    return replace(FACTS, stored=((folder, decision),), surface=surface)


def test_trusted_content_is_trusted_while_it_is_the_same() -> None:
    """A decision about content holds for exactly that content."""
    decision = decide(with_stored(StoredDecision(True, "sha256:1")))
    assert (True, "stored", False) == (decision.trusted, decision.step, decision.changed)


def test_changed_content_is_asked_about_again() -> None:
    """Other content is undecided, and the decision says that it changed."""
    decision = decide(with_stored(StoredDecision(True, "sha256:0")))
    assert (False, "headless", True) == (decision.trusted, decision.step, decision.changed)


def test_content_of_a_parent_says_nothing_about_a_child() -> None:
    """Only decisions about a folder reach the folders below it."""
    assert "headless" == decide(with_stored(StoredDecision(True, "sha256:1"), "/")).step
    assert "stored" == decide(with_stored(StoredDecision(True), "/")).step


@pytest.mark.parametrize("surface", [HERE, Surface((), None)], ids=["edited", "deleted"])
def test_a_lost_guard_is_noticed(surface: Surface) -> None:
    """Trusted content with a guard that is there no longer must not simply be left out."""
    guarded = StoredDecision(True, "sha256:0", guard=True)
    assert decide(with_stored(guarded, surface=surface)).guard_lost
    assert not decide(with_stored(replace(guarded, guard=False), surface=surface)).guard_lost


def test_an_approval_ends_the_worry_about_a_guard() -> None:
    """`--approve` reads what is there now, so nothing is lost unseen."""
    assert not decide(
        replace(with_stored(StoredDecision(True, "sha256:0", guard=True)), override=True)
    ).guard_lost


def test_extensions_after_the_deciding_one_are_not_heard() -> None:
    """Only those that were asked can have been silent."""
    votes = [Vote("a", None), Vote("b", "undecided"), Vote("c", "yes"), Vote("d", None)]
    assert (True, ("a",)) == (decide(FACTS, votes).trusted, decide(FACTS, votes).silent)


def test_any_other_word_is_no() -> None:
    """L9: only yes is trust."""
    assert not decide(FACTS, [Vote("a", "maybe"), Vote("b", "yes")]).trusted


def test_content_is_what_a_person_is_offered_first() -> None:
    """The answer about content stores the digest that was shown."""
    decision = decide(FACTS, has_ui=True, answer="trust-content")
    assert (("/p", StoredDecision(True, "sha256:1", how="prompt")),) == decision.remember


words = st.sampled_from(["yes", "no", "undecided", "maybe", None])
stored = st.none() | st.builds(StoredDecision, st.booleans(), st.sampled_from([None, "sha256:0", "sha256:1"]))
facts = st.builds(
    lambda default, decision, gated: TrustFacts(
        "/p",
        HERE if gated else Surface((), None),
        None,
        () if decision is None else (("/p", decision),),
        default,
    ),
    st.sampled_from(["ask", "always", "never", "bogus"]),
    stored,
    st.sampled_from([HERE, Surface((), None)]),
)


@given(facts, st.lists(st.builds(Vote, st.just("e"), words)), st.booleans())
def test_the_command_line_always_decides(known: TrustFacts, votes: list[Vote], override: bool) -> None:
    """L6: an override beats everything and stores nothing."""
    decision = decide(replace(known, override=override), votes)
    assert (override, "override", ()) == (decision.trusted, decision.step, decision.remember)


@given(facts, st.lists(st.builds(Vote, st.just("e"), words)))
def test_nothing_is_trusted_without_a_reason(known: TrustFacts, votes: list[Vote]) -> None:
    """Without a yes, a stored yes, the default always or an empty surface, the answer is no."""
    decision = decide(known, votes)
    reasons = [
        any(vote.answer == "yes" for vote in votes),
        any(item.trusted for _, item in known.stored),
        known.default == "always",
        not known.surface.paths,
    ]
    assert any(reasons) or not decision.trusted


def test_content_that_nothing_covers_is_trusted_for_this_run_only() -> None:
    """Without a digest the decision would be about the folder, whatever it will hold."""
    facts = replace(FACTS, surface=replace(FACTS.surface, digest=None))
    decision = decide(facts, has_ui=True, answer="trust-content")
    assert (True, ()) == (decision.trusted, decision.remember)
