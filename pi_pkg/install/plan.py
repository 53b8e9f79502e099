"""What a scope asks for, and what follows from it before anything is touched.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from pi_pkg.install.errors import HostConflict
from pi_pkg.install.index import RefKind

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from pi_pkg.install.host import Distribution


@dataclass(frozen=True, slots=True)
class PypiRoot:
    """A distribution that the resolver chooses from an index."""

    identity: str
    """`pypi:NAME`, the name canonical."""
    source: str
    """The source as configured."""
    requirement: str
    """PEP 508 requirement without a URL: `name[extra]>=1,<2`."""


@dataclass(frozen=True, slots=True)
class TreeRoot:
    """Something on this machine that is used where it stands: a folder, a `.py` file; or a wheel to unpack.

    A git source is a tree too: its checkout, or a folder in it.
    """

    identity: str
    """Identity of the source."""
    source: str
    """The source as configured."""
    path: Path
    """Absolute path of the folder, `.py` file or `.whl` file."""
    kind: Literal["git", "local"]
    """Where the tree came from."""
    commit: str | None = None
    """Full commit id of a checkout; None for a local tree."""
    ref_kind: RefKind | None = None
    """What the ref was on the remote; None for a local tree."""
    ref: str | None = None
    """The ref as asked for; None is the remote's default branch."""
    url: str | None = None
    """Clone URL without credentials, for the origin record (PEP 610); None for a local tree."""
    subdirectory: str | None = None
    """Folder inside the repository, in `/` form; None is its root."""


Root: TypeAlias = PypiRoot | TreeRoot

EVERYTHING = "*"
"""In place of identities: all of them."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One requirement and who has it."""

    asker: str
    """A source as configured, or `NAME VERSION` of a distribution."""
    requirement: str
    """PEP 508 requirement."""
    identity: str | None = None
    """Identity of the root that the wish belongs to; None for a wish of a dependency."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A wish that a set of distributions does not fulfil. `found` is the version there, None if absent."""

    wish: Wish
    name: str
    """Canonical name of what is wished for."""
    found: str | None


@dataclass(frozen=True, slots=True)
class Survey:
    """How a set of distributions answers wishes."""

    reached: frozenset[str]
    """Canonical names of everything that the wishes need, directly or not, and that is there."""
    unmet: tuple[Unmet, ...]
    """In the order of discovery; empty if all is well."""


def survey(
    wishes: Iterable[Wish], inside: Mapping[str, Distribution], host: Mapping[str, Distribution]
) -> Survey:
    """Follow wishes through the distributions of a generation and its host, markers and extras included.

    The host's copy stands before the generation's, as it does at import. What the host's distributions
    need among themselves is not our affair, except for extras that a wish asks for.
    """
    queue = list(wishes)
    seen: set[tuple[str, str]] = set()
    reached: set[str] = set()
    unmet: list[Unmet] = []
    for wish in queue:
        requirement = _parsed(wish.requirement)
        name = _canonical(requirement)
        distribution = host.get(name) or inside.get(name)
        if distribution is None or not _satisfies(requirement, distribution.version):
            unmet.append(Unmet(wish, name, None if distribution is None else distribution.version))
            continue
        reached.add(name)
        for extra in ("", *sorted(requirement.extras)):
            if (name, extra) not in seen:
                seen.add((name, extra))
                queue += _wishes_of(distribution, extra, only_extra=name in host)
    return Survey(frozenset(reached), tuple(unmet))


def unmet_among(wishes: Iterable[Wish], provided: Mapping[str, Distribution]) -> tuple[Unmet, ...]:
    """Those wishes that apply here and are not fulfilled, in order; no further than the wishes themselves."""
    found = []
    for wish in wishes:
        for _, requirement in _readable([wish.requirement]):
            name = _canonical(requirement)
            there = provided.get(name)
            fulfilled = there is not None and _satisfies(requirement, there.version)
            if _applies(requirement, "") and not fulfilled:
                found.append(Unmet(wish, name, None if there is None else there.version))
    return tuple(found)


def kept_distributions(
    wishes: Collection[Wish],
    before: Mapping[str, Distribution],
    host: Mapping[str, Distribution],
    *,
    fixed: Mapping[str, Distribution],
    renew: Collection[str],
) -> frozenset[str]:
    """Names of the previous generation's distributions that the next one starts from.

    What is still needed stays at its version; what nobody needs goes. `renew` names identities (or
    EVERYTHING) whose distributions are to be chosen anew, with all that only they need. `fixed` are
    the trees, which take the place of a distribution of the same name.
    """
    if EVERYTHING in renew:
        return frozenset()
    known = {name: item for name, item in before.items() if name not in fixed and name not in host}
    stay = [wish for wish in wishes if wish.identity not in renew]
    while True:
        found = survey(stay, {**known, **fixed}, host)
        misfits = {item.name for item in found.unmet if item.found is not None and item.name in known}
        renewed = {_canonical(_parsed(wish.requirement)) for wish in wishes if wish.identity in renew}
        if not misfits | (renewed & known.keys()):
            return frozenset(found.reached & known.keys())
        known = {name: item for name, item in known.items() if name not in misfits | renewed}


def refuse_host_conflicts(wishes: Iterable[Wish], host: Mapping[str, Distribution]) -> None:
    """Raise HostConflict for the first wish that names a distribution of the host in another version."""
    for unmet in unmet_among(wishes, host):
        if unmet.found is not None:
            wanted = _shown(_parsed(unmet.wish.requirement))
            where = str(host[unmet.name].location)
            raise HostConflict(unmet.wish.asker, wanted, unmet.name, unmet.found, where=where)


def requirement_name(requirement: str) -> str:
    """The canonical name that a requirement asks for."""
    return _canonical(_parsed(requirement))


def applying(wishes: Iterable[Wish]) -> tuple[Wish, ...]:
    """Those wishes whose marker holds here, in order."""
    return tuple(wish for wish in wishes if _applies(_parsed(wish.requirement), ""))


def _wishes_of(distribution: Distribution, extra: str, *, only_extra: bool) -> list[Wish]:
    asker = f"{distribution.name} {distribution.version}"
    found = []
    for text, requirement in _readable(distribution.requires):
        always = requirement.marker is None or _applies(requirement, "")
        wanted = _applies(requirement, extra) and not always if extra else always and not only_extra
        if wanted:
            found.append(Wish(asker, text))
    return found


def _readable(texts: Iterable[str]) -> Iterator[tuple[str, Requirement]]:
    """Requirements of installed metadata; what no tool can read, no tool asks for."""
    from packaging.requirements import InvalidRequirement  # start-up time: values are imported by readers too

    for text in texts:
        try:
            yield text, _parsed(text)
        except InvalidRequirement:
            continue


def _parsed(text: str) -> Requirement:
    from packaging.requirements import Requirement  # start-up time: values are imported by readers too

    return Requirement(text)


def _canonical(requirement: Requirement) -> str:
    from packaging.utils import canonicalize_name  # start-up time, as above

    return canonicalize_name(requirement.name)


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _satisfies(requirement: Requirement, version: str) -> bool:
    from packaging.version import InvalidVersion, Version  # start-up time, as above

    if not requirement.specifier:
        return True
    try:
        return requirement.specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False


def _shown(requirement: Requirement) -> str:
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"
