"""Which package entries count: the reference's §4.4 and its cases H9 to H11."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.resources.merge import Identified, PlannedEntry, plan_entries
from pi_pkg.settings.model import PackageEntry

FULL = ("x", PackageEntry("full"))
OTHER = ("x", PackageEntry("other", extensions=()))
DELTA = ("x", PackageEntry("delta", autoload=False))


def shape(planned: tuple[PlannedEntry, ...]) -> list[tuple[str, str, str, str]]:
    return [(item.entry.source, item.scope, item.owner, item.located_by.source) for item in planned]


def test_a_projects_entry_replaces_the_users() -> None:
    """H9: project P, user same package: the user's is dropped."""
    assert [("full", "project", "project", "full")] == shape(plan_entries([FULL], [OTHER]))


def test_a_delta_stands_before_the_users_entry() -> None:
    """H1, H10: a delta is kept beside the user's entry and reads the user's installation."""
    expected = [("delta", "project", "user", "full"), ("full", "user", "user", "full")]
    assert expected == shape(plan_entries([DELTA], [FULL]))


def test_a_sparse_entry_alone_reads_its_own_installation() -> None:
    """H6: without a user's entry a sparse project entry is located by itself."""
    assert [("delta", "project", "project", "delta")] == shape(plan_entries([DELTA], []))


def test_of_the_users_entries_the_first_counts() -> None:
    """H11: a duplicate in the user's list is ignored."""
    assert [("full", "user", "user", "full")] == shape(plan_entries([], [FULL, OTHER]))


def test_of_the_projects_entries_the_last_counts() -> None:
    """H11: a duplicate in the project's list replaces the first, in its place."""
    there = ("y", PackageEntry("there"))
    expected = [("other", "project", "project", "other"), ("there", "project", "project", "there")]
    assert expected == shape(plan_entries([FULL, there, OTHER], []))


def test_a_delta_after_a_full_entry_acts_as_delta() -> None:
    """§4.4: project full, then project delta, and a user's entry: the delta replaces the full one."""
    expected = [("delta", "project", "user", "other"), ("other", "user", "user", "other")]
    assert expected == shape(plan_entries([FULL, DELTA], [OTHER]))


ENTRIES = st.lists(
    st.builds(
        lambda identity, number, autoload: (identity, PackageEntry(f"{identity}{number}", autoload=autoload)),
        st.sampled_from("abc"), st.integers(0, 9), st.booleans(),
    ),
    max_size=6,
)  # fmt: skip


@given(project=ENTRIES, user=ENTRIES)
def test_planning_is_idempotent(project: list[Identified], user: list[Identified]) -> None:
    """A plan, written down again as entries of its scopes, is the same plan."""
    first = plan_entries(project, user)
    again = plan_entries(
        [(item.identity, item.entry) for item in first if item.scope == "project"],
        [(item.identity, item.entry) for item in first if item.scope == "user"],
    )
    assert first == again


@given(project=ENTRIES, user=ENTRIES)
def test_a_package_counts_once_a_scope(project: list[Identified], user: list[Identified]) -> None:
    """Every declared package is in the plan; twice only as a delta over the user's entry."""
    plan = plan_entries(project, user)
    assert {identity for identity, _ in (*project, *user)} == {item.identity for item in plan}
    assert len(plan) == len({(item.identity, item.scope) for item in plan})
    for item in plan:
        twice = sum(other.identity == item.identity for other in plan) == 2
        assert not twice or item.owner == "user"
