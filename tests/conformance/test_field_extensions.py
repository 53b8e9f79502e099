"""Reports from the field about extensions, by kind: isolation, silence, names, reload, providers.

A number is that of the report; what is right for us stands in each sentence.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookspecs import ProviderConfig, ToolCall, TurnStart
from hookspecs.events import EVENTS, event_class
from pi_core.api import ExtensionAPI
from pi_core.dispatch.plan import HandlerFailed
from pi_core.extensions.module_cache import ModuleCache
from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile
from pi_core.providers.registry import ModelRegistry
from pi_core.providers.values import Values
from pi_core.testing import Harness
from tests.core.extensions.support import HELLO, ask, load, private_modules, write

BAD = {
    "syntax": "def extension(pi:\n",
    "import": "import surely_not_installed_anywhere",
    "raise": "raise FileNotFoundError('no such thing')",
    "exit": "raise SystemExit(3)",
    "hard exit": "import os\nos._exit(3)",
    "interrupt": "raise KeyboardInterrupt",
    "factory": "def extension(pi): raise ValueError('no')",
    "async factory": "async def extension(pi): raise SystemExit",
    "wrong form": "extension = 'no function'",
    "unknown event": "def extension(pi): pi.on('tool_cal', print)",
    "bad tool": "def extension(pi): pi.register_tool({'name': 'x'})",
}


@pytest.mark.parametrize("kind", BAD)
async def test_iso_74_one_bad_extension_stops_nobody(tmp_path: Path, kind: str) -> None:
    """ISO 74, 75, 79, QUIET 82, 84: the host is up, the good one works, one diagnostic names the file."""
    requests = [ask(write(tmp_path / "bad.py", BAD[kind])), ask(write(tmp_path / "good.py", HELLO))]
    async with Harness(*requests) as pi:
        assert "hello" == await pi.run_command("hello")
        (told,) = pi.diagnostics
    assert ("error", str(tmp_path / "bad.py")) == (told.severity, told.path)
    assert told.stage in ("import", "factory", "register")


async def test_iso_73_a_helper_is_a_note(tmp_path: Path) -> None:
    """ISO 73: a scanned file without a factory, which its neighbour imports, is no error."""
    write(tmp_path / "helper.py", "NAME = 'x'")
    good = write(
        tmp_path / "good.py",
        "from .helper import NAME\ndef extension(pi): pi.register_command(NAME, print)",
    )
    scanned = [ask(path, source="auto", explicit=False) for path in (good, tmp_path / "helper.py")]
    loaded = await load(*scanned)
    assert (["x"], ["info"]) == (list(loaded.extensions[0].commands), [e.severity for e in loaded.errors])


@pytest.mark.parametrize("event", EVENTS)
async def test_iso_80_every_event_survives_its_handlers(event: str) -> None:
    """ISO 80: a handler that raises is one diagnostic with path and event; where that is safe, it refuses."""

    def broken(pi: Any) -> None:
        pi.on(event, lambda event, ctx: 1 / 0)

    async with Harness(broken) as pi:
        refused = False
        try:
            await pi.emit(made(event))
        except HandlerFailed:
            refused = True
        (told,) = pi.diagnostics
    assert (event in ("tool_call", "user_bash"), "<inline:1>", event) == (refused, told.path, told.stage)


def made(event: str) -> Any:
    """An event with whatever its fields need at least."""
    cls = event_class(event)
    fields: dict[str, Any] = {"input": {}, "headers": {}, "messages": [], "message": Message(), "content": []}
    needed = [
        field.name
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    return cls(**{name: fields.get(name, "") for name in needed})


class Message:
    """Stands for any message."""

    role = "user"
    content = ""


async def test_quiet_83_a_missing_import_is_told_from_a_missing_extension(tmp_path: Path) -> None:
    """QUIET 83: the inner module is named, and later extensions load."""
    bad = write(tmp_path / "bad.py", "import surely_not_installed_anywhere.deep")
    loaded = await load(bad, write(tmp_path / "good.py", HELLO))
    assert 1 == len(loaded.extensions)
    assert "needs the module surely_not_installed_anywhere" in (loaded.errors[0].hint or "")


async def test_quiet_86_a_guard_that_is_down_refuses_tools(tmp_path: Path) -> None:
    """QUIET 86: it counts as loaded only when its factory ran; until then no tool runs."""
    guard = ask(write(tmp_path / "gate.py", "import surely_not_installed_anywhere"), guard=True)
    async with Harness(guard) as pi:
        answer = await pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={}))
        assert answer.block
        assert {"extension-import-failed", "guard-missing"} == {told.code for told in pi.diagnostics}


# names


async def test_name_90_what_was_asked_for_this_run_comes_first() -> None:
    """NAME 90: the rank decides, and an explicit extension ranks first."""

    def bringing(label: str) -> Callable[[ExtensionAPI], None]:
        def extension(pi: ExtensionAPI) -> None:
            @pi.tool(name="x", label=label)
            def x() -> str:
                """A tool."""
                return label

        return extension

    async with Harness(bringing("asked for"), bringing("installed")) as pi:
        assert "asked for" == (await pi.call_tool("x")).content


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_name_91_helpers_of_one_name_do_not_meet(tmp_path: Path, order: tuple[int, int]) -> None:
    """NAME 91: each extension sees its own, whichever comes first."""
    for name in ("a", "b"):
        write(tmp_path / name / "util.py", f"NAME = {name!r}")
        write(
            tmp_path / name / "__init__.py",
            "from .util import NAME\ndef extension(pi): pi.register_command(NAME, print)",
        )
    paths = [tmp_path / "ab"[number] for number in order]
    loaded = await load(*paths)
    assert ["ab"[number] for number in order] == [next(iter(e.commands)) for e in loaded.extensions]


async def test_name_92_a_stem_is_no_name(tmp_path: Path) -> None:
    """NAME 92: files of one name both run, and a failing import leaves no key in sys.modules."""
    before = set(sys.modules)
    bad = write(tmp_path / "z" / "plugin.py", "from . import part\n1 / 0")
    write(tmp_path / "z" / "part.py", "")
    both = [write(tmp_path / folder / "plugin.py", HELLO) for folder in ("x", "y")]
    loaded = await load(bad, *both)
    assert 2 == len(loaded.extensions)
    assert 4 == len(set(sys.modules) - before)


async def test_name_94_a_replaced_tool_is_replaced_everywhere() -> None:
    """NAME 94: the listing and the call have the same definition."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.tool(name="grep")
        def mine() -> str:
            """Look for something."""
            return "mine"

    async with Harness(extension) as pi:
        (listed,) = pi.host.get_all_tools()
        owned = pi.runner.registry.find_tool("grep")
        assert owned is not None
        assert listed.parameters is owned.value.parameters
        assert "mine" == (await pi.call_tool("grep")).content


