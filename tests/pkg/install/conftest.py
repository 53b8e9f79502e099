"""A scope with an index of its own, a small made-up host, and each backend in turn.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pi_pkg.install.backends.base import Backend
from pi_pkg.install.backends.choose import choose_backend
from pi_pkg.install.execute import build_generation
from pi_pkg.install.generation import commit_generation
from pi_pkg.install.host import Host, running_host
from pi_pkg.install.index import GenerationIndex
from pi_pkg.install.index_config import effective_index
from pi_pkg.install.plan import PypiRoot, Root, TreeRoot
from pi_pkg.install.process import Finished, run_process
from pi_pkg.install.progress import Step
from pi_pkg.sources.model import canonical_name
from tests.support.index import SimpleIndex
from tests.support.wheels import install_into

UV_CACHE = "uv-cache"


def pypi(requirement: str) -> PypiRoot:
    """A root from the index."""
    name = canonical_name(requirement.split("[")[0].split("=")[0].split(">")[0].split("<")[0].strip())
    return PypiRoot(f"pypi:{name}", f"pypi:{requirement}", requirement)


def local(path: Path) -> TreeRoot:
    """A root on this machine."""
    return TreeRoot(f"local:{path}", f"./{path.name}", path, "local")


def write_tree(folder: Path, project: str = "", **files: str) -> Path:
    """A source tree; `project` is the text of its pyproject.toml, `__` in a file's key stands for `/`."""
    folder.mkdir(parents=True, exist_ok=True)
    if project:
        (folder / "pyproject.toml").write_text(project, "utf-8")
    for key, text in files.items():
        target = folder / f"{key.replace('__', '/')}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return folder


def with_backends(
    names: str, rows: Mapping[str, Sequence[object]], *, pip: Collection[str]
) -> pytest.MarkDecorator:
    """Every row with uv, and those named in `pip` with pip as well, which takes five times as long.

    For rules that our own check keeps: a row of each way that a file can take into an environment shows
    that the check sees what pip makes of it; the others differ in what the check alone decides.
    """
    assert set(pip) <= rows.keys()
    both = [("uv", name) for name in rows] + [("pip", name) for name in rows if name in pip]
    return pytest.mark.parametrize(
        f"backend, {names}",
        [pytest.param(backend, *rows[name], id=f"{backend}-{name}") for backend, name in both],
        indirect=["backend"],
    )


@dataclass
class Scope:
    """One scope folder and everything a build needs. `runs` lists the programs started, in order."""

    folder: Path
    index: SimpleIndex
    backend: Backend
    host: Host
    environ: Mapping[str, str]
    runs: list[tuple[str, ...]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def build(self, *roots: Root, **options: Any) -> GenerationIndex:
        """Build without putting in force."""
        settings = options.pop("settings", {"index-url": self.index.url})
        config = effective_index(settings, self.environ, base=self.folder.parent, pip_files=())
        options.setdefault("run", self.run)
        return build_generation(
            self.folder, roots, backend=self.backend, index_config=config, environ=self.environ,
            report=self.steps.append, host=self.host, **options,
        )  # fmt: skip

    def install(self, *roots: Root, **options: Any) -> GenerationIndex:
        """Build and put in force."""
        index = self.build(*roots, **options)
        commit_generation(self.folder, index.generation)
        return index

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        timeout_s: float,
        on_line: Callable[[str], None] | None = None,
    ) -> Finished:
        self.runs.append(tuple(argv))
        return run_process(argv, env=env, cwd=cwd, timeout_s=timeout_s, on_line=on_line)

    def state(self) -> dict[str, bytes]:
        """Every file of the scope with its content, but for the lock: equal states, nothing changed."""
        files = (path for path in self.folder.rglob("*") if path.is_file() and path.name != ".lock")
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SimpleIndex]:
    """A package index on the loopback."""
    with SimpleIndex(tmp_path / "index") as served:
        yield served


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """An environment that provides pluggy 1.7.0 and hostlib 2.0 (with an extra), and one broken thing."""
    folder = tmp_path_factory.mktemp("host") / "site-packages"
    install_into(folder, "pluggy", "1.7.0", files={"pluggy/__init__.py": ""})
    install_into(folder, "hostlib", "2.0", extras={"speed": ["turbo>=1"]})
    install_into(folder, "broken-host", "1.0", requires=["not-there>=3"])
    return running_host([str(folder)])


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Caches of both backends, shared by the tests of one run."""
    return tmp_path_factory.mktemp("caches")


@pytest.fixture
def environ(sealed_environment: Path, caches: Path) -> Mapping[str, str]:
    """The environment of the test process, with caches of its own."""
    return {**os.environ, "UV_CACHE_DIR": str(caches / "uv"), "PIP_CACHE_DIR": str(caches / "pip")}


@pytest.fixture(params=["uv", "pip"])
def backend(request: pytest.FixtureRequest, environ: Mapping[str, str]) -> Backend:
    """Each backend in turn."""
    return choose_backend(request.param, environ)


@pytest.fixture
def scope(
    tmp_path: Path, index: SimpleIndex, backend: Backend, host: Host, environ: Mapping[str, str]
) -> Scope:
    """An empty scope."""
    return Scope(tmp_path / "envs", index, backend, host, environ)


@pytest.fixture
def uv_scope(tmp_path: Path, index: SimpleIndex, host: Host, environ: Mapping[str, str]) -> Scope:
    """An empty scope for tests that no backend matters to: they run with the faster one."""
    return Scope(tmp_path / "envs", index, choose_backend("uv", environ), host, environ)
