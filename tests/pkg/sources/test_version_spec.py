"""Version requirements of a `pypi:` source.

Touches: nothing.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from pi_pkg.sources.version_spec import Untranslatable, translate

TABLE = {
    "1.2.3": "==1.2.3",
    "v1.2.3": "==1.2.3",
    "=1.2.3": "==1.2.3",
    "1": "==1",
    "1!2.0": "==1!2.0",
    "1.0b1": "==1.0b1",
    "2.0.0-beta.3": "==2.0.0b3",
    "1.0.post1": "==1.0.post1",
    "1.2+local.1": "==1.2+local.1",
    "^1.2": ">=1.2,<2",
    "^0.2.3": ">=0.2.3,<0.3",
    "^0.0.3": ">=0.0.3,<0.0.4",
    "^0.0": ">=0.0,<0.1",
    "^0": ">=0,<1",
    "^1.x": ">=1,<2",
    "^1.2.3-rc.1": ">=1.2.3rc1,<2",
    "^1!2.0": ">=1!2.0,<1!3",
    "~1.2.3": ">=1.2.3,<1.3",
    "~1.2": ">=1.2,<1.3",
    "~1": ">=1,<2",
    "1.x": "==1.*",
    "1.2.*": "==1.2.*",
    "1.x.x": "==1.*",
    "1.2.3 - 2.3.4": ">=1.2.3,<=2.3.4",
    ">=1 <2": ">=1,<2",
    ">=1,<2": ">=1,<2",
    ">= 1 , < 2": ">=1,<2",
    ">=1.x": ">=1",
    "~=1.4": "~=1.4",
    "!=1.3.*": "!=1.3.*",
    "===weird": "===weird",
    "*": "",
    "x": "",
    "latest": "",
    "next": ">=0.dev0",
}

REFUSED = {
    "^1 || ^2": "'||'",
    "foo": "'foo' is no version",
    "beta": "'beta' is no version",
    "1.2.3@v1": "is no version",
    "git+https://x/y": "is no version",
    "1,": "is no version",
    ">=1,,<2": "is no version",
    ">": "is no version",
    "~=1": "needs two numbers",
    ">1.0+x": "can only be compared with '=='",
    "1.0 --pre": "is no version",
    "===a;b": "is no version",
    "": "is no version",
}


@pytest.mark.parametrize(("text", "specifier"), TABLE.items())
def test_spellings_are_translated_to_pep_440(text: str, specifier: str) -> None:
    """Each accepted spelling has one PEP 440 form."""
    assert specifier == translate(text)


@pytest.mark.parametrize("text", TABLE)
def test_a_translation_is_left_as_it_is(text: str) -> None:
    """What was translated is PEP 440, and PEP 440 passes unchanged."""
    once = translate(text)
    assert once == (translate(once) if once else "")


@pytest.mark.parametrize(("text", "reason"), REFUSED.items())
def test_other_spellings_are_refused_by_name(text: str, reason: str) -> None:
    """What has no PEP 440 form is an error that quotes the piece."""
    with pytest.raises(Untranslatable) as refusal:
        translate(text)
    assert reason in str(refusal.value)


releases = st.lists(st.integers(0, 20), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
suffixes = st.sampled_from(["", "a1", "b2", "rc3", ".post1", ".dev4", "-beta.2", "-1"])
versions = st.builds(str.__add__, releases, suffixes)
operators = st.sampled_from(["", "=", "==", "!=", ">=", "<=", ">", "<", "^", "~"])


@given(st.lists(st.tuples(operators, versions), min_size=1, max_size=3))
def test_every_translation_is_understood_by_packaging(clauses: list[tuple[str, str]]) -> None:
    """Our grammar, written without the packaging library, never makes a specifier that it refuses."""
    SpecifierSet(translate(",".join(operator + version for operator, version in clauses)))


@given(versions)
def test_a_bare_version_is_exactly_that_version(version: str) -> None:
    """`@1.2` means `==1.2`."""
    assert SpecifierSet(translate(version)).contains(Version(version), prereleases=True)


@given(versions, st.sampled_from("^~"))
def test_a_compatible_range_holds_its_own_start(version: str, operator: str) -> None:
    """`^v` and `~v` allow v."""
    assert SpecifierSet(translate(operator + version)).contains(Version(version), prereleases=True)


@given(st.text(max_size=30))
def test_any_text_is_translated_or_refused(text: str) -> None:
    """No text makes it fail in another way, and whatever passes is PEP 440."""
    try:
        SpecifierSet(translate(text))
    except Untranslatable:
        pass
