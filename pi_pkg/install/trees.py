"""A tree as its `pyproject.toml` describes it, read without running any of it; and the metadata we give it.

Touches: files.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pi_pkg.install.disk import Disk
from pi_pkg.install.errors import TreeError
from pi_pkg.install.host import INSTALLER
from pi_pkg.install.index import EntryPointRow, Note
from pi_pkg.install.plan import TreeRoot
from pi_pkg.sources.model import canonical_name

MAX_PYPROJECT_BYTES: Final = 1 << 20
UNKNOWN_VERSION: Final = "0+unknown"
"""Version recorded for a tree whose own cannot be known without running code."""
_LOADED_GROUPS: Final = ("pi", "pi.extensions")
# What PEP 508 calls a name; its length is that of a file name with a version.
_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Tree:
    """What is known of a tree."""

    root: TreeRoot
    name: str | None
    """Canonical distribution name; None without a `[project]` name."""
    version: str | None
    """PEP 440 version; None where it is missing, dynamic or invalid."""
    dependencies: tuple[str, ...] = ()
    """Requirements that always hold, as written."""
    extras: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Extra and its requirements, in order."""
    entry_points: tuple[EntryPointRow, ...] = ()
    """Sorted; scripts are in their standard groups."""
    requires_python: str | None = None
    import_root: Path | None = None
    """Folder that makes its packages importable; None if it needs none or it was not found."""
    notes: tuple[Note, ...] = ()
    digest: str = ""
    """Digest of everything that decides what is installed for it."""


def read_tree(root: TreeRoot) -> Tree:
    """Describe a folder or a file.

    A file is a single extension module, or a wheel whose name tells what it holds. What is wrong with a
    `pyproject.toml` is a note, unless it makes the tree unusable.

    Raises TreeError for a missing path or unusable dependencies.
    """
    if root.path.is_dir():
        return _read_folder(root)
    if root.path.is_file():
        return (
            _read_wheel_name(root)
            if root.path.suffix == ".whl"
            else Tree(root, None, None, digest=_digest(b""))
        )
    raise TreeError(
        f"{root.source}: {root.path} does not exist.", hint="Check the path, or remove the package."
    )


def top_module(value: str) -> str:
    """The top-level module that an entry point's value names."""
    return value.partition(":")[0].partition("[")[0].strip().partition(".")[0]


def requirements_of(tree: Tree) -> tuple[str, ...]:
    """All its requirements as metadata has them, those of its extras with their marker."""
    optional = (_with_extra(item, extra) for extra, items in tree.extras for item in items)
    return (*tree.dependencies, *optional)


def write_tree_info(tree: Tree, site_packages: Path, disk: Disk) -> Path:
    """Write the metadata folder of a named tree, origin record included, and return it."""
    version = tree.version or UNKNOWN_VERSION
    name = tree.name or ""
    info = site_packages / f"{name.replace('-', '_')}-{version}.dist-info"
    content = {
        "METADATA": _metadata_text(tree, name, version),
        "INSTALLER": f"{INSTALLER}\n",
        "direct_url.json": json.dumps(_origin(tree.root)) + "\n",
    }
    if tree.entry_points:
        content["entry_points.txt"] = "\n".join(_entry_point_lines(tree.entry_points)) + "\n"
    content["RECORD"] = "".join(f"{info.name}/{file},,\n" for file in (*content, "RECORD"))
    for file, text in content.items():
        disk.write(info / file, text.encode("utf-8"))
    return info


def _read_folder(root: TreeRoot) -> Tree:
    text, notes = _pyproject_text(root)
    document, more = _parse(root, text)
    notes += more
    project = document.get("project")
    if not isinstance(project, dict) or not isinstance(project.get("name"), str):
        if (root.path / "setup.py").is_file():
            notes += (_dynamic(root, "setup.py, whose name and dependencies only running it would tell"),)
        return Tree(root, None, None, notes=notes, digest=_digest(text))
    if _NAME.fullmatch(project["name"]) is None:
        raise TreeError(f"{root.source}: {project['name']!r} is no name of a distribution.")
    points = tuple(sorted(_entry_points(project)))
    import_root, missing = _import_root(root, project["name"], points)
    version, odd = _version(root, project)
    return Tree(
        root,
        canonical_name(project["name"]),
        version,
        _requirements(root, project.get("dependencies")),
        tuple(
            (extra, _requirements(root, items))
            for extra, items in _table(project, "optional-dependencies")
            if _NAME.fullmatch(extra)
        ),
        points,
        _requires_python(project),
        import_root,
        (*notes, *_dynamic_notes(root, project), *odd, *missing),
        _digest(text),
    )


def _read_wheel_name(root: TreeRoot) -> Tree:
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename  # start-up time: rare

    try:
        name, version, _, _ = parse_wheel_filename(root.path.name)
    except InvalidWheelFilename as error:
        raise TreeError(f"{root.source}: {root.path.name} is no name of a wheel.") from error
    with root.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Tree(root, name, str(version), digest=digest)


def _pyproject_text(root: TreeRoot) -> tuple[bytes, tuple[Note, ...]]:
    path = root.path / "pyproject.toml"
    try:
        if path.stat().st_size > MAX_PYPROJECT_BYTES:
            return b"", (_unreadable(root, "it is larger than 1 MiB"),)
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf"), ()
    except (FileNotFoundError, NotADirectoryError):
        return b"", ()
    except OSError as error:
        return b"", (_unreadable(root, error.strerror or str(error)),)


def _parse(root: TreeRoot, text: bytes) -> tuple[Mapping[str, Any], tuple[Note, ...]]:
    try:
        return tomllib.loads(text.decode("utf-8")), ()
    except (ValueError, RecursionError) as error:
        return {}, (_unreadable(root, str(error)),)


