"""One glob as a predicate: our own compiler for simple globs agrees with the library for all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.resources.globs import GlobError, compile_glob, compile_rich, compile_simple, is_rich

MATCHES = [
    ("a.py", "a.py"),
    ("*.py", "a.py"),
    ("extensions/*.py", "extensions/a.py"),
    ("**/b.py", "b.py"),
    ("**/b.py", "extensions/sub/b.py"),
    ("**/sub/*", "/abs/sub/x.md"),
    ("**", "a/b/c"),
    ("a/**", "a/b/c"),
    ("?.py", "a.py"),
    ("{a,b}.py", "b.py"),
    ("[!_]*.py", "a.py"),
    ("@(a|b).py", "b.py"),
    ("!(a).py", "b.py"),
    ("!a.py", "b.py"),
    ("(a).py", "(a).py"),
    (".cfg/*.py", ".cfg/a.py"),
]
MISSES = [
    ("*.py", "extensions/a.py"),
    ("*.py", ".a.py"),
    ("*", ".hidden"),
    ("**", ".git/h.py"),
    ("**/sub/*", "a/.d/sub/x.md"),
    ("a/**", "a"),
    ("A.py", "a.py"),
    ("./a.py", "a.py"),
    ("#a.py", "#a.py"),
    ("!!a.py", "b.py"),
    ("{a,b}.py", "c.py"),
    ("!(a).py", "a.py"),
]


@pytest.mark.parametrize(("pattern", "path"), MATCHES)
def test_a_glob_matches(pattern: str, path: str) -> None:
    """`*` stays in a segment, `**` spans them, braces, classes and extended globs work, `!` negates."""
    assert compile_glob(pattern)(path)


@pytest.mark.parametrize(("pattern", "path"), MISSES)
def test_a_glob_does_not_match(pattern: str, path: str) -> None:
    """Dots at a segment's start are explicit, case counts, `./` is not stripped, `#` matches nothing."""
    assert not compile_glob(pattern)(path)


def test_a_glob_that_expands_without_end_is_refused() -> None:
    """A brace bomb is an error that names the pattern, not a hang."""
    with pytest.raises(GlobError, match="is no glob"):
        compile_glob("{1..100000}.py")


SEGMENT = st.sampled_from(["a", "b", "ab", ".a", "a.b", "*", "**", "a*", "*b", "?", "?b", "*.b", ".*"])
NAME = st.sampled_from(["a", "b", "ab", "abb", ".a", "a.b", ".b"])


@given(
    pattern=st.lists(SEGMENT, min_size=1, max_size=4).map("/".join),
    path=st.lists(NAME, min_size=1, max_size=4).map("/".join),
)
def test_the_simple_compiler_agrees_with_the_library(pattern: str, path: str) -> None:
    """For globs of `*`, `?` and `**` our compiler and wcmatch say the same."""
    assert not is_rich(pattern)
    assert compile_rich(pattern)(path) == compile_simple(pattern)(path)
