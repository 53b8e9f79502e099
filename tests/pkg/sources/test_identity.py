"""When two strings mean one package, and how a source is stored: cases B2-B5, B8.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.sources.identity import identity_of, stored_form
from pi_pkg.sources.parse import parse_source

CWD = Path("/w/proj")
AGENT = Path("/w/agent")


def stored(text: str, settings_dir: Path) -> str:
    return stored_form(parse_source(text, base=CWD, home=Path("/w/home")), settings_dir=settings_dir)


@pytest.mark.parametrize(
    ("text", "folder", "expected"),
    [
        pytest.param("../pk", AGENT, "../pk", id="B2"),
        pytest.param("./a", CWD / ".pi", "../a", id="B3"),
        pytest.param("/w/agent", AGENT, ".", id="B4"),
        pytest.param("/w/agent/pkgs/a", AGENT, "./pkgs/a", id="below the folder"),
        pytest.param("./a", AGENT, "../proj/a", id="reference 2.1"),
        pytest.param("~/x", AGENT, "../home/x", id="home"),
        pytest.param("file:///w/pk", AGENT, "../pk", id="file URL"),
        pytest.param(" pypi:x@^1 ", AGENT, "pypi:x@^1", id="as written"),
        pytest.param("github:o/r@v1", AGENT, "github:o/r@v1", id="shorthand"),
    ],
)
def test_what_is_written_into_a_settings_file(text: str, folder: Path, expected: str) -> None:
    """Local paths are relative to the settings file's folder, all else stays as written."""
    assert expected == stored(text, folder)


@pytest.mark.parametrize("text", ["../pk", "/w/agent/pkgs/a", "~/x", "./.", "/", "file:///w/a%20/", "/w/a /"])
def test_a_stored_path_is_recognised_as_a_path(text: str) -> None:
    """What is stored parses to the same source from the settings file's folder, existing or not."""
    before = parse_source(text, base=CWD, home=Path("/w/home"))
    after = parse_source(stored(text, AGENT), base=AGENT, home=Path("/w/home"))
    assert before.identity == after.identity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("../pk", "/w/pk/", id="B5"),
        pytest.param("git:git@h.example:u/r", "https://h.example:8443/u/r.git@v1", id="B8"),
        pytest.param("pypi:Foo_Bar@1", "pypi:foo-bar[x]>2", id="names"),
        pytest.param("env:Foo_Bar", "env:foo.bar", id="environment"),
    ],
)
def test_strings_that_mean_one_package(one: str, other: str) -> None:
    """Versions, refs, schemes, users, ports and spellings of a name do not tell packages apart."""
    identities = [identity_of(text, base=CWD, home=Path("/w/home")) for text in (one, other)]
    assert identities[0] is not None
    assert identities[0] == identities[1]


def test_no_source_has_no_identity() -> None:
    """A settings entry that is no source matches nothing."""
    assert identity_of("npm:x", base=CWD, home=CWD) is None
