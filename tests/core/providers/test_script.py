"""Script files: what they may say, and what is told about one that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookspecs.messages import TextContent, ThinkingContent, ToolCallContent, Usage
from pi_core.providers.script import Script, ScriptError, Turn

YAML = """
# a comment
- Hello
- thinking: hm
  text: look
  tool: bash
  arguments: {command: ls}
  expect: "^go"
  delay_s: 0.5
  pace_s: 0.1
  stop: length
  usage: {input: 3, output: 2}
- blocks:
    - text: a
    - {tool: read, arguments: {path: x}, id: mine}
    - {type: toolCall, id: theirs, name: read, arguments: {path: y}}
- error: overloaded
"""


def test_a_script_in_yaml() -> None:
    """Short and long forms of a turn, with everything that a turn may say."""
    turns = Script.parse(YAML, name="s.yaml").turns
    assert Turn(blocks=(TextContent(text="Hello"),)) == turns[0]
    assert (
        ThinkingContent(thinking="hm"),
        TextContent(text="look"),
        ToolCallContent(id="", name="bash", arguments={"command": "ls"}),
    ) == turns[1].blocks
    assert ("^go", 0.5, 0.1, "length") == (turns[1].expect, turns[1].delay_s, turns[1].pace_s, turns[1].stop)
    assert Usage(input=3, output=2, total_tokens=5) == turns[1].usage
    assert ["", "mine", "theirs"] == [getattr(block, "id", "") for block in turns[2].blocks]
    assert Turn(error="overloaded") == turns[3]


def test_a_script_in_json(tmp_path: Path) -> None:
    """JSON is read as well, also as an object with `turns`, also with a byte-order mark."""
    path = tmp_path / "script.json"
    path.write_text('\ufeff{"turns": ["a", {"text": "b"}]}', encoding="utf-8")
    assert Script.of(["a", "b"]).turns == Script.read(path).turns


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("just words", "script s: found a str. A script is a list of turns."),
        ("", "found nothing"),
        ("- [a]", "s, turn 1: found a list"),
        ("- {txt: a}", "turn 1: unknown key txt. Known are arguments, blocks"),
        ("- {blocks: [{texts: a}]}", "turn 1, block 1: unknown key texts"),
        ("- {blocks: [{id: a}]}", "turn 1, block 1: has no content"),
        ("- {blocks: [a], text: b}", "has both blocks and text"),
        ("- {blocks: a}", "blocks is a str"),
        ("- {tool: bash, arguments: ls}", "a tool call needs a name and an object of arguments"),
        ("- {text: a, delay_s: soon}", "delay_s is 'soon'. It is a number of seconds."),
        ("- {text: a, pace_s: -1}", "pace_s is -1"),
        ("- {text: a, stop: never}", "unknown stop 'never'. Known are aborted, error"),
        ("- {text: a, expect: '('}", "expect is no pattern"),
        ("- {text: a, usage: many}", "usage is a str"),
        ("- {error: [a]}", "error is a list"),
        ("- a\n\t- b: [", "is neither JSON nor YAML"),
    ],
)
def test_a_script_that_is_wrong(text: str, said: str) -> None:
    """The sentence names the place and what would be right."""
    with pytest.raises(ScriptError) as caught:
        Script.parse(text, name="s")
    assert said in str(caught.value)


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    """A missing file is named."""
    with pytest.raises(ScriptError, match=r"nowhere\.yaml: cannot be read"):
        Script.read(tmp_path / "nowhere.yaml")
