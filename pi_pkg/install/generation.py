"""Generations side by side in a scope folder, and the one file that says which is in force.

    <scope>/.lock            held by whoever changes the scope
    <scope>/current.json     the pointer (`pointer.py`); replaced at one instant
    <scope>/000007-3f2a9c1d  a generation: complete once it holds `pi-index.json`, never changed after
    <scope>/…/.inuse         locked, shared, by each process that imports from the generation

Names sort in the order of building. A folder without a record is rubbish that nobody points to.

Touches: files.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from pi_pkg.atomic import sweep_aside
from pi_pkg.install.disk import Disk, RealDisk, disk_error
from pi_pkg.install.errors import DiskError, NoSuchGeneration, ScopeBusy
from pi_pkg.install.index import INDEX_NAME, current_generation
from pi_pkg.install.pointer import POINTER_NAME, Pointer, digest_of, read_pointer
from pi_pkg.install.progress import Report, Step, silent
from pi_pkg.values import dataclass

LOCK_NAME: Final = ".lock"
IN_USE_NAME: Final = ".inuse"
LOCK_TIMEOUT_S: Final = 600.0
KEEP_GENERATIONS: Final = 3
_QUIET_WAIT_S: Final = 0.5
_NAME: Final = re.compile(r"\d{6}-[0-9a-f]{8}")
TRASH_PREFIX: Final = ".trash-"


@dataclass(frozen=True, slots=True)
class Environment:
    """The folder of a generation while it is built, and its two places that matter."""

    folder: Path
    python: Path
    site_packages: Path

    @property
    def scripts(self) -> Path:
        return self.python.parent


@contextmanager
def scope_lock(
    scope_dir: Path, *, timeout_s: float = LOCK_TIMEOUT_S, report: Report = silent
) -> Iterator[None]:
    """Hold the scope for a change; may be taken again by the thread that holds it.

    Whoever reads settings, builds, commits and writes settings holds it over all four. Readers never
    take it. Where a process ended amid a change, the pointer is settled first. Raises ScopeBusy when
    another process holds it for longer than `timeout_s`.
    """
    from filelock import FileLock, Timeout  # start-up time: readers share this module

    path = scope_dir / LOCK_NAME
    try:
        scope_dir.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path, is_singleton=True)
        try:
            lock.acquire(timeout=min(_QUIET_WAIT_S, timeout_s))
        except Timeout:
            report(Step("wait", "waiting for another pi that is changing these packages"))
            lock.acquire(timeout=max(0.0, timeout_s - _QUIET_WAIT_S))
    except Timeout as error:
        raise ScopeBusy(str(path), timeout_s) from error
    except OSError as error:
        raise disk_error(error, path) from error
    try:
        if lock.lock_counter == 1:
            _settle_leftover(scope_dir)
        yield
    finally:
        lock.release()


# Building.
def new_environment(scope_dir: Path) -> Environment:
    """Make an empty environment of the running interpreter under a new name. Needs the scope's lock."""
    import venv  # start-up time: readers share this module

    class Builder(venv.EnvBuilder):
        def setup_scripts(self, context: object) -> None:
            """No activation scripts: nobody enters a generation, and wheels could replace them."""

        if os.name != "nt":

            def symlink_or_copy(self, src: Any, dst: Any, relative_symlinks_ok: bool = False) -> None:
                """As the standard one, which warns on standard error of a file system without links."""
                try:
                    os.symlink(os.path.basename(src) if relative_symlinks_ok else src, dst)
                except OSError:
                    shutil.copyfile(src, dst)

    folder = scope_dir / _next_name(scope_dir)
    try:
        Builder(with_pip=False, symlinks=os.name != "nt").create(folder)
        (folder / IN_USE_NAME).touch()
    except OSError as error:
        remove_folder(folder)
        raise disk_error(error, folder) from error
    return environment_at(folder)


