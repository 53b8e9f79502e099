"""What a finished generation says about each root.

Touches: files (reads metadata).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pi_pkg.install.host import Distribution, Host, entry_points_of, recorded_files
from pi_pkg.install.index import EntryPointRow, InstalledPackage, Note, Provider
from pi_pkg.install.plan import PypiRoot, TreeRoot, requirement_name, survey
from pi_pkg.install.request import ScopeRequest, is_wheel
from pi_pkg.install.trees import Tree


def packages_of(
    request: ScopeRequest, inside: Mapping[str, Distribution], host: Host
) -> tuple[InstalledPackage, ...]:
    """The record of each root, in order. `inside` are the generation's distributions by canonical name."""
    found = []
    for root in request.roots:
        match root:
            case PypiRoot():
                found.append(_distribution(root, requirement_name(root.requirement), inside, host))
            case TreeRoot():
                tree = request.trees[root.identity]
                placed = is_wheel(root) or root.identity in request.on_host
                if placed and tree.name is not None:
                    found.append(_distribution(root, tree.name, inside, host))
                else:
                    found.append(_tree(tree))
    return tuple(found)


def own_entry_points(
    request: ScopeRequest, inside: Mapping[str, Distribution], host: Host
) -> tuple[tuple[str, EntryPointRow], ...]:
    """Source and entry point of every package whose code is not the host's, in order."""
    return tuple(
        (package.source, row)
        for package in packages_of(request, inside, host)
        if package.provider != "environment"
        for row in package.entry_points
    )


def build_notes(request: ScopeRequest, inside: Mapping[str, Distribution], host: Host) -> Iterator[Note]:
    """What is worth telling about the generation, in order."""
    yield from request.notes
    for package in packages_of(request, inside, host):
        if package.provider == "environment":
            message = f"{package.source}: satisfied by environment {package.version}"
            yield Note("satisfied-by-environment", message, "info", package.source)
    for distribution in inside.values():
        for name in recorded_files(distribution):
            if name.endswith(".pth") and "/" not in name:
                message = f"{distribution.name} {distribution.version} brings {name}, which pi never runs"
                yield Note(
                    "start-up-file-ignored", message, "info", _source_of(distribution.name, request, inside)
                )


def _source_of(name: str, request: ScopeRequest, inside: Mapping[str, Distribution]) -> str | None:
    """The first root that a distribution is there for."""
    for root in request.roots:
        wishes = [wish for wish in request.wishes if wish.identity == root.identity]
        if name in survey(wishes, inside, {}).reached:
            return root.source
    return None


def _distribution(
    root: PypiRoot | TreeRoot, name: str, inside: Mapping[str, Distribution], host: Host
) -> InstalledPackage:
    provided = host.distributions.get(name)
    distribution = provided or inside[name]
    provider: Provider = "environment" if provided is not None else "generation"
    return InstalledPackage(
        identity=root.identity,
        source=root.source,
        kind="pypi" if isinstance(root, PypiRoot) else root.kind,
        dist=name,
        version=distribution.version,
        commit=None if isinstance(root, PypiRoot) else root.commit,
        ref_kind=None if isinstance(root, PypiRoot) else root.ref_kind,
        root=str(distribution.location),
        import_root=str(distribution.location),
        entry_points=entry_points_of(distribution),
        provider=provider,
        ref=None if isinstance(root, PypiRoot) else root.ref,
    )


def _tree(tree: Tree) -> InstalledPackage:
    root = tree.root
    return InstalledPackage(
        identity=root.identity,
        source=root.source,
        kind=root.kind,
        dist=tree.name,
        version=tree.version,
        commit=root.commit,
        ref_kind=root.ref_kind,
        root=str(root.path),
        import_root=None if tree.import_root is None else str(tree.import_root),
        entry_points=tree.entry_points,
        provider="tree",
        ref=root.ref,
    )
