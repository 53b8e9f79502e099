"""By which names people call the owner of a registration, in rules and in front of a command.

Pure.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

from pi_pkg import Provenance

HOST: Final = "pi"
"""The owner of what is built in."""
_PLACES: Final = frozenset({"auto", "local", "cli", "inline"})
"""Words that a provenance has in place of a package source."""
_DISTRIBUTION: Final = re.compile(r"(pypi|env):\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_LABEL: Final = re.compile(r"<(?:inline:)?(.+)>")


def owner_names(path: str, provenance: Provenance) -> tuple[str, ...]:
    """Every name of an extension's owner, the shortest first, the exact path last.

    A package is called by its distribution, repository or folder, or by its source; what stands on
    its own by its file or folder.
    """
    source = provenance.source
    if source in _PLACES and provenance.origin != "package":
        return tuple(dict.fromkeys((_own_name(path), path)))
    return tuple(dict.fromkeys((*_package_names(source, provenance.base_dir), source, path)))


def _own_name(path: str) -> str:
    label = _LABEL.fullmatch(path)
    if label is not None:
        return label[1]
    place = PurePath(path)
    return place.parent.name if place.name == "__init__.py" else place.stem


def _package_names(source: str, base_dir: str | None) -> tuple[str, ...]:
    distribution = _DISTRIBUTION.match(source)
    if distribution is not None:
        name = _canonical(distribution[2])
        return name, f"{distribution[1]}:{name}"
    if source.startswith((".", "/", "~", "file:")) or PurePath(source).is_absolute():
        name = PurePath(source.removeprefix("file://")).name
        if name.endswith(".whl"):
            return (_canonical(name.partition("-")[0]),)
        return (name if name.strip(".~") else PurePath(base_dir or ".").name,)
    return _repository_names(source)


def _canonical(name: str) -> str:
    """A distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _repository_names(source: str) -> tuple[str, ...]:
    """`git:git@github.com:o/r.git@v1#subdirectory=x` → `x`, `o/r`, `github.com/o/r` and the like."""
    text, _, fragment = source.partition("#")
    text = re.sub(r"^(?:git[:+])?(?:\w+://)?(?:[^@/]+@)?", "", text)
    text = re.sub(r"@[^@/]*$", "", text).removesuffix(".git").strip("/")
    place = re.sub(r":(?:\d+/)?", "/", re.sub(r"^(git(?:hub|lab)):", r"\1.com/", text))
    parts = [part for part in place.split("/") if part]
    inner = fragment.removeprefix("subdirectory=").strip("/").rpartition("/")[2]
    short = inner or (parts[-1] if parts else source)
    whole = "/".join(parts)
    return short, "/".join(parts[-2:]), whole, f"git:{whole}"
