"""Images made for a test.

Pure.
"""

from __future__ import annotations

import io
from typing import Any

from PIL import Image


def picture(
    form: str, width: int, height: int, *, mode: str = "RGB", noisy: bool = False, **options: Any
) -> bytes:
    """An image file of a form that Pillow knows; `noisy` ones do not get smaller by packing."""
    image = (
        Image.effect_noise((width, height), 120).convert(mode) if noisy else Image.new(mode, (width, height))
    )
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height of an image file."""
    with Image.open(io.BytesIO(data)) as image:
        return image.size
