"""From a place to a module: imported once, under a name that is its own, gone without trace on failure.

A file or folder gets a private name, so that two extensions may have siblings of
one name; siblings import each other relatively. A module of a distribution or a
source tree keeps its import name, since a private twin would load it twice.

Touches: files, sys.modules, the end of sys.path.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import cache_from_source, module_from_spec, spec_from_file_location
from pathlib import Path
from stat import S_ISDIR
from types import ModuleType
from typing import Final
from zlib import crc32

from pi_core.extensions.errors import LoadError

PRIVATE_PREFIX: Final = "pi_ext_"


@dataclass(frozen=True, slots=True)
class Imported:
    """A module and what must go with it: all of `names` below `prefix`, or files under `root`."""

    module: ModuleType
    prefix: str
    """Every module called so, or below, belongs to the extension."""
    root: Path
    """Folder or file of the extension's own code."""
    known: frozenset[str] = frozenset()
    """Modules of this prefix that were there before; another extension of the package uses them."""
    added_path: str | None = None
    """What this import put at the end of sys.path."""


def import_location(path: Path) -> Imported:
    """Import a `.py` file, or a folder with an `__init__.py`, under a private name.

    Raises: LoadError if there is nothing to import; else whatever the code raises. After any of
    them no module of this place is left in sys.modules.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        raise LoadError("extension-missing", f"Extension path does not exist: {path}") from None
    return _import_folder(path) if S_ISDIR(mode) else _import_file(path)


def _import_folder(folder: Path) -> Imported:
    init = folder / "__init__.py"
    if not init.is_file():
        raise LoadError(
            "extension-not-a-package",
            f"the folder {folder} has no __init__.py",
            hint="Name the file that is the extension, or add an __init__.py with its factory.",
        )
    name = _free_name(folder)
    spec = spec_from_file_location(name, init, submodule_search_locations=[str(folder)])
    return Imported(_run(spec, name, folder), name, folder)


def _import_file(file: Path) -> Imported:
    package = _free_name(file)
    # The folder becomes a package without code of its own: `from . import sibling` works in the file.
    parent = ModuleType(package)
    parent.__path__ = [str(file.parent)]
    parent.__spec__ = ModuleSpec(package, None, is_package=True)
    sys.modules[package] = parent
    spec = spec_from_file_location(f"{package}.{_identifier(file.stem)}", file)
    return Imported(_run(spec, package, file), package, file)


def _run(spec: ModuleSpec | None, prefix: str, place: Path) -> ModuleType:
    if spec is None or spec.loader is None:
        _drop_named(prefix)
        raise LoadError("extension-not-python", f"{place} is no Python file", hint="It must end in .py.")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        _drop_named(prefix)
        raise
    return module


def import_named(name: str, import_root: Path | None) -> Imported:
    """Import a module by its own name; `import_root` joins the end of sys.path if it is not there yet.

    A module that is imported already is used as it is. After a failure sys.path is as before, and
    no module of the same top-level package that came with this import is left.
    """
    top = name.partition(".")[0]
    known = frozenset(_below(top))
    added = str(import_root) if _append_root(import_root) else None
    try:
        module = importlib.import_module(name)
    except BaseException:
        withdraw(Imported(ModuleType(name), top, Path(name), known, added))
        raise
    package, root = _own_package(module, name)
    return Imported(module, package, root, known, added)


def _append_root(import_root: Path | None) -> bool:
    if import_root is None or str(import_root) in sys.path:
        return False
    sys.path.append(str(import_root))
    return True


def _own_package(module: ModuleType, name: str) -> tuple[str, Path]:
    """The outermost package with a file of its own, so that a shared namespace package is left out."""
    parts = name.split(".")
    for length in range(1, len(parts)):
        package = ".".join(parts[:length])
        file = _file_of(sys.modules[package])
        if file is not None:
            return package, Path(file).parent
    file = _file_of(module) or name
    return name, Path(file).parent if Path(file).name == "__init__.py" else Path(file)


def withdraw(imported: Imported) -> None:
    """Undo an import: forget what it brought, and what the module imported of its own package since."""
    for name in list(_below(imported.prefix)):
        if name not in imported.known:
            del sys.modules[name]
    if imported.added_path in sys.path:
        sys.path.remove(imported.added_path)


def drop(imported: Imported) -> tuple[str, ...]:
    """Forget an extension's modules, so that the next import reads its files again.

    Bytecode of dropped sources goes too: it is judged by size and second, and an edit may keep both.
    Returns the names of compiled modules, which stay: they need a restart. Sorted.
    """
    compiled = []
    for name in {*_below(imported.prefix), *_under(imported.root)}:
        file = _file_of(sys.modules[name])
        if file is not None and file.endswith(tuple(EXTENSION_SUFFIXES)):
            compiled.append(name)
            continue
        del sys.modules[name]
        if file is not None and file.endswith(".py"):
            _drop_bytecode(file)
    importlib.invalidate_caches()
    return tuple(sorted(compiled))


def drop_root(root: Path) -> tuple[str, ...]:
    """Forget every module of a replaced generation and take its folder off sys.path; as `drop`."""
    while str(root) in sys.path:
        sys.path.remove(str(root))
    return drop(Imported(ModuleType(""), str(root), root))


def _drop_bytecode(source: str) -> None:
    try:
        Path(cache_from_source(source)).unlink(missing_ok=True)
    except (OSError, NotImplementedError):
        pass  # a folder that we may not write: the interpreter's own check has to do


def _drop_named(prefix: str) -> None:
    for name in list(_below(prefix)):
        del sys.modules[name]


def _below(prefix: str) -> Iterator[str]:
    return (name for name in tuple(sys.modules) if name == prefix or name.startswith(prefix + "."))


def _under(root: Path) -> Iterator[str]:
    folder = str(root) + os.sep
    for name, module in tuple(sys.modules.items()):
        if name.startswith(PRIVATE_PREFIX):
            continue  # goes by its prefix: the next load of the same place may be there already
        file = _file_of(module)
        if file is not None and (file == str(root) or file.startswith(folder)):
            yield name


def _file_of(module: object) -> str | None:
    # Through __dict__: a lazy module would import something when asked for an attribute.
    file = getattr(module, "__dict__", {}).get("__file__")
    return file if isinstance(file, str) else None


def _free_name(path: Path) -> str:
    digest = crc32(str(path).encode("utf-8", "surrogateescape"))
    base = f"{PRIVATE_PREFIX}{_identifier(path.stem)}_{digest:08x}"
    number = 1
    while f"{base}_{number}" in sys.modules:
        number += 1
    return f"{base}_{number}"


def _identifier(text: str) -> str:
    return text if text.isidentifier() else re.sub(r"\W", "_", text)


class ModuleCache:
    """Modules that outlive one load: a new session in the same folder runs the factories again, on
    the modules as they are. Another folder, or `clear`, makes everything be read again.
    """

    def __init__(self) -> None:
        self._cwd: str | None = None
        self._modules: dict[object, Imported] = {}

    def enter(self, cwd: str) -> None:
        """Begin a load in a folder; modules of another folder are dropped."""
        if self._cwd is not None and self._cwd != cwd:
            self.clear()
        self._cwd = cwd

    def find(self, key: object) -> Imported | None:
        """The module kept under a key."""
        return self._modules.get(key)

    def keep(self, key: object, imported: Imported) -> None:
        """Keep the module of a load that went well."""
        self._modules[key] = imported

    def clear(self) -> tuple[str, ...]:
        """Drop every module; returns the names of compiled ones, which need a restart."""
        modules, self._modules = self._modules, {}
        return tuple(name for imported in modules.values() for name in drop(imported))


def missing_module(error: BaseException, asked: str | None, folder: Path | None) -> str | None:
    """What to do about a failed import: None unless a module was not found.

    Tells the module itself from one of its own imports, and an absolute import of a sibling.
    """
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    if asked is not None and (asked == error.name or asked.startswith(error.name + ".")):
        return f"The module {asked} itself is not installed there."
    top = error.name.partition(".")[0]
    if folder is not None and ((folder / f"{top}.py").exists() or (folder / top / "__init__.py").exists()):
        return f"{top} stands beside the extension: write `from . import {top}`."
    return f"The extension needs the module {error.name}: declare it among the package's dependencies."
