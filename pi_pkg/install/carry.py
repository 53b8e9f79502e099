"""A generation starts from what stays of the one before: its files are linked over, not installed again.

So nothing moves that nobody asked to move, a removal needs no index, and a large scope costs what
changes. Installed files are never edited in place, therefore a link is as good as a copy.

Touches: files.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pi_pkg.install.generation import Environment
from pi_pkg.install.host import Distribution, origin_of, recorded_files


def can_carry(distribution: Distribution, before: Environment) -> bool:
    """Whether a distribution can be linked over: it tells its files, and none of them knows where it is.

    One that came from a wheel file or a tree is installed anew; so are scripts of Windows, which are
    programs with the path of their interpreter inside.
    """
    files = recorded_files(distribution)
    if not files or origin_of(distribution) is not None:
        return False
    return not any(name.endswith(".exe") for name in files) and all(_inside(distribution, files, before))


def carry(distributions: Iterable[Distribution], before: Environment, after: Environment) -> None:
    """Link the files of distributions of `before` into `after`, all but their `.pth` files.

    Those wait for `carry_start_files`, until no interpreter of `after` runs that would execute them.
    """
    made: set[str] = set()
    for source in _all_files(distributions):
        if not _starts_code(source, before):
            _link(source, before, after, made)


def carry_start_files(distributions: Iterable[Distribution], before: Environment, after: Environment) -> None:
    """Link what `carry` left out."""
    made: set[str] = set()
    for source in _all_files(distributions):
        if _starts_code(source, before):
            _link(source, before, after, made)


def _starts_code(path: str, env: Environment) -> bool:
    return path.endswith(".pth") and os.path.dirname(path) == str(env.site_packages)


def _link(source: str, before: Environment, after: Environment, made: set[str]) -> None:
    """Link one file to its place in `after`; a script gets its new interpreter.

    `made` are the folders that are known to be there.
    """
    target = str(after.folder) + source[len(str(before.folder)) :]
    folder = os.path.dirname(target)
    if folder not in made:
        os.makedirs(folder, exist_ok=True)
        made.add(folder)
    if os.path.dirname(source) == str(before.scripts) and _move_script(source, target, before, after):
        return
    try:
        os.link(source, target)
    except FileExistsError:
        return  # two distributions may own one file of equal content
    except OSError:
        shutil.copy2(source, target)


def _move_script(source: str, target: str, before: Environment, after: Environment) -> bool:
    """Write a script with the interpreter of `after` on its first line; False if it is no script."""
    text = Path(source).read_bytes()
    if not text.startswith(b"#!"):
        return False
    Path(target).write_bytes(text.replace(os.fsencode(before.folder), os.fsencode(after.folder)))
    shutil.copymode(source, target)
    return True


def prune(distributions: Mapping[str, Distribution], names: Iterable[str], env: Environment) -> None:
    """Remove the named ones of the distributions.

    Files that another distribution owns too stay, and so does everything outside the environment.
    """
    gone = set(names)
    if not gone:
        return
    shared = {path for name in distributions.keys() - gone for path in _files(distributions[name])}
    for name in gone:
        files = [Path(path) for path in _files(distributions[name]) if path not in shared]
        for path in files:
            if path.is_relative_to(env.folder):
                path.unlink(missing_ok=True)
        _remove_empty({path.parent for path in files}, env.site_packages)
        shutil.rmtree(distributions[name].info, ignore_errors=True)


def _all_files(distributions: Iterable[Distribution]) -> Iterator[str]:
    for distribution in distributions:
        yield from _files(distribution)


def _files(distribution: Distribution) -> Iterator[str]:
    """Its files that are there, compiled ones included."""
    location, tag = str(distribution.location), sys.implementation.cache_tag
    for name in recorded_files(distribution):
        path = os.path.normpath(os.path.join(location, name))
        if os.path.isfile(path):
            yield path
        if path.endswith(".py"):
            folder, file = os.path.split(path)
            compiled = os.path.join(folder, "__pycache__", f"{file[:-3]}.{tag}.pyc")
            if os.path.isfile(compiled):
                yield compiled


def _inside(distribution: Distribution, files: Iterable[str], env: Environment) -> Iterator[bool]:
    location, top = str(distribution.location), str(env.folder) + os.sep
    for name in files:
        yield os.path.normpath(os.path.join(location, name)).startswith(top)


def _remove_empty(folders: set[Path], top: Path) -> None:
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        while folder != top and folder.is_relative_to(top):
            try:
                folder.rmdir()
            except OSError:
                break  # not empty, or gone already
            folder = folder.parent
