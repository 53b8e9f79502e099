"""Records of one file: the first added keeps the path, the first by rank keeps the file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.provenance import Provenance
from pi_pkg.resources.candidates import Candidate, Choice
from pi_pkg.resources.ranking import Rank, Ranking, Record


def record(rank: Rank, path: str, real: str, enabled: bool = True, attribute: str | None = None) -> Record:
    provenance = Provenance(path, "s", "user", "top-level")
    return Record(rank, "extensions", Choice(Candidate(path, real, attribute=attribute), enabled), provenance)


def ranked(records: list[Record]) -> Ranking:
    ranking = Ranking()
    for item in records:
        ranking.add(item)
    return ranking


RECORDS = st.lists(
    st.builds(
        lambda rank, path, enabled: record(rank, f"/{path}", f"/real/{path[0]}", enabled),
        st.sampled_from(Rank), st.sampled_from(["a", "a2", "b", "b2", "c"]), st.booleans(),
    ),
    max_size=8,
)  # fmt: skip


@given(records=RECORDS)
def test_each_real_file_counts_once_and_ranks_ascend(records: list[Record]) -> None:
    """No real file twice, none lost, and the kept records stand in rank order."""
    rank_of = {item.candidate.path: item.rank for item in reversed(records)}
    found = ranked(records).ordered()
    assert len({item.path[1] for item in found}) == len(found)
    assert {item.candidate.path[1] for item in records} == {item.path[1] for item in found}
    ranks = [rank_of[item.path] for item in found]
    assert sorted(ranks) == ranks


@given(records=RECORDS)
def test_deduplication_is_idempotent(records: list[Record]) -> None:
    """What was deduplicated and ordered comes out the same when it goes in again."""
    first = ranked(records).ordered()
    rank_of = {item.candidate.path: item.rank for item in reversed(records)}
    again = [record(rank_of[item.path], item.path, f"/real/{item.path[1]}", item.enabled) for item in first]
    assert [(item.path, item.enabled) for item in first] == [
        (item.path, item.enabled) for item in ranked(again).ordered()
    ]


def test_a_disabled_record_hides_a_lower_one() -> None:
    """§5: a disabled record of a higher rank hides an enabled one of the same file."""
    records = [record(Rank.USER_AUTO, "/a", "/r"), record(Rank.PROJECT_SETTINGS, "/l", "/r", enabled=False)]
    assert [("/l", False)] == [(item.path, item.enabled) for item in ranked(records).ordered()]


def test_two_factories_of_one_module_are_two_extensions() -> None:
    """Entry points may name two objects of one file; the default name is the file itself."""
    records = [
        record(Rank.USER_PACKAGE, "/m.py", "/m.py", attribute="extension"),
        record(Rank.USER_PACKAGE, "/m.py", "/m.py", attribute="other"),
        record(Rank.USER_AUTO, "/link.py", "/m.py"),
    ]
    assert [("/link.py", None), ("/m.py", "other")] == [
        (item.path, item.attribute) for item in ranked(records).ordered()
    ]
