"""Every kind of block says what it has to say in the lines that it is given."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from hookspecs.definitions import ToolResult
from hookspecs.messages import BashExecutionMessage, CustomMessage, ImageContent, TextContent
from pi_core.clean import is_clean
from pi_core.modes.tui.blocks.call_text import call_summary
from pi_core.modes.tui.blocks.chunks import Chunk
from pi_core.modes.tui.blocks.notes import CustomBlock, ShellBlock, SummaryBlock
from pi_core.modes.tui.blocks.notice import NoticeBlock
from pi_core.modes.tui.blocks.prose import AnswerBlock, Fold, PromptBlock, ThoughtBlock
from pi_core.modes.tui.blocks.rendering import NoRenderers, RenderOptions
from pi_core.modes.tui.blocks.tool import ToolBlock
from pi_core.modes.tui.log.block import Block
from pi_core.modes.tui.style.builtin import dark
from pi_core.modes.tui.style.look import Look
from pi_core.modes.tui.style.palette import Palette

MARKDOWN = st.text(st.sampled_from("ab *_`#->|[]()\n\t1.~!<&\\\x1b漢🎉\u202e"), max_size=200)


def lines_of(block: Block, width: int = 60, look: Look | None = None) -> list[str]:
    return [strip.text.rstrip() for strip in block.lines(width, look or Look(dark()))]


def called(
    name: str, args: Any, content: str = "", *, details: Any = None, is_error: bool = False
) -> ToolBlock:
    block = ToolBlock(name, NoRenderers())
    block.args, block.state = args, "failed" if is_error else "done"
    block.result = ToolResult(content=content, details=details, is_error=is_error)
    return block


@pytest.mark.parametrize(
    ("name", "args", "summary"),
    [
        ("read", {"path": "a.py"}, "a.py"),
        ("read", {"path": "a.py", "offset": 5, "limit": 10}, "a.py:5-14"),
        ("read", {"path": "a.py", "limit": 10}, "a.py:1-10"),
        ("bash", {"command": "ls -la"}, "$ ls -la"),
        ("bash", {"command": "one\ntwo\nthree"}, "$ one  (+2 lines)"),
        ("grep", {"pattern": "x", "path": "src", "glob": "*.py"}, "/x/ in src (*.py)"),
        ("find", {"pattern": "*.md"}, "*.md"),
        ("ls", {}, ""),
        ("mine", {"only": "word"}, "word"),
        ("mine", {"a": 1, "b": "x\ny"}, "a=1  b=x …"),
        ("mine", "no object", ""),
        ("bash", {"command": "\x1b[2J"}, "$ ␛[2J"),
        ("read", {"path": ["odd"]}, 'path=["odd"]'),
    ],
)
def test_a_call_is_summed_up_in_a_line(name: str, args: Any, summary: str) -> None:
    """By its path, its command or its pattern; by its arguments where nothing else is known."""
    assert summary == call_summary(name, args)


def test_a_long_output_shows_its_end_and_unfolds() -> None:
    """What a command says last tells most."""
    block = called("bash", {"command": "make"}, "\n".join(f"line {number}" for number in range(50)))
    folded = lines_of(block)
    assert ["  ● bash $ make", "    … 44 earlier lines"] == folded[:2]
    assert "    line 49" == folded[-1]
    assert block.toggle(Look(dark()))
    assert 51 == len(lines_of(block))


def test_what_was_read_is_counted_and_unfolds() -> None:
    """A row is enough."""
    block = called("read", {"path": "a.py"}, "one\ntwo\nthree")
    assert ["  ● read a.py · 3 lines"] == lines_of(block)
    look = Look(dark())
    look.expand_tools(True)
    assert ["  ● read a.py · 3 lines", "    one", "    two", "    three"] == lines_of(block, look=look)


def test_an_edit_shows_its_diff() -> None:
    """With colours by line, and how much was added and taken away."""
    block = called("edit", {"path": "a.py"}, "Done.", details={"diff": " 1 same\n-2 old\n+2 new\n+3 more"})
    assert "  ● edit a.py · +2 −1" == lines_of(block)[0]
    added = next(strip for strip in block.lines(60, Look(dark())) if "+2 new" in strip.text)
    assert any(segment.style and segment.style.color for segment in added)
    assert "    -2 old" in lines_of(block)


def test_a_failure_is_shown_also_where_a_row_would_do() -> None:
    """In the colour of errors."""
    block = called("read", {"path": "gone"}, "no such file", is_error=True)
    assert ["  ● read gone", "    no such file"] == lines_of(block)


@pytest.mark.parametrize(("state", "sign"), [("written", "○"), ("running", "◐"), ("dropped", "○")])
def test_a_call_without_a_result_is_its_row(state: Any, sign: str) -> None:
    """Its sign says how far it is."""
    block = ToolBlock("bash", NoRenderers())
    block.args, block.state = {"command": "ls"}, state
    assert [f"  {sign} bash $ ls"] == lines_of(block)


def test_images_of_a_result_are_noted() -> None:
    """A terminal shows none."""
    block = called("shot", {})
    block.result = ToolResult(
        content=[TextContent(text="there"), ImageContent(data="", mime_type="image/png")]
    )
    assert ["  ● shot", "    there", "    [1 image]"] == lines_of(block)


class Own(NoRenderers):
    """An extension that shows its own tool."""

    def call(self, name: str, args: Any, palette: Palette) -> Text:
        return Text(f"own {name}")

    def result(self, name: str, result: ToolResult, options: RenderOptions, palette: Palette) -> Text:
        return Text(f"own result {options.expanded}")


def test_an_extension_shows_its_tool_in_its_way() -> None:
    """Row and result; the sign of the state stays."""
    block = ToolBlock("mine", Own())
    block.args, block.state, block.result = {}, "done", ToolResult(content="x")
    assert ["  ● own mine", "    own result False"] == lines_of(block)


def test_a_prompt_stands_on_a_ground_and_long_ones_unfold() -> None:
    """Images are noted under it."""
    short = PromptBlock("hello", images=2)
    assert ["  ▌ hello", "  ▌ [2 images]"] == lines_of(short)
    assert not short.toggle(Look(dark()))
    long = PromptBlock("\n".join(str(number) for number in range(100)))
    assert "  ▌ … 76 more lines" == lines_of(long)[-1]
    assert long.toggle(Look(dark()))
    assert 100 == len(lines_of(long))


def test_thoughts_are_a_line_until_somebody_wants_them() -> None:
    """All chunks of a thought unfold together."""
    fold = Fold(ended=True)
    first = ThoughtBlock(Chunk("**Looking** around\n\nat length"), fold, first=True)
    second = ThoughtBlock(Chunk("and on"), fold, first=False)
    assert (["  ▸ Thinking  Looking** around"], []) == (lines_of(first), lines_of(second))
    assert second.toggle(Look(dark()))
    assert (["  Looking around", "", "  at length"], ["  and on"]) == (
        [line if line.strip() else "" for line in lines_of(first)],
        lines_of(second),
    )


def test_markdown_is_laid_out_for_reading() -> None:
    """Headings without marks, bullets, code without a frame, links with where they lead, HTML as text."""
    links = "[here](https://x.org) <https://y.org> <b>"
    text = f"# Head\n\n- one\n- two\n\n1. first\n\n{links}\n\n```python\nx = 1\n```"
    lines = [line.strip() for line in lines_of(AnswerBlock(Chunk(text)))]
    assert ["Head", "", "• one", "• two", "", "1. first", ""] == lines[:7]
    assert "here (https://x.org) https://y.org <b>" == lines[7]
    assert "x = 1" == lines[-1]


def test_line_breaks_stay() -> None:
    """A model that ends a line means it."""
    assert ["  one", "  two"] == lines_of(AnswerBlock(Chunk("one\ntwo")))


def test_what_is_nested_beyond_reason_is_shown_as_it_was_written() -> None:
    """Instead of nothing."""
    assert lines_of(AnswerBlock(Chunk("> " * 200 + "deep")))[0].startswith("  > > >")


@given(MARKDOWN, st.integers(10, 80))
def test_no_answer_leaves_its_room_or_steers_the_terminal(text: str, width: int) -> None:
    """Whatever a model writes, and however narrow it is."""
    for strip in AnswerBlock(Chunk(text)).lines(width, Look(dark())):
        assert strip.cell_length <= width
        assert cell_len(strip.text) == strip.cell_length
        assert is_clean(strip.text)


def test_a_command_of_the_person_tells_how_it_ended() -> None:
    """Its exit code, that the model does not hear of it, and that it still runs."""
    message = BashExecutionMessage(command="make", output="boom", exit_code=2, exclude_from_context=True)
    assert ["  ┃ $ make", "  ┃ boom", "  ┃ exit 2 · not told to the model"] == lines_of(ShellBlock(message))
    assert "  ┃ running · escape stops it" == lines_of(ShellBlock(message, running=True))[-1]


def test_a_message_of_an_extension_is_named() -> None:
    """By its type, unless its renderer shows it."""
    block = CustomBlock(CustomMessage(custom_type="todo", content="two *things*"), NoRenderers())
    assert ["  ┃ todo", "  ┃ two things"] == lines_of(block)


def test_a_summary_is_a_line_that_unfolds() -> None:
    """What it stands for is not on the screen any more."""
    block = SummaryBlock("summarised", "the *text*")
    assert ["  ── summarised ──────────────────────────────────────────"] == lines_of(block)
    block.toggle(Look(dark()))
    assert "  the text" == lines_of(block)[1]


def test_a_notice_has_a_sign_and_hangs_its_lines() -> None:
    """How bad it is stands before it."""
    assert ["  ! one", "    two"] == lines_of(NoticeBlock("one\ntwo", "warning"))


@pytest.mark.parametrize("width", [1, 5, 10, 300])
def test_every_block_keeps_to_every_width(width: int) -> None:
    """From nothing to a wall."""
    blocks: list[Block] = [
        called("bash", {"command": "ls " * 90}, "out\n" * 9),
        PromptBlock("word " * 90),
        ThoughtBlock(Chunk("thought " * 90), Fold(), first=True),
        AnswerBlock(Chunk("| a | b |\n|---|---|\n| 1 | 2 |\n\n" + "> word " * 30)),
        SummaryBlock("title " * 30, "x"),
        NoticeBlock("notice " * 30),
        ShellBlock(BashExecutionMessage(command="x" * 200, output="y" * 200)),
    ]
    for block in blocks:
        assert all(strip.cell_length <= max(width, 12) for strip in block.lines(width, Look(dark())))


@pytest.mark.parametrize("text", ["| a | b |\n|---|---|\n| 1 | 2 |", "- a\n  - b", "> q", "# h", "---\n\nx"])
def test_no_answer_begins_with_an_empty_line(text: str) -> None:
    """The log keeps its distances itself."""
    assert lines_of(AnswerBlock(Chunk(text)))[0].strip()
