"""Whatever happens during a change, the generation in force is a whole one, the old or the new."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pi_pkg.install.disk import RealDisk
from pi_pkg.install.errors import DiskError, ScopeBusy
from pi_pkg.install.generation import (
    collect_garbage,
    commit_generation,
    discard_generation,
    generations,
    scope_lock,
)
from pi_pkg.install.index import current_generation, read_index
from pi_pkg.install.plan import Root
from pi_pkg.install.process import Finished
from pi_pkg.install.progress import Step
from tests.pkg.install.conftest import Scope, local, pypi, write_tree


@dataclass
class FullDisk(RealDisk):
    """A disk that is full from the given write on. `written` counts what was written before."""

    after: int
    written: list[Path] = field(default_factory=list)

    def write(self, path: Path, data: bytes) -> None:
        self._use(path)
        super().write(path, data)

    def replace(self, path: Path, data: bytes) -> None:
        self._use(path)
        super().replace(path, data)

    def _use(self, path: Path) -> None:
        if len(self.written) >= self.after:
            raise DiskError(str(path), os.strerror(28))
        self.written.append(path)


def test_a_full_disk_at_any_write_changes_nothing(uv_scope: Scope, tmp_path: Path) -> None:
    """Wherever the disk fills up, the error names it, and the scope is byte for byte as it was."""
    project = '[project]\nname = "t"\nversion = "1"\n[project.entry-points.pi]\nt = "t"\n'
    roots: list[Root] = [pypi("a"), pypi("b"), local(write_tree(tmp_path / "t", project, t=""))]
    for name in ("a", "b"):
        uv_scope.index.wheel(name)
    uv_scope.install(pypi("a"))
    before = uv_scope.state()
    counting = FullDisk(1000)
    discard_generation(uv_scope.folder, uv_scope.build(*roots, disk=counting).generation)
    for after in range(len(counting.written)):
        with pytest.raises(DiskError, match="No space left"):
            uv_scope.build(*roots, disk=FullDisk(after))
        assert before == uv_scope.state()
    assert len(counting.written) > 10


def test_a_full_disk_at_the_pointer_changes_nothing(uv_scope: Scope, tmp_path: Path) -> None:
    """A finished generation whose pointer cannot be written is not in force."""
    first = uv_scope.install()
    built = uv_scope.build(local(write_tree(tmp_path / "t")))
    with pytest.raises(DiskError, match="No space left"):
        commit_generation(uv_scope.folder, built.generation, disk=FullDisk(0))
    assert first == read_index(uv_scope.folder)


def test_a_disk_that_is_full_for_the_installer_says_so(uv_scope: Scope) -> None:
    """The installer's own words about a full disk become the same error."""

    def run(argv: object, **rest: object) -> Finished:
        return Finished(
            ("uv",), 2, "", "error: failed to write\n  Caused by: No space left on device (os error 28)"
        )

    with pytest.raises(DiskError, match="No space left on device"):
        uv_scope.build(pypi("a"), run=run)


def worker(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """A process that works on the scope; see `worker.py`."""
    script = Path(__file__).with_name("worker.py")
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "envs"), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(condition: object, limit_s: float = 20) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():  # type: ignore[operator]  # any function without arguments
        assert time.monotonic() < deadline, "it never came to pass"
        time.sleep(0.005)


def test_a_killed_build_leaves_the_old_generation(uv_scope: Scope, tmp_path: Path) -> None:
    """After kill -9 amid the installer the old generation is in force, and the next build works."""
    uv_scope.index.wheel("a")
    uv_scope.install(pypi("a"))
    old = read_index(uv_scope.folder)
    uv_scope.index.wheel("b")
    uv_scope.index.moving.clear()
    asked = len(uv_scope.index.requests)
    child = worker(tmp_path, "build", uv_scope.index.url, "a", "b")
    wait_for(lambda: len(uv_scope.index.requests) > asked)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    uv_scope.index.moving.set()
    assert old == read_index(uv_scope.folder)
    assert 2 == len([path for path in uv_scope.folder.iterdir() if path.is_dir()])
    found = uv_scope.install(pypi("a"), pypi("b"))
    assert (("a", "1.0"), ("b", "1.0")) == found.distributions
    assert 2 == len(generations(uv_scope.folder))

    def is_clean() -> bool:
        collect_garbage(uv_scope.folder)  # the installer, an orphan now, may have written once more
        return 2 == len([path for path in uv_scope.folder.iterdir() if path.is_dir()])

    wait_for(is_clean)


def test_readers_see_one_whole_generation(uv_scope: Scope, tmp_path: Path) -> None:
    """While generations change, a reader never waits and never sees a mixture or nothing."""
    roots = [local(write_tree(tmp_path / f"t{number}")) for number in range(4)]
    uv_scope.install()
    seen: set[int] = set()
    stop = threading.Event()
    wrong: list[str] = []

    def read() -> None:
        while not stop.is_set():
            found = read_index(uv_scope.folder)
            if found is None or found.generation not in found.site_packages:
                wrong.append(repr(found))
            else:
                seen.add(len(found.packages))

    reader = threading.Thread(target=read)
    reader.start()
    for count in (1, 2, 3, 4, 0, 4, 2):
        uv_scope.install(*roots[:count])
        collect_garbage(uv_scope.folder, keep=0)
    stop.set()
    reader.join()
    assert ([], True) == (wrong, len(seen) >= 2)


def test_the_pointer_is_replaced_not_rewritten(uv_scope: Scope, tmp_path: Path) -> None:
    """The pointer file is a new file each time: whoever has the old one open reads it to its end."""
    uv_scope.install()
    with open(uv_scope.folder / "current.json", "rb") as opened:
        new = uv_scope.install(local(write_tree(tmp_path / "t")))
        old = json.loads(opened.read())["generation"]
    assert (new.generation, "000001") == (current_generation(uv_scope.folder), old[:6])


def test_processes_take_turns(uv_scope: Scope, tmp_path: Path) -> None:
    """Five processes that each add a tree to what is there end with all five in force."""
    workers = [worker(tmp_path, "add", str(write_tree(tmp_path / f"t{number}"))) for number in range(5)]
    assert [0] * 5 == [child.wait(60) for child in workers], [child.communicate() for child in workers]
    found = read_index(uv_scope.folder)
    assert found is not None
    assert {f"t{number}" for number in range(5)} == {Path(package.root).name for package in found.packages}
    for child in workers:
        child.communicate()


def test_a_waiting_process_says_so_and_gives_up(tmp_path: Path) -> None:
    """Who finds the scope taken tells that it waits, and ends with an error after its limit."""
    child = worker(tmp_path, "hold")
    assert child.stdout is not None
    assert "held\n" == child.stdout.readline()
    steps: list[Step] = []
    with (
        pytest.raises(ScopeBusy, match="another pi"),
        scope_lock(tmp_path / "envs", timeout_s=0.7, report=steps.append),
    ):
        pass
    assert ["wait"] == [step.stage for step in steps]
    child.kill()
    child.communicate()


def test_the_lock_of_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    """A process that was killed while it held the scope blocks nobody."""
    child = worker(tmp_path, "hold")
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.communicate()
    with scope_lock(tmp_path / "envs", timeout_s=5):
        assert (tmp_path / "envs").is_dir()


def test_the_holder_may_take_the_lock_again(uv_scope: Scope) -> None:
    """Who holds the scope over several steps can call each of them."""
    with scope_lock(uv_scope.folder):
        found = uv_scope.install()
    assert found.generation == current_generation(uv_scope.folder)
