"""Which packages a scope's settings ask for, in which order, and which entries mean one package.

Touches: files (through the parser of sources).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pi_pkg.errors import SourceError
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer, LayerScope, PackageEntry
from pi_pkg.sources.identity import identity_of, stored_form
from pi_pkg.sources.model import LocalSource, Source
from pi_pkg.sources.parse import environment_name, parse_source


@dataclass(frozen=True, slots=True)
class Declared:
    """One package of a scope."""

    identity: str
    source: Source
    text: str
    """The source as the settings file spells it, which is the text of `source` too."""

    @property
    def shown(self) -> str:
        """The source as a person can use it from any folder: a path is absolute."""
        return self.source.path if isinstance(self.source, LocalSource) else self.text


def declared_in(layer: Layer, *, home: Path, user: Layer | None = None) -> tuple[Declared, ...]:
    """The packages that a layer wants installed, in order of first mention.

    Of several entries for one package the user's first and the project's last counts. Not wanted are
    strings that are no source, `env:` entries, and a project's deltas over a package of the user, which
    speak about the user's installation.
    """
    of_user = {item.identity for item in declared_in(user, home=home)} if user else set()
    found: dict[str, tuple[Declared, PackageEntry]] = {}
    for entry in layer.packages:
        item = read_entry(entry.source, layer, home)
        if item is None:
            continue
        if layer.scope == "project" or item.identity not in found:
            found[item.identity] = (item, entry)
    return tuple(item for item, entry in found.values() if entry.autoload or item.identity not in of_user)


def read_entry(text: str, layer: Layer, home: Path) -> Declared | None:
    """The package that one entry of a layer names; None for what cannot be installed."""
    if environment_name(text):
        return None
    try:
        source = parse_source(text, base=Path(layer.path).parent, home=home)
    except SourceError:
        return None
    return Declared(source.identity, source, source.text)


def asked_for(text: str, locations: Locations, scope: LayerScope) -> Declared:
    """The package that a command line names, spelt as it would be stored in a scope's settings.

    Raises:
        SourceError: no source, or a path that leads nowhere.
    """
    source = parse_source(text, base=locations.project_dir, home=locations.home)
    if isinstance(source, LocalSource) and not Path(source.path).exists():
        raise SourceError(text, f"there is no {source.path}", "Name a folder, a .py file or a wheel.")
    folder = locations.agent_dir if scope == "user" else locations.project_config_dir
    stored = stored_form(source, settings_dir=folder)
    return Declared(source.identity, replace(source, text=stored), stored)


def with_changes(before: Iterable[Declared], new: Iterable[Declared]) -> tuple[Declared, ...]:
    """The packages after an installation: new sources in the places of the ones they replace."""
    after = {item.identity: item for item in before}
    for item in new:
        after[item.identity] = item
    return tuple(after.values())


def matcher(
    identities: Collection[str], texts: Collection[str], layer: Layer, home: Path
) -> Callable[[str], bool]:
    """Whether an entry's source is one of some packages: by identity, or literally where it is no source."""
    base = Path(layer.path).parent

    def matches(text: str) -> bool:
        identity = identity_of(text, base=base, home=home)
        return text in texts if identity is None else identity in identities

    return matches


def likely_meant(text: str, layers: Iterable[Layer], *, cwd: Path, home: Path) -> str | None:
    """The declared source that a string seems to name: one whose prefix it lacks, else one spelt alike."""
    entries = [(entry.source, layer) for layer in layers for entry in layer.packages]
    guesses = {identity_of(prefix + text, base=cwd, home=home) for prefix in ("pypi:", "git:")} - {None}
    for source, layer in entries:
        if identity_of(source, base=Path(layer.path).parent, home=home) in guesses:
            return source
    import difflib  # start-up time: only a mistake pays for it

    near = difflib.get_close_matches(text.strip(), [source for source, _ in entries], n=1, cutoff=0.75)
    return near[0] if near else None
