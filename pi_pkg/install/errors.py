"""Why a generation could not be built, checked or put in force. In every case the previous one stays.

    InstallError (pi_pkg.errors)
    ├── HostConflict        a root asks for what pi's own environment cannot give
    ├── Unresolvable        the roots of the scope cannot be satisfied together, or not at all
    ├── IndexUnreachable    a package index did not answer
    ├── InstallerFailed     a backend failed for a reason of its own, or ran past its time limit
    ├── IndexConfigError    a backend cannot express the index configuration, or there is no backend
    ├── BrokenGeneration    what was installed failed our own check
    ├── TreeError           a local or checked-out tree that cannot be used
    ├── GitError            git failed, or the ref is not on the remote
    ├── DiskError           a file could not be written
    ├── ScopeBusy           another process holds the scope's lock
    └── NoSuchGeneration    a rollback to a generation that is not there

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_pkg.errors import InstallError


class HostConflict(InstallError):
    """`asker` needs `wanted`, and the environment that pi runs in holds another version.

    The host's copy is the one that would be imported, so nothing is installed. `where` is the folder
    that holds it.
    """

    code = "host-conflict"

    def __init__(
        self, asker: str, wanted: str, name: str, version: str, *, where: str, detail: str | None = None
    ) -> None:
        super().__init__(
            f"{asker} needs {wanted}, but the environment that pi runs in has {name} {version}.",
            hint=f"Ask for a version that lives with it, or change {name} in {where}.",
            detail=detail,
        )
        self.asker = asker
        self.wanted = wanted
        self.name = name
        self.version = version
        self.where = where


class Unresolvable(InstallError):
    """No set of versions satisfies the roots. `detail` is the backend's whole explanation.

    `source_only` names a distribution that is there, but would have to be built.
    """

    code = "install-unresolvable"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        detail: str | None = None,
        source_only: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, detail=detail)
        self.source_only = source_only


class IndexUnreachable(InstallError):
    """An index did not answer. `url` has no credentials in it."""

    code = "index-unreachable"

    def __init__(self, url: str, reason: str, *, detail: str | None = None) -> None:
        super().__init__(
            f"the package index {url} did not answer: {reason}.",
            hint="Check [install] in settings.toml, the PIP_* and UV_* variables, and the network.",
            detail=detail,
        )
        self.url = url
        self.reason = reason


class InstallerFailed(InstallError):
    """A backend ended with an error that is not about the packages, or was stopped by its time limit."""

    code = "installer-failed"


class IndexConfigError(InstallError):
    """The index configuration is unreadable, or the chosen backend cannot express it."""

    code = "index-config-invalid"


class BrokenGeneration(InstallError):
    """The check of a built generation found `problems` (one sentence each, never empty)."""

    code = "generation-refused"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(
            "; ".join(problems) + ".",
            hint="Nothing was changed.",
        )
        self.problems = tuple(problems)


class TreeError(InstallError):
    """A tree that is missing, unreadable or unsafe."""

    code = "tree-unusable"


class GitError(InstallError):
    """git could not bring the wanted commit."""

    code = "git-failed"


class DiskError(InstallError):
    """A file or folder could not be written; names it and the reason of the system."""

    code = "disk-failed"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"could not write {path}: {reason}.", hint="Nothing was changed.")
        self.path = path
        self.reason = reason


class ScopeBusy(InstallError):
    """Another process is changing the scope and did not finish in time."""

    code = "scope-busy"

    def __init__(self, path: str, waited_s: float) -> None:
        super().__init__(
            f"another pi is changing the packages here; gave up after {waited_s:g} s.",
            hint=f"The lock is {path}.",
        )
        self.path = path
        self.waited_s = waited_s


class NoSuchGeneration(InstallError):
    """A rollback without a target. `known` lists the generations that are there, oldest first."""

    code = "generation-unknown"

    def __init__(self, asked: str | None, known: Sequence[str]) -> None:
        what = "there is no older generation to go back to" if asked is None else f"no generation {asked!r}"
        there = f"there is {', '.join(known)}" if known else "nothing was installed here yet"
        super().__init__(f"{what}; {there}.")
        self.asked = asked
        self.known = tuple(known)
