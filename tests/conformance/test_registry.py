"""Registrations against the recorded reference: winners, names, flags, clashes, keys, providers.

140 recorded sets of extensions are loaded, bound and changed; what comes of them is
compared whole. Conflicts are findings of the registry here, load errors there.

Touches: files.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hookspecs import CustomMessage, ProviderConfig, ToolDefinition, ToolResult
from pi_core.dispatch.plan import Failure
from pi_core.extensions.errors import ExtensionError, StaleContextError
from pi_core.extensions.shortcuts import normalise_key
from pi_core.testing import Harness
from tests.conformance.host_rows import Row, hold, row_id, rows_of
from tests.core.extensions.support import ask

ROWS = rows_of("registry")
KEYS = json.loads((Path(__file__).parent / "data" / "keybindings.json").read_text(encoding="utf-8"))
ACTIONS: dict[str, Callable[[Any], Any]] = {
    "send_message": lambda pi: pi.send_message(CustomMessage(custom_type="x")),
    "get_commands": lambda pi: pi.get_commands(),
    "append_entry": lambda pi: pi.append_entry("x"),
    "get_active_tools": lambda pi: pi.get_active_tools(),
}
OWN_RULES = ("command_lookup", "shortcuts", "shortcut_diagnostics")
"""The parts of an outcome where our rules differ on purpose; see the listed reasons."""
PARAMETERS: dict[str, Any] = {"object": {"type": "object"}, "string": "object", "list": [], "null": None}


class BareValue(Exception):
    """Stands for a thrown value that is no error."""


async def nothing(*args: Any) -> ToolResult:
    return ToolResult()


def perform(op: Row, pi: Any) -> Any:
    """One operation of a program on the API object."""
    match op["op"]:
        case "tool":
            parameters = PARAMETERS[op["parameters"]]
            return pi.register_tool(
                ToolDefinition(
                    name=op["name"],
                    description="",
                    parameters=parameters,
                    execute=nothing,
                    label=op["marker"],
                )
            )
        case "command":
            handler = (lambda args, ctx: None) if op["handler"] else None
            return pi.register_command(op["name"], handler, description=op["marker"])
        case "flag":
            return pi.register_flag(
                op["name"], type=op["type"], default=op.get("default"), description=op["marker"]
            )
        case "get_flag":
            return pi.get_flag(op["name"])
        case "shortcut":
            return pi.register_shortcut(op["key"], lambda ctx: None, description=op["marker"])
        case "message_renderer":
            return pi.register_message_renderer(op["type"], renderer(op["marker"]))
        case "entry_renderer":
            return pi.register_entry_renderer(op["type"], renderer(op["marker"]))
        case "provider":
            config = ProviderConfig(base_url=op["marker"]) if op["config"] else None
            return pi.register_provider(op["name"], config)
        case "native_provider":
            return pi.register_provider(SimpleNamespace(name=op["name"], marker=op["marker"]))
        case "unregister_provider":
            return pi.unregister_provider(op["name"])
        case "raise":
            raise RuntimeError(op["message"])
        case "raise_value":
            raise BareValue(op["value"])
        case "action":
            return ACTIONS[op["name"]](pi)
    raise AssertionError(op)


def renderer(marker: str) -> Callable[..., Any]:
    def render(value: Any, options: Any, theme: Any) -> str:
        return marker

    return render


class Replay:
    """One row, from the load to the steps after the bind."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.apis: dict[str, Any] = {}
        self.reads: list[list[Any]] = []
        self.calls: list[list[Any]] = []

    async def run(self) -> Row:
        requests = [ask(program["name"], factory=self.factory(program)) for program in self.row["extensions"]]
        async with Harness(*requests, bind=False) as harness:
            self.harness = harness
            harness.runtime.flag_values.update(self.row.get("set_flags", {}))
            outcome = {
                "load_errors": self.load_errors(),
                "loaded": [extension.path for extension in harness.loaded.extensions],
                "reads_while_loading": self.reads,
                **self.snapshot(),
            }
            outcome.update(self.bind())
            if "after_bind" in self.row:
                outcome["after"] = self.after(outcome)
            return outcome

    def factory(self, program: Row) -> Callable[[Any], Any]:
        def play(pi: Any) -> None:
            self.apis[program["name"]] = pi
            for op in program["ops"]:
                value = perform(op, pi)
                if op["op"] == "get_flag":
                    self.reads.append([program["name"], op["name"], value])

        async def play_later(pi: Any) -> None:
            await asyncio.sleep(0)
            play(pi)

        return play_later if program["async"] else play

    def load_errors(self) -> list[Row]:
        codes = {"not-ready": "not-bound", "extension-factory-failed": "raised"}
        errors: list[Row] = []
        for error in self.harness.loaded.errors:
            found = {"extension": error.path, "kind": codes.get(error.code, error.code)}
            if found["kind"] == "raised":
                found["message"] = error.message.removeprefix("Failed to load extension: ")
            errors.append(found)
        for clash in self.harness.runner.registry.clashes():
            if clash.kind in ("tool", "flag") and clash.winner is not None:
                kind = f"{clash.kind}-conflict"
                errors.append(
                    {
                        "extension": clash.loser.path,
                        "kind": kind,
                        "name": clash.name,
                        "other": clash.winner.path,
                    }
                )
        return errors

    def snapshot(self) -> Row:
        registry = self.harness.runner.registry
        shortcuts, conflicts = registry.shortcuts(self.keymap())
        looked_up = {name: registry.find_command(name) for name in self.row["expect"]["command_lookup"]}
        return {
            "tools": [[tool.value.name, tool.extension.path, tool.value.label] for tool in registry.tools()],
            "commands": [
                [found.invocation, found.definition.name, found.extension.path, found.definition.description]
                for found in registry.commands()
            ],
            "command_lookup": {
                name: found and found.definition.description for name, found in looked_up.items()
            },
            "flags": [
                [flag.value.name, flag.extension.path, flag.value.type, flag.value.description]
                for flag in registry.flags()
            ],
            "flag_values": dict(self.harness.runtime.flag_values),
            "flag_reads": {extension.path: self.flag_reads(extension) for extension in registry.extensions},
            "shortcuts": [
                [key, found.extension.path, found.definition.description] for key, found in shortcuts.items()
            ],
            "shortcut_diagnostics": [conflict_row(conflict) for conflict in conflicts],
            "message_renderers": self.rendered(registry.message_renderer),
            "entry_renderers": self.rendered(registry.entry_renderer),
        }

    def keymap(self) -> dict[str, list[str]]:
        own = self.row.get("keybindings", {})
        given = {action: [keys] if isinstance(keys, str) else keys for action, keys in own.items()}
        return {**KEYS["defaults"], **given}

    def flag_reads(self, extension: Any) -> Row:
        reads = {name: self.apis[extension.path].get_flag(name) for name in extension.flags}
        return {name: value for name, value in reads.items() if value is not None}

    def rendered(self, find: Callable[[str], Callable[..., Any] | None]) -> Row:
        found = {name: find(name) for name in ("card", "note")}
        return {name: render and render(None, None, None) for name, render in found.items()}

    def bind(self) -> Row:
        host = self.harness.host
        host.refused_providers.add("bad")
        self.harness.bind()
        errors = [
            {"extension": finding.extension, "event": finding.event, "kind": "provider-refused"}
            for finding in self.harness.findings
            if isinstance(finding, Failure)
        ]
        self.harness.findings.clear()
        return {"provider_flush": self.provider_calls(), "bind_errors": errors}

    def provider_calls(self) -> list[list[Any]]:
        calls: list[list[Any]] = []
        for wish in self.harness.host.asked:
            match wish:
                case ("register_provider", name, ProviderConfig(base_url=marker)):
                    calls.append(["config", name, marker])
                case ("register_provider", name, provider):
                    calls.append(["native", name, provider.marker])
                case ("unregister_provider", name):
                    calls.append(["unregister", name])
        self.harness.host.asked.clear()
        return calls

    def after(self, before: Row) -> Row:
        steps = [self.step(op) for op in self.row["after_bind"]]
        now = self.snapshot()
        changed = {name: value for name, value in now.items() if value != before[name]}
        return {"steps": steps, "provider_calls": self.provider_calls(), "errors": [], **changed}

    def step(self, op: Row) -> Row:
        try:
            value = perform(op, self.apis[op["extension"]])
        except StaleContextError:
            return {"ok": False, "kind": "api-of-failed-extension"}
        except ExtensionError as error:
            return {"ok": False, "kind": error.code}
        except ValueError:
            return {"ok": False, "kind": "provider-refused"}
        return {"ok": True, "value": value} if op["op"] == "get_flag" else {"ok": True}


