"""git, as a way to fetch one commit: hooks off, no templates, no prompts, no submodules, few protocols.

A checkout stands at `checkouts/<host>/<path…>/<commit>`. It is built aside and renamed, so a folder of
that name is always complete. Nothing in it is changed afterwards but what somebody else changed, and the
same commit is never fetched twice.

Touches: files, processes, network (through git).
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_pkg.install.disk import disk_error
from pi_pkg.install.errors import GitError
from pi_pkg.install.generation import TRASH_PREFIX, remove_folder
from pi_pkg.install.index import RefKind
from pi_pkg.install.process import Finished, RunProcess, find_program, run_process
from pi_pkg.install.progress import Report, Step, silent
from pi_pkg.shown import public_form, without_credentials

ASK_TIMEOUT_S: Final = 60.0
FETCH_TIMEOUT_S: Final = 900.0
_PROTOCOLS: Final = "https:http:ssh:git:file"
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT_COMMIT: Final = re.compile(r"[0-9a-f]{7,63}")
# What a ref may not hold: git's own rules, checked before git sees it.
_BAD_REF: Final = re.compile(r"^$|^[-/.]|\.\.|//|@\{|[\x00-\x20\x7f~^:?*\[\\]|/\.|\.lock(/|$)|[/.]$")
_OPTIONS: Final = (
    "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "core.fsmonitor=false",
    "-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false", "-c", "gc.auto=0",
    "-c", "advice.detachedHead=false", "-c", "maintenance.auto=false",
)  # fmt: skip
_DROPPED: Final = frozenset(
    {
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
        "GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_TEMPLATE_DIR", "GIT_EXEC_PATH",
        "GIT_PREFIX", "GIT_CURL_VERBOSE", "GIT_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
        "LANGUAGE",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository is and what it is called."""

    url: str
    """Clone URL; may hold credentials, which are never shown."""
    host: str
    """Lower-case host; empty for a repository on this machine."""
    path: str
    """Path on the host without slashes at its ends."""

    @property
    def shown(self) -> str:
        """The URL without credentials."""
        return without_credentials(self.url)

    @property
    def public_url(self) -> str:
        """The URL for command lines, which everybody on the machine can read."""
        return public_form(self.url)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A ref as the remote knows it."""

    commit: str | None
    """Full commit id; None for an abbreviated one that only a fetch can complete."""
    kind: RefKind
    fetch: str | None
    """Name to fetch it by; None if only everything can be fetched."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A commit on this machine."""

    commit: str
    """Full commit id."""
    path: Path
    """Folder with its files."""
    ref_kind: RefKind
    """A branch moves with updates, a tag or commit is a pin."""


