"""From a place to a module: imported once, under a name that is its own, gone without trace on failure.

A file or folder gets a private name, so that two extensions may have siblings of
one name; siblings import each other relatively. A module of a distribution or a
source tree keeps its import name, since a private twin would load it twice.

Touches: files, sys.modules, the end of sys.path, sys.meta_path.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from stat import S_ISDIR
from types import ModuleType
from typing import Final
from zlib import crc32

from hookspecs.values import dataclass
from pi_core.extensions.errors import LoadError
from pi_core.extensions.fresh import execute, finder, new_module

PRIVATE_PREFIX: Final = "pi_ext_"


@dataclass(frozen=True, slots=True)
class Imported:
    """A module and what must go with it: all of `names` below `prefix`, or files under `root`."""

    module: ModuleType
    prefix: str
    """Every module called so, or below, belongs to the extension."""
    root: str
    """Folder or file of the extension's own code."""
    known: frozenset[str] = frozenset()
    """Modules of this prefix that were there before; another extension of the package uses them."""
    added_path: str | None = None
    """What this import put at the end of sys.path."""

    @property
    def private(self) -> bool:
        """Whether the name was made by us; no two imports share it."""
        return self.prefix.startswith(PRIVATE_PREFIX)


def watch_sources() -> None:
    """Let modules of private names, and those imported by name below a root, be loaded as they are now."""
    finder(PRIVATE_PREFIX)


def import_location(path: str | Path, *, bytecode: bool = True) -> Imported:
    """Import a `.py` file, or a folder with an `__init__.py`, under a private name.

    `path` is absolute. Without `bytecode` nothing but source is loaded from its folder. Its siblings
    are read as they are now once `watch_sources` was called.
    Raises: LoadError if there is nothing to import; else whatever the code raises. After any of
    them no module of this place is left in sys.modules.
    """
    place = os.fspath(path)
    try:
        seen = os.stat(place)
    except (OSError, ValueError):
        raise LoadError("extension-missing", f"Extension path does not exist: {place}") from None
    is_folder = S_ISDIR(seen.st_mode)
    if not bytecode:
        finder(PRIVATE_PREFIX).foreign.add(place if is_folder else os.path.dirname(place))
    return _import_folder(place, bytecode) if is_folder else _import_file(place, seen, bytecode)


def _import_folder(folder: str, bytecode: bool) -> Imported:
    init = os.path.join(folder, "__init__.py")
    if not os.path.isfile(init):
        raise LoadError(
            "extension-not-a-package",
            f"the folder {folder} has no __init__.py",
            hint="Name the file that is the extension, or add an __init__.py with its factory.",
        )
    name = _free_name(folder, _identifier(os.path.basename(folder)))
    return Imported(_run(new_module(name, init, package=True, bytecode=bytecode), name), name, folder)


def _import_file(file: str, seen: os.stat_result, bytecode: bool) -> Imported:
    folder, name = os.path.split(file)
    if not name.endswith(".py"):
        raise LoadError("extension-not-python", f"{file} is no Python file", hint="It must end in .py.")
    own = _identifier(name[:-3])
    package = _free_name(file, own)
    # The folder becomes a package without code of its own: `from . import sibling` works in the file.
    parent = ModuleType(package)
    parent.__path__ = [folder]
    parent.__spec__ = ModuleSpec(package, None, is_package=True)
    sys.modules[package] = parent
    module = new_module(f"{package}.{own}", file, seen, package=False, bytecode=bytecode)
    return Imported(_run(module, package), package, file)


def _run(module: ModuleType, prefix: str) -> ModuleType:
    sys.modules[module.__name__] = module
    try:
        execute(module)
    except BaseException:
        for name in list(_below(prefix)):
            del sys.modules[name]
        raise
    return module


def import_named(name: str, import_root: str | Path | None, *, bytecode: bool = True) -> Imported:
    """Import a module by its own name; `import_root` joins the end of sys.path if it is not there yet.

    Without `bytecode` nothing but source is loaded from that root.
    A module that is imported already is used as it is. After a failure sys.path is as before, and
    no module of the same top-level package that came with this import is left.
    """
    top = name.partition(".")[0]
    known = frozenset(_below(top))
    root = None if import_root is None else os.fspath(import_root)
    added = root if _append_root(root) else None
    if root is not None:
        finder(PRIVATE_PREFIX).packages.add(top)
        if not bytecode:
            finder(PRIVATE_PREFIX).foreign.add(os.path.abspath(root))
    try:
        module = importlib.import_module(name)
    except BaseException:
        withdraw(Imported(ModuleType(name), top, name, known, added))
        raise
    package, own_root = _own_package(module, name)
    return Imported(module, package, own_root, known, added)