def conflict_row(conflict: Any) -> Row:
    row = {"kind": conflict.kind, "key": conflict.key, "extension": conflict.extension.path}
    if conflict.kind == "overrides-builtin":
        row["action"] = conflict.action
    if conflict.other is not None:
        row["other"] = conflict.other.path
    return row


def recorded(row: Row) -> Row:
    """The recorded outcome; a thrown bare value is an exception like any other here."""
    expected: Row = json.loads(json.dumps(row["expect"]))
    for error in expected["load_errors"]:
        if error["kind"] == "raised-other":
            (program,) = (item for item in row["extensions"] if item["name"] == error["extension"])
            thrown = next(op["value"] for op in program["ops"] if op["op"] == "raise_value")
            error.update(kind="raised", message=thrown)
    return expected


def settled(outcome: Row) -> Row:
    """The parts about which no row may differ."""
    kept = {name: value for name, value in outcome.items() if name not in OWN_RULES}
    if "after" in kept:
        kept["after"] = settled(kept["after"])
    return kept


def test_the_corpus_is_whole() -> None:
    """140 sets of registrations were recorded, and all of them are here."""
    assert 140 == len(ROWS) == len({row["id"] for row in ROWS})


@pytest.mark.parametrize("row", ROWS, ids=row_id)
async def test_registrations_come_out_as_recorded(row: Row) -> None:
    """Every recorded set gives the recorded winners, or is listed with a reason."""
    expected, actual = recorded(row), await Replay(row).run()
    assert settled(expected) == settled(actual)
    hold("registry", row, expected, actual)


def test_modifiers_are_compared_in_any_order() -> None:
    """The keys of the recorded table are normalised alike on both sides."""
    assert normalise_key("shift+ctrl+p") == normalise_key("ctrl+shift+p")
