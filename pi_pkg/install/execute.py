"""A scope's roots become a generation: planned, filled, checked, recorded. Then it may be put in force.

    with scope_lock(scope_dir):                       # over all steps, settings included
        index = build_generation(scope_dir, roots, …)  # nothing is in force yet
        commit_generation(scope_dir, index.generation)
        …write the settings…

Touches: files, processes, network (through the backend).
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pi_pkg.install.backends.base import Backend
from pi_pkg.install.check import Candidate, problems_of, take_snapshot
from pi_pkg.install.disk import Disk, RealDisk, disk_error
from pi_pkg.install.errors import BrokenGeneration
from pi_pkg.install.fill import Previous, Tools, build_tree, fill
from pi_pkg.install.generation import (
    TRASH_PREFIX,
    Environment,
    discard_generation,
    environment_at,
    new_environment,
    remove_folder,
    scope_lock,
    sweep,
)
from pi_pkg.install.host import Distribution, Host, read_distributions, recorded_files, running_host
from pi_pkg.install.index import INDEX_NAME, GenerationIndex, encode, read_index
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.plan import Root, TreeRoot
from pi_pkg.install.process import RunProcess, run_process
from pi_pkg.install.progress import Report, Step, silent
from pi_pkg.install.record import build_notes, own_entry_points, packages_of
from pi_pkg.install.request import ScopeRequest, is_wheel, read_request
from pi_pkg.install.tags import COMPILED, fits_here, machine_tag
from pi_pkg.sources.model import canonical_name


def build_generation(
    scope_dir: Path,
    roots: Sequence[Root],
    *,
    backend: Backend,
    index_config: IndexConfig,
    environ: Mapping[str, str],
    report: Report = silent,
    renew: Collection[str] = (),
    build: Collection[str] = (),
    host: Host | None = None,
    disk: Disk | None = None,
    run: RunProcess = run_process,
) -> GenerationIndex:
    """Build a generation that holds exactly these roots and what they need. It is not in force yet.

    What the generation in force holds and the roots still need keeps its version, unless `renew` names
    its identity (or is EVERYTHING). `build` names distributions that may be built from source.

    Returns the record; its generation is the one in force already where nothing would change. In that
    case, and where all that is needed is there already, no installer runs.

    Raises InstallError (see `errors`) with the scope as it was, and so do Ctrl-C and everything else.
    """
    allowed = frozenset(canonical_name(name) for name in build)
    tools = Tools(backend, index_config, environ, report, disk or RealDisk(), run, allowed)
    host = host or running_host()
    with scope_lock(scope_dir, report=report):
        request = read_request(roots, host, allowed)
        current = read_index(scope_dir)
        if current is not None and not is_whole(current):
            current = None
        fits = current is not None and fits_here(current.python_tag)
        if current is not None and fits and not renew and current.digest == request.digest:
            return current
        sweep(scope_dir)
        index = _build(scope_dir, request, host, tools, current, renew)
        if current is not None and _tells_the_same(index, current, scope_dir):
            discard_generation(scope_dir, index.generation)
            return current
        return index


def is_whole(index: GenerationIndex) -> bool:
    """Whether every distribution that the record lists still stands there."""
    standing = {(item.name, item.version) for item in read_distributions([index.site_packages])}
    return set(index.distributions) <= standing


def _build(
    scope_dir: Path,
    request: ScopeRequest,
    host: Host,
    tools: Tools,
    current: GenerationIndex | None,
    renew: Collection[str],
) -> GenerationIndex:
    workshop = scope_dir / f"{TRASH_PREFIX}{secrets.token_hex(4)}"
    env = new_environment(scope_dir)
    try:
        request = _with_built_trees(request, host, tools, workshop)
        fresh = take_snapshot(env)
        previous = None
        if current is not None and fits_here(current.python_tag):
            previous = Previous(environment_at(scope_dir / current.generation), renew)
        inside = fill(env, request, host, tools, previous)
        tools.report(Step("check", "checking what was installed"))
        candidate = _candidate(env, request, host, inside)
        problems = problems_of(candidate, fresh)
        if problems:
            raise BrokenGeneration(problems)
        index = _index(env, request, host, inside)
        tools.disk.replace(env.folder / INDEX_NAME, encode(index, env.folder))
        return index
    except OSError as error:
        remove_folder(env.folder)
        raise disk_error(error, env.folder) from error
    except BaseException:
        remove_folder(env.folder)
        raise
    finally:
        remove_folder(workshop)


def _with_built_trees(request: ScopeRequest, host: Host, tools: Tools, workshop: Path) -> ScopeRequest:
    """The request with each tree that the user wants built in the shape of its wheel."""
    roots: list[Root] = []
    for root in request.roots:
        if isinstance(root, TreeRoot) and root.path.is_dir() and not is_wheel(root):
            tree = request.trees[root.identity]
            if (tree.name or canonical_name(root.path.name)) in tools.build:
                root = replace(root, path=build_tree(tree, workshop, tools))
        roots.append(root)
    if tuple(roots) == request.roots:
        return request
    return replace(read_request(roots, host, tools.build), digest=request.digest)


def _candidate(
    env: Environment, request: ScopeRequest, host: Host, inside: Mapping[str, Distribution]
) -> Candidate:
    return Candidate(
        env=env,
        host=host,
        wishes=request.wishes,
        inside=inside,
        trees={tree.name: tree.root.source for tree in request.named_trees if tree.name is not None},
        from_files=frozenset(request.wheel_files),
        entry_points=own_entry_points(request, inside, host),
    )


def _index(
    env: Environment, request: ScopeRequest, host: Host, inside: Mapping[str, Distribution]
) -> GenerationIndex:
    return GenerationIndex(
        generation=env.folder.name,
        packages=packages_of(request, inside, host),
        site_packages=str(env.site_packages),
        python_tag=machine_tag() if _is_compiled(inside) else host.python_tag,
        host_fingerprint=host.fingerprint,
        digest=request.digest,
        distributions=tuple(sorted((item.name, item.version) for item in inside.values())),
        notes=tuple(dict.fromkeys(build_notes(request, inside, host))),
    )


def _is_compiled(inside: Mapping[str, Distribution]) -> bool:
    """Whether a generation holds modules that only one kind of machine can load."""
    return any(name.endswith(COMPILED) for item in inside.values() for name in recorded_files(item))


def _tells_the_same(index: GenerationIndex, current: GenerationIndex, scope_dir: Path) -> bool:
    """Whether two records differ in nothing but the name of their generation."""
    renamed = replace(index, generation=current.generation)
    return encode(renamed, scope_dir / index.generation) == encode(current, scope_dir / current.generation)