def _append_root(import_root: str | None) -> bool:
    if import_root is None or import_root in sys.path:
        return False
    sys.path.append(import_root)
    return True


def _own_package(module: ModuleType, name: str) -> tuple[str, str]:
    """The outermost package with a file of its own, so that a shared namespace package is left out."""
    parts = name.split(".")
    for length in range(1, len(parts)):
        package = ".".join(parts[:length])
        file = file_of(sys.modules[package])
        if file is not None:
            return package, os.path.dirname(file)
    file = file_of(module) or name
    return name, os.path.dirname(file) if os.path.basename(file) == "__init__.py" else file


def withdraw(imported: Imported) -> None:
    """Undo an import: forget what it brought, and what the module imported of its own package since."""
    for name in list(_below(imported.prefix)):
        if name not in imported.known:
            del sys.modules[name]
    if imported.added_path in sys.path:
        sys.path.remove(imported.added_path)


def drop(*imported: Imported) -> tuple[str, ...]:
    """Forget the modules of extensions, so that the next import reads their files again.

    Returns the names of compiled modules, which stay: they need a restart. Sorted.
    """
    names, compiled = belonging(imported)
    for name in names:
        del sys.modules[name]
    if names:
        forget_listings()
    return compiled


def drop_root(root: str | Path) -> tuple[str, ...]:
    """Forget every module of a replaced generation and take its folder off sys.path; as `drop`."""
    folder = os.fspath(root)
    while folder in sys.path:
        sys.path.remove(folder)
    return drop(Imported(ModuleType(""), folder, folder))


def belonging(imported: Iterable[Imported]) -> tuple[list[str], tuple[str, ...]]:
    """The modules now in sys.modules that belong to extensions: those of Python, and the compiled ones.

    A private name belongs by its prefix alone: the next load of the same place may be there already.
    """
    given = tuple(imported)
    tops = {item.prefix for item in given if item.private}
    named = [item for item in given if not item.private]
    prefixes = {item.prefix for item in named}
    below = tuple(item.prefix + "." for item in named)
    files = {item.root for item in named}
    folders = tuple(item.root + os.sep for item in named)
    plain: list[str] = []
    compiled: list[str] = []
    for name, module in tuple(sys.modules.items()):
        file = file_of(module)
        if name.startswith(PRIVATE_PREFIX):
            ours = name.partition(".")[0] in tops
        else:
            ours = name in prefixes or name.startswith(below)
            ours = ours or (file is not None and (file in files or file.startswith(folders)))
        if ours:
            is_compiled = file is not None and file.endswith(tuple(EXTENSION_SUFFIXES))
            (compiled if is_compiled else plain).append(name)
    return plain, tuple(sorted(compiled))


def forget_listings() -> None:
    """Make the next import list its folders anew: files may have come within a tick of the clock.

    Not `importlib.invalidate_caches`, which imports the whole of importlib.metadata first.
    """
    for entry in tuple(sys.path_importer_cache.values()):
        forget = getattr(entry, "invalidate_caches", None)
        if forget is not None:
            forget()


def _below(prefix: str) -> Iterator[str]:
    return (name for name in tuple(sys.modules) if name == prefix or name.startswith(prefix + "."))


def file_of(module: object) -> str | None:
    """The file of a module, read from its dictionary: a lazy one would import something when asked."""
    file = getattr(module, "__dict__", {}).get("__file__")
    return file if isinstance(file, str) else None


def _free_name(place: str, own: str) -> str:
    digest = crc32(place.encode("utf-8", "surrogateescape"))
    base = f"{PRIVATE_PREFIX}{own}_{digest:08x}"
    number = 1
    while f"{base}_{number}" in sys.modules:
        number += 1
    return f"{base}_{number}"


def _identifier(text: str) -> str:
    return text if text.isidentifier() else re.sub(r"\W", "_", text)


def missing_module(error: BaseException, asked: str | None, folder: str | None) -> str | None:
    """What to do about a failed import: None unless a module was not found.

    Tells the module itself from one of its own imports, and an absolute import of a sibling.
    """
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    if asked is not None and (asked == error.name or asked.startswith(error.name + ".")):
        return f"The module {asked} itself is not installed there."
    top = error.name.partition(".")[0]
    beside = (f"{top}.py", os.path.join(top, "__init__.py"))
    if folder is not None and any(os.path.exists(os.path.join(folder, name)) for name in beside):
        return f"{top} stands beside the extension: write `from . import {top}`."
    return f"The extension needs the module {error.name}: declare it among the package's dependencies."