def environment_at(folder: Path) -> Environment:
    """The places of a generation that stands in `folder`."""
    variables = {"base": str(folder), "platbase": str(folder)}
    scripts = Path(sysconfig.get_path("scripts", "venv", variables))
    site_packages = Path(sysconfig.get_path("purelib", "venv", variables))
    return Environment(folder, scripts / ("python.exe" if os.name == "nt" else "python"), site_packages)


def sweep(scope_dir: Path) -> None:
    """Remove half-made generations, half-written files and earlier trash. Needs the scope's lock."""
    named = _named(scope_dir)
    for folder in _folders(scope_dir):
        for left in folder.glob(".*.tmp"):
            with suppress(OSError):
                left.unlink()
        half_made = _NAME.fullmatch(folder.name) and not (folder / INDEX_NAME).exists()
        if folder.name.startswith(TRASH_PREFIX) or (half_made and folder.name not in named):
            remove_folder(folder)


# Pointing.
def generations(scope_dir: Path) -> tuple[str, ...]:
    """The complete generations, oldest first; may be empty."""
    return tuple(
        folder.name
        for folder in _folders(scope_dir)
        if _NAME.fullmatch(folder.name) and (folder / INDEX_NAME).is_file()
    )


def commit_generation(scope_dir: Path, generation: str, *, disk: Disk | None = None) -> str | None:
    """Put a complete generation in force and return the one that was, if any.

    Raises NoSuchGeneration, or DiskError with the previous one still in force.
    """
    with scope_lock(scope_dir):
        _refuse_unknown(scope_dir, generation)
        before = current_generation(scope_dir)
        _point(scope_dir, Pointer(generation), disk or RealDisk())
        return before


def withdraw(scope_dir: Path) -> None:
    """Put no generation in force: the scope holds no packages. Raises DiskError."""
    with scope_lock(scope_dir):
        _point(scope_dir, Pointer(None), RealDisk())


@contextmanager
def turning_over(
    scope_dir: Path, generation: str | None, settings: Path, *, disk: Disk | None = None
) -> Iterator[None]:
    """Put a generation (None: none) in force at the instant in which the body replaces a settings file.

    However the body ends, by Ctrl-C, a full disk or the end of the process, the generation in force is the
    one that goes with the settings as they stand then. A body that ends well and changed nothing in them
    has agreed to the generation.

    Raises NoSuchGeneration, or DiskError with the previous one still in force.
    """
    disk = disk or RealDisk()
    with scope_lock(scope_dir):
        _refuse_unknown(scope_dir, generation)
        before = current_generation(scope_dir)
        turning = Pointer(generation, before, os.path.abspath(settings), digest_of(settings))
        if before != generation:
            _point(scope_dir, turning, disk)
        try:
            yield
        except BaseException:
            _settle_leftover(scope_dir)
            raise
        try:
            _point(scope_dir, Pointer(generation), disk)
        except DiskError:
            if current_generation(scope_dir) != generation:
                raise


def rollback(scope_dir: Path, generation: str | None = None, *, disk: Disk | None = None) -> str:
    """Put an older generation in force again, by default the one built before the current one.

    Returns its name. Raises NoSuchGeneration if there is none, DiskError with nothing changed.
    """
    with scope_lock(scope_dir):
        target = generation
        if target is None:
            current = current_generation(scope_dir)
            older = [name for name in generations(scope_dir) if current is not None and name < current]
            if not older:
                raise NoSuchGeneration(None, generations(scope_dir))
            target = older[-1]
        commit_generation(scope_dir, target, disk=disk)
        return target


