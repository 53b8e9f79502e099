"""Resources and packages are switched in a settings file, each by the smallest change that does nothing else.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pi_pkg.errors import CannotToggle, PackageError
from pi_pkg.resources.model import Resource
from pi_pkg.settings.entries import Edit, apply_edits
from pi_pkg.settings.model import Layer
from pi_pkg.settings.store import SettingsStore
from pi_pkg.toggle.model import Did, Key, Place, Toggled, Wish, key_of, token_of
from pi_pkg.toggle.proof import Trial
from pi_pkg.toggle.proposals import Edits, proposals
from pi_pkg.toggle.tokens import Meant, meant_by
from pi_pkg.toggle.whole import whole_package


def toggle(store: SettingsStore, place: Place, user: Layer, wishes: Sequence[Wish]) -> tuple[Toggled, ...]:
    """Switch things on and off, in order; one that cannot be switched does not keep the others out.

    Args:
        store: whose file is changed, in one write.
        place: the same file's scope, and the places.
        user: the user's layer, which a project's file stands above.
        wishes: what to switch.

    Raises:
        SettingsError: the file cannot be read, changed or written; it is as before.
    """
    layer = store.read()
    if layer.error is not None:
        raise layer.error
    outcomes: list[Toggled] = []

    def change(document: Any) -> None:
        outcomes[:] = _Toggling(place, user).all(document, wishes)

    store.edit(change)
    return tuple(outcomes)


class _Toggling:
    """The wishes of one call, one after another on the same document."""

    def __init__(self, place: Place, user: Layer) -> None:
        self.place = place
        self.user = user
        self.path = str(place.settings)

    def all(self, document: Any, wishes: Iterable[Wish]) -> Iterator[Toggled]:
        trial = Trial(self.place, document.as_string(), self.user)
        for wish in wishes:
            try:
                edits, outcome, trial = self._one(trial, wish)
            except PackageError as error:
                yield Toggled(wish.token, "refused", self.place.scope, self.path, error=error)
                continue
            apply_edits(document, edits)
            yield outcome

    def _one(self, trial: Trial, wish: Wish) -> tuple[Sequence[Edit], Toggled, Trial]:
        meant = meant_by(wish.token, trial.found, self.place.locations)
        tokens = tuple(dict.fromkeys(token_of(item) for item in meant.resources))
        wanted = {key_of(item): wish.on for item in meant.resources}
        if all(trial.states[key] == wish.on for key in wanted):
            return (), Toggled(wish.token, "unchanged", self.place.scope, self.path, tokens), trial
        edits, after = self._changed(trial, meant, wanted, wish)
        did: Did = "enabled" if wish.on else "disabled"
        return edits, Toggled(wish.token, did, self.place.scope, self.path, tokens), after

    def _changed(
        self, trial: Trial, meant: Meant, wanted: dict[Key, bool], wish: Wish
    ) -> tuple[Sequence[Edit], Trial]:
        if meant.package is None:
            return self._each(trial, meant.resources, wish)
        whole = trial.proven(whole_package(meant, trial.values, self.place, on=wish.on), wanted)
        if whole is not None:
            return whole
        edits: list[Edit] = []
        for kind in dict.fromkeys(item.type for item in meant.resources):
            members = tuple(item for item in meant.resources if item.type == kind)
            found = self._kind(trial, Meant(members, meant.package), wish)
            edits += found[0]
            trial = found[1]
        return edits, trial

    def _kind(self, trial: Trial, meant: Meant, wish: Wish) -> tuple[Sequence[Edit], Trial]:
        """What a package offers of one kind, as a whole if that goes, else one by one."""
        wanted = {key_of(item): wish.on for item in meant.resources}
        whole = trial.proven(whole_package(meant, trial.values, self.place, on=wish.on), wanted)
        return whole or self._each(trial, meant.resources, wish)

    def _each(self, trial: Trial, resources: Iterable[Resource], wish: Wish) -> tuple[Sequence[Edit], Trial]:
        edits: list[Edit] = []
        for resource in resources:
            if trial.states[key_of(resource)] != wish.on:
                found = self._single(trial, resource, wish)
                edits += found[0]
                trial = found[1]
        return edits, trial

    def _single(self, trial: Trial, resource: Resource, wish: Wish) -> tuple[Edits, Trial]:
        key = key_of(resource)
        now = next(item for item in trial.found.of(resource.type) if key_of(item) == key)
        if wish.on and now.blocked:
            raise CannotToggle(wish.token, "enable", f"it cannot load here: {now.rule}", self.path)
        candidates = proposals(now, trial.values, self.place, on=wish.on)
        found = trial.proven(candidates, {key: wish.on})
        if found is None:
            doing = "enable" if wish.on else "disable"
            rule = f" ({now.rule})" if now.rule else ""
            reason = f"no change of the file does this and nothing else{rule}"
            raise CannotToggle(wish.token, doing, reason, self.path)
        return found
