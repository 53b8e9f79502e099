"""Who may import whom: the floors, the rooms and the libraries that stay in their room."""

from __future__ import annotations

import sys

import pytest

from tests.architecture.sources import Module, modules

STDLIB = sys.stdlib_module_names
VENDORS = ("aiohttp", "anthropic", "google", "httpx", "httpx2", "openai", "pydantic_ai", "requests")
HTTP_STDLIB = ("http", "socket", "ssl", "urllib.request")

# A library may be imported only below these prefixes.
KEPT_IN_ROOM = {
    "subprocess": ("pi_core.process", "pi_pkg.install.process"),
    "textual": ("pi_core.modes.tui",),
    "rich": ("pi_core.modes.tui", "pi_core.cli", "pi_pkg.cli"),
    "importlib_metadata": ("pi_pkg.install.host",),
    "pip_api": ("pi_pkg.install",),
    "PIL": ("pi_core.tools.images",),
    "tomlkit": ("pi_pkg.settings", "pi_pkg.trust", "pi_pkg.toggle", "pi_pkg.lock"),
    **dict.fromkeys(VENDORS, ("pi_core.providers",)),
    # textual-serve, which shows the interactive mode in a browser, is built on it.
    "aiohttp": ("pi_core.providers", "pi_core.modes.tui.web"),
}


def below(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)


def imported(module: Module) -> list[tuple[str, int]]:
    return [(item.target, item.line) for item in module.imports]


def offences(found: list[str]) -> str:
    return "\n".join(found)


def test_hookspecs_stand_on_the_standard_library_and_pluggy() -> None:
    """Rule 1: the ground floor imports nothing but stdlib, pluggy and itself."""
    allowed = STDLIB | {"pluggy", "hookspecs"}
    wrong = [
        f"{module.name}:{line} imports {target}"
        for module in modules()
        if module.floor == "hookspecs"
        for target, line in imported(module)
        if target.partition(".")[0] not in allowed
    ]
    assert not wrong, offences(wrong)


def test_packages_know_neither_hooks_nor_the_agent() -> None:
    """Rule 1: pi_pkg imports neither hookspecs nor pi_core."""
    wrong = [
        f"{module.name}:{line} imports {target}"
        for module in modules()
        if module.floor == "pi_pkg"
        for target, line in imported(module)
        if target.partition(".")[0] in {"hookspecs", "pi_core"}
    ]
    assert not wrong, offences(wrong)


def test_the_agent_enters_packages_by_the_front_door() -> None:
    """Rule 1: pi_core reaches pi_pkg through its face and through pi_pkg.cli only."""
    wrong = []
    for module in modules():
        if module.floor != "pi_core":
            continue
        for target, line in imported(module):
            parts = target.split(".")
            if parts[0] != "pi_pkg" or len(parts) == 1 or parts[1] == "cli":
                continue
            if parts[1].islower() and len(parts) > 2:
                wrong.append(f"{module.name}:{line} imports {target}")
    assert not wrong, offences(wrong)


@pytest.mark.parametrize("stranger", ["session", "modes", "agent"])
def test_extensions_do_not_know_their_host(stranger: str) -> None:
    """Rule 2: the host implements the ports of extensions/, never the other way round."""
    wrong = [
        f"{module.name}:{line} imports {target}"
        for module in modules()
        if module.name.startswith("pi_core.extensions")
        for target, line in imported(module)
        if below(target, (f"pi_core.{stranger}",))
    ]
    assert not wrong, offences(wrong)


def test_modes_do_not_know_each_other() -> None:
    """Rule 2: what two modes share stands in modes.base."""
    wrong = []
    for module in modules():
        if not module.name.startswith("pi_core.modes."):
            continue
        own = module.name.split(".")[2]
        for target, line in imported(module):
            parts = target.split(".")
            if parts[:2] == ["pi_core", "modes"] and len(parts) > 2 and parts[2] not in {own, "base"}:
                wrong.append(f"{module.name}:{line} imports {target}")
    assert not wrong, offences(wrong)


@pytest.mark.parametrize(("library", "rooms"), KEPT_IN_ROOM.items())
def test_libraries_stay_in_their_room(library: str, rooms: tuple[str, ...]) -> None:
    """Rule 3: a heavy or dangerous library is imported in its own room only."""
    wrong = [
        f"{module.name}:{line} imports {target}"
        for module in modules()
        if not below(module.name, rooms)
        for target, line in imported(module)
        if below(target, (library,))
    ]
    assert not wrong, offences(wrong)


def test_the_network_is_for_providers() -> None:
    """Rule 3: HTTP lives under providers/; installers reach the network through their backends."""
    wrong = [
        f"{module.name}:{line} imports {target}"
        for module in modules()
        if not module.name.startswith("pi_core.providers")
        for target, line in imported(module)
        if below(target, HTTP_STDLIB)
    ]
    assert not wrong, offences(wrong)