# Holding and collecting.
class Held:
    """A generation that cannot be collected until this is closed or nobody has it, or the process ends."""

    def __init__(self, generation: str, descriptor: int) -> None:
        self.generation = generation
        self._descriptor: int | None = descriptor

    def close(self) -> None:
        """Let go; harmless when done twice."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def hold_generation(scope_dir: Path) -> Held | None:
    """Hold the generation in force; None if there is none. Never waits.

    Whoever imports from a generation holds it, then reads its record by the name held.
    """
    for _ in range(10):  # the pointer may move between being read and being held
        name = current_generation(scope_dir)
        if name is None:
            return None
        held = _try_hold(scope_dir / name)
        if held is not None:
            return held
    return None


def collect_garbage(scope_dir: Path, keep: int = KEEP_GENERATIONS) -> tuple[str, ...]:
    """Remove old generations and return their names, oldest first.

    What stays: the one in force, the `keep` newest, and each that a process holds.
    """
    with scope_lock(scope_dir):
        sweep(scope_dir)
        named = _named(scope_dir)
        complete = generations(scope_dir)
        old = complete[: max(0, len(complete) - max(keep, 0))]
        return tuple(name for name in old if name not in named and _remove_unheld(scope_dir / name))


def discard_generation(scope_dir: Path, generation: str) -> None:
    """Remove a built generation that shall not come in force."""
    with scope_lock(scope_dir):
        if generation != current_generation(scope_dir) and _NAME.fullmatch(generation):
            remove_folder(scope_dir / generation)


def remove_folder(folder: Path) -> None:
    """Take a folder away at one instant, then delete it; what cannot be deleted is swept up later."""
    trash = folder.with_name(f"{TRASH_PREFIX}{secrets.token_hex(4)}")
    try:
        os.rename(folder, trash)
    except FileNotFoundError:
        return
    except OSError:
        trash = folder  # Windows: a file in it is open
    shutil.rmtree(trash, ignore_errors=True)


def _refuse_unknown(scope_dir: Path, generation: str | None) -> None:
    known = generations(scope_dir)
    if generation is not None and generation not in known:
        raise NoSuchGeneration(generation, known)


def _named(scope_dir: Path) -> frozenset[str]:
    """What the pointer names; nothing of it may be collected."""
    pointer = read_pointer(scope_dir)
    return frozenset() if pointer is None else pointer.named


def _point(scope_dir: Path, pointer: Pointer, disk: Disk) -> None:
    """Replace the pointer, unless it says so already. Raises DiskError with the old one in its place."""
    if pointer == read_pointer(scope_dir):
        return
    path = scope_dir / POINTER_NAME
    if pointer.is_settled and pointer.generation is None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(error, path) from error
    else:
        disk.replace(path, pointer.encode())


def _settle_leftover(scope_dir: Path) -> None:
    """What a change that did not end left open is decided as everybody reads it."""
    pointer = read_pointer(scope_dir)
    try:
        sweep_aside(scope_dir / POINTER_NAME)
        if pointer is not None and not pointer.is_settled:
            _point(scope_dir, Pointer(pointer.in_force(scope_dir)), RealDisk())
    except (DiskError, OSError):
        pass  # it is read the same way, open as it is


def _try_hold(folder: Path) -> Held | None:
    try:
        descriptor = os.open(folder / IN_USE_NAME, os.O_RDONLY)
    except OSError:
        return None
    if sys.platform != "win32":  # there, the open file itself keeps the folder from being removed
        import fcntl  # not on every system

        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            pass  # a file system without locks: held in name only
    return Held(folder.name, descriptor)


def _remove_unheld(folder: Path) -> bool:
    """Remove a generation unless a process holds it."""
    marker = folder / IN_USE_NAME
    if sys.platform == "win32":
        try:
            marker.unlink(missing_ok=True)
        except OSError:
            return False
        remove_folder(folder)
        return True
    import fcntl  # not on every system

    try:
        with open(marker, "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_folder(folder)
    except OSError:
        return False
    return True


def _next_name(scope_dir: Path) -> str:
    numbers = [int(folder.name[:6]) for folder in _folders(scope_dir) if _NAME.fullmatch(folder.name)]
    return f"{max(numbers, default=0) + 1:06d}-{secrets.token_hex(4)}"


def _folders(scope_dir: Path) -> list[Path]:
    try:
        return sorted(path for path in scope_dir.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []
