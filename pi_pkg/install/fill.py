"""A fresh environment is filled: carried over, then whatever is missing by one run of the backend.

While a backend runs, stubs tell it what the host and the trees provide.

Touches: files, processes, network (through the backend).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pi_pkg.install.backends.base import INSTALL_TIMEOUT_S, Backend, Command, InstallRequest, child_environ
from pi_pkg.install.backends.pip import PipBackend, build_command
from pi_pkg.install.carry import can_carry, carry, carry_start_files, prune
from pi_pkg.install.disk import Disk
from pi_pkg.install.errors import InstallerFailed, Unresolvable
from pi_pkg.install.generation import Environment, remove_folder
from pi_pkg.install.host import Distribution, Host, constraints, read_distributions, write_stub, write_stubs
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.plan import kept_distributions, requirement_name, survey
from pi_pkg.install.process import Finished, RunProcess
from pi_pkg.install.progress import Report, Stage, Step
from pi_pkg.install.request import ScopeRequest
from pi_pkg.install.trees import UNKNOWN_VERSION, Tree, requirements_of, write_tree_info
from pi_pkg.shown import without_credentials

_GUARD_NAME: Final = "_pi_guard.pth"
_LOG_NAME: Final = "installer.log"
_CONSTRAINTS_NAME: Final = "constraints.txt"
_BUILT_NAME: Final = "built"
_UV_LOCK_NAME: Final = ".lock"


@dataclass(frozen=True, slots=True)
class Tools:
    """What a build works with."""

    backend: Backend
    index_config: IndexConfig
    environ: Mapping[str, str]
    report: Report
    disk: Disk
    run: RunProcess
    build: frozenset[str]
    """Canonical names of distributions that may be built from source."""


@dataclass(frozen=True, slots=True)
class Previous:
    """The generation that the new one starts from."""

    env: Environment
    renew: Collection[str]
    """Identities whose distributions are to be chosen anew."""


def fill(
    env: Environment, request: ScopeRequest, host: Host, tools: Tools, previous: Previous | None
) -> Mapping[str, Distribution]:
    """Bring in everything that the request needs, and return the distributions by canonical name.

    Afterwards the environment holds no stub, guard or log of ours. Raises InstallError.
    """
    trees = {tree.name: stub_of(tree, env) for tree in request.named_trees if tree.name is not None}
    kept = _kept(request, host, previous, trees)
    if previous is not None:
        carry(kept.values(), previous.env, env)
    _install_missing(env, request, host, tools, trees)
    for tree in request.named_trees:
        write_tree_info(tree, env.site_packages, tools.disk)
    inside = distributions_in(env)
    # An upgrade may have dropped what was carried over for its sake. What a backend brought, it needs.
    reached = survey(request.wishes, inside, host.distributions).reached
    gone = (kept.keys() & inside.keys()) - reached
    prune(inside, gone, env)
    if previous is not None:
        same = [item for name, item in kept.items() if name not in gone and _is_same(item, inside.get(name))]
        carry_start_files(same, previous.env, env)
    return {name: item for name, item in inside.items() if name not in gone}


def _is_same(one: Distribution, other: Distribution | None) -> bool:
    return other is not None and one.version == other.version


def distributions_in(env: Environment) -> dict[str, Distribution]:
    """What is installed there, by canonical name."""
    return {item.name: item for item in read_distributions([str(env.site_packages)])}


def stub_of(tree: Tree, env: Environment) -> Distribution:
    """A tree as a distribution of the generation."""
    version = tree.version or UNKNOWN_VERSION
    extras = tuple(extra for extra, _ in tree.extras)
    return Distribution(tree.name or "", version, requirements_of(tree), extras, env.site_packages / "tree")


def build_tree(tree: Tree, target: Path, tools: Tools) -> Path:
    """Build a tree into a wheel in `target` and return the wheel. This runs the tree's code."""
    name = tree.name or tree.root.path.name
    return _build_wheel(str(tree.root.path), name, target, tools)


def _kept(
    request: ScopeRequest, host: Host, previous: Previous | None, trees: Mapping[str, Distribution]
) -> Mapping[str, Distribution]:
    """What stays of the generation before, by canonical name."""
    if previous is None:
        return {}
    before = {
        name: item for name, item in distributions_in(previous.env).items() if can_carry(item, previous.env)
    }
    kept = kept_distributions(request.wishes, before, host.distributions, fixed=trees, renew=previous.renew)
    return {name: before[name] for name in sorted(kept)}


