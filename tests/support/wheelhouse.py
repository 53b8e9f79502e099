"""Wheels of what is installed here, so that a new environment can be filled without a network.

Every distribution is packed again from the files that its RECORD names; commands are left out, an installer
makes them anew.

Touches: files.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def own_wheel(folder: Path, *, kind: str = "wheel") -> Path:
    """The project's wheel, or with `kind="sdist"` its source archive, built into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)],
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    (built,) = set(folder.iterdir()) - before
    return built


def wheelhouse(folder: Path, names: Iterable[str]) -> Path:
    """A folder with the wheels of these distributions and of everything that they require."""
    folder.mkdir(parents=True, exist_ok=True)
    for found in closure(names).values():
        packed(found, folder)
    return folder


def closure(names: Iterable[str]) -> dict[str, Distribution]:
    """Distributions by canonical name, with what they require here, in the extras that are asked for."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(name, "") for name in names]
    while waiting:
        name, extra = waiting.pop()
        asked = canonicalize_name(name), extra
        if asked in seen:
            continue
        seen.add(asked)
        found[asked[0]] = distribution(name)
        for want in map(Requirement, found[asked[0]].requires or ()):
            if not want.marker or want.marker.evaluate({"extra": extra}):
                waiting += [(want.name, also) for also in ("", *want.extras)]
    return found


def packed(found: Distribution, folder: Path) -> Path:
    """The wheel of one installed distribution."""
    tags = [
        line.partition(": ")[2]
        for line in (found.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    ]
    stem = canonicalize_name(found.name).replace("-", "_")
    target = folder / f"{stem}-{found.version}-{_common(tags)}.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path in found.files or ():
            if ".." not in path.parts and "__pycache__" not in path.parts and path.name not in _LOCAL:
                archive.write(str(path.locate()), path.as_posix())
    return target


_LOCAL = {"INSTALLER", "REQUESTED", "direct_url.json"}
"""What an installer wrote, not the wheel."""


def _common(tags: list[str]) -> str:
    """The tags of one wheel in the short form of its file name (PEP 425)."""
    parts = [tag.split("-") for tag in tags]
    return "-".join(".".join(dict.fromkeys(part[place] for part in parts)) for place in range(3))
