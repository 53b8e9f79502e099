"""From bytes to a document and back: caps, encodings, line ends, and where an error is.

Touches: nothing.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.errors import SettingsError
from pi_pkg.settings.text import MAX_BYTES, decode, parse


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=40), st.booleans())
def test_an_unedited_text_is_written_byte_for_byte(text: str, bom: bool) -> None:
    """A byte-order mark and the line ends survive."""
    for data in (text.encode(), text.replace("\n", "\r\n").encode()):
        data = (b"\xef\xbb\xbf" if bom else b"") + data
        found = decode("f", data)
        assert data == found.encode(found.text)


def test_new_lines_of_a_crlf_file_end_as_its_others() -> None:
    """What is added to a file with `\\r\\n` gets `\\r\\n`."""
    found = decode("f", b"a = 1\r\n")
    assert b"a = 1\r\nb = 2\r\n" == found.encode("a = 1\nb = 2\n")


def test_mixed_line_ends_are_left_alone() -> None:
    """A file with both kinds keeps each where it is."""
    data = b"a = 1\r\nb = 2\n"
    assert data == decode("f", data).encode(decode("f", data).text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nb = = 2\n", (2, 5)),
        ("a = [1,\n", (2, 1)),
        ('a = "x', (1, 7)),
        ("a = 1\na = 2\n", (2, 6)),
        ("[[a]]\n[a]\n", (2, 3)),
    ],
)
def test_a_syntax_error_names_its_place(text: str, place: tuple[int, int]) -> None:
    """Line and column count from 1; the end of the file is a place too."""
    with pytest.raises(SettingsError) as problem:
        parse("/s.toml", text)
    assert place == (problem.value.line, problem.value.column)
    assert str(problem.value).startswith(f"/s.toml:{place[0]}:{place[1]}: not valid TOML: ")


def test_bytes_that_are_no_text_are_named() -> None:
    """UTF-8 is strict: the byte and its place are in the message."""
    with pytest.raises(SettingsError, match=r"^/s\.toml:2:6: byte 0xff is not UTF-8\. Save") as problem:
        decode("/s.toml", b"a = 1\nb = '\xff'\n"[:11] + b"\xff'\n")
    assert (2, 6) == (problem.value.line, problem.value.column)


def test_a_file_beyond_the_cap_is_refused() -> None:
    """One byte more than the limit is too much."""
    assert "#" * MAX_BYTES == decode("f", b"#" * MAX_BYTES).text
    with pytest.raises(SettingsError, match="the limit is 1048576"):
        decode("f", b"#" * (MAX_BYTES + 1))


def test_a_document_nested_too_deeply_is_an_error() -> None:
    """The parser's recursion limit is not the caller's problem."""
    with pytest.raises(SettingsError, match="nested too deeply"):
        parse("f", "a = " + "[" * 100_000)
