"""What trusted content consisted of, kept in the user's folder, so that a change can be shown.

Touches: files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pi_pkg.atomic import Writer, replace_file
from pi_pkg.errors import TrustError
from pi_pkg.locations import Locations
from pi_pkg.trust.model import Surface

_SHOWN = 40


def snapshot_path(locations: Locations) -> Path:
    """Where it stands; a clone can bring nothing there."""
    return locations.project_data_dir / "trusted.json"


def keep_snapshot(locations: Locations, surface: Surface, *, write: Writer = replace_file) -> None:
    """Keep what a surface consists of; without a digest there is nothing to keep.

    Raises:
        TrustError: it cannot be written.
    """
    if surface.digest is None:
        return
    path = snapshot_path(locations)
    document = {"digest": surface.digest, "files": dict(surface.files)}
    try:
        write(path, json.dumps(document, indent=1).encode())
    except OSError as problem:
        raise TrustError(str(path), f"it cannot be written: {problem.strerror or problem}") from problem


def snapshot_of(locations: Locations, digest: str) -> Mapping[str, str] | None:
    """Names and marks behind a digest; None if they were not kept."""
    try:
        document = json.loads(snapshot_path(locations).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("digest") != digest:
        return None
    files = document.get("files")
    return files if isinstance(files, dict) else None


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """One line a difference, by name: `+ NAME` is new, `- NAME` is gone, `~ NAME` is another now.

    What a new or lost folder holds is not repeated.
    """
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new or _in_a_listed_folder(name, old, new, before, after):
            continue
        mark = "+" if old is None else "-" if new is None else "~"
        found.append(f"{mark} {name}{'/' if (new or old) == 'folder' else ''}")
    return tuple(found)


def _in_a_listed_folder(
    name: str, old: str | None, new: str | None, before: Mapping[str, str], after: Mapping[str, str]
) -> bool:
    parent = name.rpartition("/")[0]
    if old is None:
        return after.get(parent) == "folder" and parent not in before
    return new is None and before.get(parent) == "folder" and parent not in after


def changes_since(locations: Locations, now: Surface) -> tuple[str, ...]:
    """What changed in the project since its content was trusted, the first forty lines; empty if unknown.

    Raises:
        TrustError: the store is malformed.
    """
    from pi_pkg.trust.store import TrustStore, canonical_folder  # the store is read for this alone

    if now.paths and now.digest is None:
        return ("~ more than a digest covers",)
    decision = TrustStore(locations.trust_store).read().get(canonical_folder(locations.project_dir))
    before = snapshot_of(locations, decision.digest) if decision and decision.digest else None
    if before is None:
        return ()
    lines = changes_between(before, now.files)
    more = len(lines) - _SHOWN
    return lines if more <= 0 else (*lines[:_SHOWN], f"… and {more} more")
