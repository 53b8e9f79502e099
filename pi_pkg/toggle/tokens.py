"""Which resources a word means: a token, a package as listed, a path, or the short name that lists print.

Touches: files (where links lead, that a folder is one).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from pi_pkg.errors import NoSuchResource
from pi_pkg.locations import RESOURCE_TYPES, Locations
from pi_pkg.resources.conventions import SKILL_FILE
from pi_pkg.resources.model import ResolvedResources, Resource
from pi_pkg.resources.paths import absolute
from pi_pkg.sources.identity import identity_of
from pi_pkg.toggle.model import key_of, token_of
from pi_pkg.values import dataclass


@dataclass(frozen=True, slots=True)
class Meant:
    """What a word means."""

    resources: tuple[Resource, ...]
    """In rank order, never empty."""
    package: str | None = None
    """Source of the package, if the word names one as a whole."""


def meant_by(word: str, found: ResolvedResources, locations: Locations) -> Meant:
    """What a word means among some resources.

    Raises:
        NoSuchResource: nothing, or several things that have only this word in common.
    """
    kind, colon, rest = word.partition(":")
    every = [item for kind_ in RESOURCE_TYPES for item in found.of(kind_)]
    if colon and kind in RESOURCE_TYPES:
        every = [item for item in every if item.type == kind]
        word_inside = rest
    else:
        package = _package(word, every, locations)
        if package is not None:
            return package
        word_inside = word
    return Meant(_single(word, _named(word_inside, every, locations), every))


def _package(word: str, every: Sequence[Resource], locations: Locations) -> Meant | None:
    """The package with this source, or with the same identity; a project's before the user's."""
    of_packages = [item for item in every if item.provenance.origin == "package"]
    asked = identity_of(word, base=locations.project_dir, home=locations.home)
    for scope, base in (("project", locations.project_config_dir), ("user", locations.agent_dir)):
        owners = {scope, "environment"} if scope == "user" else {scope}
        mine = [item for item in of_packages if item.provenance.scope in owners]
        for source in dict.fromkeys(item.provenance.source for item in mine):
            identity = identity_of(source, base=base, home=locations.home)
            if word in {source, identity} or (asked is not None and asked == identity):
                return Meant(tuple(item for item in mine if item.provenance.source == source), source)
    return None


def _named(word: str, every: Iterable[Resource], locations: Locations) -> list[Resource]:
    """Resources whose path this is, else those with this short name."""
    path = absolute(word, base=os.fspath(locations.project_dir), home=os.fspath(locations.home))
    by_path = [item for item in every if path in _paths(item)]
    if by_path:
        return by_path
    return [item for item in every if word.strip() in short_names(item)]


def _paths(item: Resource) -> tuple[str, ...]:
    folder, name = os.path.split(item.path)
    return (item.path, folder) if name in (SKILL_FILE, "__init__.py") else (item.path,)


def short_names(item: Resource) -> tuple[str, ...]:
    """The names that lists print for a resource: below its package or folder, and of its entry point."""
    base = item.provenance.base_dir
    names = [] if item.name is None else [item.name]
    for path in _paths(item):
        names.append(os.path.basename(path))
        if base is not None and path.startswith(base + os.sep):
            names.append(path[len(base) + 1 :])
    return tuple(names)


def _single(word: str, named: Sequence[Resource], every: Sequence[Resource]) -> tuple[Resource, ...]:
    """The resources if they are one, or one file's."""
    if len({(item.type, item.path) for item in named}) == 1:
        return tuple({key_of(item): item for item in named}.values())
    if named:
        raise NoSuchResource(word, sorted({token_of(item) for item in named}), several=True)
    raise NoSuchResource(word, _near(word, every))


def _near(word: str, every: Iterable[Resource]) -> list[str]:
    """Tokens of what was likely meant, best first."""
    import difflib  # only a mistake pays for it

    names: dict[str, str] = {}
    for item in every:
        for name in (token_of(item), item.provenance.source, *short_names(item)):
            names.setdefault(name, token_of(item))
    near = difflib.get_close_matches(word, names, n=3)
    return list(dict.fromkeys(names[name] for name in near))
