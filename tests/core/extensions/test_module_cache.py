"""What survives a new session, what a reload reads again, and that nothing piles up."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from pi_core.extensions.actions import Runtime
from pi_core.extensions.loader import LoadOutcome, LoadRequest
from pi_core.extensions.module_cache import ModuleCache, restart_needed
from pi_core.extensions.modules import Imported
from pi_core.extensions.runner import Runner
from tests.core.extensions.support import COUNTING, ask, load, private_modules, write

NAMED = "from .part import NAME\ndef extension(pi): pi.register_command(NAME, print)"


@pytest.fixture(autouse=True)
def clean_modules() -> Iterator[None]:
    """Packages of these tests do not outlive them, and no extension of another test is counted."""
    for name in private_modules():
        del sys.modules[name]
    modules, path = set(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    sys.path[:] = path


def package(root: Path, part: str = "NAME = 'old'") -> LoadRequest:
    """A package with an import name of its own, below an import root."""
    write(root / "acme_cached" / "__init__.py", NAMED)
    write(root / "acme_cached" / "part.py", part)
    return ask("acme", module="acme_cached", import_root=str(root))


def commands(loaded: LoadOutcome) -> list[str]:
    assert loaded.errors == ()
    return [name for extension in loaded.extensions for name in extension.commands]


async def test_module_state_survives_a_session_and_not_a_reload(tmp_path: Path) -> None:
    """The counter in the module goes on with the next session and begins anew with the next generation."""
    path, cache = write(tmp_path / "c.py", COUNTING), ModuleCache()
    flags = [list((await load(path, modules=cache)).extensions[0].flags) for _ in range(2)]
    following = cache.next_generation()
    flags.append(list((await load(path, modules=following)).extensions[0].flags))
    assert [["n1"], ["n2"], ["n1"]] == flags


async def test_the_old_generation_works_until_it_is_cleared(tmp_path: Path) -> None:
    """While a reload loads, an old handler can still import a sibling for the first time."""
    write(tmp_path / "late.py", "NAME = 'sibling'")
    main = write(
        tmp_path / "main.py",
        """
        def extension(pi): pi.register_command("look", look)
        def look(args, ctx):
            from .late import NAME
            return NAME
        """,
    )
    cache = ModuleCache()
    old = await load(main, modules=cache)
    following = cache.next_generation()
    await load(main, modules=following)
    assert "sibling" == old.extensions[0].commands["look"].handler("", None)
    assert 3 + 2 == len(private_modules())
    cache.clear()
    assert 2 == len(private_modules())


async def test_a_package_is_read_again_by_the_next_generation(tmp_path: Path) -> None:
    """The same for a package that keeps its import name, and ending the old one leaves the new one there."""
    request, cache = package(tmp_path), ModuleCache()
    await load(request, modules=cache)
    package(tmp_path, "NAME = 'new'")
    following = cache.next_generation()
    again = await load(request, modules=following)
    module = sys.modules["acme_cached"]
    cache.clear()
    assert ["new"] == commands(again)
    assert module is sys.modules["acme_cached"]


async def test_a_generation_that_is_not_to_be_is_undone(tmp_path: Path) -> None:
    """After `restore` the old modules are there under their names, and a later reload still reads anew."""
    request, cache = package(tmp_path), ModuleCache()
    await load(request, modules=cache)
    old = {name: module for name, module in sys.modules.items() if name.startswith("acme_cached")}
    following = cache.next_generation()
    await load(request, modules=following)
    following.clear()
    cache.restore()
    assert old == {name: module for name, module in sys.modules.items() if name.startswith("acme_cached")}
    assert sys.modules["acme_cached"].part is sys.modules["acme_cached.part"]
    package(tmp_path, "NAME = 'new'")
    assert ["new"] == commands(await load(request, modules=cache.next_generation()))


async def test_a_load_under_way_when_the_generation_ends_keeps_nothing(tmp_path: Path) -> None:
    """Its module serves this load; the next one reads the file again, and then the stray is gone too."""
    cache = ModuleCache()
    path = write(
        tmp_path / "slow.py",
        "import asyncio\nTIMES = []\nasync def extension(pi):\n"
        "    TIMES.append(1); await asyncio.sleep(0.01); pi.register_flag(f'n{len(TIMES)}', type='boolean')",
    )
    loading = asyncio.create_task(load(path, modules=cache))
    await asyncio.sleep(0)
    cache.clear()
    await loading
    again = await load(path, modules=cache)
    assert ["n1"] == list(again.extensions[0].flags)
    cache.clear()
    assert set() == private_modules()


@pytest.mark.parametrize("gone", ["main.py", "helper.py"])
async def test_a_deleted_file_is_missed(tmp_path: Path, gone: str) -> None:
    """Neither the extension nor its helper comes from memory, or from bytecode, after a reload."""
    write(tmp_path / "helper.py", "NAME = 'x'")
    main = write(tmp_path / "main.py", "from .helper import NAME\ndef extension(pi): pass")
    cache = ModuleCache()
    await load(main, modules=cache)
    (tmp_path / gone).unlink()
    again = await load(main, modules=cache.next_generation())
    expected = {"main.py": "extension-missing", "helper.py": "extension-import-failed"}
    assert [expected[gone]] == [error.code for error in again.errors]


async def test_a_file_that_came_is_found(tmp_path: Path) -> None:
    """A helper that is created just before the reload is seen, whatever was listed a moment ago."""
    main = write(tmp_path / "main.py", "def extension(pi): pass")
    cache = ModuleCache()
    await load(main, modules=cache)
    for number in range(20):
        write(tmp_path / f"helper{number}.py", "NAME = 'x'")
        write(main, f"from .helper{number} import NAME\ndef extension(pi): pi.register_command(NAME, print)")
        cache = cache.next_generation()
        assert ["x"] == commands(await load(main, modules=cache))


async def test_a_library_is_evaluated_once(tmp_path: Path) -> None:
    """LIFE 108: what an extension imports from elsewhere survives every reload."""
    write(
        tmp_path / "lib" / "acme_counted.py", "import sys\nsys.acme_count = getattr(sys, 'acme_count', 0) + 1"
    )
    sys.path.append(str(tmp_path / "lib"))
    main = write(tmp_path / "main.py", "import acme_counted\ndef extension(pi): pass")
    cache = ModuleCache()
    for _ in range(4):
        assert () == (await load(main, modules=cache)).errors
        old, cache = cache, cache.next_generation()
        old.clear()
    assert 1 == vars(sys).pop("acme_count")


async def test_a_compiled_module_needs_a_restart(tmp_path: Path) -> None:
    """It stays as it was loaded, and both ways to a new generation say so."""
    request, cache = package(tmp_path), ModuleCache()
    await load(request, modules=cache)
    compiled = ModuleType("acme_cached.fast")
    compiled.__file__ = str(tmp_path / "acme_cached" / "fast.abi3.so")
    sys.modules[compiled.__name__] = compiled
    following = cache.next_generation()
    assert ("acme_cached.fast",) == following.need_restart
    await load(request, modules=following)
    assert ("acme_cached.fast",) == following.clear()
    assert compiled is sys.modules["acme_cached.fast"]
    told = restart_needed(following.need_restart)
    assert told is not None
    assert "acme_cached.fast" in told.message
    assert None is restart_needed(())


LEAKY = """
import asyncio
from . import part
async def extension(pi):
    pi.on("turn_start", lambda event, ctx: None)
    pi.events.on("channel", print)
    pi.every(60, lambda: None)
    pi.spawn(asyncio.sleep(60))
