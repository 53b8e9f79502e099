"""Real git repositories: a bare one to serve as remote, and a work tree that feeds it.

Touches: files, processes (git).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class GitRepo:
    """A bare repository at `folder/NAME.git` with the branch `main`."""

    def __init__(self, folder: Path, name: str = "repo") -> None:
        self.bare = folder / f"{name}.git"
        self.work = folder / f"{name}.work"
        self.work.mkdir(parents=True)
        self._run("init", "-q", "--bare", "-b", "main", "--template=", str(self.bare))
        self._git("init", "-q", "-b", "main", "--template=")
        self._git("remote", "add", "origin", str(self.bare))

    @property
    def url(self) -> str:
        return self.bare.as_uri()

    def commit(self, files: Mapping[str, str], message: str = "change") -> str:
        """Write the files, commit everything on the current branch, push, and return the commit id."""
        for path, text in files.items():
            target = self.work / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        return self.commit_all(message)

    def commit_all(self, message: str = "change") -> str:
        """Commit the work tree as it stands, push it, and return the commit id."""
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", message)
        self._git("push", "-q", "--force", "origin", "HEAD")
        return self.head()

    def branch(self, name: str) -> None:
        """Go on from here on a branch of this name, known to the remote."""
        self._git("checkout", "-q", "-B", name)
        self._git("push", "-q", "origin", "HEAD")

    def switch(self, name: str) -> None:
        self._git("checkout", "-q", name)

    def tag(self, name: str, *, annotated: bool = False) -> None:
        """Tag the current commit, on the remote too."""
        self._git("tag", *(("-a", "-m", name) if annotated else ()), "--", name)
        self._git("push", "-q", "origin", f"refs/tags/{name}")

    def rewind(self, commit: str) -> None:
        """Move the current branch to an older commit, on the remote too."""
        self._git("reset", "-q", "--hard", commit)
        self._git("push", "-q", "--force", "origin", "HEAD")

    def head(self) -> str:
        return self._git("rev-parse", "HEAD")

    def _git(self, *arguments: str) -> str:
        return self._run("-C", str(self.work), *arguments)

    @staticmethod
    def _run(*arguments: str) -> str:
        environ = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{role}_NAME": "Test" for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_EMAIL": "test@example.invalid" for role in ("AUTHOR", "COMMITTER")},
        }
        done = subprocess.run(["git", *arguments], env=environ, check=True, capture_output=True, text=True)
        return done.stdout.strip()
