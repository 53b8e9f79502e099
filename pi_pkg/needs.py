"""Which sources of the command line cannot be used where they stand.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pi_pkg.locations import Locations
from pi_pkg.sources.model import LocalSource, Source
from pi_pkg.sources.parse import parse_source


def needing_installation(texts: Sequence[str], locations: Locations) -> list[Source]:
    """The sources that have to be brought here first, each package once, in order.

    Raises:
        SourceError: a string that is no source.
    """
    parsed = [parse_source(text, base=locations.project_dir, home=locations.home) for text in texts]
    return list({source.identity: source for source in parsed if _needs_installation(source)}.values())


def _needs_installation(source: Source) -> bool:
    if not isinstance(source, LocalSource):
        return True
    return source.path.lower().endswith(".whl") or _has_dependencies(Path(source.path))


def _has_dependencies(tree: Path) -> bool:
    import tomllib  # start-up time: most runs name files

    try:
        with open(os.path.join(tree, "pyproject.toml"), "rb") as stream:
            project = tomllib.load(stream).get("project")
    except (OSError, ValueError):
        return False
    return isinstance(project, dict) and bool(project.get("dependencies"))
