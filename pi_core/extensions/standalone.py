"""Extensions without packages and settings: those in two folders and at given paths, found and loaded.

For programs that want the extension system alone. A project's own extensions run only if the program
says that it trusts the project: whoever forgets to say so runs no stranger's code.

Touches: files, sys.modules, the event loop.
"""

from __future__ import annotations

import glob
import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from hookspecs.values import dataclass
from pi_core.extensions.actions import Runtime
from pi_core.extensions.loader import FACTORY_LIMIT_S, LoadRequest, load_extensions
from pi_core.extensions.module_cache import ModuleCache
from pi_core.extensions.registrations import Extension
from pi_core.tools.paths import resolve_path
from pi_pkg import CONFIG_DIR_NAME, Diagnostic, Provenance

Source: TypeAlias = str | Path | Callable[..., Any]
"""A file, a folder, or a factory at hand."""
Place: TypeAlias = Literal["project", "user", "temporary"]


class LoadFailure(NamedTuple):
    """One extension that did not load: its path as it was given or found, and a sentence."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of it. Extensions are in the order in which they were loaded, which is their rank.

    `notes` are about scanned files that are no extensions; `diagnostics` tell the same as `errors` and
    more, with tracebacks. `modules` serves the next load: handed to it, modules keep their state.
    """

    extensions: tuple[Extension, ...]
    errors: tuple[LoadFailure, ...]
    runtime: Runtime
    notes: tuple[LoadFailure, ...]
    diagnostics: tuple[Diagnostic, ...]
    modules: ModuleCache


async def discover_and_load(
    cwd: str | Path,
    agent_dir: str | Path,
    paths: Sequence[Source] = (),
    *,
    trust: Literal["never", "always"] = "never",
    home: str | Path | None = None,
    specs: Sequence[type] = (),
    runtime: Runtime | None = None,
    modules: ModuleCache | None = None,
    factory_timeout_s: float = FACTORY_LIMIT_S,
) -> Loaded:
    """Load the extensions of a project, then those of an agent folder, then those at `paths`.

    Args:
        cwd: the project.
        agent_dir: its `extensions` folder is scanned.
        paths: relative ones count from `cwd`, `~` is `home`; a folder is one extension, or is scanned.
        trust: "always" loads `.pi/extensions` of the project too. What is left out is told in `diagnostics`.
        specs: pluggy specification classes of a host with events of its own, beside pi's.
        runtime: what the extensions are loaded into; a new one by default, which then has its own specs.
        modules: those of an earlier load, used as they are; see `ModuleCache`.

    A path that comes twice is loaded once. Never raises for an extension's sake.
    """
    folder = os.path.abspath(cwd)
    own = list(_scanned(os.path.join(folder, CONFIG_DIR_NAME, "extensions"), "project"))
    found = own if trust == "always" else []
    found += _scanned(os.path.join(os.path.abspath(agent_dir), "extensions"), "user")
    for number, source in enumerate(paths, 1):
        found += _named(source, number, folder, None if home is None else os.fspath(home))
    loaded = await load_extensions(
        _once(found),
        runtime or Runtime(specs=specs),
        cwd=folder,
        factory_timeout_s=factory_timeout_s,
        modules=modules,
    )
    told = [(LoadFailure(error.path or "", error.message), error.severity) for error in loaded.errors]
    return Loaded(
        loaded.extensions,
        tuple(failure for failure, severity in told if severity == "error"),
        loaded.runtime,
        tuple(failure for failure, severity in told if severity != "error"),
        (
            *loaded.errors,
            *(finding for extension in loaded.extensions for finding in extension.diagnostics),
            *(_left_out(folder, own) if trust == "never" else ()),
        ),
        loaded.modules,
    )


def _left_out(project: str, own: Sequence[LoadRequest]) -> Iterator[Diagnostic]:
    """What the project would have brought."""
    if own:
        names = ", ".join(os.path.relpath(request.path, project) for request in own)
        yield Diagnostic(
            "info", "project-not-trusted", "trust", f"{project} is not trusted; ignored {names}.",
            scope="project", path=project, hint='Say trust="always" to load what a project brings.',
        )  # fmt: skip


def _once(found: Sequence[LoadRequest]) -> list[LoadRequest]:
    """Each path at its first place; what was also asked for by name counts as asked for."""
    requests: dict[str, LoadRequest] = {}
    for request in found:
        if request.path not in requests or request.explicit:
            requests[request.path] = request
    return list(requests.values())


def _named(source: Source, number: int, cwd: str, home: str | None) -> Iterator[LoadRequest]:
    """What somebody asked for by name; anything wrong with it is an error."""
    if not isinstance(source, str | Path):
        label = f"<inline:{number}>"
        provenance = Provenance(label, "inline", "temporary", "top-level")
        yield LoadRequest(path=label, provenance=provenance, factory=source)
        return
    path = resolve_path(os.fspath(source), cwd, home)
    if os.path.isdir(path):
        inside = list(_entries(path, "temporary", explicit=True)) or list(_scanned(path, "temporary"))
        if inside:
            yield from inside
            return
    yield _request(path, "temporary", os.path.dirname(path), explicit=True)


def _scanned(folder: str, place: Place) -> Iterator[LoadRequest]:
    """The extensions in a folder, one level deep, by name: files, and folders that can be entered."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return  # not there, or not ours to read
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            yield from _entries(path, place, explicit=False)
        elif name.endswith(".py"):
            yield _request(path, place, folder, explicit=False)


def _entries(folder: str, place: Place, *, explicit: bool) -> Iterator[LoadRequest]:
    """How a folder is entered: by what its manifest names and is there, else by its `__init__.py`."""
    named = dict.fromkeys(path for entry in _manifest(folder) for path in _files(folder, entry))
    for path in named:
        if os.path.isdir(path) and not _is_package(path):
            yield from _scanned(path, place)
        else:
            yield _request(path, place, folder, explicit=True)
    if not named and _is_package(folder):
        yield _request(folder, place, folder, explicit=explicit)


def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "__init__.py"))


def _files(folder: str, entry: str) -> Iterator[str]:
    """The paths that one entry of a manifest names, links out of the folder left out."""
    within = os.path.realpath(folder) + os.sep
    for name in sorted(glob.glob(entry, root_dir=folder, recursive=True)):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.realpath(path).startswith(within):
            yield path


def _manifest(folder: str) -> list[str]:
    """The extensions that `pi.toml` or `pyproject.toml` lists; an unreadable file lists none."""
    own = _table(os.path.join(folder, "pi.toml"))
    tool = _table(os.path.join(folder, "pyproject.toml")).get("tool")
    pi = tool.get("pi") if isinstance(tool, dict) else None
    for table in (own, pi):
        listed = table.get("extensions") if isinstance(table, dict) else None
        if isinstance(listed, list):
            return [entry for entry in listed if isinstance(entry, str)]
    return []


def _table(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError):
        return {}


def _request(path: str, place: Place, base: str, *, explicit: bool) -> LoadRequest:
    source = "local" if explicit else "auto"
    return LoadRequest(
        path=path,
        provenance=Provenance(path, source, place, "top-level", base),
        explicit=explicit,
        bytecode=place != "project",
    )
