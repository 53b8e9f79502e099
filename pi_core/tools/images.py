"""Images as models take them: a kind they read, not too wide, not too many bytes.

Pillow, if it is installed, makes smaller what is too large and turns what lies on its side. Without it an
image goes as it is, or not at all.

Touches: nothing but the bytes that it is given.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from hookspecs.messages import ImageContent
from hookspecs.values import dataclass
from pi_core.tools.truncate import format_size

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_IMAGE_BYTES: Final = 3_375_000
"""In base64 this is 4.5 MB; providers refuse images of more than 5 MB."""
MAX_SIDE: Final = 2000
"""Pixels; providers make larger ones smaller themselves, or refuse them."""
_SENDABLE: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
_JPEG_QUALITIES: Final = (85, 70, 55, 40)
_SHRINK: Final = 0.75
_EXTRA: Final = 'pip install "pi-pluggy[images]"'


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """What happens to images. `resize`: large ones are made smaller. `blocked`: none is sent."""

    resize: bool = True
    blocked: bool = False


def image_settings(values: Mapping[str, Any]) -> ImageSettings:
    """The table `[images]` of the settings; what is missing or of a wrong type is as it is without it."""
    table = values.get("images")
    known = table if isinstance(table, Mapping) else {}
    return ImageSettings(
        resize=known.get("auto-resize") is not False, blocked=known.get("block-images") is True
    )


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that can be sent. `note` says what was done to it, and is empty if nothing was."""

    data: bytes
    mime_type: str
    note: str = ""

    def content(self) -> ImageContent:
        """The block of a message."""
        return ImageContent(data=base64.b64encode(self.data).decode("ascii"), mime_type=self.mime_type)


class UnfitImageError(Exception):
    """An image that no model would take; the text says why and what to do, as the end of a sentence."""


def image_type(data: bytes) -> str | None:
    """The media type of an image, judged by its first bytes; None for everything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    # A text may begin with these two letters; a bitmap has four empty bytes soon after them.
    return "image/bmp" if data[:2] == b"BM" and data[6:10] == b"\0\0\0\0" else None


def fitted(data: bytes, mime_type: str, *, resize: bool = True) -> Picture:
    """The image as it can be sent. Slow for large ones: call it in a thread.

    Raises: UnfitImageError.
    """
    opened = _opened(data) if resize else None
    if opened is None:
        return _as_it_is(data, mime_type, resize)
    fits = max(opened.size) <= MAX_SIDE and len(data) <= MAX_IMAGE_BYTES
    if fits and mime_type in _SENDABLE:
        return Picture(data, mime_type)
    width, height = opened.size
    for smaller in _attempts(_upright(opened), lossless=mime_type != "image/jpeg"):
        if len(smaller.data) <= MAX_IMAGE_BYTES:
            return Picture(smaller.data, smaller.mime_type, _note(width, height, smaller))
    raise UnfitImageError("is too large to be shown, however small it is made")


def _as_it_is(data: bytes, mime_type: str, resize: bool) -> Picture:
    remedy = f"; the extra images would help: {_EXTRA}" if resize else ""
    if mime_type not in _SENDABLE:
        raise UnfitImageError(f"is of a kind that models do not read{remedy}")
    if len(data) > MAX_IMAGE_BYTES:
        raise UnfitImageError(
            f"is too large to be shown; the limit is {format_size(MAX_IMAGE_BYTES)}{remedy}"
        )
    return Picture(data, mime_type)


def _opened(data: bytes) -> Image | None:
    """The image in Pillow's hands, decoded; None without Pillow. Raises: UnfitImageError."""
    try:
        from PIL import Image  # start-up time, and an extra
    except ImportError:
        return None
    try:
        image = Image.open(io.BytesIO(data))
        image.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnfitImageError("has too many pixels to be shown") from error
    except (OSError, SyntaxError, ValueError) as error:  # each of Pillow's readers has its own
        raise UnfitImageError("is damaged and cannot be shown") from error
    return image


@dataclass(frozen=True, slots=True)
class _Smaller:
    data: bytes
    mime_type: str
    width: int
    height: int


def _upright(image: Image) -> Image:
    from PIL import ImageOps  # as above

    return ImageOps.exif_transpose(image) or image


def _attempts(image: Image, *, lossless: bool) -> Iterator[_Smaller]:
    """Ever smaller forms: first the largest that is allowed, without loss if that is wanted."""
    side = min(MAX_SIDE, max(image.size))
    has_alpha = "A" in image.getbands() or "transparency" in image.info
    plain = image.convert("RGBA" if has_alpha else "RGB")
    while side >= 1:
        smaller = plain.copy()
        smaller.thumbnail((side, side))
        if lossless or has_alpha:
            yield _saved(smaller, "PNG")
        opaque = smaller.convert("RGB")
        for quality in _JPEG_QUALITIES:
            yield _saved(opaque, "JPEG", quality=quality)
        side = int(side * _SHRINK)


def _saved(image: Image, form: str, **options: int | bool) -> _Smaller:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return _Smaller(buffer.getvalue(), f"image/{form.lower()}", *image.size)


def _note(width: int, height: int, shown: _Smaller) -> str:
    if max(width, height) == max(shown.width, shown.height):
        return f"shown as {shown.mime_type.removeprefix('image/')}"
    factor = max(width, height) / max(shown.width, shown.height)
    return (
        f"{width}x{height} pixels, shown at {shown.width}x{shown.height}; "
        f"times {factor:.2f} gives places in the original"
    )