@dataclass(frozen=True, slots=True)
class Git:
    """The git of this machine, with what it needs from us."""

    environ: Mapping[str, str]
    """Environment of the user: for ssh agents, credential helpers and proxies."""
    report: Report = silent
    run: RunProcess = run_process

    def resolve(self, repository: Repository, ref: str | None) -> Resolved:
        """What a ref is on the remote; None asks for the default branch.

        A tag stands before a branch of the same name; `refs/heads/NAME` says which. Raises GitError for
        a ref that the remote does not have, and for a remote that does not answer.
        """
        if ref is not None and _BAD_REF.search(ref):
            raise GitError(f"{ref!r} can be no branch, tag or commit.")
        rows = self._remote_refs(repository, ref)
        if ref is None:
            if "HEAD" not in rows:
                raise GitError(f"{repository.shown} has no default branch; it may be empty.")
            return Resolved(rows["HEAD"], "branch", "HEAD")
        for name, kind in _candidates(ref):
            if name in rows:
                return Resolved(rows.get(f"{name}^{{}}", rows[name]), kind, name)
        if _COMMIT.fullmatch(ref.lower()):
            return Resolved(ref.lower(), "commit", ref.lower())
        if _SHORT_COMMIT.fullmatch(ref.lower()):
            return Resolved(None, "commit", None)
        raise GitError(
            f"{repository.shown} has no branch, tag or commit {ref!r}.",
            hint="A commit needs at least seven of its digits.",
        )

    def checkout(
        self, checkouts: Path, repository: Repository, ref: str | None, subdirectory: str | None = None
    ) -> Checkout:
        """Bring the commit behind a ref to this machine, unless it is here.

        Raises GitError, also for a `subdirectory` that the commit does not have, or DiskError; then
        nothing new stands in `checkouts`.
        """
        resolved = self.resolve(repository, ref)
        place = checkout_folder(checkouts, repository)
        if resolved.commit is not None and self._stands(place / resolved.commit, resolved.commit):
            return Checkout(resolved.commit, place / resolved.commit, resolved.kind)
        self.report(Step("fetch", f"fetching {repository.shown}" + (f" at {ref}" if ref else "")))
        aside = checkouts / f"{TRASH_PREFIX}{secrets.token_hex(4)}"
        try:
            aside.mkdir(parents=True)
            commit = resolved.commit or self._complete(aside / "history", repository, ref or "")
            commit = self._fetch(aside / "files", repository, resolved.fetch or commit, resolved.kind)
            refuse_escaping_links(aside / "files", repository.shown)
            subdirectory_of(Checkout(commit, aside / "files", resolved.kind), subdirectory, repository.shown)
            self._move(aside / "files", place / commit)
        except OSError as error:
            raise disk_error(error, aside) from error
        finally:
            remove_folder(aside)
        return Checkout(commit, place / commit, resolved.kind)

    def tags(self, repository: Repository) -> dict[str, str]:
        """The commit of each tag on the remote. Raises GitError for a remote that does not answer."""
        done = self._git(None, "ls-remote", "--tags", "--", repository.public_url, at=repository)
        if done.code != 0:
            raise _failed(done, f"{repository.shown} did not answer")
        rows = (line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
        # The row of an annotated tag is followed by one with the commit that it names.
        return {name.removeprefix("refs/tags/").removesuffix("^{}"): commit for commit, name in rows}

    def _stands(self, folder: Path, commit: str) -> bool:
        """Whether a checkout is there as the commit has it; what somebody changed in it is put back."""
        if not folder.is_dir():
            return False
        done = self._git(
            folder, "status", "--porcelain=v2", "--branch", "--untracked-files=no", "--no-renames"
        )
        rows = done.stdout.splitlines()
        if done.code != 0 or f"# branch.oid {commit}" not in rows:
            return False
        if all(row.startswith("#") for row in rows):
            return True
        self.report(Step("fetch", f"putting back what was changed in {folder}"))
        return self._git(folder, "reset", "-q", "--hard", commit, "--").code == 0

    def _move(self, aside: Path, target: Path) -> None:
        """Put a checkout in its place, unless somebody else brought the same one at the same time."""
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.rename(aside, target)
        except OSError:
            if not target.is_dir():
                raise
            if not self._stands(target, target.name):
                remove_folder(target)  # damaged beyond what git can put back
                os.rename(aside, target)

    def _remote_refs(self, repository: Repository, ref: str | None) -> dict[str, str]:
        patterns = ["HEAD"] if ref is None else [name for name, _ in _candidates(ref)]
        patterns += [f"{name}^{{}}" for name in patterns if name.startswith("refs/tags/")]
        done = self._git(None, "ls-remote", "--", repository.public_url, *patterns, at=repository)
        if done.code != 0:
            raise _failed(done, f"{repository.shown} did not answer")
        rows = (line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)
        return {name: commit for commit, name in rows}

    def _complete(self, folder: Path, repository: Repository, short: str) -> str:
        """The full name of an abbreviated commit: from a history without files, where the server can."""
        self._init(folder)
        self._fetch_all(folder, repository, "--filter=tree:0")
        return self._commit(folder, short, repository)

    def _fetch(self, folder: Path, repository: Repository, wanted: str, kind: RefKind) -> str:
        """Fetch a name or commit alone, check it out, and return its commit."""
        self._init(folder)
        done = self._git(
            folder, "fetch", "-q", "--depth", "1", "--no-tags", "--no-recurse-submodules",
            "--", repository.public_url, wanted, timeout_s=FETCH_TIMEOUT_S, at=repository,
        )  # fmt: skip
        if done.code == 0:
            commit = self._commit(folder, "FETCH_HEAD", repository)
        elif kind == "commit" and not done.timed_out:
            self._fetch_all(folder, repository)  # some servers give no commit by its name
            commit = self._commit(folder, wanted, repository)
        else:
            raise _failed(done, f"{repository.shown} could not be fetched")
        done = self._git(folder, "checkout", "-q", "--detach", commit, "--", timeout_s=FETCH_TIMEOUT_S)
        if done.code != 0:
            raise _failed(done, f"{commit} of {repository.shown} could not be checked out")
        return commit

    def _fetch_all(self, folder: Path, repository: Repository, *options: str) -> None:
        done = self._git(
            folder, "fetch", "-q", *options, "--no-recurse-submodules", "--", repository.public_url,
            "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*",
            timeout_s=FETCH_TIMEOUT_S, at=repository,
        )  # fmt: skip
        if done.code != 0:
            raise _failed(done, f"{repository.shown} could not be fetched")

    def _init(self, folder: Path) -> None:
        done = self._git(None, "init", "-q", "--template=", "--", str(folder))
        if done.code != 0:
            raise _failed(done, "git could not make a repository")

    def _commit(self, folder: Path, name: str, repository: Repository) -> str:
        done = self._git(folder, "rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{commit}}")
        commit = done.stdout.strip()
        if done.code != 0 or not _COMMIT.fullmatch(commit):
            raise GitError(f"{repository.shown} has no single commit {name!r}.", detail=_output(done))
        return commit

    def _git(
        self,
        folder: Path | None,
        *arguments: str,
        timeout_s: float = ASK_TIMEOUT_S,
        at: Repository | None = None,
    ) -> Finished:
        """Run git in a folder; `at` is the repository that it talks to."""
        # What stands in our folder is ours, whatever the system says about owners (a home in a container).
        where = () if folder is None else ("-C", str(folder), "-c", f"safe.directory={folder}")
        program = find_program("git", self.environ)
        if program is None:
            raise GitError("git is not installed.", hint="Install it, or use a local folder.")
        # Never from within a checkout: it could hold a file that is taken for a program.
        return self.run(
            [program, *where, *_OPTIONS, *arguments],
            env=git_environ(self.environ if at is None else _with_address(self.environ, at)),
            cwd=Path(os.path.abspath(os.sep)),
            timeout_s=timeout_s,
        )


def git_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, less what would redirect git, with every way to ask a person shut."""
    kept = {
        name: value
        for name, value in environ.items()
        if name not in _DROPPED and not name.startswith("GIT_TRACE")
    }
    ssh = kept.get("GIT_SSH_COMMAND") or kept.get("GIT_SSH") or "ssh"
    return {
        **kept,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
        "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        # A server that says nothing for a minute says nothing any more; it sends a sign of life every 5 s.
        "GIT_HTTP_LOW_SPEED_LIMIT": kept.get("GIT_HTTP_LOW_SPEED_LIMIT", "1"),
        "GIT_HTTP_LOW_SPEED_TIME": kept.get("GIT_HTTP_LOW_SPEED_TIME", "60"),
        "LC_ALL": "C",
    }


def _with_address(environ: Mapping[str, str], repository: Repository) -> dict[str, str]:
    """The environment in which the public address stands for the whole one: only we can read that."""
    if repository.public_url == repository.url:
        return dict(environ)
    count = environ.get("GIT_CONFIG_COUNT", "")
    number = int(count) if count.isdecimal() else 0
    return {
        **environ,
        "GIT_CONFIG_COUNT": str(number + 1),
        f"GIT_CONFIG_KEY_{number}": f"url.{repository.url}.insteadOf",
        f"GIT_CONFIG_VALUE_{number}": repository.public_url,
    }


def checkout_folder(checkouts: Path, repository: Repository) -> Path:
    """The folder that holds a repository's commits side by side.

    Raises GitError for a name that would lead out of `checkouts`.
    """
    parts = [repository.host or "localhost", *repository.path.split("/")]
    for part in parts:
        if part in ("", ".", "..") or part.startswith(TRASH_PREFIX) or re.search(r"[\\:\x00]", part):
            raise GitError(f"{repository.shown} has the unsafe part {part!r} in its path.")
    return checkouts.joinpath(*parts)


def subdirectory_of(checkout: Checkout, subdirectory: str | None, shown: str) -> Path:
    """A folder of a checkout. Raises GitError if it is none, or leads out of the checkout."""
    if subdirectory is None:
        return checkout.path
    folder = Path(os.path.realpath(checkout.path / subdirectory))
    if not folder.is_relative_to(os.path.realpath(checkout.path)) or ".git" in folder.parts[-1:]:
        raise GitError(f"subdirectory={subdirectory} leads out of {shown}.")
    if not folder.is_dir():
        raise GitError(f"{shown} has no folder {subdirectory} at {checkout.commit[:12]}.")
    return checkout.path / subdirectory


def refuse_escaping_links(folder: Path, shown: str) -> None:
    """Raise GitError for a link that leads out of the folder; links inside it are fine."""
    top = os.path.realpath(folder)
    for path in _links(folder):
        target = os.readlink(path)
        real = os.path.realpath(path)
        if os.path.isabs(target) or not (real == top or real.startswith(top + os.sep)):
            name = os.path.relpath(path, folder)
            raise GitError(f"{shown} holds the link {name} -> {target}, which leads out of the checkout.")
        if os.path.relpath(real, top).split(os.sep)[0] == ".git":
            raise GitError(f"{shown} holds the link {os.path.relpath(path, folder)} into git's own folder.")


def _links(folder: Path) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        if ".git" in folders and here == str(folder):
            folders.remove(".git")
        yield from (path for name in (*folders, *files) if os.path.islink(path := os.path.join(here, name)))


def _candidates(ref: str) -> tuple[tuple[str, RefKind], ...]:
    if ref.startswith("refs/"):
        return ((ref, "tag" if ref.startswith("refs/tags/") else "branch"),)
    return ((f"refs/tags/{ref}", "tag"), (f"refs/heads/{ref}", "branch"))


def _failed(done: Finished, what: str) -> GitError:
    if done.timed_out:
        return GitError(f"{what} in time.")
    lines = [line for line in _output(done).splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"(fatal|error|remote|ERROR)", line)] or lines[-1:]
    reason = re.sub(r"^(fatal|error|ERROR): ", "", telling[0]).rstrip(".") if telling else f"exit {done.code}"
    hint = None
    if re.search(
        r"could not read (Username|Password)|Authentication failed|Permission denied|terminal prompts", reason
    ):
        hint = (
            "It needs credentials: set up a credential helper or an ssh key, since nothing is asked for here."
        )
    return GitError(f"{what}: {reason}.", hint=hint, detail=_output(done))


def _output(done: Finished) -> str:
    return without_credentials(done.output)
