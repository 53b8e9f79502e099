"""Source files as they are now: bytecode counts only if it was written after the source changed.

Python's own check compares whole seconds and sizes, so an edit within a second that keeps the size
goes unseen, in the next process too. Here the bytecode must also be younger than its source.

Touches: files, sys.meta_path.
"""

from __future__ import annotations

import io
import marshal
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from types import CodeType, ModuleType
from typing import Any, Final

_TIMESTAMPED: Final = MAGIC_NUMBER + bytes(4)
"""How bytecode begins that is judged by its source's time and size."""
_HEADER: Final = 16


class FreshLoader(SourceFileLoader):
    """Loads a source file; reads its bytecode itself, and leaves the compiling to the standard loader."""

    reads_bytecode: bool = True
    """False for code of other people: bytecode beside it need not be of this source."""
    _compiling: bool = False
    _seen: os.stat_result | None = None
    _bytecode: str | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the file as it is now. Raises: OSError, SyntaxError."""
        before, self._seen = self._seen or os.stat(self.path), None
        if not self.reads_bytecode:
            return self._compile(fullname, before)
        code = _young_bytecode(self.path, self._bytecode or bytecode_of(self.path), before)
        return self._compile(fullname, before) if code is None else code

    def get_data(self, path: str) -> bytes:
        """A file's content; bytecode is not there while the source is compiled."""
        if self._compiling and path.endswith(".pyc"):
            raise OSError("older than its source")
        return super().get_data(path)

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write bytecode, where some would be read."""
        if self.reads_bytecode:
            super().set_data(path, data, _mode=_mode)

    def _compile(self, fullname: str, before: os.stat_result) -> CodeType | None:
        self._compiling = True
        try:
            code = super().get_code(fullname)
        finally:
            self._compiling = False
        after = os.stat(self.path)
        if (after.st_mtime_ns, after.st_size) != (before.st_mtime_ns, before.st_size):
            _discard_bytecode(
                self.path
            )  # it was edited while we read: what was written may be of the old text
        return code


def bytecode_of(source: str) -> str | None:
    """Where the bytecode of a source file, an absolute path, is kept; None if this interpreter keeps none."""
    tag = sys.implementation.cache_tag
    if not tag:  # PEP 421: an interpreter may keep none
        return None
    if sys.pycache_prefix is not None or sys.flags.optimize:
        return cache_from_source(source)
    folder, _, name = source.rpartition(os.sep)  # the usual case, at a fifth of the cost
    return f"{folder}{os.sep}__pycache__{os.sep}{name.rpartition('.')[0]}.{tag}.pyc"


def _young_bytecode(source: str, place: str | None, state: os.stat_result) -> CodeType | None:
    """The bytecode at a place if it surely belongs to the source in this state."""
    if place is None:
        return None
    try:
        with io.open_code(place) as file:
            written_ns = os.fstat(file.fileno()).st_mtime_ns
            data = file.read()
        if not _belongs(data, written_ns, source, state):
            return None
        code = marshal.loads(memoryview(data)[_HEADER:])
    except (OSError, EOFError, ValueError, TypeError):
        return None  # none there, or a damaged one
    # Code that was compiled at another place would name that place in every traceback.
    return code if isinstance(code, CodeType) and code.co_filename == source else None


def _belongs(data: bytes, written_ns: int, source: str, state: os.stat_result) -> bool:
    if data.startswith(_TIMESTAMPED):
        seconds, size = int(state.st_mtime) & 0xFFFFFFFF, state.st_size & 0xFFFFFFFF
        stamp = seconds.to_bytes(4, "little") + size.to_bytes(4, "little")
        return data[8:_HEADER] == stamp and written_ns > state.st_mtime_ns
    if data.startswith(MAGIC_NUMBER):  # judged by content, as reproducible builds have it
        with io.open_code(source) as file:
            return data[8:_HEADER] == source_hash(file.read())
    return False


def _discard_bytecode(source: str) -> None:
    try:
        os.unlink(bytecode_of(source) or "")
    except OSError:
        pass  # not there, or not ours to remove: the time of the source is later then


class FreshFinder:
    """Finds modules of given packages as Python does, and gives their source files a `FreshLoader`.

    `prefix` begins the names of packages that it always covers; `packages` are further top-level names.
    From folders in `foreign` nothing is loaded but source.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.packages: set[str] = set()
        self.foreign: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a covered module on the import path."""
        top = fullname.partition(".")[0]
        covered = top.startswith(self.prefix) or top in self.packages
        if not covered and not self.foreign:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return spec if covered else None
        is_foreign = self.is_foreign(spec.loader.path)
        if not covered and not is_foreign:
            return None
        spec.loader = loader = FreshLoader(fullname, spec.loader.path)
        loader.reads_bytecode = not is_foreign
        return spec

    def is_foreign(self, file: str) -> bool:
        """Whether a file stands below a foreign folder."""
        return any(file.startswith(folder + os.sep) for folder in self.foreign)


def finder(prefix: str) -> FreshFinder:
    """The one finder of this prefix in the process; it joins sys.meta_path when first asked for."""
    for found in sys.meta_path:
        if isinstance(found, FreshFinder) and found.prefix == prefix:
            return found
    made = FreshFinder(prefix)
    before: list[object] = list(sys.meta_path)
    sys.meta_path.insert(before.index(PathFinder) if PathFinder in before else len(before), made)
    return made


def new_module(
    name: str, file: str, seen: os.stat_result | None = None, *, package: bool, bytecode: bool = True
) -> ModuleType:
    """An empty module for a source file, or for a package by its `__init__.py`; `execute` fills it.

    `seen` is the state of the file that was looked at just now. As `importlib.util.module_from_spec`
    would make it, at a third of the cost.
    """
    loader = FreshLoader(name, file)
    loader._seen = seen
    loader._bytecode = bytecode_of(file)
    loader.reads_bytecode = bytecode
    spec = ModuleSpec(name, loader, origin=file)
    spec.has_location = True
    spec.cached = loader._bytecode
    module = ModuleType(name)
    module.__spec__ = spec
    module.__loader__ = loader
    module.__file__ = file
    vars(module)["__cached__"] = spec.cached
    module.__package__ = name if package else name.rpartition(".")[0]
    if package:
        module.__path__ = spec.submodule_search_locations = [os.path.dirname(file)]
    return module


def execute(module: ModuleType) -> None:
    """Run the module's source in it. Raises: whatever the code raises."""
    loader = module.__loader__
    assert isinstance(loader, FreshLoader)
    loader.exec_module(module)
