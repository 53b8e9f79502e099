"""The ports through which the tools touch a machine, so that another machine can stand in.

An extension that works over SSH or in a container gives its own; the rules of
the tools stay the same.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import codecs
import errno
import os
import stat
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from hookspecs.values import dataclass
from pi_core.abort import AbortController, AbortSignal
from pi_core.process import ProcessResult, run_process
from pi_core.tools.search_aside import grep_aside
from pi_core.tools.searching import (
    FindRequest,
    GrepFound,
    GrepRequest,
    find_here,
    grep_here,
    may_take_for_ever,
)
from pi_core.tools.truncate import format_size

PlaceKind = Literal["file", "folder"]
MAX_FILE_BYTES: Final = 256 * 1024 * 1024
"""A file is in memory while a tool works on it; larger ones are for programs."""


class FileOperations(Protocol):
    """Whole files by absolute path. Failures are OSError, as the local file system's."""

    async def read(self, path: str) -> bytes:
        """Everything in the file."""

    async def write(self, path: str, data: bytes) -> None:
        """Put `data` in place of the file's content; make the file and its folders if need be."""


class ShellOperations(Protocol):
    """Runs one shell command."""

    async def run(
        self,
        command: str,
        *,
        cwd: str,
        env: Mapping[str, str] | None,
        timeout_s: float | None,
        signal: AbortSignal | None,
        on_output: Callable[[str], None],
    ) -> ProcessResult:
        """Run to the end, telling output of both streams as it comes. Texts of the result are not used."""


class FolderOperations(Protocol):
    """What is where, by absolute path. Failures are OSError."""

    async def kind(self, path: str) -> PlaceKind | None:
        """What is there; None if nothing is. A link counts as what it leads to, else as a file."""

    async def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        """The names in a folder, hidden ones included, in any order; with each, whether it is a folder."""


class SearchOperations(Protocol):
    """Searches below a folder. Ignored files and `.git` are left out where the machine knows them.

    Failures are OSError. Raises: LookError for a pattern that has no meaning.
    """

    async def find(self, wanted: FindRequest, signal: AbortSignal | None) -> Sequence[str]:
        """Paths below the folder that match, at most as many as wanted; folders end with a slash."""

    async def grep(self, wanted: GrepRequest, signal: AbortSignal | None) -> GrepFound:
        """Lines that match, with the lines around them, file by file."""


class LocalFiles:
    """The files of this machine."""

    async def read(self, path: str) -> bytes:
        return await asyncio.to_thread(_read, path)

    async def write(self, path: str, data: bytes) -> None:
        await asyncio.to_thread(_write, Path(path), data)


class LocalShell:
    """The shell of this machine: bash, or the given program."""

    def __init__(self, shell_path: str | None = None) -> None:
        self._shell = None if shell_path is None else (shell_path, "-c")

    async def run(
        self,
        command: str,
        *,
        cwd: str,
        env: Mapping[str, str] | None,
        timeout_s: float | None,
        signal: AbortSignal | None,
        on_output: Callable[[str], None],
    ) -> ProcessResult:
        return await run_process(
            command,
            cwd=cwd,
            env=env,
            timeout_s=timeout_s,
            signal=signal,
            on_output=on_output,
            max_bytes=0,
            merge_stderr=True,
            shell=self._shell,
        )


class LocalFolders:
    """The folders of this machine."""

    async def kind(self, path: str) -> PlaceKind | None:
        if not os.path.lexists(path):
            return None
        return "folder" if os.path.isdir(path) else "file"

    async def names(self, folder: str) -> Sequence[tuple[str, bool]]:
        return await asyncio.to_thread(_names, folder)


class LocalSearch:
    """Searches on this machine."""

    async def find(self, wanted: FindRequest, signal: AbortSignal | None) -> Sequence[str]:
        return await asyncio.to_thread(find_here, wanted, signal)

    async def grep(self, wanted: GrepRequest, signal: AbortSignal | None) -> GrepFound:
        if may_take_for_ever(wanted):
            return await grep_aside(wanted, signal)
        return await asyncio.to_thread(grep_here, wanted, signal)


class ShellOfExec:
    """A shell made of what an extension gives: `exec(command, cwd, *, on_data, signal, env)`.

    `exec` may be async and answers the exit code; `on_data` takes text or bytes. The time limit is kept
    here, by aborting `signal`.
    """

    def __init__(self, operations: Any) -> None:
        self._operations = operations

    async def run(
        self,
        command: str,
        *,
        cwd: str,
        env: Mapping[str, str] | None,
        timeout_s: float | None,
        signal: AbortSignal | None,
        on_output: Callable[[str], None],
    ) -> ProcessResult:
        inner = AbortController()
        loop = asyncio.get_running_loop()
        timer = None if timeout_s is None else loop.call_later(timeout_s, inner.abort)
        unlisten = None if signal is None else signal.on_abort(inner.abort)
        tell = Decoded(on_output)
        try:
            code = await self._exec(command, cwd, env, inner.signal, tell)
        finally:
            if timer is not None:
                timer.cancel()
            if unlisten is not None:
                unlisten()
        tell.close()
        aborted = signal is not None and signal.aborted
        timed_out = inner.signal.aborted and not aborted
        killed = aborted or timed_out
        return ProcessResult(
            "", "", code if code is not None else 1, killed=killed, timed_out=timed_out, aborted=aborted
        )

    async def _exec(
        self, command: str, cwd: str, env: Mapping[str, str] | None, signal: AbortSignal, tell: Decoded
    ) -> int | None:
        try:
            ended = self._operations.exec(command, cwd, on_data=tell.add, signal=signal, env=env)
            return exit_code(await ended if isinstance(ended, Awaitable) else ended)
        except Exception:
            if signal.aborted:
                return None  # whatever it says: it was told to end
            raise


class Decoded:
    """Hands on text; of bytes, never a part of a character."""

    def __init__(self, on_output: Callable[[str], None]) -> None:
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, piece: str | bytes) -> None:
        """Take the next piece."""
        self._on_output(self._decoder.decode(piece) if isinstance(piece, bytes) else piece)

    def close(self) -> None:
        """The end: what is left of a character is marked."""
        if left := self._decoder.decode(b"", final=True):
            self._on_output(left)


def exit_code(ended: Any) -> int | None:
    """The exit code of what an extension's `exec` returns: the code itself, or something that has it."""
    if isinstance(ended, Mapping):
        ended = ended.get("exit_code", ended.get("exitCode"))
    found = getattr(ended, "exit_code", ended)
    return found if isinstance(found, int) else None


def shell_of(operations: Any) -> ShellOperations:
    """Something with `run` as it is, something with `exec` made one."""
    shell: ShellOperations = operations if hasattr(operations, "run") else ShellOfExec(operations)
    return shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """Everything that the built-in tools touch; what is not given is this machine's.

    With `elsewhere` names are taken as they are written: no look-alike is searched for on this machine.
    """

    files: FileOperations = field(default_factory=LocalFiles)
    folders: FolderOperations = field(default_factory=LocalFolders)
    search: SearchOperations = field(default_factory=LocalSearch)
    shell: ShellOperations | None = None
    """None: this machine's, by the settings."""
    elsewhere: bool = False


def _names(folder: str) -> list[tuple[str, bool]]:
    return [(name, os.path.isdir(os.path.join(folder, name))) for name in os.listdir(folder)]


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):  # a device may never end, a pipe never begin
            raise OSError(errno.EINVAL, "it is a device, a pipe or a socket")
        if found.st_size > MAX_FILE_BYTES:
            raise OSError(errno.EFBIG, f"it has {format_size(found.st_size)}; take a part of it with bash")
        return file.read()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # In place, so that links, owner and mode stay what they are.
    path.write_bytes(data)
