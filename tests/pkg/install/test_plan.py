"""What follows from wishes and distributions, without touching anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from pi_pkg.install.errors import HostConflict
from pi_pkg.install.host import Distribution, Host
from pi_pkg.install.plan import EVERYTHING, Wish, kept_distributions, refuse_host_conflicts, survey
from pi_pkg.install.scopes import ScopeConflict, scope_conflicts


def dists(*rows: str) -> Mapping[str, Distribution]:
    """Distributions from `NAME VERSION: REQUIREMENT, …`."""
    found = {}
    for row in rows:
        head, _, tail = row.partition(":")
        name, version = head.split()
        requires = tuple(item.strip() for item in tail.split(",") if item.strip())
        found[name] = Distribution(name, version, requires, (), Path("/site") / f"{name}.dist-info")
    return found


def wishes(*requirements: str) -> list[Wish]:
    return [
        Wish(f"pypi:{item}", item, f"pypi:{item.split('[')[0].rstrip('<>=0123456789')}")
        for item in requirements
    ]


def reached(
    asked: Iterable[str], inside: Mapping[str, Distribution], host: Mapping[str, Distribution]
) -> set[str]:
    return set(survey(wishes(*asked), inside, host).reached)


def test_a_survey_follows_what_is_needed() -> None:
    """Everything that a wish needs is reached, directly or not; what nobody needs is not."""
    inside = dists("a 1: b, c", "b 1: d", "c 1", "d 1: a", "z 1")
    assert {"a", "b", "c", "d"} == reached(["a"], inside, {})


@pytest.mark.parametrize(
    ("inside", "found"),
    [("a 1: b>=2", None), ("a 1: b<2; python_version<'3'", ""), ("a 1: b; extra=='x'", "")],
)
def test_a_survey_names_what_is_missing(inside: str, found: str | None) -> None:
    """A requirement counts where its marker holds; the asker and the name are told."""
    unmet = survey(wishes("a"), dists(inside), {}).unmet
    assert ([] if found == "" else [("a 1", "b", None)]) == [
        (item.wish.asker, item.name, item.found) for item in unmet
    ]


def test_a_survey_names_the_version_that_does_not_fit() -> None:
    """A version that is there but does not fit is told."""
    (unmet,) = survey(wishes("a"), dists("a 1: b>=2", "b 1.9"), {}).unmet
    assert ("b", "1.9") == (unmet.name, unmet.found)


def test_extras_are_followed_where_they_are_asked_for() -> None:
    """An extra adds its requirements, also through a dependency that asks for it."""
    inside = dists("a 1: b[x]", "b 1: c; extra=='x', d; extra=='y'", "c 1", "d 1")
    assert {"a", "b", "c"} == reached(["a"], inside, {})


def test_the_host_stands_before_the_generation() -> None:
    """The host's copy is the one that counts, since it is the one that is imported."""
    unmet = survey(wishes("a"), dists("a 1: h>=2", "h 2"), dists("h 1")).unmet
    assert [("h", "1")] == [(item.name, item.found) for item in unmet]


def test_a_broken_host_is_not_our_affair() -> None:
    """What the host's distributions lack among themselves fails nobody; an extra asked for must be there."""
    host = dists("h 1: not-there, e; extra=='x'")
    assert () == survey(wishes("h"), {}, host).unmet
    assert ["e"] == [item.name for item in survey(wishes("h[x]"), {}, host).unmet]


def test_a_pre_release_that_is_installed_counts() -> None:
    """What is there is judged by its number, pre-release or not."""
    assert () == survey(wishes("a>=1"), dists("a 2.0a1"), {}).unmet


def test_a_requirement_that_nobody_can_read_is_nobodys_wish() -> None:
    """Damaged metadata of an installed distribution stops neither a survey nor a comparison of scopes."""
    inside = {"a": Distribution("a", "1", ("not @@ a requirement", "b"), (), Path("/site/a"))}
    assert ["b"] == [item.name for item in survey(wishes("a"), inside, {}).unmet]
    assert () == scope_conflicts(host(), [("user", inside)])


def keep(asked: list[Wish], before: Mapping[str, Distribution], *renew: str) -> set[str]:
    return set(kept_distributions(asked, before, dists("h 1"), fixed={}, renew=renew))


BEFORE = dists("a 1: s", "b 1: s, t", "s 1", "t 1", "gone 1", "h 1")


def test_what_is_still_needed_is_kept() -> None:
    """A generation starts from what the roots still need; the host's and the unneeded go."""
    assert {"a", "s"} == keep(wishes("a"), BEFORE)
    assert {"a", "b", "s", "t"} == keep(wishes("a", "b", "new"), BEFORE)


def test_a_renewed_root_gives_up_what_only_it_needs() -> None:
    """Its own distribution and its private dependencies are chosen anew, shared ones stay."""
    assert {"a", "s"} == keep(wishes("a", "b"), BEFORE, "pypi:b")
    assert set() == keep(wishes("a", "b"), BEFORE, EVERYTHING)


def test_what_does_not_fit_any_more_is_given_up() -> None:
    """A version that a wish excludes is not carried over, and the rest is."""
    assert {"a"} == keep(wishes("a", "s>=2"), BEFORE)


def test_a_wish_that_the_host_cannot_fulfil_is_refused() -> None:
    """Both sides are named; a wish that the host does not know is no conflict."""
    refuse_host_conflicts(wishes("h>=1", "other"), dists("h 1"))
    with pytest.raises(HostConflict, match=r"pypi:h>=2 needs h>=2, .* has h 1\."):
        refuse_host_conflicts(wishes("h>=2"), dists("h 1"))


def test_a_marker_that_does_not_hold_is_no_conflict() -> None:
    """A requirement for another Python is not held against the host."""
    refuse_host_conflicts([Wish("x", "h>=2; python_version < '3'")], dists("h 1"))


def host(*rows: str) -> Host:
    return Host((), dists(*rows), "cpython-311", "f")


def test_scopes_that_need_different_versions_are_told() -> None:
    """The project's copy wins; the user's distribution that cannot live with it is named with both sides."""
    project, user = dists("s 1.9"), dists("b 1: s>=2", "s 2.0")
    expected = ScopeConflict("b 1", "user", "s>=2", "s", "1.9", "project")
    assert (expected,) == scope_conflicts(host(), [("project", project), ("user", user)])


def test_scopes_that_agree_are_fine() -> None:
    """Equal or fitting versions are no conflict, and what a scope lacks is another check's affair."""
    project, user = dists("s 2.1", "c 1: absent"), dists("b 1: s>=2", "s 2.0")
    assert () == scope_conflicts(host("h 1"), [("project", project), ("user", user)])


def test_a_shadowed_distribution_asks_for_nothing() -> None:
    """What will not be imported has no say."""
    project, user = dists("b 2", "s 1.9"), dists("b 1: s>=2", "s 2.0")
    assert () == scope_conflicts(host(), [("project", project), ("user", user)])
