"""What the first prompt is made of."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from pi_core.cli.prompt_input import prompts_from
from pi_core.errors import FileArgumentError
from pi_core.tools.images import ImageSettings
from tests.support.pictures import picture

PNG = picture("PNG", 30, 20)


def texts(messages: list[str], files: list[str], piped: str, folder: Path) -> list[str]:
    return [prompt.text for prompt in prompts_from(messages, files, piped, cwd=folder, home=folder)]


@pytest.mark.parametrize(
    ("messages", "piped", "expected"),
    [
        (["msg"], "STDIN", ["STDINmsg"]),
        (["a", "b", "c"], "", ["a", "b", "c"]),
        ([], "only", ["only"]),
        ([], "", []),
        ([""], "", []),
    ],
    ids=["81", "further messages are further prompts", "piped alone", "nothing", "empty word"],
)
def test_the_first_prompt_joins_what_was_given(
    messages: list[str], piped: str, expected: list[str], tmp_path: Path
) -> None:
    """Piped input and the first message make one prompt without separator; further messages follow."""
    assert expected == texts(messages, [], piped, tmp_path)


def test_a_text_file_stands_in_a_tag_with_its_path(tmp_path: Path) -> None:
    """An `@file` comes between piped input and message, named by its absolute path."""
    (tmp_path / "a.md").write_text("# A", encoding="utf-8")
    block = f'<file name="{tmp_path / "a.md"}">\n# A\n</file>\n'
    assert [f"in{block}say"] == texts(["say"], ["a.md"], "in", tmp_path)


def test_an_image_is_attached(tmp_path: Path) -> None:
    """An image file travels as an image; its tag stays empty."""
    (tmp_path / "x.png").write_bytes(PNG)
    (prompt,) = prompts_from(["look"], ["~/x.png"], "", cwd=Path("/"), home=tmp_path)
    assert f'<file name="{tmp_path / "x.png"}"></file>\nlook' == prompt.text
    assert [("image/png", PNG)] == [
        (image.mime_type, base64.b64decode(image.data)) for image in prompt.images
    ]


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """The sentence names the word as typed and the reason."""
    with pytest.raises(FileArgumentError, match=r"^@no\.md: No such file or directory\.$"):
        texts([], ["no.md"], "", tmp_path)


def test_an_image_that_cannot_be_shown_is_an_error(tmp_path: Path) -> None:
    """A damaged image ends the run before anything is sent; images that are switched off are left out."""
    (tmp_path / "x.png").write_bytes(PNG[:45])
    with pytest.raises(FileArgumentError, match=r"^@x\.png: the image is damaged and cannot be shown\.$"):
        texts([], ["x.png"], "", tmp_path)
    off = ImageSettings(blocked=True)
    (prompt,) = prompts_from([], ["x.png"], "", cwd=tmp_path, home=tmp_path, images=off)
    assert ((), True) == (prompt.images, "switched off" in prompt.text)


def test_a_file_of_another_encoding_is_text(tmp_path: Path) -> None:
    """UTF-16 with its mark is read as such, and what is no text has visible marks."""
    (tmp_path / "a").write_bytes("\ufeffgrün".encode("utf-16-le"))
    (tmp_path / "b").write_bytes(b"caf\xe9")
    assert ["grün", "caf\ufffd"] == [texts([], [name], "", tmp_path)[0].splitlines()[1] for name in "ab"]


def test_words_that_are_no_text_are_marked(tmp_path: Path) -> None:
    """Bytes of another encoding on the command line, or in a file's name, become a visible mark."""
    name = "caf\udce9"
    (tmp_path / name).write_text("x")
    first, second = texts([name, name], [name], "", tmp_path)
    assert first.endswith("caf\ufffd")
    assert ("caf\ufffd", True) == (second, 'caf\ufffd">' in first)
