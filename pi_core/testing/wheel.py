"""A package folder as its wheel would be: built by its own backend, and unpacked into a folder.

No index is asked: the backend has to be installed where the tests run.

Touches: files, processes, sys.path, sys.modules.
"""

from __future__ import annotations

import json
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Final

from pi_core.process import run_process

_BUILD: Final = """
import importlib, json, sys
backend, paths, out = json.loads(sys.argv[1])
sys.path[:0] = paths
module, _, attribute = backend.partition(":")
built = importlib.import_module(module)
for part in filter(None, attribute.split(".")):
    built = getattr(built, part)
built.build_wheel(out)
"""
BUILD_LIMIT_S: Final = 300.0


class WheelBuildError(Exception):
    """A package cannot be built: the command that failed, and what it said."""


async def build_wheel(folder: Path, out: Path) -> Path:
    """Build the wheel of a source tree into `out`. Raises: WheelBuildError."""
    out.mkdir(parents=True, exist_ok=True)
    system: dict[str, Any] = {}
    if (folder / "pyproject.toml").is_file():
        system = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get(
            "build-system", {}
        )
    backend = str(system.get("build-backend", "setuptools.build_meta:__legacy__"))
    paths = [str(folder / path) for path in system.get("backend-path", [])]
    asked = [sys.executable, "-c", _BUILD, json.dumps([backend, paths, str(out)])]
    done = await run_process(asked, cwd=str(folder), timeout_s=BUILD_LIMIT_S, merge_stderr=True)
    wheels = sorted(out.glob("*.whl"))
    if done.code or not wheels:
        raise WheelBuildError(
            f"{backend} cannot build {folder} (exit code {done.code}); is it installed here?\n{done.stdout}"
        )
    return wheels[-1]


class UnpackedWheel:
    """A wheel's content in a folder that is imported from while it is entered, before anything else.

    Modules of the same names that were imported from elsewhere, as from the source tree, are set aside.
    """

    def __init__(self, wheel: Path, site: Path) -> None:
        self.site = site
        self._aside: dict[str, ModuleType] = {}
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
        # What a wheel puts into a `.data` folder belongs to the site folder too.
        for data in site.glob("*.data/purelib/*"):
            data.rename(site / data.name)

    def tops(self) -> set[str]:
        """The top-level import names."""
        found = (path for path in self.site.iterdir() if "." not in path.name or path.suffix == ".py")
        return {path.stem for path in found}

    def _own(self) -> list[str]:
        tops = self.tops()
        return [name for name in sys.modules if name.partition(".")[0] in tops]

    def __enter__(self) -> UnpackedWheel:
        self._aside = {name: sys.modules.pop(name) for name in self._own()}
        sys.path.insert(0, str(self.site))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in self._own():
            del sys.modules[name]
        while str(self.site) in sys.path:
            sys.path.remove(str(self.site))
        sys.modules.update(self._aside)
