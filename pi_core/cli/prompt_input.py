"""What the first prompt is made of: piped input, files given as `@path`, and the typed words.

Touches: files, standard input.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hookspecs.messages import ImageContent
from pi_core.errors import AgentError, FileArgumentError
from pi_core.modes.base import Prompt, text_for
from pi_core.tools.images import ImageSettings, UnfitImageError, fitted, image_type
from pi_core.tools.text_file import decode_shown
from pi_core.tools.truncate import format_size
from pi_core.utf16 import well_formed

_PIECE: Final = 65536
MAX_INPUT_BYTES: Final = 64 * 1024 * 1024
"""No model takes as much; an image of this size is made smaller."""
TOO_LARGE: Final = f"more than {format_size(MAX_INPUT_BYTES)}; name a file's path, and it is read in parts"


def prompts_from(
    messages: Sequence[str],
    files: Sequence[str],
    piped: str,
    *,
    cwd: Path,
    home: Path,
    images: ImageSettings | None = None,
) -> list[Prompt]:
    """The prompts in order. Piped input, files and the first message make one prompt, without separators.

    `images` says what happens to images among the files.

    Raises: FileArgumentError if a file cannot be read.
    """
    how = images or ImageSettings()
    parts = [piped]
    shown: list[ImageContent] = []
    for name in files:
        text, image = file_block(_absolute(name, cwd, home), name, how)
        parts.append(text)
        shown += [image] if image is not None else []
    # Words of a command line, and names of files, need be no text.
    first, *others = map(well_formed, ["".join([*parts, *messages[:1]]), *messages[1:]])
    prompts = [Prompt(first, tuple(shown))] if first or shown else []
    return prompts + [Prompt(message) for message in others]


def file_block(path: Path, name: str, images: ImageSettings) -> tuple[str, ImageContent | None]:
    """A file as it stands in a prompt: its text in a tag that names it, or the tag and the image.

    `name` is how it was typed. Raises: FileArgumentError if it cannot be read or shown.
    """
    try:
        data = _content(path)
    except OSError as error:
        raise FileArgumentError(name, error.strerror or str(error)) from error
    mime_type = image_type(data)
    if mime_type is None:
        text = decode_shown(data).removeprefix("\ufeff")
        return f'<file name="{path}">\n{text}\n</file>\n', None
    if images.blocked:
        return f'<file name="{path}">images are switched off in the settings</file>\n', None
    try:
        picture = fitted(data, mime_type, resize=images.resize)
    except UnfitImageError as error:
        raise FileArgumentError(name, f"the image {error}") from error
    return f'<file name="{path}">{picture.note}</file>\n', picture.content()


def _content(path: Path) -> bytes:
    """All of a file, which may be a pipe, but not more than a prompt can be."""
    with path.open("rb") as file:
        data = file.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise OSError(errno.EFBIG, f"it has {TOO_LARGE}")
    return data


async def read_piped() -> str:
    """All of standard input when it is no terminal; blank input counts as none.

    Cancelling gives up at once: the thread that waits for more ends with the process.

    Raises: AgentError for more than a prompt can be.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    text = (await _in_a_thread(_everything, sys.stdin.fileno())).decode("utf-8", "replace")
    return text if text.strip() else ""


async def read_answer(question: str) -> str:
    """What a person at the terminal types after a question on standard error. Cancelling gives up at once."""
    print(text_for(sys.stderr, question), end=" ", file=sys.stderr, flush=True)
    line = await _in_a_thread(_line, sys.stdin.fileno())
    return line.decode("utf-8", "replace").strip()


def _everything(descriptor: int) -> bytes:
    data = bytearray()
    while piece := os.read(descriptor, _PIECE):  # not sys.stdin: its lock would outlive the thread
        data += piece
        if len(data) > MAX_INPUT_BYTES:
            raise AgentError(f"standard input has {TOO_LARGE}.")
    return bytes(data)


def _line(descriptor: int) -> bytes:
    return os.read(descriptor, _PIECE)  # a terminal gives one line


async def _in_a_thread(read: Callable[[int], bytes], descriptor: int) -> bytes:
    """Wait for a thread that ends with the process."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Future[bytes] = loop.create_future()

    def work() -> None:
        try:
            settle = partial(_settle, arrived, read(descriptor))
        except (AgentError, OSError) as error:
            settle = partial(_fail, arrived, error)
        try:
            loop.call_soon_threadsafe(settle)
        except RuntimeError:
            pass  # the loop was closed meanwhile: nobody waits any more

    threading.Thread(target=work, daemon=True).start()
    return await arrived


def _settle(future: asyncio.Future[bytes], value: bytes) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[bytes], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def _absolute(name: str, cwd: Path, home: Path) -> Path:
    if name == "~" or name.startswith(("~/", "~\\")):
        return home / name[2:]
    return Path(os.path.abspath(cwd / name))
