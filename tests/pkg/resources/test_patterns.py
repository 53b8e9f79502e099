"""Lists of patterns: the rule of filters holds for every list and every candidate."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.resources.marks import is_pattern
from pi_pkg.resources.patterns import PatternList, Subject, Verdict, parse_pattern

BASE = "/pk"
PATHS = ("extensions/a.py", "extensions/b.py", "extensions/sub/__init__.py", "skills/foo/SKILL.md")
SUBJECTS = tuple(Subject.of(f"{BASE}/{path}", BASE) for path in PATHS)
BODY = st.sampled_from(
    [*PATHS, "a.py", "*.py", "**", "extensions/*", "foo", "skills/foo", "{a,b}.py", "/pk/extensions/a.py"]
)
TEXT = st.builds(str.__add__, st.sampled_from(["", "!", "+", "-"]), BODY)
LISTS = st.lists(TEXT, max_size=6)


def states(texts: list[str]) -> list[bool]:
    patterns = PatternList(texts)
    return [patterns.select(subject).enabled for subject in SUBJECTS]


@given(texts=LISTS, seed=st.integers())
def test_the_order_of_a_list_is_irrelevant(texts: list[str], seed: int) -> None:
    """§4.2: any order of the same patterns leaves the same candidates on."""
    shuffled = list(texts)
    random.Random(seed).shuffle(shuffled)
    assert states(texts) == states(shuffled)


@given(texts=LISTS, body=st.sampled_from(PATHS))
def test_a_minus_beats_everything(texts: list[str], body: str) -> None:
    """§4.2: an exact `-path` leaves its candidate off, whatever else the list says."""
    assert not states([*texts, f"-{body}"])[PATHS.index(body)]


@given(texts=LISTS, body=st.sampled_from(PATHS))
def test_a_plus_beats_all_but_a_minus(texts: list[str], body: str) -> None:
    """§4.2: an exact `+path` leaves its candidate on unless a `-` of the list names it."""
    position = PATHS.index(body)
    named = PatternList(text for text in texts if text.startswith("-"))
    excluded = any(pattern.matches(SUBJECTS[position]) for pattern in named.patterns)
    assert excluded is not states([*texts, f"+{body}"])[position]


@given(texts=LISTS)
def test_enabling_one_thing_changes_no_other(texts: list[str]) -> None:
    """A `+path` added to a list changes the state of that path alone."""
    before, after = states(texts), states([*texts, f"+{PATHS[0]}"])
    assert before[1:] == after[1:]


@given(texts=LISTS)
def test_every_verdict_names_its_pattern(texts: list[str]) -> None:
    """What is off is off by a pattern of the list, or because no include names it."""
    patterns = PatternList(texts)
    includes = any(pattern.kind == "include" for pattern in patterns.patterns)
    for subject in SUBJECTS:
        verdict = patterns.select(subject)
        assert verdict.enabled or verdict.pattern in texts or (includes and verdict.pattern is None)


@given(texts=LISTS)
def test_what_never_matched_is_known(texts: list[str]) -> None:
    """`unmatched` are exactly the patterns that match none of the candidates they were held against."""
    patterns = PatternList(texts)
    for subject in SUBJECTS:
        patterns.select(subject)
    silent = [
        text for text in dict.fromkeys(texts) if not any(parse_pattern(text).matches(s) for s in SUBJECTS)
    ]
    assert tuple(silent) == patterns.unmatched()


@given(texts=LISTS)
def test_a_sparse_list_lets_the_last_match_decide(texts: list[str]) -> None:
    """§4.3: of the patterns that match, the last one's kind is the state; the others are not spoken of."""
    expected = {}
    for position, subject in enumerate(SUBJECTS):
        hits = [text for text in texts if parse_pattern(text).matches(subject)]
        if hits:
            expected[position] = Verdict(hits[-1][0] not in "!-", hits[-1])
    assert expected == PatternList(texts).sparse(SUBJECTS)


@pytest.mark.parametrize("entry", ["a*", "a?", "!a", "+a", "-a"])
def test_marks_and_wildcards_make_a_pattern(entry: str) -> None:
    """§4.5: an entry with a mark, `*` or `?` is a pattern."""
    assert is_pattern(entry)


@pytest.mark.parametrize("entry", ["prompts/a.md", "{a,b}.md", "[a].md", "~/a"])
def test_anything_else_is_a_path(entry: str) -> None:
    """§4.5: braces and brackets alone are literal names."""
    assert not is_pattern(entry)


def test_a_home_in_a_pattern_is_expanded() -> None:
    """`~` at the start of a pattern is the home folder, its dots resolved."""
    subject = Subject.of("/ex/x.md", "/agent")
    assert not PatternList(["-~/../ex/x.md"], home="/home").select(subject).enabled


def test_a_malformed_glob_matches_nothing_and_is_told() -> None:
    """A glob that cannot be compiled excludes nothing, includes nothing, and is among the problems."""
    patterns = PatternList(["{1..100000}.py"])
    assert not patterns.select(SUBJECTS[0]).enabled
    assert 1 == len(patterns.problems)


def test_an_entry_point_is_known_by_its_name() -> None:
    """Filters may name an advertised extension by its entry point."""
    subject = Subject.of("/site/bundle/gate.py", "/site/bundle", ("gate",))
    assert [False, False] == [PatternList([text]).select(subject).enabled for text in ("!gate", "-gate")]
