"""Every target keeps its promise on the corpus and on what hypothesis makes of the grammar."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS, manifest, source
from tests.fuzz.targets import settings as settings_text

CORPUS = Path(__file__).parent / "corpus"
SEEDS = [(name, path) for name in TARGETS for path in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize(("name", "path"), SEEDS, ids=[f"{name}-{path.stem}" for name, path in SEEDS])
def test_the_corpus_is_understood_or_refused(name: str, path: Path) -> None:
    """Each recorded input, those among them that once broke something, keeps the promises."""
    data = path.read_bytes()
    TARGETS[name](data)
    for cut in range(0, len(data), 7):
        TARGETS[name](data[:cut])


PIECES = st.sampled_from([
    "pypi:", "git:", "npm:", "env:", "file://", "https://", "ssh://", "github:", "git+https://", "~/", "./",
    "../", "/", "//", "@", "#", "#subdirectory=", ":", "?", "%2f", "%", "%zz", "..", ".git", "-", "--x", "[",
    ">=1", "==", "^1.2", "~", "*", "||", " - ", ";", ",", "host.example", "localhost", "u", "r", "v1", " ",
    "\\", "\0", "\n", "\u00a0", "\u202e", "é", "www.github.com", "user:pw", "2222", "tree/main", "C:\\",
])  # fmt: skip


@settings(max_examples=300)
@given(pieces=st.lists(PIECES, max_size=8))
def test_any_order_of_the_grammars_pieces(pieces: list[str]) -> None:
    """Pieces of sources in any order are a source that round-trips, or an error with its parts."""
    source("".join(pieces).encode("utf-8"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from([
    "extensions", "skills", "prompts", "themes", "requires-host", "tested-host", "guard", "changelog", "x",
    "packages", "source", "autoload", "install", "budgets", "clashes", "keys", "default-project-trust",
])  # fmt: skip

HEADERS = ["", "[tool.pi]\n", "[project]\n", "[project.entry-points]\n"]


def toml(value: object) -> str:
    """A value as TOML writes it; what it has no word for becomes a string."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return f"{{{', '.join(f'{toml(str(key))} = {toml(item)}' for key, item in value.items())}}}"
        case _:
            return quoted(str(value))


def quoted(text: str) -> str:
    return '"' + "".join(f"\\U{ord(char):08X}" for char in text) + '"'


@settings(max_examples=150)
@given(
    table=st.dictionaries(KEYS, VALUES, max_size=4),
    header=st.sampled_from(["", "[tool.pi]\n", "[project]\n"]),
)
def test_any_value_for_any_key(table: dict[str, object], header: str) -> None:
    """Every key with every type of value, in a manifest and in settings."""
    text = header + "".join(f"{key} = {toml(value)}\n" for key, value in table.items())
    manifest(text.encode("utf-8"))
    settings_text(text.encode("utf-8"))


@settings(max_examples=150)
@given(data=st.binary(max_size=60) | st.text("[]{}=.'\"#\n\\tolpi ,ab", max_size=60).map(str.encode))
def test_any_bytes(data: bytes) -> None:
    """Noise is refused or read, by every target."""
    for target in TARGETS.values():
        target(data)