def _install_missing(
    env: Environment,
    request: ScopeRequest,
    host: Host,
    tools: Tools,
    trees: Mapping[str, Distribution],
) -> None:
    here = {**distributions_in(env), **trees}
    missing = survey(request.wishes, here, host.distributions).unmet
    if not missing:
        return
    stubs = list(write_stubs(host, env.site_packages, tools.disk))
    stubs += [write_stub(stub, env.site_packages, tools.disk) for stub in trees.values()]
    names = ", ".join(dict.fromkeys(item.name for item in missing))
    _tell(tools, "install", f"installing {names} with {tools.backend.name}")
    kept = [*host.distributions.values(), *trees.values()]
    constraints_file = env.folder / _CONSTRAINTS_NAME
    tools.disk.write(constraints_file, constraints(kept).encode("utf-8"))
    built = env.folder / _BUILT_NAME
    install = InstallRequest(
        python=env.python,
        requirements=tuple(_requirements(request)),
        constraints=constraints_file,
        index=tools.index_config,
        log=env.folder / _LOG_NAME,
    )
    guard = env.site_packages / _GUARD_NAME
    if tools.backend.guard is not None:
        tools.disk.write(guard, tools.backend.guard.encode("utf-8"))
    for name in _attempts(install, built, env, host, tools):
        _build_wheel(_wish_for(name, request), name, built, tools)
    for leftover in (guard, constraints_file, install.log, env.folder / _UV_LOCK_NAME):
        leftover.unlink(missing_ok=True)
    remove_folder(built)
    for stub in stubs:
        _remove_stub(stub)


def _attempts(
    install: InstallRequest, built: Path, env: Environment, host: Host, tools: Tools
) -> Iterator[str]:
    """Run the backend until it succeeds; yields each distribution that has to be built before the next try.

    A wheel is taken wherever there is one, whatever may be built. Raises what the backend's failure means.
    """
    done: set[str] = set()
    while True:
        install = replace(install, wheels=(str(built),) if done else ())
        finished = _run(tools.backend.command(install), env.folder, tools, "install")
        if finished.code == 0 and not finished.timed_out:
            return
        error = tools.backend.explain(finished, install, host.distributions)
        name = error.source_only if isinstance(error, Unresolvable) else None
        if name is None or name in done or name not in tools.build:
            raise error
        done.add(name)
        install.log.unlink(missing_ok=True)
        yield name


def _requirements(request: ScopeRequest) -> Iterable[str]:
    """All wishes as the backend takes them, each once; a wheel file by its address."""
    files = request.wheel_files
    found: dict[str, None] = {}
    for wish in request.wishes:
        name = requirement_name(wish.requirement)
        found[f"{name} @ {files[name]}" if name in files else wish.requirement] = None
    return found


def _remove_stub(info: Path) -> None:
    for file in info.iterdir():
        file.unlink()
    info.rmdir()


# Building from source, where the user allowed it.
def _wish_for(name: str, request: ScopeRequest) -> str:
    """The requirement that the scope has for a name; the bare name if only a dependency has one."""
    asked = (wish.requirement for wish in request.wishes if requirement_name(wish.requirement) == name)
    return next(asked, name)


def _build_wheel(what: str, name: str, target: Path, tools: Tools) -> Path:
    _tell(tools, "build", f"building {name}, which runs its code")
    target.mkdir(parents=True, exist_ok=True)
    before = set(target.iterdir())
    command = build_command(PipBackend().executable, tools.index_config, what=what, name=name, target=target)
    finished = _run(command, target, tools, "build")
    made = sorted(path for path in set(target.iterdir()) - before if path.suffix == ".whl")
    if finished.code != 0 or finished.timed_out or not made:
        raise InstallerFailed(f"{name} could not be built.", detail=without_credentials(finished.output))
    return made[0]


def _run(command: Command, folder: Path, tools: Tools, stage: Stage) -> Finished:
    return tools.run(
        command.argv,
        env=child_environ(tools.environ, command.env),
        cwd=folder,
        timeout_s=INSTALL_TIMEOUT_S,
        on_line=lambda line: _tell(tools, stage, line),
    )


def _tell(tools: Tools, stage: Stage, message: str) -> None:
    if message.strip():
        tools.report(Step(stage, without_credentials(message.strip())))
