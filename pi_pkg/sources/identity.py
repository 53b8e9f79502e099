"""When two source strings mean one package, and how a source is written into a settings file.

Touches: files (through the parser, where links lead).
"""

from __future__ import annotations

import os
from pathlib import Path

from pi_pkg.errors import SourceError
from pi_pkg.sources.model import LocalSource, Source, closed
from pi_pkg.sources.parse import environment_name, parse_source


def identity_of(text: str, *, base: Path, home: Path) -> str | None:
    """The identity of a settings entry, `env:NAME` included; None for a string that is no source."""
    if name := environment_name(text):
        return f"env:{name}"
    try:
        return parse_source(text, base=base, home=home).identity
    except SourceError:
        return None


def stored_form(source: Source, *, settings_dir: Path) -> str:
    """How a source is written into the settings file of a folder.

    Local paths are relative to that folder, in `/` form, always recognisable as paths; what is on
    another drive stays absolute. Everything else is stored as it was written.
    """
    if not isinstance(source, LocalSource):
        return source.text
    try:
        relative = os.path.relpath(source.path, settings_dir)
    except ValueError:  # another drive (Windows)
        return closed(source.path)
    relative = closed(relative.replace(os.sep, "/"))
    return relative if relative == "." or relative == ".." or relative.startswith("../") else f"./{relative}"
