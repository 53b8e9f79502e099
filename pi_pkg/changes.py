"""A change of one scope: files first and settings last to install, settings first and files last to remove.

Whatever fails, the settings file keeps its bytes and the generation that was in force stays in force.

Touches: files, git, network (through the builder).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from pi_pkg.declared import Declared, declared_in, likely_meant, matcher, with_changes
from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import InstallError, NoSuchPackage, PackageError
from pi_pkg.install.generation import (
    collect_garbage,
    commit_generation,
    discard_generation,
    scope_lock,
    withdraw,
)
from pi_pkg.install.index import GenerationIndex, InstalledPackage, current_generation, read_index
from pi_pkg.install.plan import Root
from pi_pkg.install.roots import collect_checkouts
from pi_pkg.inventory import scope_dir
from pi_pkg.locations import Locations
from pi_pkg.outcome import Outcome, Report
from pi_pkg.settings.edit import put_packages, remove_package
from pi_pkg.settings.model import Layer, PackageEntry
from pi_pkg.settings.store import SettingsStore
from pi_pkg.sources.identity import identity_of
from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source

_SHORT_COMMIT = 7


class Builder(Protocol):
    """Who brings code to the disk; puts nothing in force."""

    def root(self, source: Source, *, current: GenerationIndex | None, fresh: bool) -> Root:
        """A source as a generation wants it. A git source that is not fresh keeps the commit that
        `current` has for its ref. Raises InstallError."""

    def build(self, scope_dir: Path, roots: Sequence[Root], *, renew: Collection[str]) -> GenerationIndex:
        """A generation of all roots; those named by identity may move to newer versions, the others stay
        where they are. Raises InstallError."""


@dataclass(frozen=True, slots=True)
class ScopeChange:
    """The changes of one scope."""

    locations: Locations
    store: SettingsStore
    builder: Builder
    beside: Layer | None = None
    """The other scope's settings, if they are in force: a project's deltas speak about the user's."""
    keep_generations: int = 3

    @property
    def folder(self) -> Path:
        return scope_dir(self.locations, self.store.scope)

    def install(self, asked: Sequence[tuple[str, Declared]], *, dry_run: bool = False) -> Report:
        """Bring packages in, all in one generation if they go together, else each that can on its own.

        Raises:
            SettingsError: the settings cannot be read; nothing was tried.
        """
        with scope_lock(self.folder):
            self._readable()
            if not asked:
                return Report(())
            found: list[Diagnostic] = []
            outcomes = self._together(asked, found, dry_run)
            self._tidy()
            return Report(tuple(outcomes), tuple(found))

    def remove(self, asked: Sequence[str], *, cwd: Path, dry_run: bool = False) -> Report:
        """Take packages out by any spelling of their source, or by the literal text of a broken entry.

        Raises:
            SettingsError: the settings cannot be read or written; nothing was changed.
        """
        with scope_lock(self.folder):
            layer = self._readable()
            outcomes = [self._removal(text, layer, cwd) for text in asked]
            gone = [outcome for outcome in outcomes if outcome.ok]
            if dry_run:
                return Report(tuple(map(_planned_removal, outcomes)))
            if not gone:
                return Report(tuple(outcomes))
            self._forget(gone, layer)
            found = self._rebuild_smaller(gone)
            self._tidy()
            return Report(tuple(outcomes), tuple(found))

    def _readable(self) -> Layer:
        layer = self.store.read()
        if layer.error is not None:
            raise layer.error
        return layer

    # Installing.

    def _together(
        self, asked: Sequence[tuple[str, Declared]], found: list[Diagnostic], dry_run: bool
    ) -> list[Outcome]:
        try:
            return self._attempt(asked, found, dry_run)
        except PackageError as error:
            if len(asked) == 1:
                return [self._refused(*asked[0], error)]
        outcomes: list[Outcome] = []
        for one in asked:
            outcomes += self._together([one], found, dry_run)
        return outcomes

    def _attempt(
        self, asked: Sequence[tuple[str, Declared]], found: list[Diagnostic], dry_run: bool
    ) -> list[Outcome]:
        before = read_index(self.folder)
        new = [item for _, item in asked]
        known = self._declared()
        index = self._build(with_changes(known, new), {item.identity for item in new}, before, found)
        try:
            outcomes = [self._outcome(text, item, known, before, index) for text, item in asked]
            if dry_run:
                return [_planned(outcome) for outcome in outcomes]
            self._put_in_force(index, new)
            return outcomes
        finally:
            if dry_run:
                discard_generation(self.folder, index.generation)

    def _declared(self) -> tuple[Declared, ...]:
        user = self.beside if self.store.scope == "project" else None
        return declared_in(self.store.read(), home=self.locations.home, user=user)

    def _build(
        self,
        wanted: Sequence[Declared],
        fresh: set[str],
        before: GenerationIndex | None,
        found: list[Diagnostic],
    ) -> GenerationIndex:
        roots = [self._root(item, before, item.identity in fresh, found) for item in wanted]
        index = self.builder.build(self.folder, [root for root in roots if root is not None], renew=fresh)
        concerned = {None, *(item.text for item in wanted if item.identity in fresh)}
        found += [
            Diagnostic(note.severity, note.code, "install", note.message, note.source, hint=note.hint)
            for note in index.notes
            if note.source in concerned and note.code != "satisfied-by-environment"  # the outcome says it
        ]
        return index

    def _root(
        self, item: Declared, current: GenerationIndex | None, fresh: bool, found: list[Diagnostic]
    ) -> Root | None:
        """What the generation needs of a package; None, with a finding, for an old one that is gone."""
        source = item.source
        if isinstance(source, LocalSource) and not Path(source.path).exists():
            found.append(self._left_out(item, f"there is no {source.path}."))
            return None
        try:
            return self.builder.root(source, current=current, fresh=fresh)
        except InstallError as error:
            if fresh:
                raise
            found.append(self._left_out(item, error.message))
            return None

    def _left_out(self, item: Declared, reason: str) -> Diagnostic:
        return Diagnostic(
            "warning", "package-missing", "install", f"{item.text!r} was left out: {reason}", item.text,
            self.store.scope, hint=f"Take it out: pi remove {item.text}",
        )  # fmt: skip

    def _put_in_force(self, index: GenerationIndex, new: Sequence[Declared]) -> None:
        """The files, then the settings; if those cannot be written, the files as they were."""
        layer = self.store.read()
        entries = [
            (PackageEntry(item.text), matcher({item.identity}, (), layer, self.locations.home))
            for item in new
        ]
        with self._restored_on_failure():
            commit_generation(self.folder, index.generation)
            self.store.edit(lambda document: put_packages(document, entries))

    @contextmanager
    def _restored_on_failure(self) -> Iterator[None]:
        before = current_generation(self.folder)
        try:
            yield
        except BaseException:
            if before is None:
                withdraw(self.folder)
            else:
                commit_generation(self.folder, before)
            raise

    def _outcome(
        self,
        text: str,
        item: Declared,
        known: Sequence[Declared],
        before: GenerationIndex | None,
        index: GenerationIndex,
    ) -> Outcome:
        old = before.package(item.identity) if before else None
        new = index.package(item.identity)
        declared = next((one for one in known if one.identity == item.identity), None)
        outcome = Outcome(
            text, "installed", self.store.scope, item.text, item.identity,
            shown_version(old), shown_version(new), _note(item, new),
        )  # fmt: skip
        if declared is None or old is None:
            return outcome
        if declared.text == item.text and outcome.before == outcome.after:
            return replace(outcome, did="unchanged")
        return replace(outcome, did="changed")

    def _refused(self, text: str, item: Declared, error: PackageError) -> Outcome:
        return Outcome(text, "refused", self.store.scope, None, item.identity, error=error)

    # Removing.

    def _removal(self, text: str, layer: Layer, cwd: Path) -> Outcome:
        home = self.locations.home
        identity = identity_of(text, base=cwd, home=home)
        matches = matcher({identity} if identity else (), {text.strip()}, layer, home)
        entry = next((entry.source for entry in layer.packages if matches(entry.source)), None)
        if entry is not None:
            before = shown_version(self._installed(identity))
            return Outcome(text, "removed", self.store.scope, entry, identity, before=before)
        near = likely_meant(text, layer, cwd=cwd, home=home)
        known = [entry.source for entry in layer.packages]
        elsewhere = self._elsewhere(identity)
        error = NoSuchPackage(text, layer.path, known=known, near=near, elsewhere=elsewhere)
        return Outcome(text, "refused", self.store.scope, None, identity, error=error)

    def _elsewhere(self, identity: str | None) -> str | None:
        """How to reach a package that the other scope declares."""
        beside = self.beside
        if beside is None or identity is None:
            return None
        matches = matcher({identity}, (), beside, self.locations.home)
        if not any(matches(entry.source) for entry in beside.packages):
            return None
        of_project = beside.scope == "project"
        return f"The {beside.scope} declares it: {'add' if of_project else 'leave out'} -l."

    def _installed(self, identity: str | None) -> InstalledPackage | None:
        index = read_index(self.folder)
        return None if index is None or identity is None else index.package(identity)

    def _forget(self, gone: Sequence[Outcome], layer: Layer) -> None:
        identities = {outcome.identity for outcome in gone if outcome.identity is not None}
        texts = {outcome.source for outcome in gone if outcome.source is not None}
        matches = matcher(identities, texts, layer, self.locations.home)
        self.store.edit(lambda document: remove_package(document, matches))

    def _rebuild_smaller(self, gone: Sequence[Outcome]) -> list[Diagnostic]:
        """The files without what is gone. If that fails they stay, declared and loaded by nobody."""
        before = read_index(self.folder)
        if before is None or not any(before.package(outcome.identity or "") for outcome in gone):
            return []
        found: list[Diagnostic] = []
        wanted = self._declared()
        try:
            if wanted:
                index = self._build(wanted, set(), before, found)
                commit_generation(self.folder, index.generation)
            else:
                withdraw(self.folder)
        except InstallError as error:
            message = f"the files of what was removed are still there: {error.message}"
            found.append(Diagnostic("warning", "files-left", "install", message, detail=error.detail))
        return found

    def _tidy(self) -> None:
        """Old generations go; what is in force, recent or held by a process stays."""
        collect_garbage(self.folder, self.keep_generations)
        collect_checkouts(self.locations.checkouts, every_scope_dir(self.locations))


