"""A branch as a session file of its own: a straight line of entries, for whatever reads session files.

Pure.
"""

from __future__ import annotations

import dataclasses

from hookspecs.messages import JsonObject
from pi_core.history.codec import header_to_wire
from pi_core.history.entries import CURRENT_VERSION
from pi_core.history.store import SessionStore


def linear_objects(store: SessionStore, leaf_id: str | None = None) -> list[JsonObject]:
    """The header and the branch up to `leaf_id`, or to the leaf; each entry a child of the one before.

    What this version does not know is in it as it stands in the file.
    """
    header = dataclasses.replace(store.header, version=max(store.header.version, CURRENT_VERSION))
    objects: list[JsonObject] = [header_to_wire(header)]
    parent: str | None = None
    for entry in store.get_branch(leaf_id):
        objects.append({**store.wire_of(entry.id), "parentId": parent})
        parent = entry.id
    return objects
