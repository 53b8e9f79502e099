"""Private names for files, import names for packages, and forgetting both."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_core.extensions.module_cache import ModuleCache
from pi_core.extensions.modules import drop, drop_root, import_location, import_named
from tests.core.extensions.support import HELLO, ask, load, load_source, refusal, write

REGISTER_NAME = "def extension(pi): pi.register_command(NAME, print)"


@pytest.fixture(autouse=True)
def clean_modules() -> Iterator[None]:
    """Packages of these tests do not outlive them."""
    modules, path = set(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    sys.path[:] = path


def package(root: Path, name: str = "acme_pi_ext", init: str = HELLO, **files: str) -> Path:
    """A package below an import root; returns the root."""
    write(root / name / "__init__.py", init)
    for file, text in files.items():
        write(root / name / f"{file}.py", text)
    return root


async def test_siblings_of_one_name_do_not_meet(tmp_path: Path) -> None:
    """Two extensions with a `helper` each see their own, in either order."""
    paths = []
    for name in ("one", "two"):
        write(tmp_path / name / "helper.py", f"NAME = {name!r}")
        paths.append(write(tmp_path / name / "main.py", f"from .helper import NAME\n{REGISTER_NAME}"))
    for order in (paths, paths[::-1]):
        loaded = await load(*order)
        assert [path.parent.name for path in order] == [next(iter(e.commands)) for e in loaded.extensions]


async def test_files_of_one_name_both_run(tmp_path: Path) -> None:
    """Two files with the same stem are two modules."""
    paths = [write(tmp_path / folder / "plugin.py", HELLO) for folder in ("x", "y")]
    loaded = await load(*paths)
    assert 2 == len(loaded.extensions)


@pytest.mark.parametrize("name", ["my-ext.py", "2fast.py", "a.b.py", "naïve ext.py", "class.py"])
async def test_a_file_may_be_called_anything(tmp_path: Path, name: str) -> None:
    """The name of the file need not be an identifier; siblings are still reached."""
    write(tmp_path / "part.py", "NAME = 'c'")
    loaded = await load_source(tmp_path / name, f"from .part import NAME\n{REGISTER_NAME}")
    assert ["c"] == list(loaded.extensions[0].commands)


def test_annotations_resolve_in_a_private_module(tmp_path: Path) -> None:
    """The module is in sys.modules under its own `__name__`, so types can be looked up."""
    imported = import_location(write(tmp_path / "e.py", "class C: pass"))
    assert imported.module is sys.modules[imported.module.C.__module__]


async def test_a_distribution_keeps_its_import_name(tmp_path: Path) -> None:
    """A module by name is imported once, under that name, from its import root."""
    root = package(tmp_path)
    loaded = await load(ask("acme", module="acme_pi_ext", import_root=str(root)))
    assert ["hello"] == list(loaded.extensions[0].commands)
    assert "acme_pi_ext" in sys.modules
    assert str(root) == sys.path[-1]


async def test_an_attribute_may_be_dotted(tmp_path: Path) -> None:
    """The entry point `module:Holder.start` names a factory inside a class."""
    init = "class Holder:\n    @staticmethod\n    def start(pi): pi.register_command('deep', print)"
    root = package(tmp_path, init=init)
    loaded = await load(ask("acme", module="acme_pi_ext", attribute="Holder.start", import_root=str(root)))
    assert ["deep"] == list(loaded.extensions[0].commands)


async def test_a_file_below_an_import_root_keeps_its_name(tmp_path: Path) -> None:
    """A file that belongs to a package is no private twin of it."""
    root = package(tmp_path, init="", gate=HELLO)
    loaded = await load(ask(root / "acme_pi_ext" / "gate.py", import_root=str(root)))
    assert ["hello"] == list(loaded.extensions[0].commands)
    assert "acme_pi_ext.gate" in sys.modules


async def test_two_entry_points_of_one_package_share_it(tmp_path: Path) -> None:
    """The second one's failure does not take away the modules of the first."""
    init = "STATE = []\ndef good(pi): STATE.append(1)\ndef bad(pi): 1 / 0"
    root = package(tmp_path, init=init)
    loaded = await load(
        *(ask(a, module="acme_pi_ext", attribute=a, import_root=str(root)) for a in ("good", "bad"))
    )
    assert (["good"], ["bad"]) == (
        [extension.path for extension in loaded.extensions], [error.path for error in loaded.errors],
    )  # fmt: skip
    assert [1] == sys.modules["acme_pi_ext"].STATE


