"""What one package offers: the candidates of each type, before any filter of the user's.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeAlias

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import RESOURCE_TYPES, ResourceType
from pi_pkg.resources.candidates import Candidate
from pi_pkg.resources.collect import Collector, blocked, import_roots_of, importable
from pi_pkg.resources.conventions import PACKAGE_FILE
from pi_pkg.resources.entry_points import EXTENSION_GROUP, PACKAGE_GROUP, Located
from pi_pkg.resources.manifest import read_package_manifest
from pi_pkg.resources.model import EntryPoint, Manifest
from pi_pkg.values import dataclass, field

Offered: TypeAlias = dict[ResourceType, list[Candidate]]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a package offers. The candidate set never depends on how a settings entry is written."""

    base: str
    """Folder that the user's filters are relative to, where a candidate names no other."""
    offered: Mapping[ResourceType, list[Candidate]] = field(default_factory=dict)
    """In order of the manifest, else by name; a type may be missing."""
    is_file: bool = False
    """The package is a single file: one extension, which no filter reaches."""
    guard: bool = False
    """Its manifest asks that tools be refused if it cannot load."""


def of_file(collector: Collector, path: str) -> Contents:
    """A single file is one extension, whatever its suffix."""
    return Contents(os.path.dirname(path), {"extensions": [collector.file(path)]}, is_file=True)


def of_tree(
    collector: Collector,
    folder: str,
    manifest: Manifest,
    recorded: tuple[EntryPoint, ...] = (),
    import_root: str | None = None,
) -> Contents:
    """A source tree: its entry points, its manifest, its conventional folders, or its `__init__.py`.

    Args:
        collector: reads the folders.
        folder: absolute path of the tree.
        manifest: its own, an empty one if it has none.
        recorded: entry points as a build found them, for a tree that does not declare them statically.
        import_root: folder its modules are imported from; None finds it.
    """
    collector.witness.see(folder)
    collector.noted(manifest)
    entry_points = manifest.entry_points or recorded
    roots = [import_root] if import_root else import_roots_of(folder)
    if any(entry_point.group == PACKAGE_GROUP for entry_point in entry_points):
        contents = _advertised(collector, folder, entry_points, roots)
        _mention_unread(collector, manifest)
    else:
        contents = _own(collector, folder, manifest, entry_points, roots)
    if manifest.project_name is not None and contents.offered.get("extensions"):
        _keep_import_names(contents.offered["extensions"], folder, manifest, roots[0])
    return _blocked(contents, collector.unfit(manifest, folder))


def of_distribution(
    collector: Collector, entry_points: tuple[EntryPoint, ...], import_roots: list[str]
) -> Contents:
    """An installed distribution: what its entry points name, looked for in importable folders in order."""
    return _advertised(collector, import_roots[0], entry_points, import_roots)


def _own(
    collector: Collector,
    folder: str,
    manifest: Manifest,
    entry_points: tuple[EntryPoint, ...],
    roots: list[str],
) -> Contents:
    """A tree without `pi` entry points: manifest, else short-form entry points, else conventions."""
    if manifest.declares_resources:
        offered = collector.named(manifest, folder)
    elif entry_points:
        offered = {}
    else:
        offered = conventional_files(collector, folder)
    if manifest.javascript:
        _show_javascript(collector, folder, manifest, offered)
    short = list(collector.from_entry_points(entry_points, roots))
    if short:
        offered["extensions"] = [*short, *offered.get("extensions", [])]
    declared = manifest.declares_resources or bool(entry_points)
    if not offered and not declared and os.path.isfile(os.path.join(folder, PACKAGE_FILE)):
        offered["extensions"] = [package_folder(collector, folder)]
    return Contents(folder, offered, guard=manifest.guard)


def package_folder(collector: Collector, folder: str) -> Candidate:
    """A folder that is itself the extension: the same one as its `__init__.py`."""
    return Candidate(folder, os.path.join(collector.real.of(folder), PACKAGE_FILE), is_folder=True)


def _advertised(
    collector: Collector, base: str, entry_points: tuple[EntryPoint, ...], roots: list[str]
) -> Contents:
    """The import packages and modules that entry points name, in order."""
    offered: Offered = {}
    guard = False
    for entry_point in entry_points:
        if entry_point.group == EXTENSION_GROUP:
            offered.setdefault("extensions", []).extend(collector.from_entry_points([entry_point], roots))
        elif (located := collector.located(entry_point, roots)) is not None:
            inner = of_import_package(collector, located, entry_point.name)
            guard, base = guard or inner.guard, inner.base
            for kind, found in inner.offered.items():
                based = [item if item.base else item._replace(base=inner.base) for item in found]
                offered.setdefault(kind, []).extend(based)
    return Contents(base, offered, guard=guard)


def of_import_package(collector: Collector, located: Located, name: str | None) -> Contents:
    """An import package: its `pi.toml`, its conventional folders, or the package itself as extension."""
    folder = located.folder
    if folder is None:
        return Contents(located.import_root, {"extensions": [collector.module(located, name)]})
    manifest = collector.noted(read_package_manifest(folder, collector.documents))
    if manifest.declares_resources:
        offered = collector.named(manifest, folder)
    else:
        offered = conventional_files(collector, folder)
        if not offered and located.is_importable:
            offered["extensions"] = [collector.module(located, name)]
    if "extensions" in offered:
        found = offered["extensions"]
        offered["extensions"] = [importable(item, located.import_root, located) for item in found]
    return _blocked(Contents(folder, offered, guard=manifest.guard), collector.unfit(manifest, folder))


def conventional_files(collector: Collector, folder: str) -> Offered:
    """The resources of the conventional folders; a type without a folder is missing."""
    real = collector.real.of(folder)
    return {
        kind: collector.files(kind, path, "deep", within=real)
        for kind in RESOURCE_TYPES
        if os.path.isdir(path := os.path.join(folder, kind))
    }


def _blocked(contents: Contents, reason: str | None) -> Contents:
    """The same contents, none of which can load if there is a reason."""
    if reason is None:
        return contents
    offered = {kind: blocked(found, reason) for kind, found in contents.offered.items()}
    return Contents(contents.base, offered, contents.is_file, contents.guard)


def _show_javascript(collector: Collector, folder: str, manifest: Manifest, offered: Offered) -> None:
    """Add the extensions of another language, so that they are seen, and seen not to load."""
    from pi_pkg.resources.javascript import javascript_files  # start-up time: few packages come from there

    files = javascript_files(collector, folder, manifest)
    if files:
        offered["extensions"] = [*offered.get("extensions", []), *files]


def _mention_unread(collector: Collector, manifest: Manifest) -> None:
    if manifest.declares_resources or manifest.guard:
        message = f"{manifest.path} also has a table [tool.pi]; it is not read, as in a wheel."
        hint = "Move the table into pi.toml inside the import package that the `pi` entry point names."
        finding = Diagnostic(
            "warning", "manifest-shadowed", "resolve", message, path=manifest.path, hint=hint
        )
        collector.report(finding)


def _keep_import_names(
    extensions: list[Candidate], folder: str, manifest: Manifest, import_root: str
) -> None:
    """Let the extensions of a distribution's source keep their import names and wait for its dependencies."""
    tree = folder if manifest.dependencies else None
    for position, item in enumerate(extensions):
        named = importable(item, item.import_root or import_root)
        extensions[position] = named if tree is None else named._replace(tree=tree)
