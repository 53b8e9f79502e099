"""Folders on which writing fails, as real as this machine allows.

Touches: files, processes (mount, where the tests run as root).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[bool]:
    """An empty disk of that size at `folder`; False, and an ordinary folder, where none can be mounted."""
    folder.mkdir(parents=True)
    mounted = _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[bool]:
    """Nothing below the folder can be written meanwhile; False where that cannot be had."""
    if _mount("--bind", str(folder), str(folder)):
        try:
            subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
            yield True
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        return
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())]
    for path in folders:
        path.chmod(0o555)
    try:
        yield not os.access(folder, os.W_OK)  # root may write in spite of it
    finally:
        for path in folders:
            path.chmod(0o755)


def _mount(*words: str) -> bool:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    try:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
