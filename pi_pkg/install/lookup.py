"""What an index or a remote has now, asked without bringing anything here.

Touches: files (a temporary folder), processes, network (through the backend and git).
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from pi_pkg.errors import InstallError
from pi_pkg.install.backends.base import Backend, Command, child_environ
from pi_pkg.install.backends.explain import explain_pip, explain_uv
from pi_pkg.install.backends.pip import PipBackend
from pi_pkg.install.backends.uv import UvBackend
from pi_pkg.install.errors import IndexUnreachable, Unresolvable
from pi_pkg.install.git import Git, Repository
from pi_pkg.install.index import InstalledPackage, RefKind
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.process import Finished, RunProcess
from pi_pkg.sources.model import GitSource, PypiSource, canonical_name

LOOKUP_TIMEOUT_S: Final = 120.0
AT_ONCE: Final = 4
"""How many programs ask at the same time."""
_PINNED_LINE: Final = re.compile(r"([A-Za-z0-9][\w.-]*)==(\S+)")
_TAG: Final = re.compile(r"(?P<prefix>.*?)(?P<version>\d.*)", re.DOTALL)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Newest:
    """What one source would get now."""

    latest: str | None
    """Version or full commit id; None where only an installation would tell."""
    ref_kind: RefKind | None = None
    """What the ref of a git source is on the remote."""
    beyond: str | None = None
    """The newest version or tag that a pin keeps out."""


Answer: TypeAlias = Newest | InstallError
"""What was found for a source, or why nothing could be."""


@dataclass(frozen=True, slots=True)
class IndexLookup:
    """Asks the indexes in force, through the backend that would install from them."""

    backend: Backend
    index_config: IndexConfig
    environ: Mapping[str, str]
    run: RunProcess
    stop: threading.Event
    """Set when the caller is interrupted; `run` gives up then."""

    def newest(self, sources: Sequence[PypiSource]) -> dict[str, Answer]:
        """By identity: the newest version that each source allows; for a pin, what it keeps out."""
        wanted = {source.identity: _asked(source) for source in sources}
        found = self._versions(wanted)
        return {
            source.identity: _kept_out(source, found[source.identity]) if source.pinned
            else found[source.identity]
            for source in sources
        }  # fmt: skip

    def _versions(self, wanted: Mapping[str, str]) -> dict[str, Answer]:
        """The newest version for each requirement, by the key it has in `wanted`."""
        match self.backend:
            case UvBackend():
                return self._from_uv(self.backend, wanted)
            case PipBackend():
                ask = {key: partial(self._from_pip, self.backend, text) for key, text in wanted.items()}
                return concurrently(ask, self.stop)
            case _:
                return dict.fromkeys(wanted, Newest(None))

    def _from_uv(self, uv: UvBackend, wanted: Mapping[str, str]) -> dict[str, Answer]:
        """All in one run; each in one of its own where that fails, unless an index does not answer."""
        if not wanted:
            return {}
        with tempfile.TemporaryDirectory(prefix="pi-lookup-") as folder:
            file = Path(folder, "requirements.in")
            file.write_text("".join(f"{text}\n" for text in wanted.values()), encoding="utf-8")
            finished = self._run(uv.look_up(file, self.index_config, sys.executable), Path(folder))
        if finished.code == 0 and not finished.timed_out:
            rows = {canonical_name(name): version for name, version in _PINNED_LINE.findall(finished.stdout)}
            return {key: Newest(rows.get(_name(text))) for key, text in wanted.items()}
        error = explain_uv(finished, self.index_config, {})
        if len(wanted) == 1 or isinstance(error, IndexUnreachable):
            return dict.fromkeys(wanted, _telling(error))
        alone = {key: partial(self._one_from_uv, uv, text) for key, text in wanted.items()}
        return concurrently(alone, self.stop)

    def _one_from_uv(self, uv: UvBackend, text: str) -> Answer:
        return self._from_uv(uv, {"": text})[""]

    def _from_pip(self, pip: PipBackend, text: str) -> Answer:
        with tempfile.TemporaryDirectory(prefix="pi-lookup-") as folder:
            log = Path(folder, "pip.log")
            finished = self._run(pip.look_up(_name(text), self.index_config, log), Path(folder))
            said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        listed = re.search(r"^Available versions: (.+)$", finished.stdout, re.MULTILINE)
        if finished.code == 0 and listed is not None:
            version = _newest_of(text, listed[1].split(", "))
            return Newest(version) if version else Unresolvable(f"no version of {text} is offered.")
        if finished.code == 0:
            return Newest(None)
        error = explain_pip(finished, said, self.index_config, {})
        if "No matching distribution found" in finished.output and not isinstance(error, IndexUnreachable):
            return Unresolvable(f"the index offers no {text}.", detail=error.detail)
        return _telling(error)

    def _run(self, command: Command, folder: Path) -> Finished:
        environ = child_environ(self.environ, command.env)
        return self.run(command.argv, env=environ, cwd=folder, timeout_s=LOOKUP_TIMEOUT_S)


def newest_commit(git: Git, source: GitSource, recorded: InstalledPackage | None) -> Answer:
    """What the ref of a git source is on its remote now.

    Nothing is asked about a commit. A tag that was installed stays what it was then; a newer tag of the
    same form is what it keeps out.
    """
    if source.pinned or (recorded is not None and recorded.ref_kind == "commit"):
        return Newest(recorded.commit if recorded else source.ref, "commit")
    repository = Repository(source.clone_url, source.host, source.path)
    try:
        resolved = git.resolve(repository, source.ref)
        newer = None
        if resolved.kind == "tag" and source.ref is not None:
            newer = newer_tag(source.ref, git.tags(repository))
    except InstallError as error:
        return error
    return Newest(resolved.commit, resolved.kind, newer)


def newer_tag(tag: str, tags: Iterable[str]) -> str | None:
    """The newest tag that is `tag` with a later version in it, pre-releases aside; None if there is none."""
    from packaging.version import InvalidVersion, Version  # start-up time: only look-ups compare versions

    def read(text: str) -> tuple[str, Version] | None:
        match = _TAG.fullmatch(text)
        try:
            return (match["prefix"], Version(match["version"])) if match else None
        except InvalidVersion:
            return None

    here = read(tag.removeprefix("refs/tags/"))
    if here is None:
        return None
    found = {text: read(text) for text in tags}
    later = [
        (seen[1], text)
        for text, seen in found.items()
        if seen is not None and seen[0] == here[0] and seen[1] > here[1] and not seen[1].is_prerelease
    ]
    return max(later)[1] if later else None


def concurrently(tasks: Mapping[str, Callable[[], _T]], stop: threading.Event) -> dict[str, _T]:
    """The result of each task by its key; a few run at a time, in threads.

    An exception, Ctrl-C included, sets `stop`, waits for the tasks that run, and is raised.
    """
    from concurrent.futures import ThreadPoolExecutor  # start-up time: only look-ups ask several at once

    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {key: pool.submit(task) for key, task in tasks.items()}
        try:
            return {key: future.result() for key, future in running.items()}
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def newer(version: str, than: str) -> bool:
    """Whether a version comes after another; versions that nobody can compare do if they differ."""
    from packaging.version import InvalidVersion, Version  # start-up time: as above

    try:
        return Version(version) > Version(than)
    except InvalidVersion:
        return version != than


def _asked(source: PypiSource) -> str:
    """A requirement without extras; a pin asks for anything there is."""
    return source.name if source.pinned else f"{source.name}{source.specifier}"


def _kept_out(source: PypiSource, found: Answer) -> Answer:
    """What a pin keeps out. That its project is gone from the index is no trouble of a pin."""
    pinned = source.specifier.lstrip("=")
    if not isinstance(found, Newest):
        return found if isinstance(found, IndexUnreachable) else Newest(pinned)
    beyond = found.latest if found.latest is not None and newer(found.latest, pinned) else None
    return replace(found, latest=pinned, beyond=beyond)


def _telling(error: InstallError) -> Answer:
    """An error that says something about the source; any other means that only an installation tells."""
    return error if isinstance(error, IndexUnreachable | Unresolvable) else Newest(None)


def _name(requirement: str) -> str:
    return canonical_name(re.split(r"[<>=!~]", requirement)[0].strip())


def _newest_of(requirement: str, versions: Iterable[str]) -> str | None:
    from packaging.requirements import Requirement  # start-up time: as above
    from packaging.version import Version

    allowed = Requirement(requirement).specifier.filter(versions)
    return max(allowed, key=Version, default=None)
