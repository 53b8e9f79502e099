"""Foreign text steers no terminal, whatever is in it, and keeps to its columns."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from pi_core.clean import clean, clean_line, clean_output, is_clean, typed
from pi_core.modes.tui.style.builtin import dark
from pi_core.modes.tui.style.look import Look

ANYTHING = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=("Cc", "Cf", "Cs", "Mn", "Zl", "Zp")),
        st.sampled_from("\x1b[]m;?\x07\x9b漢字🎉👩‍👩‍👧́אבג"),
    )
)


@given(ANYTHING)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    """No control character but the line feed, no mark of direction, no half of a character."""
    for character in clean(text):
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert not 0x202A <= ord(character) <= 0x202E
        assert not 0x2066 <= ord(character) <= 0x2069


@given(ANYTHING)
def test_what_is_clean_stays(text: str) -> None:
    """Cleaning twice is cleaning once."""
    assert clean(text) == clean(clean(text))
    assert is_clean(clean(text))


@given(ANYTHING)
def test_one_line_stays_one_line(text: str) -> None:
    """Whatever stands in it."""
    assert "\n" not in clean_line(text)


@given(ANYTHING, st.integers(1, 40))
def test_no_line_is_wider_than_its_room(text: str, width: int) -> None:
    """Wide, combining and right-to-left characters among them."""
    for strip in Look(dark()).lines(Text(clean(text)), width):
        assert strip.cell_length <= width
        assert strip.cell_length == cell_len(strip.text)


@given(ANYTHING)
def test_the_guard_holds_for_what_nobody_cleaned(text: str) -> None:
    """What an extension shows may have been made by anything."""
    for strip in Look(dark()).lines(Text(text), 30):
        assert is_clean(strip.text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\r\nlines", "two\nlines"),
        ("\x1b[2J", "␛[2J"),
        ("bell\x07", "bell␇"),
        ("\x7f", "␡"),
        ("\x9b31m", "¤31m"),
        ("a\tb", "a   b"),
        ("\u202eevil", "¤evil"),
        ("tag\U000e0041", "tag¤"),
        ("\ud800", "�"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("שלום", "שלום"),
        ("e" + "\u0301" * 9, "e" + "\u0301" * 4),
    ],
)
def test_signs_stand_for_what_is_taken_out(text: str, shown: str) -> None:
    """A person sees that something was there."""
    assert shown == clean(text)


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("\x1b[32mgreen\x1b[0m", "green"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("line\r\nline", "line\nline"),
        ("\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2Jgone?", "␛[2Jgone?"),
    ],
)
def test_output_looks_as_it_would_on_a_screen(output: str, shown: str) -> None:
    """Colours and overwritten lines are dropped; what would steer the terminal is shown."""
    assert shown == clean_output(output)


@given(ANYTHING)
def test_typed_text_keeps_lines_and_tabs(text: str) -> None:
    """Nothing else of a control character reaches the editor."""
    left = typed(text)
    assert all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") for c in left)
