"""A real browser without a window: what a page is once its scripts have run, and what it looks like.

Touches: files, processes.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip


def corner(picture: Path) -> tuple[int, int, int]:
    """Red, green and blue of the first pixel of a PNG file: no filter changes that one."""
    data, place, packed = picture.read_bytes(), 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        packed += data[place + 8 : place + 8 + size] if kind == b"IDAT" else b""
        place += size + 12
    red, green, blue = zlib.decompress(packed)[1:4]
    return red, green, blue


def command(folder: Path) -> list[str]:
    """Chromium without a window, with a profile of its own in `folder`."""
    found = [path for name in _NAMES if (path := shutil.which(name)) is not None]
    assert found, "these tests need Chromium: apt-get install chromium"
    return [found[0], *_OPTIONS, f"--user-data-dir={folder / 'profile'}"]


class Browser:
    """Chromium with a profile of its own in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._command = command(folder)
        self._folder = folder

    def dom(self, page: Path, place: str = "", *options: str) -> str:
        """The page as HTML, after its scripts ran. `place` is an address inside it, such as `#e4`."""
        return self._run("--dump-dom", *options, page.as_uri() + place)

    def picture(self, page: Path, *options: str) -> Path:
        """What a person sees of the page, as a PNG file."""
        target = self._folder / "page.png"
        self._run(f"--screenshot={target}", "--window-size=900,700", *options, page.as_uri())
        return target

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [*self._command, *words], capture_output=True, text=True, encoding="utf-8", check=True, timeout=60
        )
        return done.stdout