# reload


async def test_life_102_a_factory_runs_once_a_generation(tmp_path: Path) -> None:
    """LIFE 102, 107: once at the start and once at each reload, with helpers as they are then."""
    counter = tmp_path / "count"
    path = write(
        tmp_path / "e.py",
        f"""
        from .part import NAME
        def extension(pi):
            with open({str(counter)!r}, "a") as file: file.write(NAME)
        """,
    )
    cache = ModuleCache()
    for name in "abc":
        write(tmp_path / "part.py", f"NAME = {name!r}")
        assert () == (await load(path, modules=cache)).errors
        cache = cache.next_generation()
    assert "abc" == counter.read_text(encoding="utf-8")


async def test_life_103_background_work_ends_with_its_generation() -> None:
    """LIFE 103, 109: five sessions with a timer that touches its context leave no task and harm nobody."""

    def extension(pi: ExtensionAPI) -> None:
        async def repaint() -> None:
            while True:
                await asyncio.sleep(0.001)
                pi.append_entry("tick")

        @pi.on("turn_start")
        def start(event: TurnStart, ctx: Any) -> None:
            pi.spawn(repaint())

    before = asyncio.all_tasks()
    for _ in range(5):
        async with Harness(extension, strict=True) as pi:
            await pi.emit(TurnStart(turn_index=0, timestamp=0))
            await asyncio.sleep(0.005)
    assert before == asyncio.all_tasks()
    assert not {name for name in private_modules() if "inline" in name}


# providers


def provider(base_url: str, *models: str) -> ProviderConfig:
    listed = [{"id": name} for name in models]
    return ProviderConfig(base_url=base_url, api="echo", api_key="k", models=listed or None)


async def no_command(command: str) -> str:
    raise AssertionError(command)


class Providing:
    """A runner over factories, bound to a real registry of models."""

    def __init__(self) -> None:
        credentials = Credentials(AuthFile(), {}, Values({}, no_command))
        self.models = ModelRegistry(credentials, None, {})

    async def load(self, *factories: Callable[[Any], Any]) -> Harness:
        harness = Harness(*factories, bind=False)
        await harness.__aenter__()
        harness.host.register_provider = self.models.register  # type: ignore[method-assign]  # the port itself
        harness.host.unregister_provider = self.models.unregister  # type: ignore[method-assign]  # likewise
        harness.bind()
        return harness


async def test_prov_79_a_bad_provider_is_alone() -> None:
    """ISO 79, PROV 148: it is reported, and the good one is there before any model is chosen."""
    providing = Providing()

    def extension(pi: Any) -> None:
        pi.register_provider("bad", ProviderConfig(models=[{"id": "m"}]))
        pi.register_provider("good", provider("http://127.0.0.1/a", "m"))

    pi = await providing.load(extension)
    assert None is providing.models.find("bad", "m")
    assert providing.models.find("good", "m")
    assert ["register_provider"] == [told.stage for told in pi.diagnostics]
    await pi.__aexit__(None, None, None)


async def test_prov_149_registration_comes_before_selection() -> None:
    """PROV 149: fifty starts whose async factories take their time all find the model at the bind."""

    async def extension(pi: Any) -> None:
        await asyncio.sleep(random.random() / 1000)
        pi.register_provider("acme", provider("http://127.0.0.1", "m"))

    for _ in range(50):
        providing = Providing()
        pi = await providing.load(extension)
        assert providing.models.find("acme", "m")
        await pi.__aexit__(None, None, None)


async def test_prov_150_a_late_registration_counts_at_once() -> None:
    """PROV 150: from a command, without any reload."""
    providing = Providing()

    def extension(pi: Any) -> None:
        config = provider("http://127.0.0.1", "late")
        pi.register_command("add", lambda args, ctx: pi.register_provider("acme", config))

    pi = await providing.load(extension)
    await pi.run_command("add")
    assert providing.models.find("acme", "late")
    await pi.__aexit__(None, None, None)


async def test_prov_152_a_new_address_keeps_the_models() -> None:
    """PROV 152: one brings models, another the address; without the other both are the first one's."""

    def models(pi: Any) -> None:
        pi.register_provider("acme", provider("http://127.0.0.1/a", "m"))

    def address(pi: Any) -> None:
        pi.register_provider("acme", ProviderConfig(base_url="http://127.0.0.1/b"))

    found = []
    for factories in ((models, address), (models,)):
        providing = Providing()
        pi = await providing.load(*factories)
        model = providing.models.find("acme", "m")
        found.append(model and model.base_url)
        await pi.__aexit__(None, None, None)
    assert ["http://127.0.0.1/b", "http://127.0.0.1/a"] == found
