"""Images on their way to a model, with Pillow and without."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from hookspecs.messages import CustomMessage, ImageContent, TextContent, UserMessage
from pi_core.providers.transcript import BLOCKED_IMAGE, without_images
from pi_core.tools.images import (
    MAX_IMAGE_BYTES,
    MAX_SIDE,
    ImageSettings,
    UnfitImageError,
    fitted,
    image_settings,
    image_type,
)
from pi_core.tools.read import read_tool
from tests.support.pictures import picture, size_of

SMALL = picture("PNG", 40, 30)


@pytest.fixture
def no_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_an_image_that_fits_goes_as_it_is(form: str) -> None:
    """Nothing is packed again where nothing has to be."""
    data = picture(form, 400, 300)
    mime_type = image_type(data) or ""
    assert (f"image/{form.lower()}", data, "") == (mime_type, *_parts(fitted(data, mime_type)))


def _parts(shown: Any) -> tuple[bytes, str]:
    return shown.data, shown.note


def test_a_wide_image_is_made_smaller() -> None:
    """The longer side becomes the limit, and the note says how to find a place in the original."""
    shown = fitted(picture("PNG", 5000, 1000), "image/png")
    assert (2000, 400) == size_of(shown.data)
    assert "5000x1000 pixels, shown at 2000x400; times 2.50 gives places in the original" == shown.note


def test_an_image_of_too_many_bytes_is_made_smaller() -> None:
    """What cannot be packed well becomes a JPEG, and smaller if need be, until it fits."""
    data = picture("PNG", 1350, 1350, noisy=True)
    shown = fitted(data, "image/png")
    assert len(data) > MAX_IMAGE_BYTES >= len(shown.data)
    assert ("image/jpeg", True) == (shown.mime_type, max(size_of(shown.data)) <= MAX_SIDE)


def test_a_bitmap_becomes_a_kind_that_models_read() -> None:
    """BMP is read, and sent as PNG."""
    data = picture("BMP", 50, 50)
    assert "image/bmp" == image_type(data)
    shown = fitted(data, "image/bmp")
    assert ("image/png", "shown as png") == (shown.mime_type, shown.note)


def test_what_lies_on_its_side_stands_up() -> None:
    """A camera's note of how it was held is obeyed when the image is packed anew."""
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn
    shown = fitted(picture("JPEG", 3000, 1000, exif=exif), "image/jpeg")
    width, height = size_of(shown.data)
    assert (True, MAX_SIDE) == (width < height, height)


def test_transparency_stays() -> None:
    """An image with holes keeps them where it is made smaller without loss."""
    shown = fitted(picture("PNG", 3000, 10, mode="RGBA"), "image/png")
    assert "image/png" == shown.mime_type


@pytest.mark.parametrize("data", [SMALL[:45], b"\x89PNG\r\n\x1a\nnothing"], ids=["cut", "head only"])
def test_a_damaged_image_is_refused(data: bytes) -> None:
    """A provider would refuse it, with every request that follows."""
    with pytest.raises(UnfitImageError, match="is damaged"):
        fitted(data, "image/png")


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """An image whose pixels would fill the memory is not unpacked."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(UnfitImageError, match="too many pixels"):
        fitted(picture("PNG", 100, 100), "image/png")


@pytest.mark.usefixtures("no_pillow")
def test_without_pillow_an_image_goes_as_it_is_or_not_at_all() -> None:
    """Small ones of a known kind go; for the others the sentence names the extra."""
    wide = picture_bytes(5000)
    assert (wide, "") == _parts(fitted(wide, "image/png"))
    with pytest.raises(UnfitImageError, match=r"limit is 3\.2MB; the extra images would help: pip install"):
        fitted(SMALL + b"0" * MAX_IMAGE_BYTES, "image/png")
    with pytest.raises(UnfitImageError, match="of a kind that models do not read; the extra images"):
        fitted(b"BM", "image/bmp")


def picture_bytes(width: int) -> bytes:
    """A head that says how wide it is: enough where nobody decodes it."""
    return b"\x89PNG\r\n\x1a\n" + width.to_bytes(4, "big")


def test_resizing_may_be_switched_off() -> None:
    """auto-resize = false: as without Pillow, and no extra would help."""
    with pytest.raises(UnfitImageError) as refused:
        fitted(SMALL + b"0" * MAX_IMAGE_BYTES, "image/png", resize=False)
    assert "extra" not in str(refused.value)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, ImageSettings()),
        ({"images": {"auto-resize": False, "block-images": True}}, ImageSettings(resize=False, blocked=True)),
        ({"images": 3}, ImageSettings()),
    ],
)
def test_settings_of_images(values: dict[str, Any], expected: ImageSettings) -> None:
    """The table [images]; what is of a wrong type does not count."""
    assert expected == image_settings(values)


async def read(folder: Path, images: ImageSettings | None = None, sees: tuple[str, ...] = ()) -> list[Any]:
    ctx = SimpleNamespace(model=SimpleNamespace(input=sees)) if sees else None
    result = await read_tool(str(folder), images=images).execute("1", {"path": "pic.dat"}, None, None, ctx)
    return list(result.content)


async def test_read_shows_an_image_with_a_note(tmp_path: Path) -> None:
    """An image comes as a note and an image block, whatever the file is called."""
    (tmp_path / "pic.dat").write_bytes(SMALL)
    note, image = await read(tmp_path)
    assert f"Image pic.dat (image/png, {len(SMALL)}B)" == note.text
    assert (SMALL, "image/png") == (base64.b64decode(image.data), image.mime_type)


async def test_read_says_what_was_done(tmp_path: Path) -> None:
    """An image that was made smaller says so in its note."""
    (tmp_path / "pic.dat").write_bytes(picture("PNG", 4000, 20))
    note, image = await read(tmp_path)
    assert "shown at 2000x10" in note.text
    assert isinstance(image, ImageContent)


@pytest.mark.parametrize(
    ("data", "images", "sees", "said"),
    [
        (SMALL, None, ("text",), "The current model does not take images"),
        (SMALL, ImageSettings(blocked=True), ("text", "image"), "Images are switched off in the settings"),
        (SMALL[:45], None, ("text", "image"), "is damaged and cannot be shown."),
    ],
)
async def test_an_image_is_left_out_with_its_reason(
    tmp_path: Path, data: bytes, images: ImageSettings | None, sees: tuple[str, ...], said: str
) -> None:
    """A model without eyes, a setting, and a damaged file: a note alone, which says why."""
    (tmp_path / "pic.dat").write_bytes(data)
    (note,) = await read(tmp_path, images, sees)
    assert note.text.startswith("Image pic.dat (image/png, ")
    assert said in note.text


def test_images_can_be_kept_from_every_model() -> None:
    """A note stands in the place of each image; the conversation itself keeps them."""
    image = ImageContent(data="x", mime_type="image/png")
    said = UserMessage(content=[TextContent(text="look"), image], timestamp=1)
    note = CustomMessage(custom_type="n", content="text", display=True)
    sent = without_images([said, note])
    assert [["look", BLOCKED_IMAGE]] == [[block.text for block in message.content] for message in sent[:1]]  # type: ignore[union-attr] # blocks of text now
    assert (note, image) == (sent[1], said.content[1])
