"""What is asked of git: keep the working folder as a commit, bring one back. Runs git."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pi_core.api import ExecResult, ExtensionAPI

AUTHOR = ("-c", "user.name=pi", "-c", "user.email=pi@localhost", "-c", "commit.gpgSign=false")


class Repository:
    """The repository of a working folder. Branches and the index of the person are never touched."""

    def __init__(self, pi: ExtensionAPI, cwd: str) -> None:
        self._pi = pi
        self._cwd = cwd

    async def keep(self, title: str) -> str | None:
        """Everything in the folder but what is ignored, as a commit. None where there is no repository."""
        with tempfile.TemporaryDirectory() as folder:
            index = str(Path(folder) / "index")
            if (await self._git("add", "--all", index=index)).code != 0:
                return None
            tree = (await self._git("write-tree", index=index)).stdout.strip()
        head = (await self._git("rev-parse", "--verify", "-q", "HEAD")).stdout.strip()
        parents = ["-p", head] if head else []
        commit = (
            await self._git(*AUTHOR, "commit-tree", tree, *parents, "-m", f"pi: {title}")
        ).stdout.strip()
        if not commit:
            return None
        await self._git("update-ref", f"refs/pi/checkpoints/{await self._count() + 1}", commit)
        return commit

    async def restore(self, commit: str) -> str | None:
        """The files of a commit in the folder, and none that it lacks. Returns what went wrong."""
        with tempfile.TemporaryDirectory() as folder:
            index = str(Path(folder) / "index")
            # First the folder as it is, so that git knows which files the commit lacks.
            steps: Sequence[Sequence[str]] = (["add", "--all"], ["read-tree", "--reset", "-u", commit])
            for step in steps:
                done = await self._git(*step, index=index)
                if done.code != 0:
                    return done.stderr.strip() or f"git {step[0]} ended with {done.code}"
        return None

    async def _count(self) -> int:
        found = await self._git("for-each-ref", "--format=%(refname)", "refs/pi/checkpoints/")
        return len(found.stdout.splitlines())

    async def _git(self, *args: str, index: str | None = None) -> ExecResult:
        """Run git at the top of the repository, with an index of its own where one is given."""
        if index is None:
            return await self._pi.exec("git", args, cwd=self._cwd, timeout_s=30)
        with_index = [f"GIT_INDEX_FILE={index}", "git", *args]
        if os.name == "nt":
            raise OSError("a private index is set through `env`, which Windows lacks")
        return await self._pi.exec("env", with_index, cwd=self._cwd, timeout_s=30)