def _entry_points(project: Mapping[str, Any]) -> Iterator[EntryPointRow]:
    for group, rows in _table(project, "entry-points"):
        for name, value in rows.items() if isinstance(rows, dict) else ():
            if _is_entry_point(group, name, value):
                yield group, name, value
    for key, group in (("scripts", "console_scripts"), ("gui-scripts", "gui_scripts")):
        for name, value in _table(project, key):
            if _is_entry_point(group, name, value):
                yield group, name, value


def _is_entry_point(group: str, name: str, value: object) -> bool:
    """Whether it can stand on a line of an `entry_points.txt` and means the same there."""
    if not isinstance(value, str) or any(_CONTROL.search(text) for text in (group, name, value)):
        return False
    plain = "=" not in name and name == name.strip() and not name.startswith(("[", "#", ";"))
    return bool(name) and plain and "]" not in group


def _requires_python(project: Mapping[str, Any]) -> str | None:
    text = project.get("requires-python")
    return text if isinstance(text, str) and not _CONTROL.search(text) else None


def _table(project: Mapping[str, Any], key: str) -> tuple[tuple[str, Any], ...]:
    table = project.get(key)
    return tuple(table.items()) if isinstance(table, dict) else ()


def _requirements(root: TreeRoot, items: object) -> tuple[str, ...]:
    from packaging.requirements import (
        InvalidRequirement,
        Requirement,
    )  # start-up time: only builds read trees

    if not isinstance(items, list):
        return ()
    for item in items:
        try:
            requirement = Requirement(item)
        except (InvalidRequirement, TypeError) as error:
            raise TreeError(f"{root.source}: its dependency {item!r} is no requirement: {error}.") from error
        if requirement.url:
            raise TreeError(
                f"{root.source}: its dependency {requirement.name} comes from an address, not from an index.",
                hint=f"Ask for {requirement.name} by name there and add the address as a package.",
            )
    return tuple(items)


def _version(root: TreeRoot, project: Mapping[str, Any]) -> tuple[str | None, tuple[Note, ...]]:
    from packaging.version import InvalidVersion, Version  # start-up time: only builds read trees

    text = project.get("version")
    if not isinstance(text, str):
        return None, ()
    try:
        return str(Version(text)), ()
    except InvalidVersion:
        return None, (
            Note("version-invalid", f"{root.source}: its version {text!r} is none.", source=root.source),
        )


def _import_root(
    root: TreeRoot, name: str, points: tuple[EntryPointRow, ...]
) -> tuple[Path | None, tuple[Note, ...]]:
    tops = {top_module(value) for group, _, value in points if group in _LOADED_GROUPS}
    wanted = sorted(tops) or [canonical_name(name).replace("-", "_")]
    for folder in (root.path / "src", root.path):
        if all(_holds_module(folder, top) for top in wanted):
            return folder, ()
    if not tops:
        return None, ()
    message = f"{root.source}: no module {', '.join(wanted)} in src/ or beside pyproject.toml."
    return None, (Note("entry-point-missing", message, "error", root.source),)


def _holds_module(folder: Path, top: str) -> bool:
    return (folder / top).is_dir() or (folder / f"{top}.py").is_file()


# Notes.
def _dynamic_notes(root: TreeRoot, project: Mapping[str, Any]) -> tuple[Note, ...]:
    dynamic = project.get("dynamic")
    named = (
        set(dynamic)
        if isinstance(dynamic, list) and all(isinstance(item, str) for item in dynamic)
        else set()
    )
    telling = named & {"version", "dependencies", "optional-dependencies", "entry-points", "scripts"}
    if not telling:
        return ()
    return (_dynamic(root, f"a dynamic {', '.join(sorted(telling))}, which only building it would tell"),)


def _dynamic(root: TreeRoot, what: str) -> Note:
    hint = "Install it with --build NAME to have it built, which runs its code."
    return Note("manifest-dynamic", f"{root.source} has {what}.", "warning", root.source, hint)


def _unreadable(root: TreeRoot, reason: str) -> Note:
    message = f"{root.path / 'pyproject.toml'} could not be read: {reason}."
    return Note("manifest-unreadable", message, "warning", root.source)


# Metadata.
def _metadata_text(tree: Tree, name: str, version: str) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    if tree.requires_python:
        lines.append(f"Requires-Python: {tree.requires_python}")
    lines += [f"Provides-Extra: {extra}" for extra, _ in tree.extras]
    lines += [f"Requires-Dist: {item}" for item in requirements_of(tree)]
    return "\n".join(lines) + "\n"


def _with_extra(requirement: str, extra: str) -> str:
    body, semicolon, marker = requirement.partition(";")
    both = f"({marker.strip()}) and " if semicolon else ""
    return f'{body.strip()} ; {both}extra == "{extra}"'


def _origin(root: TreeRoot) -> dict[str, object]:
    if root.kind == "local" or root.url is None:
        return {"url": root.path.as_uri(), "dir_info": {"editable": True}}
    vcs = {"vcs": "git", "commit_id": root.commit}
    if root.ref is not None:
        vcs["requested_revision"] = root.ref
    origin: dict[str, object] = {"url": root.url, "vcs_info": vcs}
    if root.subdirectory:
        origin["subdirectory"] = root.subdirectory
    return origin


def _entry_point_lines(points: tuple[EntryPointRow, ...]) -> Iterator[str]:
    group = None
    for point in points:
        if point[0] != group:
            group = point[0]
            yield f"[{group}]"
        yield f"{point[1]} = {point[2]}"


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
