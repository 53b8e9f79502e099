"""Real wheels and source archives without a build backend, in a few milliseconds each.

Touches: files.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

_DATE = (2024, 1, 1, 0, 0, 0)


def build_wheel(
    folder: Path,
    name: str,
    version: str = "1.0",
    *,
    files: Mapping[str, str] | None = None,
    requires: Iterable[str] = (),
    extras: Mapping[str, Iterable[str]] | None = None,
    entry_points: Mapping[str, Mapping[str, str]] | None = None,
    requires_python: str | None = None,
    tag: str = "py3-none-any",
    claims: Iterable[str] = (),
    hidden: Mapping[str, str] | None = None,
) -> Path:
    """Write a wheel and return its path; equal arguments give equal bytes.

    Without `files` it holds one module, named like the distribution, with `VERSION`. A name in `files`
    that begins with `.data/` goes into the wheel's data folder: `.data/data/pyvenv.cfg`. `claims` are paths
    that its RECORD names although it does not hold them, `hidden` are files that it holds and does not name.
    """
    stem = f"{name.replace('-', '_')}-{version}"
    if files is None:
        files = {f"{name.replace('-', '_')}.py": f"VERSION = {version!r}\n"}
    info = f"{stem}.dist-info"
    content = {f"{stem}{path}" if path.startswith(".data/") else path: text for path, text in files.items()}
    content[f"{info}/METADATA"] = _metadata(name, version, requires, extras or {}, requires_python)
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: {tag}\n"
    if entry_points:
        content[f"{info}/entry_points.txt"] = _entry_points(entry_points)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(target, "w") as archive:
        rows = []
        for path, text in content.items():
            data = text.encode("utf-8")
            archive.writestr(zipfile.ZipInfo(path, _DATE), data)
            rows.append(f"{path},{_record_hash(data)},{len(data)}")
        for path, text in (hidden or {}).items():
            archive.writestr(zipfile.ZipInfo(path, _DATE), text)
        rows += [f'"{path}",,' for path in claims]
        record = f"{info}/RECORD"
        archive.writestr(zipfile.ZipInfo(record, _DATE), "\n".join([*rows, f"{record},,"]) + "\n")
    return target


def build_sdist(folder: Path, name: str, version: str = "1.0", *, marker: Path) -> Path:
    """Write a source archive that builds with its own code alone, and return its path.

    Whatever runs that code makes it write the environment it sees to `marker`, as JSON.
    """
    stem = f"{name.replace('-', '_')}-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{stem}.tar.gz"
    metadata = _metadata(name, version, (), {}, None)
    with tarfile.open(target, "w:gz") as archive:
        for path, text in source_files(stem, metadata, marker).items():
            member = tarfile.TarInfo(f"{stem}/{path}")
            member.size = len(text.encode("utf-8"))
            archive.addfile(member, io.BytesIO(text.encode("utf-8")))
    return target


def source_files(stem: str, metadata: str, marker: Path) -> dict[str, str]:
    """The files of a source tree with a build backend of its own; see `build_sdist`."""
    backend = f"""
import json, os, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    with open({str(marker)!r}, "w") as file:
        json.dump(dict(os.environ), file)
    name = {stem!r} + "-py3-none-any.whl"
    info = {stem!r} + ".dist-info/"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("built_here.py", "")
        wheel.writestr(info + "METADATA", {metadata!r})
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""
    project = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    return {"pyproject.toml": project, "backend.py": backend, "PKG-INFO": metadata}


def install_into(folder: Path, name: str, version: str = "1.0", **arguments: object) -> None:
    """Lay a distribution out in a folder of importable modules, as an installer would."""
    with zipfile.ZipFile(build_wheel(folder / ".wheels", name, version, **arguments)) as archive:  # type: ignore[arg-type]  # the arguments are build_wheel's own
        archive.extractall(folder)


def _metadata(
    name: str,
    version: str,
    requires: Iterable[str],
    extras: Mapping[str, Iterable[str]],
    requires_python: str | None,
) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    if requires_python:
        lines.append(f"Requires-Python: {requires_python}")
    lines += [f"Requires-Dist: {requirement}" for requirement in requires]
    for extra, requirements in extras.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {requirement} ; extra == "{extra}"' for requirement in requirements]
    return "\n".join(lines) + "\n"


def _entry_points(groups: Mapping[str, Mapping[str, str]]) -> str:
    lines = []
    for group, rows in groups.items():
        lines.append(f"[{group}]")
        lines += [f"{name} = {value}" for name, value in rows.items()]
    return "\n".join(lines) + "\n"


def _record_hash(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode("ascii").rstrip("=")
