"""The ports through which the tools touch a machine, so that another machine can stand in.

An extension that works over SSH or in a container gives its own; the rules of
the tools stay the same.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from pi_core.abort import AbortSignal
from pi_core.process import ProcessResult, run_process


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


class LocalFiles:
    """The files of this machine."""

    async def read(self, path: str) -> bytes:
        return await asyncio.to_thread(Path(path).read_bytes)

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


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # In place, so that links, owner and mode stay what they are.
    path.write_bytes(data)
