"""Decisions go into the store: with who, when and how, with what they are about, and whether it held a guard.

Touches: files, clock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime

from pi_pkg.errors import NoProject, ProjectNotTrusted, TrustError
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.trust.gate import project_trust, surface
from pi_pkg.trust.model import Decision, StoredDecision, Surface
from pi_pkg.trust.snapshot import keep_snapshot
from pi_pkg.trust.store import TrustStore, canonical_folder


def person(environ: Mapping[str, str]) -> str:
    """The name of whoever sits here, as the system gives it; empty if it does not."""
    names = (environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME"))
    return next((name for name in names if name), "")


def now() -> str:
    """The time as it is stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def remember_decision(locations: Locations, decision: Decision, *, by: str = "") -> None:
    """Store what a decision asks to remember. Nothing is written if that is nothing.

    Raises:
        TrustError: the store cannot be read or written.
    """
    changes = []
    here = canonical_folder(locations.project_dir)
    for folder, stored in decision.remember:
        if stored is not None:
            stored = replace(stored, by=stored.by or by, when=now())
            if folder == here and stored.digest is not None:
                stored = _about_content(locations, stored, surface(locations))
        changes.append((folder, stored))
    if changes:
        TrustStore(locations.trust_store).record(changes)


def allow_content(locations: Locations, *, by: str, how: str) -> StoredDecision | None:
    """Trust the project's content as it is now; None if there is nothing, or too much to cover.

    Raises:
        TrustError: the store cannot be read or written.
    """
    found = surface(locations)
    if found.digest is None:
        return None
    decision = StoredDecision(True, found.digest, by=by, when=now(), how=how)
    decision = _about_content(locations, decision, found)
    _store(locations, decision)
    return decision


def decide_folder(locations: Locations, trusted: bool, *, by: str, how: str) -> StoredDecision:
    """Trust a folder, or not, whatever it will hold.

    Raises:
        TrustError: the store cannot be read or written.
    """
    decision = StoredDecision(trusted, by=by, when=now(), how=how)
    _store(locations, decision)
    return decision


def forget(locations: Locations) -> StoredDecision | None:
    """Forget what was decided about the folder; what that was, None if nothing.

    Raises:
        TrustError: the store cannot be read or written.
    """
    store, folder = TrustStore(locations.trust_store), canonical_folder(locations.project_dir)
    found = store.read().get(folder)
    if found is not None:
        store.record([(folder, None)])
    return found


@contextmanager
def own_change(
    locations: Locations,
    user: Layer,
    *,
    override: bool | None,
    doing: str,
    command: str,
    by: str = "",
    keep: bool = True,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Iterator[None]:
    """Let a command of ours change the project, and record what it leaves there as trusted.

    Args:
        locations: the places.
        user: the user's settings, for their default.
        override: `--approve` or `--no-approve`.
        doing: what the command wants to do, for the refusal.
        command: how the decision came about, for the store.
        by: whose command it is.
        keep: False for a trial run, which changes nothing.
        turn: makes other commands of ours wait, from before the change until it is recorded: none of them
            may take what another left unrecorded for somebody else's.

    Raises:
        NoProject: the working folder is no project.
        ProjectNotTrusted: its files may not be read.
        TrustError: the store is malformed.
    """
    if not locations.has_project:
        raise NoProject(str(locations.project_dir), doing)

    def is_trusted() -> bool:
        return project_trust(locations, user, override=override).trusted

    if not is_trusted():
        with turn() if locations.project_envs.exists() else nullcontext():
            if not is_trusted():  # nor did another command of ours only have to record what it did
                raise ProjectNotTrusted(str(locations.project_dir), doing)
    with turn():
        before = surface(locations) if keep else None
        yield
        if before is not None:
            try:
                record_own_change(locations, before, command=command, by=by)
            except TrustError:
                if not override:  # who approves asks for nothing to be kept
                    raise


def record_own_change(locations: Locations, before: Surface, *, command: str, by: str = "") -> None:
    """Trust what one of our own commands left in the project, if everything in it was trusted before.

    That is so where there was nothing that needs trust, or where the content was the trusted one; and
    only as far as nobody else changed something meanwhile. Where the folder, or one above it, was decided
    about whatever it holds, there is nothing to record.

    Raises:
        TrustError: the store cannot be read or written.
    """
    folder = canonical_folder(locations.project_dir)
    known = TrustStore(locations.trust_store).nearest(folder)
    if any(decision.digest is None for _, decision in known):
        return
    earlier = dict(known).get(folder)
    if before.paths and (earlier is None or earlier.digest != before.digest or before.digest is None):
        return
    after = surface(locations)
    if not after.paths:
        TrustStore(locations.trust_store).record([(folder, None)])
    elif after.digest is not None and _only_ours(locations, before, after):
        decision = StoredDecision(True, after.digest, by=by, when=now(), how=command)
        _store(locations, _about_content(locations, decision, after))


def _only_ours(locations: Locations, before: Surface, after: Surface) -> bool:
    """Whether nothing is another now but what our commands write, and what counts as declared."""

    def named(path: str) -> str:
        return os.path.relpath(path, locations.project_dir).replace(os.sep, "/")

    ours = {named(str(path)) for path in (locations.project_settings, locations.project_lock)}
    gated = {named(path) for path in (*before.paths, *after.paths)}
    for name in (before.files.keys() | after.files.keys()) - ours:
        old, new = before.files.get(name), after.files.get(name)
        is_declared = not any(name == folder or name.startswith(f"{folder}/") for folder in gated)
        if old != new and not (is_declared and (old is None or new is None)):
            return False
    return True


def _about_content(locations: Locations, decision: StoredDecision, found: Surface) -> StoredDecision:
    """The decision with its guard, once what it is about is kept."""
    from pi_pkg.trust.guards import holds_guard  # it resolves everything, which only a decision needs

    keep_snapshot(locations, found)
    return replace(decision, guard=holds_guard(locations))


def _store(locations: Locations, decision: StoredDecision) -> None:
    TrustStore(locations.trust_store).record([(canonical_folder(locations.project_dir), decision)])
