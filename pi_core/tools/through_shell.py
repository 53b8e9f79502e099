"""All tools through one shell: whoever can run a command on a machine can work on its files.

Only what every POSIX machine has is used there: sh, base64, find, grep; git where it is, for ignore rules.

Touches: files and processes of wherever the shell is.
"""

from __future__ import annotations

import base64
import binascii
import errno
import os
import posixpath
import shlex
from collections.abc import Sequence
from typing import Any, Final

from pi_core.abort import AbortSignal
from pi_core.tools.look_error import LookError
from pi_core.tools.operations import Operations, PlaceKind, ShellOperations, shell_of
from pi_core.tools.searching import FindRequest, GrepFound, GrepLine, GrepRequest, file_filter, glob_matcher

_ABSENT: Final = {20: errno.ENOENT, 21: errno.EISDIR}
"""Exit codes of our own scripts for what a file system would say."""
_CHUNK: Final = 48_000
"""Bytes that go into one command; a command line holds at least 128 KB, and base64 takes a third more."""


def operations_through(operations: Any, *, folder: str = "/") -> Operations:
    """Files, folders and searches made of `operations`, which has `exec` or `run`. `folder` must exist."""
    there = _There(shell_of(operations), folder)
    return Operations(
        files=_Files(there), folders=_Folders(there), search=_Search(there), shell=there.shell, elsewhere=True
    )


class _There:
    """Runs scripts where the shell is."""

    def __init__(self, shell: ShellOperations, folder: str) -> None:
        self.shell = shell
        self._folder = folder

    async def run(self, script: str, signal: AbortSignal | None = None) -> tuple[int, str]:
        """The exit code and everything that was printed."""
        pieces: list[str] = []
        ended = await self.shell.run(
            script, cwd=self._folder, env=None, timeout_s=None, signal=signal, on_output=pieces.append
        )
        if signal is not None:
            signal.raise_if_aborted()
        if ended.spawn_error is not None:
            raise OSError(errno.EIO, ended.spawn_error)
        return ended.code, "".join(pieces)

    async def output(self, script: str, signal: AbortSignal | None = None) -> str:
        """What was printed. Raises: OSError if the script failed."""
        code, text = await self.run(script, signal)
        if code in _ABSENT:
            raise OSError(_ABSENT[code], os.strerror(_ABSENT[code]))
        if code != 0:
            said = " ".join(text.split()) or f"exit code {code}"
            raise OSError(errno.EIO, said)
        return text


class _Files:
    """Implements `FileOperations`: contents travel in base64, whatever they are."""

    def __init__(self, there: _There) -> None:
        self._there = there

    async def read(self, path: str) -> bytes:
        name = shlex.quote(path)
        text = await self._there.output(
            f"[ -e {name} ] || exit 20; [ -d {name} ] && exit 21; base64 < {name}"
        )
        try:
            return base64.b64decode(text)
        except binascii.Error as error:
            raise OSError(errno.EIO, "what arrived is not the file's content") from error

    async def write(self, path: str, data: bytes) -> None:
        name, part = shlex.quote(path), shlex.quote(f"{path}.pi-part")
        folder = shlex.quote(posixpath.dirname(path) or "/")
        await self._there.output(f"[ -d {name} ] && exit 21; mkdir -p {folder} && : > {part}")
        for start in range(0, len(data), _CHUNK):
            piece = base64.b64encode(data[start : start + _CHUNK]).decode("ascii")
            await self._there.output(f"printf %s {piece} | base64 -d >> {part}")
        # Through the file, so that links, owner and mode stay what they are.
        await self._there.output(f"cat {part} > {name} && rm -f {part}")


