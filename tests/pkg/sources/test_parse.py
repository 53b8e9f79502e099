"""The grammar of sources: design's forms, the reference's cases A1-A17, and every rejection.

Touches: files.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.errors import SourceError
from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source
from pi_pkg.sources.parse import environment_name, parse_source

BASE = Path("/proj")
HOME = Path("/home/u")


def parse(text: str) -> Source:
    return parse_source(text, base=BASE, home=HOME)


PYPI = {
    "pypi:foo": ("pypi:foo", (), "", False),
    "pypi: foo ": ("pypi:foo", (), "", False),
    "pypi:Foo_Bar.baz": ("pypi:foo-bar-baz", (), "", False),
    "pypi:foo@1.2.3": ("pypi:foo", (), "==1.2.3", True),
    "pypi:foo==1.2.3": ("pypi:foo", (), "==1.2.3", True),
    "pypi:foo===1.2.3": ("pypi:foo", (), "===1.2.3", True),
    "pypi:foo@^1.2": ("pypi:foo", (), ">=1.2,<2", False),
    "pypi:foo>=1,<2": ("pypi:foo", (), ">=1,<2", False),
    "pypi:foo >=1, <2": ("pypi:foo", (), ">=1,<2", False),
    "pypi:foo@1.x": ("pypi:foo", (), "==1.*", False),
    "pypi:foo==1.*": ("pypi:foo", (), "==1.*", False),
    "pypi:foo@latest": ("pypi:foo", (), "", False),
    "pypi:foo[Fast_JSON,tls,tls]@~1.4": ("pypi:foo", ("fast-json", "tls"), ">=1.4,<1.5", False),
    "pypi:foo^1": ("pypi:foo", (), ">=1,<2", False),
}


@pytest.mark.parametrize(("text", "expected"), PYPI.items())
def test_pypi_sources(text: str, expected: tuple[str, tuple[str, ...], str, bool]) -> None:
    """A1-A4: name, extras and requirement; the version never takes part in the identity."""
    source = parse(text)
    assert isinstance(source, PypiSource)
    assert expected == (source.identity, source.extras, source.specifier, source.pinned)


# text: clone URL, identity, ref, subdirectory
GIT: dict[str, tuple[str, str, str | None, str | None]] = {
    "git:github.com/u/r": ("https://github.com/u/r", "git:github.com/u/r", None, None),
    "git:github.com/u/r@v1": ("https://github.com/u/r", "git:github.com/u/r", "v1", None),
    "git:github.com/u/r.git@v1": ("https://github.com/u/r.git", "git:github.com/u/r", "v1", None),
    "git:github.com/u/r/": ("https://github.com/u/r", "git:github.com/u/r", None, None),
    "git:git@github.com:u/r": ("git@github.com:u/r", "git:github.com/u/r", None, None),
    "git:deploy@host.example:u/r@v1": ("deploy@host.example:u/r", "git:host.example/u/r", "v1", None),
    "git:git@host:u/r": ("git@host:u/r", "git:host/u/r", None, None),
    "git:git@host.example:2222/u/r": ("git@host.example:2222/u/r", "git:host.example/2222/u/r", None, None),
    "ssh://git@github.com/u/r@v2": ("ssh://git@github.com/u/r", "git:github.com/u/r", "v2", None),
    "ssh://git@h.example:2222/u/r": ("ssh://git@h.example:2222/u/r", "git:h.example/u/r", None, None),
    "https://u:t@github.com/u/r.git": ("https://u:t@github.com/u/r.git", "git:github.com/u/r", None, None),
    "https://host.example:8443/u/r@v1": ("https://host.example:8443/u/r", "git:host.example/u/r", "v1", None),
    "https://h.example/u/r@feature/x@y": ("https://h.example/u/r", "git:h.example/u/r", "feature/x@y", None),
    "https://WWW.GitHub.com/U/R": ("https://WWW.GitHub.com/U/R", "git:github.com/U/R", None, None),
    "HTTPS://host.example/u/r": ("https://host.example/u/r", "git:host.example/u/r", None, None),
    "git://host.example/u/r": ("git://host.example/u/r", "git:host.example/u/r", None, None),
    "git:https://github.com/u/r@v1": ("https://github.com/u/r", "git:github.com/u/r", "v1", None),
    "https://host.example/u/r@v1?x=1": ("https://host.example/u/r?x=1", "git:host.example/u/r", "v1", None),
    "git:host.example/a/b/c": ("https://host.example/a/b/c", "git:host.example/a/b/c", None, None),
    "git:HOST.example/u/r": ("https://HOST.example/u/r", "git:host.example/u/r", None, None),
    "git:host.example:8080/u/r": ("https://host.example:8080/u/r", "git:host.example/u/r", None, None),
    "git:localhost/u/r": ("https://localhost/u/r", "git:localhost/u/r", None, None),
    "git:me@host.example/u/r": ("https://me@host.example/u/r", "git:host.example/u/r", None, None),
    "https://[::1]:22/u/r": ("https://[::1]:22/u/r", "git:[::1]/u/r", None, None),
    "git:u/r": ("https://github.com/u/r", "git:github.com/u/r", None, None),
    "git:u/r@v1": ("https://github.com/u/r", "git:github.com/u/r", "v1", None),
    "github:u/r": ("https://github.com/u/r", "git:github.com/u/r", None, None),
    "gitlab:g/s/r@v1": ("https://gitlab.com/g/s/r", "git:gitlab.com/g/s/r", "v1", None),
    "bitbucket:u/r": ("https://bitbucket.org/u/r", "git:bitbucket.org/u/r", None, None),
    "git:codeberg:u/r": ("https://codeberg.org/u/r", "git:codeberg.org/u/r", None, None),
    "git:git.sr.ht/~u/r": ("https://git.sr.ht/~u/r", "git:git.sr.ht/~u/r", None, None),
    "https://github.com/u/r#v1": ("https://github.com/u/r", "git:github.com/u/r", "v1", None),
    "https://github.com/u/r/tree/dev": ("https://github.com/u/r", "git:github.com/u/r", "dev", None),
    "https://gitlab.com/u/r/-/tree/dev": ("https://gitlab.com/u/r", "git:gitlab.com/u/r", "dev", None),
    "git:github.com/u/r@v1#subdirectory=p/q/": (
        "https://github.com/u/r", "git:github.com/u/r#subdirectory=p/q", "v1", "p/q",
    ),
    "git:file:///srv/repo.git@v1": ("file:///srv/repo.git", "git:file:///srv/repo", "v1", None),
    "git:file:///my repos/r.git": ("file:///my repos/r.git", "git:file:///my repos/r", None, None),
    "git:file:///r": ("file:///r", "git:file:///r", None, None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), GIT.items())
def test_git_sources(text: str, expected: tuple[str, str, str | None, str | None]) -> None:
    """A5-A8, A11, A14, A17: the clone URL keeps scheme, user and port; the identity drops them."""
    source = parse(text)
    assert isinstance(source, GitSource)
    assert expected == (source.clone_url, source.identity, source.ref, source.subdirectory)


def test_only_a_full_commit_is_known_to_be_a_pin() -> None:
    """A branch and a tag look alike until the remote is asked; a full commit id does not."""
    pins = [parse(f"git:github.com/u/r{ref}").pinned for ref in ("", "@v1", "@main", "@" + "a" * 40)]
    assert [False, False, False, True] == pins


LOCAL = {
    "./x": "/proj/x",
    "../x": "/x",
    "/x/y": "/x/y",
    "~": "/home/u",
    "~/x": "/home/u/x",
    ".": "/proj",
    "..": "/",
    "  ./x  ": "/proj/x",
    "./a/./b/": "/proj/a/b",
    "./a b": "/proj/a b",
    "./w-1.0-py3-none-any.whl": "/proj/w-1.0-py3-none-any.whl",
    "./one.py": "/proj/one.py",
    "file:///srv/x": "/srv/x",
    "file:///srv/r.git@v1": "/srv/r.git@v1",
    "file:///srv/a%20b": "/srv/a b",
    "file://localhost/srv/x": "/srv/x",
    "FILE:///srv/x?y=1": "/srv/x",
}


@pytest.mark.parametrize(("text", "path"), LOCAL.items())
def test_local_sources(text: str, path: str) -> None:
    """A15: paths and file URLs; relative ones start at the base, `~` is the home folder."""
    source = parse(text)
    assert isinstance(source, LocalSource)
    assert path == source.path


# text: what the message must say
REFUSED = {
    "": "it is empty",
    "   ": "it is empty",
    "npm:foo@1": "write pypi:foo.",
    "npm:@s/p@1.2.3": "write pypi:p.",
    "NPM:foo": "Write pypi:foo.",
    "PyPI:foo": "Write pypi:foo.",
    "GIT:github.com/u/r": "Write git:github.com/u/r.",
    "pypi:": "no name follows 'pypi:'",
    "pypi:../x": "'../x' is no distribution name",
    "pypi:@s/p": "is no distribution name",
    "pypi:foo@": "nothing follows the '@'",
    "pypi:foo@^1 || ^2": "has no counterpart",
    "pypi:foo@beta": "'beta' is no version",
    "pypi:foo@https://h/x.whl": "is no version",
    "pypi:foo; python_version>'3'": "environment marker",
    "pypi:foo bar": "after the name is no version",
    "pypi:foo[a b]": "is no list of extras",
    "pypi:-r": "is no distribution name",
    "env:foo": "installed beside pi",
    "foo": "write pypi:foo, for a path ./foo.",
    "foo@1.2": "write pypi:foo@1.2",
    "github.com/u/r": "write git:github.com/u/r.",
    "u/r": "there is no such path in /proj",
    "~user/x": "'~NAME' is not expanded",
    "git@github.com:u/r": "Write git:git@github.com:u/r.",
    "svn:x": "'svn:' is no kind of source",
    "svn://x/y": "not fetched over 'svn'",
    "ftp://h.example/u/r": "not fetched over 'ftp'",
    "git+https://github.com/u/r": "Write git:https://github.com/u/r.",
    "https:/github.com/u/r": "Write https://HOST/ORG/REPO.",
    "file:x": "Write file:///PATH.",
    "file://host/x": "needs three slashes",
    "git:": "it names no repository",
    "git:foo": "it names no repository",
    "git:host/u/r": "'host' is no host name (it has no dot)",
    "git:host.example/r": "'r' is one path segment",
    "https://host.example/r": "'r' is one path segment",
    "https://host.example": "it names no repository",
    "git:/srv/x/y": "Write git:file:///srv/x/y.",
    "git:./ext": "needs a file URL",
    "git:file://host/x": "names another machine",
    "git:host.example/u/../r": "through a '..'",
    "https://host.example/u/..%2f..%2fr": "through a '..'",
    "https://host.example/../u/r": "through a '..'",
    "git:git@host.example:/abs/x": "a segment of its path is empty",
    "git:git@host.example:u\\r/x": "holds a backslash",
    "git:git@host.example:u/%zz": "holds a broken % escape",
    "git:git@host.example:u/%5cx": "holds a backslash",
    "git:git@host.example:u/%00": "holds a blank or a control character",
    "git:git@host.example:u/r?ref=1": "a '?' has no meaning outside a URL",
    "git:host%2f.example/u/r": "is no host name",
    "git:github.com/u r/x": "holds a blank",
    "git:github.com/u/r@": "nothing follows the '@'",
    "git:github.com/u/r#": "nothing follows the '#'",
    "git:github.com/u/r@v1#v2": "two refs, 'v1' and 'v2'",
    "git:github.com/u/r@-x": "could be taken for an option",
    "git:github.com/u/r@--upload-pack=touch PWNED": "could be taken for an option",
    "git:-oProxyCommand=x/u/r": "",
    "ssh://-oProxyCommand=x/u/r": "",
    "git:git@-oProxyCommand=x:u/r": "",
    "git:git@host.example:-u/r": "could be taken for an option",
    "git:-u@host.example:u/r": "could be taken for an option",
    "git:github.com/u/r@a..b": "is no name of a branch, tag or commit",
    "git:github.com/u/r@a^": "is no name of a branch, tag or commit",
    "git:github.com/u/r@x.lock": "is no name of a branch, tag or commit",
    "git:github.com/u/r@dev/": "is no name of a branch, tag or commit",
    "git:github.com/u/r@HEAD@{1}": "is no name of a branch, tag or commit",
    "git:github.com/u/r#subdirectory=../x": "is no folder inside the repository",
    "git:github.com/u/r#subdirectory=/x": "is no folder inside the repository",
    "git:github.com/u/r#subdirectory=": "is no folder inside the repository",
    "git:github.com/u/r#egg=x": "'egg' has no meaning",
    "https://github.com/u/r/tree/a/b": "does not say where its ref ends",
    "a\0b": "holds a control character",
    "./a\nb": "holds a control character",
}


@pytest.mark.parametrize(("text", "said"), REFUSED.items())
def test_everything_else_is_refused_with_the_accepted_spelling(text: str, said: str) -> None:
    """A9, A10, A12, A13, A16: no remote or misspelt source is ever taken for a path."""
    with pytest.raises(SourceError) as refusal:
        parse(text)
    assert said in str(refusal.value)
    assert refusal.value.hint


def test_the_error_has_its_parts() -> None:
    """What was asked, what was found and what to do stay attributes."""
    with pytest.raises(SourceError) as refusal:
        parse("git:github.com/u/r@")
    error = refusal.value
    assert ("git:github.com/u/r@", "nothing follows the '@'") == (error.asked, error.found)
    assert "Write git:HOST/ORG/REPO[@REF][#subdirectory=PATH]." == error.hint


def test_a_bare_name_that_exists_is_a_path(tmp_path: Path) -> None:
    """A9: without any mark, only what stands there is local."""
    (tmp_path / "foo").mkdir()
    source = parse_source("foo", base=tmp_path, home=HOME)
    assert str(tmp_path / "foo") == source.identity.removeprefix("local:")


def test_links_to_one_folder_are_one_package(tmp_path: Path) -> None:
    """The identity of a local source is its real path."""
    (tmp_path / "pk").mkdir()
    (tmp_path / "link").symlink_to("pk")
    one, other = (parse_source(text, base=tmp_path, home=HOME) for text in ("./pk", "./link"))
    assert one.identity == other.identity
    assert isinstance(other, LocalSource)
    assert str(tmp_path / "link") == other.path


def test_environment_names_are_told_apart() -> None:
    """`env:NAME` is known to readers of settings, though it cannot be installed."""
    assert "foo-bar" == environment_name(" env:Foo_Bar ")
    assert environment_name("pypi:foo") is environment_name("env:") is environment_name("env:a b") is None


@pytest.mark.parametrize("text", [*PYPI, *GIT, *LOCAL])
def test_every_source_round_trips(text: str) -> None:
    """The canonical spelling parses to the same source."""
    source = parse(text)
    assert replace(source, text=source.canonical) == parse(source.canonical)


names = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?", fullmatch=True)
releases = st.lists(st.integers(0, 30), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts)))
segments = st.from_regex(r"[A-Za-z0-9_~][A-Za-z0-9_.~+-]{0,8}", fullmatch=True).filter(
    lambda text: not text.endswith(".git")
)
refs = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,6}(/[A-Za-z0-9_-]{1,6}){0,2}", fullmatch=True)


@given(names, st.sampled_from(["@", "@^", "@~", ">=", "==", "!=", "<"]), releases)
def test_pypi_sources_round_trip(name: str, operator: str, release: str) -> None:
    """Any name with any requirement comes back from its canonical spelling."""
    source = parse(f"pypi:{name}{operator}{release}")
    assert replace(source, text=source.canonical) == parse(source.canonical)


@given(
    st.sampled_from(["git:host.example/", "https://h:1/", "ssh://git@h/", "git:me@h:", "git:file:///"]),
    st.lists(segments, min_size=2, max_size=4),
    st.none() | refs,
    st.none() | segments,
)
def test_git_sources_round_trip(prefix: str, path: list[str], ref: str | None, sub: str | None) -> None:
    """Any address with any ref and subdirectory comes back from its canonical spelling."""
    text = prefix + "/".join(path) + (f"@{ref}" if ref else "") + (f"#subdirectory={sub}" if sub else "")
    source = parse(text)
    assert isinstance(source, GitSource)
    assert (ref, sub) == (source.ref, source.subdirectory)
    assert replace(source, text=source.canonical) == parse(source.canonical)


@given(st.text(max_size=40) | st.text("git:@/.#-~hostpyi[]%2f\\ ", max_size=30))
def test_any_text_is_a_source_or_a_source_error(text: str) -> None:
    """No text makes the parser fail in another way, and no part can be taken for an option."""
    try:
        source = parse(text)
    except SourceError:
        return
    if isinstance(source, GitSource):
        assert not source.clone_url.startswith("-")
        assert not (source.ref or "").startswith("-")
    if isinstance(source, LocalSource):
        assert os.path.isabs(source.path)
