"""A growing text is cut where what stands before does not depend on what follows."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_core.modes.tui.blocks.chunks import LONGEST_CODE, Chunk, Chunker, chunks_of

PARAGRAPH = "Words and more words, enough of them to make a paragraph of it.\n\n"
LINES = st.lists(
    st.sampled_from(
        [
            "",
            "text",
            "- item",
            "  more of it",
            "1. first",
            "```python",
            "```",
            "~~~",
            "    code",
            "# Head",
            "| a | b |",
        ]
    ),
    max_size=120,
)


def fed(text: str, sizes: list[int]) -> list[Chunk]:
    """The chunks of a text that comes in pieces of these sizes."""
    chunker, chunks, at = Chunker(), [], 0
    for size in sizes:
        chunks += chunker.feed(text[at : at + size])
        at += size
    return [*chunks, *chunker.feed(text[at:]), *chunker.finish()]


@given(LINES, st.lists(st.integers(1, 30), max_size=60))
def test_the_pieces_do_not_matter(lines: list[str], sizes: list[int]) -> None:
    """A text comes to the same chunks however it arrives."""
    text = "\n".join(lines)
    assert fed(text, []) == fed(text, sizes)


@given(LINES)
def test_nothing_is_lost_or_added(lines: list[str]) -> None:
    """But the marks by which long code is cut, the chunks are the text."""
    text = "\n".join(lines)
    whole = "".join(chunk.text for chunk in fed(text, []))
    marks = re.compile(r"^(```|~~~).*\n?", re.MULTILINE)
    assert marks.sub("", text).strip() == marks.sub("", whole).strip()


def test_short_texts_are_one_chunk() -> None:
    """There is nothing to gain."""
    assert [Chunk("# Head\n\ntext")] == chunks_of("# Head\n\ntext")


def test_long_texts_are_cut_at_empty_lines() -> None:
    """Each chunk begins with a block of its own."""
    chunks = chunks_of(PARAGRAPH * 40)
    assert len(chunks) > 2
    assert all(chunk.text.endswith("\n\n") and not chunk.joined for chunk in chunks)


@pytest.mark.parametrize("inside", ["  continued\n\n", "    code\n\n", "\tcode\n\n"])
def test_what_is_indented_belongs_to_what_was_before(inside: str) -> None:
    """A list goes on behind an empty line."""
    chunks = chunks_of("- item\n\n" + inside * 200)
    assert 1 == len(chunks)


def test_code_is_not_cut_at_its_empty_lines_while_it_is_short() -> None:
    """An empty line in code is code."""
    code = "```python\n" + "x = 1\n\n" * 20 + "```\n"
    assert [code] == [chunk.text for chunk in fed(code, [])]


def test_long_code_is_cut_and_stays_code() -> None:
    """Every part has marks of its own and the language; they stand without a gap."""
    chunks = fed("```python\n" + "x = 1\n" * 400 + "```\n", [])
    assert len(chunks) > 3
    assert all(
        chunk.text.startswith("```python\n") and chunk.text.rstrip().endswith("```") for chunk in chunks
    )
    assert [False] + [True] * (len(chunks) - 1) == [chunk.joined for chunk in chunks]
    assert max(chunk.text.count("\n") for chunk in chunks) <= LONGEST_CODE + 2


def test_long_lists_are_cut_between_items() -> None:
    """Without a gap, and with their numbers."""
    chunks = fed("".join(f"{number}. item of a list\n" for number in range(1, 300)), [])
    assert len(chunks) > 2
    assert all(re.match(r"\d+\. ", chunk.text) for chunk in chunks)
    assert all(chunk.joined for chunk in chunks[1:])
