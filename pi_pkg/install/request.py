"""A scope's roots with what their own files say: everything that is known before anything is changed.

Touches: files (reads trees).
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pi_pkg.install.errors import HostConflict, TreeError, Unresolvable
from pi_pkg.install.host import Host, origin_of
from pi_pkg.install.index import Note
from pi_pkg.install.plan import (
    PypiRoot,
    Root,
    TreeRoot,
    Wish,
    applying,
    refuse_host_conflicts,
    requirement_name,
)
from pi_pkg.install.trees import Tree, read_tree


@dataclass(frozen=True, slots=True)
class ScopeRequest:
    """What a generation shall hold."""

    roots: tuple[Root, ...]
    """In the order of the settings."""
    trees: Mapping[str, Tree]
    """By identity: folders, modules and wheels of this machine. Not to be changed."""
    wishes: tuple[Wish, ...]
    """What the roots need, those whose marker holds here."""
    on_host: frozenset[str]
    """Identities of roots that the host itself provides."""
    digest: str
    """Equal digests ask for equal generations."""

    @property
    def named_trees(self) -> tuple[Tree, ...]:
        """The folders that are distributions in their own right and are used in place, in order."""
        return tuple(
            tree
            for identity, tree in self.trees.items()
            if tree.name is not None and identity not in self.on_host and not is_wheel(tree.root)
        )

    @property
    def wheel_files(self) -> Mapping[str, str]:
        """Address of each wheel file, by canonical name."""
        return {
            tree.name: tree.root.path.as_uri()
            for identity, tree in self.trees.items()
            if tree.name is not None and identity not in self.on_host and is_wheel(tree.root)
        }

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the trees' own files gave occasion to say, in order."""
        return tuple(note for tree in self.trees.values() for note in tree.notes)


def is_wheel(root: TreeRoot) -> bool:
    """Whether a root is unpacked instead of being used in place."""
    return root.path.suffix == ".whl" and not root.path.is_dir()


def read_request(roots: Sequence[Root], host: Host, build: Collection[str] = ()) -> ScopeRequest:
    """Read the trees and judge what can be judged without a resolver.

    Raises TreeError for a tree that cannot be used, HostConflict for a root or a tree's dependency that
    the host cannot satisfy, Unresolvable for two roots that are one distribution.
    """
    trees = {root.identity: read_tree(root) for root in roots if isinstance(root, TreeRoot)}
    _refuse_twins(roots, trees)
    wishes: list[Wish] = []
    on_host = set()
    for root in roots:
        match root:
            case PypiRoot():
                wishes.append(_own_wish(root))
                if requirement_name(root.requirement) in host.distributions:
                    on_host.add(root.identity)
            case TreeRoot():
                tree = trees[root.identity]
                _refuse_python(tree)
                if _is_hosts(tree, host):
                    on_host.add(root.identity)
                wishes += _tree_wishes(tree)
    refuse_host_conflicts(wishes, host.distributions)
    digest = _digest(roots, trees, host, build)
    return ScopeRequest(tuple(roots), trees, applying(wishes), frozenset(on_host), digest)


def _own_wish(root: PypiRoot) -> Wish:
    from packaging.requirements import InvalidRequirement, Requirement  # start-up time: only builds come here

    try:
        requirement = Requirement(root.requirement)
    except InvalidRequirement as error:
        raise Unresolvable(f"{root.source}: {root.requirement!r} is no requirement: {error}.") from error
    # Rendered anew, it cannot begin with a dash or hold an option.
    return Wish(root.source, str(requirement), root.identity)


def _tree_wishes(tree: Tree) -> Iterator[Wish]:
    root = tree.root
    if is_wheel(root):
        yield Wish(root.source, f"{tree.name}=={tree.version}", root.identity)
    for item in tree.dependencies:
        yield Wish(root.source, item, root.identity)


def _refuse_twins(roots: Iterable[Root], trees: Mapping[str, Tree]) -> None:
    owners: dict[str, str] = {}
    for root in roots:
        name = requirement_name(root.requirement) if isinstance(root, PypiRoot) else trees[root.identity].name
        if name is None:
            continue
        other = owners.setdefault(name, root.source)
        if other != root.source:
            raise Unresolvable(
                f"{other} and {root.source} are both the distribution {name}.", hint="Remove one of them."
            )


def _is_hosts(tree: Tree, host: Host) -> bool:
    """Whether the host has this very tree installed in place; another copy of its name is a conflict."""
    provided = host.distributions.get(tree.name or "")
    if provided is None:
        return False
    origin = origin_of(provided) or {}
    if origin.get("url") == tree.root.path.as_uri() or (
        is_wheel(tree.root) and provided.version == tree.version
    ):
        return True
    wanted, where = f"a {provided.name} of its own", str(provided.location)
    raise HostConflict(tree.root.source, wanted, provided.name, provided.version, where=where)


def _refuse_python(tree: Tree) -> None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # start-up time: only builds come here

    try:
        wanted = SpecifierSet(tree.requires_python or "")
    except InvalidSpecifier:
        return  # a tree is used as it stands; a version range that nobody can read forbids nothing
    if not wanted.contains(platform.python_version(), prereleases=True):
        raise TreeError(f"{tree.root.source} needs Python {wanted}, this is {platform.python_version()}.")


def _digest(roots: Iterable[Root], trees: Mapping[str, Tree], host: Host, build: Collection[str]) -> str:
    rows: list[object] = [host.python_tag, host.fingerprint, sorted(build)]
    for root in roots:
        match root:
            case PypiRoot():
                rows.append([root.identity, root.source, root.requirement])
            case TreeRoot():
                tree = trees[root.identity]
                rows.append([root.identity, root.source, str(root.path), root.commit, root.ref, tree.digest])
                rows.append(str(tree.import_root))
    return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogateescape")).hexdigest()[:32]