class _Folders:
    """Implements `FolderOperations`."""

    def __init__(self, there: _There) -> None:
        self._there = there

    async def kind(self, path: str) -> PlaceKind | None:
        name = shlex.quote(path)
        script = (
            f"if [ -d {name} ]; then echo folder; elif [ -e {name} ] || [ -L {name} ]; then echo file; fi"
        )
        match (await self._there.output(script)).strip():
            case "folder":
                return "folder"
            case "file":
                return "file"
            case _:
                return None

    async def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        text = await self._there.output(
            f"cd {shlex.quote(folder)} && for n in * .[!.]* ..?*; do "
            '[ -e "$n" ] || [ -L "$n" ] || continue; '
            """if [ -d "$n" ]; then printf '%s/\\0' "$n"; else printf '%s\\0' "$n"; fi; done"""
        )
        return [(name.removesuffix("/"), name.endswith("/")) for name in text.split("\0") if name]


class _Search:
    """Implements `SearchOperations`: git lists the files of a repository, find those of other folders."""

    def __init__(self, there: _There) -> None:
        self._there = there

    async def find(self, wanted: FindRequest, signal: AbortSignal | None) -> Sequence[str]:
        matches = glob_matcher(wanted.pattern, smart_case=True)
        files = await self._files(wanted.folder, signal)
        folders = {f"{folder}/" for name in files for folder in _above(name)}
        found = [name for name in sorted({*files, *folders}) if matches(name.removesuffix("/"))]
        return found[: wanted.limit]

    async def grep(self, wanted: GrepRequest, signal: AbortSignal | None) -> GrepFound:
        name = shlex.quote(wanted.path)
        if (await self._there.output(f"if [ -d {name} ]; then echo folder; fi")).strip():
            chosen = file_filter(wanted.glob)
            folder, files = wanted.path, [f for f in await self._files(wanted.path, signal) if chosen(f)]
        else:
            folder, base = posixpath.split(wanted.path)
            files = [base]
        found = _Matches(wanted.limit)
        for batch in _batches(files):
            found.take(await self._grep(wanted, folder, batch, signal))
            if found.result.more:
                break
        return found.result

    async def _grep(
        self, wanted: GrepRequest, folder: str, files: Sequence[str], signal: AbortSignal | None
    ) -> str:
        kind = "-F" if wanted.literal else "-E"
        options = f"-nIH --null {kind} {'-i' if wanted.ignore_case else ''} -C {wanted.context}"
        names = " ".join(shlex.quote(f"./{name}") for name in files)
        script = f"cd {shlex.quote(folder)} && grep {options} -e {shlex.quote(wanted.pattern)} -- {names}"
        code, text = await self._there.run(script, signal)
        if code > 1 and "\0" not in text:
            message = f"The pattern {wanted.pattern} cannot be looked for: {' '.join(text.split())}."
            raise LookError("bad_pattern", message)
        return text

    async def _files(self, folder: str, signal: AbortSignal | None) -> list[str]:
        text = await self._there.output(
            f"cd {shlex.quote(folder)} && "
            "{ git ls-files -z -co --exclude-standard 2>/dev/null || "
            "find . -name .git -prune -o ! -type d -print0; }",
            signal,
        )
        return sorted({name.removeprefix("./") for name in text.split("\0") if name})


class _Matches:
    """What grep prints, line by line, up to a number of matches."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self.result = GrepFound()

    def take(self, text: str) -> None:
        for line in text.split("\n"):
            name, zero, rest = line.partition("\0")
            number = rest[: len(rest) - len(rest.lstrip("0123456789"))]
            if not zero or not number:
                continue  # the line of dashes between two places
            is_match = rest[len(number) : len(number) + 1] == ":"
            if is_match and self._left == 0:
                self.result.more = True
                return
            self._left -= is_match
            text_of_line = rest[len(number) + 1 :].removesuffix("\r")
            shown = GrepLine(name.removeprefix("./"), int(number), text_of_line, is_match)
            self.result.lines.append(shown)


def _above(name: str) -> list[str]:
    """The folders that a relative path goes through."""
    parts = name.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _batches(files: Sequence[str]) -> list[list[str]]:
    """The names in groups that fit into one command."""
    batches: list[list[str]] = []
    size = _CHUNK
    for name in files:
        if size + len(name) > _CHUNK:
            batches.append([])
            size = 0
        batches[-1].append(name)
        size += len(name) + 8
    return batches
