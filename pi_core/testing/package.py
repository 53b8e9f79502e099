"""A package under test: what pi finds in it, as a source tree or as the wheel that users install.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hookspecs.values import dataclass
from pi_core.extensions.loader import LoadRequest
from pi_pkg import Diagnostic, Locations, ResolvedResources, Resource, Wanted, read_settings, resolved


@dataclass(frozen=True, slots=True)
class PackageContents:
    """What a package brings. Paths are relative to the folder that it is imported from, in `/` form.

    So they are the same for a tree and for its wheel; whatever a wheel lacks shows at once.
    """

    extensions: tuple[str, ...]
    skills: tuple[str, ...]
    prompts: tuple[str, ...]
    themes: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    """What is wrong with it, as `pi list` and `pi check` would say."""
    requests: tuple[LoadRequest, ...]
    """Its extensions, ready to be loaded."""


def read_tree(folder: Path, scratch: Path) -> PackageContents:
    """What a source tree brings, read as `pi -e FOLDER` does; `scratch` is in place of a person's folders."""
    found = _resolved(scratch, Wanted(sources=(str(folder),)))
    roots = [*found.import_roots, str(folder / "src"), str(folder)]
    return _contents(found, lambda item: item.provenance.scope == "temporary", roots)


def read_installed(site: Path, scratch: Path) -> PackageContents:
    """What a folder of installed distributions brings, which is the first on the import path."""
    found = _resolved(scratch, Wanted())
    root = str(site) + os.sep
    return _contents(found, lambda item: item.path.startswith(root), [str(site)])


def _resolved(scratch: Path, wanted: Wanted) -> ResolvedResources:
    locations = Locations(agent_dir=scratch / "agent", project_dir=scratch / "project", home=scratch / "home")
    locations.project_dir.mkdir(parents=True, exist_ok=True)
    return resolved(locations, read_settings(locations, trusted=False), wanted)


def _contents(
    found: ResolvedResources, is_ours: Callable[[Resource], bool], roots: Sequence[str]
) -> PackageContents:
    def names(resources: Iterable[Resource]) -> tuple[str, ...]:
        return tuple(_relative(item.path, roots) for item in resources if is_ours(item) and item.enabled)

    return PackageContents(
        extensions=names(found.extensions),
        skills=names(found.skills),
        prompts=names(found.prompts),
        themes=names(found.themes),
        diagnostics=found.diagnostics,
        requests=tuple(_request(item) for item in found.extensions if is_ours(item) and item.enabled),
    )


def _relative(path: str, roots: Sequence[str]) -> str:
    root = next((root for root in roots if path.startswith(root + os.sep)), os.path.dirname(path))
    return os.path.relpath(path, root).replace(os.sep, "/")


def _request(item: Resource) -> LoadRequest:
    return LoadRequest(
        path=item.path,
        provenance=item.provenance,
        module=item.module,
        attribute=item.attribute,
        import_root=item.import_root,
        guard=item.guard,
        explicit=True,
    )
