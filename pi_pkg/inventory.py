"""What is installed and what it contributes, read from settings, records and folders; no code is run.

Touches: files.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_pkg.conflicts import Unfit, unfit_packages
from pi_pkg.diagnostics import Diagnostic, distinct
from pi_pkg.fetched import Fetched
from pi_pkg.installed import standing
from pi_pkg.locations import RESOURCE_TYPES, Locations, ResourceType
from pi_pkg.provenance import Scope
from pi_pkg.resources.environment import environment_packages
from pi_pkg.resources.model import (
    HOST_VERSION,
    PackageRoot,
    ResolvedResources,
    ResolveInputs,
    Resource,
)
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.model import LayerScope, Settings
from pi_pkg.values import dataclass, field

if TYPE_CHECKING:
    from pi_pkg.install.index import GenerationIndex
    from pi_pkg.resources.memory import TreeMemory

MANY_PACKAGES: Final = 16
"""From so many entries on it is worth remembering what source trees offer."""
_NEAREST_FIRST: Final[tuple[Scope, ...]] = ("temporary", "project", "user", "environment")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the resources a caller asks for beside the settings."""

    sources: tuple[str, ...] = ()
    """`-e` sources, relative to the working folder."""
    explicit: Mapping[ResourceType, tuple[str, ...]] | None = None
    """`--skill`, `--prompt-template` and `--theme` paths."""
    discover: frozenset[ResourceType] = frozenset(RESOURCE_TYPES)
    """Types that may come from anywhere but the command line."""
    exclude: tuple[str, ...] = ()
    """Names of extensions that this run leaves out."""
    fetched: Fetched = field(default_factory=Fetched)
    """What was brought here for the sources."""
    held: Mapping[LayerScope, str] = field(default_factory=dict)
    """Generations that the caller holds and imports from, whatever is in force meanwhile."""
    to_import: bool = False
    """Whether the result is going to be imported: then it is also held against pi's own environment."""


def resolved(locations: Locations, settings: Settings, wanted: Wanted | None = None) -> ResolvedResources:
    """Every resource in force, in rank order, with the findings of settings and records.

    Extensions whose package cannot live with what a nearer scope provides are switched off.
    """
    wanted = wanted or Wanted()
    there = standing(locations, settings, wanted.held)
    inputs = ResolveInputs(
        locations,
        settings.user,
        settings.project,
        (*wanted.fetched.packages, *there.roots, *beside_pi(locations)),
        wanted.sources,
        wanted.explicit or {},
        wanted.discover,
        wanted.exclude,
    )
    memory = _memory(locations, settings)
    found = resolve(inputs, memory)
    if memory is not None:
        memory.save()
    layers = there.usable
    if wanted.fetched.index is not None:
        layers = (("temporary", wanted.fetched.index), *layers)
    reasons = _reasons(unfit_packages(layers, with_host=wanted.to_import), settings, locations)
    extensions = tuple(_living(item, reasons) for item in found.extensions) if reasons else found.extensions
    files: dict[str, str] = {layer.scope: layer.path for layer in settings.layers()}
    outdated = {(item.source, item.scope) for item in there.diagnostics if item.code == "package-outdated"}
    told = (item for item in found.diagnostics if not _told_better(item, outdated))
    findings = (*settings.diagnostics, *there.diagnostics, *told, *_switched_off(reasons))
    return ResolvedResources(
        extensions, found.skills, found.prompts, found.themes,
        distinct(_with_file(finding, files).public() for finding in findings),
        _import_roots(extensions, layers),
    )  # fmt: skip


def _memory(locations: Locations, settings: Settings) -> TreeMemory | None:
    """What source trees offered last time; None where so few are named that reading them costs less."""
    if sum(len(layer.packages) for layer in settings.layers()) < MANY_PACKAGES:
        return None
    from pi_pkg.resources.memory import TreeMemory  # start-up time: as said

    return TreeMemory(locations.tree_memory, HOST_VERSION)


def beside_pi(locations: Locations) -> tuple[PackageRoot, ...]:
    """What the user installed next to pi itself; no generation of ours counts as that."""
    return environment_packages(sys.path, outside=locations.agent_dir)


def _reasons(
    unfit: Sequence[Unfit], settings: Settings, locations: Locations
) -> dict[tuple[str, Scope], str]:
    """Why a package cannot be imported, by source as its entry spells it and by the scope of the entry."""
    if not unfit:
        return {}
    from pi_pkg.sources.identity import identity_of  # start-up time: scopes that disagree are rare

    found: dict[tuple[str, Scope], str] = {}
    why = {(item.identity, item.scope): item.reason for item in unfit}
    for layer in settings.layers():
        for entry in layer.packages:
            identity = identity_of(entry.source, base=Path(layer.path).parent, home=locations.home) or ""
            owner: Scope = layer.scope if entry.autoload else "user"  # a delta speaks about the user's
            reason = why.get((identity, layer.scope)) or why.get((identity, owner))
            if reason is not None:
                found[entry.source, layer.scope] = reason
    return found


def _living(resource: Resource, reasons: Mapping[tuple[str, Scope], str]) -> Resource:
    """The extension, switched off if its package cannot be imported."""
    origin = resource.provenance
    reason = reasons.get((origin.source, origin.scope)) if origin.origin == "package" else None
    if reason is None or not resource.enabled:
        return resource
    return Resource(
        resource.type, resource.path, False, origin, resource.module, resource.attribute,
        resource.import_root, reason, resource.guard, resource.name, True,
    )  # fmt: skip


def _switched_off(reasons: Mapping[tuple[str, Scope], str]) -> Iterator[Diagnostic]:
    for (source, scope), reason in reasons.items():
        yield Diagnostic(
            "error", "scope-conflict", "resolve", f"extensions of {source} are switched off: {reason}.",
            source, scope, hint="Choose versions that agree, or install both in one scope.",
        )  # fmt: skip


def _told_better(finding: Diagnostic, outdated: Collection[tuple[str | None, str | None]]) -> bool:
    """Whether that a package is missing was said already, with what is there instead."""
    return finding.code == "package-missing" and (finding.source, finding.scope) in outdated


def _with_file(finding: Diagnostic, files: Mapping[str, str]) -> Diagnostic:
    """A finding about an entry of the settings names their file."""
    path = files.get(finding.scope or "")
    if path is None or finding.source is None or finding.path is not None:
        return finding
    return Diagnostic(
        finding.severity, finding.code, finding.stage, finding.message, finding.source, finding.scope, path,
        finding.hint, finding.detail,
    )  # fmt: skip


def _import_roots(
    extensions: Sequence[Resource], layers: Sequence[tuple[Scope, GenerationIndex]]
) -> tuple[str, ...]:
    """The folders that enabled extensions are importable from: those of the command line, of the project, of
    the user, then of pi's environment; what a generation holds comes after the trees of its scope."""
    site = {scope: index.site_packages for scope, index in layers if index.distributions}
    found: list[str] = []
    for scope in _NEAREST_FIRST:
        mine = [item for item in extensions if item.enabled and item.provenance.scope == scope]
        found += [item.import_root for item in mine if item.import_root is not None]
        if mine and scope in site:
            found.append(site[scope])
    return tuple(dict.fromkeys(found))
