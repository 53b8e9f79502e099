"""Several generations in one process: which packages cannot live with what a nearer one provides.

Each distribution exists once in a process. The environment that pi runs in stands before everything, then
what the command line brought, then the project, then the user.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pi_pkg.provenance import Scope
from pi_pkg.sources.model import PypiSource
from pi_pkg.sources.parse import parse_source
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from pi_pkg.install.host import Distribution, Host
    from pi_pkg.install.index import GenerationIndex, InstalledPackage

Layers = Sequence[tuple[Scope, "GenerationIndex"]]
"""Scope and record of each generation in use, nearest first."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """A package that cannot be imported as it stands."""

    identity: str
    source: str
    scope: Scope
    reason: str
    """Who needs what, and who provides something else; without a full stop."""


def unfit_packages(layers: Layers, *, with_host: bool = False) -> tuple[Unfit, ...]:
    """The packages that need what is there in another version, in the order of their scopes.

    Costs nothing where no two generations hold one distribution in two versions. `with_host` also looks
    whether the environment has changed since they were built.
    """
    if not _disagree(layers) and not (with_host and _host_changed(layers)):
        return ()
    from pi_pkg.install.host import read_distributions, running_host  # start-up time: rarely needed
    from pi_pkg.install.scopes import scope_conflicts

    host = running_host()
    read = [
        (scope, {item.name: item for item in read_distributions([index.site_packages])})
        for scope, index in layers
    ]
    reasons: dict[tuple[str, str], str] = {}
    for conflict in scope_conflicts(host, read):
        name = conflict.asker.partition(" ")[0]
        sentence = (
            f"{conflict.asker} needs {conflict.wanted}, but {_provider(conflict.provider)} provides "
            f"{conflict.name} {conflict.found}"
        )
        reasons.setdefault((conflict.scope, name), sentence)
    return tuple(_unfit(layers, dict(read), host, reasons))


def _disagree(layers: Layers) -> bool:
    seen: dict[str, str] = {}
    return any(
        seen.setdefault(name, version) != version
        for _, index in layers
        for name, version in index.distributions
    )


def _host_changed(layers: Layers) -> bool:
    if not any(index.distributions for _, index in layers):
        return False
    import sys

    from pi_pkg.install.host import host_fingerprint, host_paths  # start-up time: as above

    now = host_fingerprint(host_paths(sys.path))
    return any(index.host_fingerprint != now for _, index in layers)


def _unfit(
    layers: Layers,
    read: Mapping[Scope, Mapping[str, Distribution]],
    host: Host,
    reasons: Mapping[tuple[str, str], str],
) -> Iterator[Unfit]:
    nearer: dict[str, tuple[Scope, str]] = {}
    for scope, index in layers:
        needs = _needs(read[scope], host)
        for package in index.packages:
            broken = next((name for name in _reached(package.dist, needs) if (scope, name) in reasons), None)
            reason = None if broken is None else reasons[scope, broken]
            reason = reason or _hidden(package, nearer)
            if reason is not None:
                yield Unfit(package.identity, package.source, scope, reason)
        for name, version in index.distributions:
            nearer.setdefault(name, (scope, version))


def _hidden(package: InstalledPackage, nearer: Mapping[str, tuple[Scope, str]]) -> str | None:
    """Why another copy would be imported in the place of a package of an index; None if that is fine."""
    from pi_pkg.resources.host import allows  # start-up time: as above

    there = nearer.get(package.dist or "")
    if package.kind != "pypi" or there is None:
        return None
    provider, version = there
    source = parse_source(package.source, base=Path("/"), home=Path("/"))
    if version == package.version or not isinstance(source, PypiSource) or allows(source.specifier, version):
        return None
    return (
        f"it is {package.dist} {package.version}, but {_provider(provider)} provides {package.dist} {version}"
    )


def _needs(distributions: Mapping[str, Distribution], host: Host) -> dict[str, list[str]]:
    """What each distribution requires here, by canonical name; extras are counted in."""
    return {
        name: list(_names(item.requires))
        for name, item in distributions.items()
        if name not in host.distributions
    }


def _names(requirements: Iterable[str]) -> Iterator[str]:
    from packaging.requirements import InvalidRequirement  # start-up time: as above

    from pi_pkg.install.plan import requirement_name

    for text in requirements:
        try:
            yield requirement_name(text)
        except InvalidRequirement:
            continue  # what no tool can read, no tool asks for


def _reached(name: str | None, needs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A distribution and all that it needs, directly or not."""
    pending, seen = [name] if name else [], set[str]()
    while pending:
        here = pending.pop()
        if here in seen or here not in needs:
            continue
        seen.add(here)
        yield here
        pending += needs[here]


def _provider(scope: str) -> str:
    match scope:
        case "environment":
            return "the environment that pi runs in"
        case "temporary":
            return "a package of the command line"
        case _:
            return f"the {scope}"