@pytest.mark.parametrize("init", ["1 / 0", "def extension(pi): 1 / 0"])
async def test_a_failing_package_leaves_no_trace(tmp_path: Path, init: str) -> None:
    """Its modules and its place on sys.path are gone after a failing import and a failing factory."""
    root = package(tmp_path, init="from . import part\n" + init, part="")
    modules, path = set(sys.modules), list(sys.path)
    loaded = await load(ask("acme", module="acme_pi_ext", import_root=str(root)))
    assert 1 == len(loaded.errors)
    assert (modules, path) == (set(sys.modules), sys.path)


async def test_an_absent_package_is_told_from_its_absent_library(tmp_path: Path) -> None:
    """The hint differs: the package itself is not there, or one of its imports is not."""
    root = package(tmp_path, init="import acme_missing_library")
    hints = [
        (await load(ask("a", module=name, import_root=str(root)))).errors[0].hint
        for name in ("acme_nowhere", "acme_pi_ext")
    ]
    assert "acme_nowhere itself is not installed" in (hints[0] or "")
    assert "acme_missing_library" in (hints[1] or "")


async def test_a_module_from_elsewhere_is_reported(tmp_path: Path) -> None:
    """When another copy is imported already, the extension loads and says where it came from."""
    first, second = package(tmp_path / "a"), package(tmp_path / "b")
    for root in (first, second):
        loaded = await load(ask("acme", module="acme_pi_ext", import_root=str(root)))
    assert ["module-from-elsewhere"] == [finding.code for finding in loaded.extensions[0].diagnostics]


async def test_an_edit_shows_after_a_reload(tmp_path: Path) -> None:
    """A helper that is edited in the same second to the same size is read again."""
    helper = write(tmp_path / "helper.py", "NAME = 'old'")
    main = write(
        tmp_path / "main.py",
        "from . import helper\ndef extension(pi): pi.register_command(helper.NAME, print)",
    )
    cache = ModuleCache()
    await load(main, modules=cache)
    write(helper, "NAME = 'new'")
    cache.clear()
    again = await load(main, modules=cache)
    assert ["new"] == list(again.extensions[0].commands)


async def test_an_edited_package_shows_after_a_reload(tmp_path: Path) -> None:
    """The same for a package that keeps its import name."""
    root = package(
        tmp_path,
        init="from .part import NAME\ndef extension(pi): pi.register_command(NAME, print)",
        part="NAME = 'old'",
    )
    cache = ModuleCache()
    await load(ask("acme", module="acme_pi_ext", import_root=str(root)), modules=cache)
    write(root / "acme_pi_ext" / "part.py", "NAME = 'new'")
    cache.clear()
    again = await load(ask("acme", module="acme_pi_ext", import_root=str(root)), modules=cache)
    assert ["new"] == list(again.extensions[0].commands)


async def test_a_reload_leaves_libraries_alone(tmp_path: Path) -> None:
    """Dropping an extension drops neither a library that it imported nor a neighbour."""
    sys.path.append(str(package(tmp_path / "lib", "acme_library", init="")))
    neighbour = import_location(write(tmp_path / "other.py", HELLO))
    mine = import_location(
        write(tmp_path / "mine.py", "import acme_library\n" + HELLO.replace("\n    ", "\n"))
    )
    library: Any = sys.modules["acme_library"]
    assert () == drop(mine)
    assert library is sys.modules["acme_library"]
    assert neighbour.module.__name__ in sys.modules
    assert mine.module.__name__ not in sys.modules


def test_a_shared_namespace_is_not_dropped(tmp_path: Path) -> None:
    """Only the extension's own package below a namespace package goes."""
    for name in ("one", "two"):
        write(tmp_path / "acme_space" / name / "__init__.py", "")
    first = import_named("acme_space.one", tmp_path)
    import_named("acme_space.two", tmp_path)
    drop(first)
    assert "acme_space.one" not in sys.modules
    assert "acme_space.two" in sys.modules


def test_a_replaced_generation_is_forgotten_whole(tmp_path: Path) -> None:
    """Every module below its folder goes, and so does the folder from sys.path."""
    import_named("acme_pi_ext", package(tmp_path, init="from . import part", part=""))
    assert () == drop_root(tmp_path)
    assert not {name for name in sys.modules if name.startswith("acme_pi_ext")}
    assert str(tmp_path) not in sys.path


async def test_a_lazy_module_is_not_woken(tmp_path: Path) -> None:
    """Dropping looks at no attribute of modules that import things when asked."""

    class Touchy:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"asked for {name}")

    sys.modules["acme_touchy"] = Touchy()  # type: ignore[assignment] # what lazy importers do
    await refusal(tmp_path / "bad.py", "1 / 0")
    drop(import_location(write(tmp_path / "fine.py", "")))