def every_scope_dir(locations: Locations) -> list[Path]:
    """The folders of all scopes that share the checkouts of this user, other projects' included."""
    projects = locations.project_data_dir.parent.glob("*/envs")
    return [locations.user_envs, *projects, *locations.runs.glob("*")]


def shown_version(package: InstalledPackage | None) -> str | None:
    """What tells two states of a package apart: a short commit, else a version."""
    if package is None:
        return None
    return package.commit[:_SHORT_COMMIT] if package.commit else package.version


def _note(item: Declared, package: InstalledPackage | None) -> str | None:
    notes = []
    source = item.source
    if isinstance(source, PypiSource) and source.specifier.removeprefix("==") not in source.text:
        notes.append(f"read as {source.specifier}")
    if package is not None and package.provider == "environment":
        notes.append(f"satisfied by environment {package.version}")
    if package is not None and package.ref_kind == "branch" and isinstance(source, GitSource) and source.ref:
        notes.append(f"branch {source.ref}")
    return ", ".join(notes) or None


def _planned(outcome: Outcome) -> Outcome:
    name = outcome.asked
    version = f" {outcome.after}" if outcome.after else ""
    match outcome.did:
        case "installed":
            note = f"install {name}{version}"
        case "changed":
            note = f"change {name} {outcome.before or 'none'} → {outcome.after or 'none'}"
        case _:
            note = f"leave {name} unchanged" + (f" at{version}" if version else "")
    return replace(outcome, did="planned", note=note)


def _planned_removal(outcome: Outcome) -> Outcome:
    if not outcome.ok:
        return outcome
    return replace(outcome, did="planned", note=f"remove {outcome.asked}")