"""


async def test_a_hundred_reloads_leak_nothing(tmp_path: Path) -> None:
    """No module, task, listener, import path or open file is left of the generations before."""
    write(tmp_path / "part.py", "X = 1")
    requests = [ask(write(tmp_path / "leaky.py", LEAKY)), package(tmp_path / "root")]
    cache, modules = ModuleCache(), weakref.WeakSet[ModuleType]()
    counts = []
    for _ in range(100):
        runtime = Runtime()
        old, cache = cache, cache.next_generation()
        loaded = await load(*requests, modules=cache, runtime=runtime)
        runner = Runner(loaded.extensions, runtime, cwd="/")
        old.clear()
        modules.update(sys.modules[name] for name in private_modules())
        runner.invalidate()
        assert 0 == await runner.close()
        assert [] == runtime.bus._entries
        counts.append((len(sys.modules), len(asyncio.all_tasks()), len(sys.path), open_files()))
        del runtime, loaded, runner, old
    gc.collect()
    assert 1 == len(set(counts[5:])), counts
    assert 3 == len(private_modules()) == len(modules)


def open_files() -> int:
    """How many files this process has open, where the system tells."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


async def test_five_sessions_one_after_another_behave_alike(tmp_path: Path) -> None:
    """LIFE 106: each is loaded, works and ends like the first, with one cache and with a fresh one."""
    path = write(tmp_path / "e.py", "def extension(pi): pi.register_command('hi', lambda args, ctx: args)")
    shared = ModuleCache()
    for cache in (shared, shared, ModuleCache(), ModuleCache(), shared):
        async with asyncio.timeout(10):
            loaded = await load(path, modules=cache)
            runner = Runner(loaded.extensions, loaded.runtime, cwd="/")
            command = runner.registry.find_command("hi")
            assert command is not None
            assert "x" == command.definition.handler("x", runner.command_context())
            runner.invalidate()
            await runner.close()


async def test_two_sessions_at_once_do_not_meet(tmp_path: Path) -> None:
    """Each has its own copy of a file; ending one leaves the other whole."""
    path, caches = write(tmp_path / "c.py", COUNTING), [ModuleCache(), ModuleCache()]
    both = [await load(path, modules=cache) for cache in caches]
    assert [["n1"], ["n1"]] == [list(loaded.extensions[0].flags) for loaded in both]
    caches[0].clear()
    assert ["n2"] == list((await load(path, modules=caches[1])).extensions[0].flags)


def test_what_is_kept_twice_is_dropped_once() -> None:
    """Two entry points of one package keep the same modules."""
    cache, module = ModuleCache(), ModuleType("acme_cached")
    sys.modules["acme_cached"] = module
    for key in ("one", "two"):
        cache.keep(key, Imported(module, "acme_cached", "/nowhere"), cache.generation)
    assert () == cache.clear()
    assert "acme_cached" not in sys.modules
