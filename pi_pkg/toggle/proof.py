"""A change is right if everything afterwards is as before but for what was to be switched.

It is not reasoned out but tried: the changed text is resolved as it would be in the next run.

Touches: files.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping

from pi_pkg.inventory import resolved
from pi_pkg.resources.model import ResolvedResources
from pi_pkg.settings.entries import edited
from pi_pkg.settings.layer import layer_of
from pi_pkg.settings.merge import settings_of
from pi_pkg.settings.model import Layer, Settings
from pi_pkg.toggle.model import Key, Place, States, states_of
from pi_pkg.toggle.proposals import Edits


class Trial:
    """One scope's document and what follows from it. The user's is judged without any project."""

    def __init__(self, place: Place, text: str, user: Layer) -> None:
        """`user` is the user's layer, which a project's document stands above."""
        self.place = place
        self.text = text
        self._user = user
        self.values = tomllib.loads(text)
        self.found: ResolvedResources = resolved(place.locations, self._settings())
        self.states: States = states_of(self.found)

    def after(self, edits: Edits) -> Trial:
        """The same with a changed document. Raises: ValueError if it cannot be edited."""
        return Trial(self.place, edited(self.text, edits), self._user)

    def proven(self, candidates: Iterable[Edits], wanted: Mapping[Key, bool]) -> tuple[Edits, Trial] | None:
        """The first change that brings about what is wanted and nothing else; None if none does."""
        expected = {**self.states, **wanted}
        tried: set[str] = {self.text}
        for edits in candidates:
            text = edited(self.text, edits)
            if text in tried:
                continue
            tried.add(text)
            trial = Trial(self.place, text, self._user)
            if trial.states == expected:
                return edits, trial
        return None

    def _settings(self) -> Settings:
        path = str(self.place.settings)
        if self.place.scope == "user":
            return settings_of(layer_of(self.values, path=path, scope="user"), None)
        return settings_of(self._user, layer_of(self.values, path=path, scope="project"))
