"""The fixtures of authors' tests: `pi_harness`, `pi_session`, `pi_package`.

pytest finds this file by itself where pi is installed, so it imports nothing of pi before a test asks.

Touches: files, processes, sys.path, sys.modules, through what the fixtures give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from pi_core.testing.harness import Given
    from pi_core.testing.package import PackageContents
    from pi_core.testing.plain import PlainHarness, PlainSession
    from pi_core.testing.session import Turns


class HarnessMaker(Protocol):
    """Makes harnesses that end with the test. They are strict unless told otherwise; see `Harness`."""

    def __call__(self, *extensions: Given, **options: Any) -> PlainHarness: ...


class SessionMaker(Protocol):
    """Makes scripted sessions that end with the test; see `ScriptedSession`."""

    def __call__(
        self,
        *extensions: str | Path | Callable[..., Any],
        script: Turns | None = None,
        **options: Any,
    ) -> PlainSession: ...


class PackageReader(Protocol):
    """Reads the package in a folder; None is the one that the test file belongs to.

    `wheel` builds it and reads what users install, which is then what the test imports, too.
    """

    def __call__(self, folder: str | Path | None = None, *, wheel: bool = False) -> PackageContents: ...


@pytest.fixture
def pi_harness() -> Iterator[HarnessMaker]:
    """Extensions on a session in memory: `pi = pi_harness(extension)`, `pi.emit(…)`, `pi.call_tool(…)`."""
    from pi_core.testing.harness import Harness  # this file is imported by every run of pytest
    from pi_core.testing.plain import PlainHarness  # this file is imported by every run of pytest

    made: list[PlainHarness] = []

    def make(*extensions: Given, **options: Any) -> PlainHarness:
        made.append(PlainHarness(Harness(*extensions, **{"strict": True, **options})))
        return made[-1]

    yield make
    _close_all(made)


@pytest.fixture
def pi_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionMaker]:
    """Extensions in a real session with a scripted model: `pi_session(extension, script=[…]).prompt(…)`."""
    from pi_core.testing.plain import PlainSession  # this file is imported by every run of pytest
    from pi_core.testing.session import ScriptedSession  # this file is imported by every run of pytest

    made: list[PlainSession] = []

    def make(
        *extensions: str | Path | Callable[..., Any], script: Turns | None = None, **options: Any
    ) -> PlainSession:
        folder = options.pop("folder", None) or tmp_path_factory.mktemp("pi")
        made.append(PlainSession(ScriptedSession(*extensions, script=script, folder=folder, **options)))
        return made[-1]

    yield make
    _close_all(made)


@pytest.fixture
def pi_package(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PackageReader]:
    """What a package brings: `pi_package().skills`, `pi_harness(*pi_package(wheel=True).requests)`."""
    from pi_core.testing.package import read_installed, read_tree  # imported by every run of pytest
    from pi_core.testing.plain import Loop  # this file is imported by every run of pytest
    from pi_core.testing.wheel import UnpackedWheel, build_wheel  # imported by every run of pytest

    entered: list[UnpackedWheel] = []

    def read(folder: str | Path | None = None, *, wheel: bool = False) -> PackageContents:
        root = _package_of(request.path) if folder is None else Path(folder).resolve()
        scratch = tmp_path_factory.mktemp("pi-package")
        if not wheel:
            return read_tree(root, scratch)
        loop = Loop()
        try:
            built = loop.run(build_wheel(root, scratch / "dist"))
        finally:
            loop.close()
        unpacked = UnpackedWheel(built, scratch / "site")
        entered.append(unpacked)
        unpacked.__enter__()
        return read_installed(unpacked.site, scratch)

    yield read
    for unpacked in reversed(entered):
        unpacked.__exit__(None, None, None)


def _package_of(test: Path) -> Path:
    """The nearest folder above a test file that has a `pyproject.toml`."""
    for folder in test.resolve().parents:
        if (folder / "pyproject.toml").is_file():
            return folder
    raise LookupError(f"no pyproject.toml stands above {test}: name the folder of the package")


def _close_all(made: list[Any]) -> None:
    """Close the last first, all of them, and raise what the first failure was."""
    failures: list[BaseException] = []
    for item in reversed(made):
        try:
            item.close()
        except BaseException as error:  # noqa: BLE001 - raised again once all are closed
            failures.append(error)
    if failures:
        raise failures[0]
