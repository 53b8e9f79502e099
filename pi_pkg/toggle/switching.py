"""Switching things on and off in one settings file, the user's or the project's, behind the gate of trust.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from pi_pkg.atomic import Writer, replace_file
from pi_pkg.locations import Locations
from pi_pkg.settings.store import read_settings, settings_store
from pi_pkg.toggle.model import Place, Toggled, Wish
from pi_pkg.toggle.toggle import toggle
from pi_pkg.trust.record import own_change


def switch(
    locations: Locations,
    wishes: Sequence[Wish],
    *,
    project: bool = False,
    approve: bool | None = None,
    by: str = "",
    write: Writer = replace_file,
) -> tuple[Toggled, ...]:
    """What became of each wish, in order.

    Args:
        locations: the places.
        wishes: what to switch.
        project: in the project's settings instead of the user's.
        approve: `--approve` is True, `--no-approve` False, None neither.
        by: who does it, for the record of trust.
        write: how settings get to the disk.

    Raises:
        SettingsError: the file cannot be read, changed or written; it is as before.
        ProjectNotTrusted: the project's files may not be read.
        TrustError: the trust store is malformed.
    """
    place = Place(locations, "project" if project else "user")
    user = read_settings(locations, trusted=False).user
    if project and user.error is not None:
        raise user.error
    gate = own_change(
        locations, user, override=approve, doing="change its settings", command="pi config", by=by
    )
    with gate if project else nullcontext():
        store = settings_store(locations, place.scope, write=write)
        return toggle(store, place, user, wishes)
