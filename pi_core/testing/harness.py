"""Runs extensions against a session in memory: load, tell events, call tools and commands, look.

    async with Harness(extension) as pi:
        answer = await pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={"command": "ls"}))
        assert answer is None

Touches: files, sys.modules, the event loop.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from hookspecs.context import Mode
from hookspecs.definitions import ToolResult
from hookspecs.ui import UI
from pi_core.extensions.actions import Finding, Runtime
from pi_core.extensions.clashes import read_rules
from pi_core.extensions.headless import HeadlessUI
from pi_core.extensions.loader import FACTORY_LIMIT_S, LoadOutcome, LoadRequest, load_extensions
from pi_core.extensions.programs import ExecPort, run_program
from pi_core.extensions.registrations import Extension, FlagValue
from pi_core.extensions.runner import Runner
from pi_core.testing.clock import Clock
from pi_core.testing.host import RecordingHost, run_tool
from pi_core.testing.ui import RecordingUI
from pi_pkg import Diagnostic, Provenance

Given: TypeAlias = Callable[..., Any] | str | Path | LoadRequest
"""An extension: its factory, its file or folder, or a whole request."""


TIMED: Final = frozenset({"handler-blocking", "handler-slow"})
"""What a strict harness lets pass: it depends on what else the machine does at the moment."""


class Harness:
    """Extensions in rank order, loaded on entry and bound to `host`; everything ends on exit.

    `ui` None runs as without a person; a `RecordingUI` runs as in a terminal. `flags` are values from
    the command line; `settings` are what extensions read, and `[clashes]` and `[keys]` in them count.
    `strict` raises an AssertionError on exit if something failed that `diagnostics` would show, so that
    a test does not pass over it.
    """

    host: RecordingHost
    loaded: LoadOutcome
    runner: Runner

    def __init__(
        self,
        *extensions: Given,
        ui: RecordingUI | None = None,
        mode: Mode | None = None,
        cwd: str | Path = ".",
        flags: Mapping[str, FlagValue] | None = None,
        settings: Mapping[str, Any] | None = None,
        exec_port: ExecPort = run_program,
        factory_timeout_s: float = FACTORY_LIMIT_S,
        bind: bool = True,
        strict: bool = False,
    ) -> None:
        self._given = extensions
        self._ui = ui
        self._mode: Mode = mode or ("print" if ui is None else "tui")
        self._cwd = os.path.abspath(cwd)
        self._settings = dict(settings or {})
        self._limit_s = factory_timeout_s
        self._bind = bind
        self._strict = strict
        self.runtime = Runtime(flag_values=flags, exec_port=exec_port)
        self.clock = Clock()
        self.findings: list[Finding] = []
        """Everything that went wrong since the load, as it was reported."""

    async def __aenter__(self) -> Harness:
        self.clock.start()
        requests = [_request(given, number) for number, given in enumerate(self._given, 1)]
        rules, self._rule_findings = read_rules(self._settings.get("clashes"), self._settings.get("keys"))
        self.loaded = await load_extensions(
            requests, self.runtime, cwd=self._cwd, factory_timeout_s=self._limit_s, rules=rules
        )
        ui: UI = self._ui if self._ui is not None else HeadlessUI(self._mode)
        self.runner = Runner(
            self.loaded.extensions, self.runtime, cwd=self._cwd, mode=self._mode, ui=self._ui
        )
        self.runner.on_error(self.findings.append)
        self.host = RecordingHost(
            self.runner.registry, cwd=self._cwd, mode=self._mode, ui=ui, has_ui=self._ui is not None
        )
        self.host.settings = self._settings
        self.host.following = self.runner.replaced_context
        if self._bind:
            self.bind()
        return self

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.runner.invalidate("The harness was closed.")
        await self.runner.close()
        self.clock.stop()
        self.loaded.modules.clear()
        failed = [finding for finding in self.diagnostics if finding.severity != "info"]
        failed = [finding for finding in failed if finding.code not in TIMED]
        if self._strict and error is None and failed:
            told = "\n".join(f"{finding.code}: {finding.message}" for finding in failed)
            raise AssertionError(f"extensions failed:\n{told}")

    def bind(self) -> None:
        """Give the extensions their session, for a harness made with `bind=False`."""
        self.runner.bind(self.host)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a person would be shown: of the load, then clashes, then of everything since."""
        return [
            *self.loaded.errors,
            *(finding for extension in self.loaded.extensions for finding in extension.diagnostics),
            *self._rule_findings,
            *self.runner.registry.findings(),
            *(self.runner.diagnostic(finding) for finding in self.findings),
        ]

    @property
    def extension(self) -> Extension:
        """The only extension, for its registrations."""
        (extension,) = self.loaded.extensions
        return extension

    @property
    def tools(self) -> list[str]:
        """Names of the registered tools."""
        return [owned.value.name for owned in self.runner.registry.tools()]

    @property
    def commands(self) -> list[str]:
        """Names by which commands are typed."""
        return [command.invocation for command in self.runner.registry.commands()]

    async def advance(self, seconds: float) -> None:
        """Let time pass, so that timers fire, those of `every` among them; see `Clock`."""
        await self.clock.advance(seconds)

    async def emit(self, event: Any) -> Any:
        """Tell an event and return what its law makes of the answers."""
        return await self.runner.emit(event)

    async def call_tool(self, name: str, /, **arguments: Any) -> ToolResult:
        """Run a registered tool; what it raises is an error result. Raises: LookupError."""
        owned = self.runner.registry.find_tool(name)
        if owned is None:
            raise LookupError(f"there is no tool {name}; registered are {', '.join(self.tools) or 'none'}")
        return await run_tool(
            owned.value, arguments, f"call-{name}", self.runner.tool_context(f"call-{name}")
        )

    async def run_command(self, name: str, args: str = "") -> Any:
        """Run a slash command and return what its handler returns. Raises: LookupError."""
        command = self.runner.registry.find_command(name)
        if command is None:
            raise LookupError(
                f"there is no command /{name}; registered are {', '.join(self.commands) or 'none'}"
            )
        answer = command.definition.handler(args, self.runner.command_context())
        return await answer if hasattr(answer, "__await__") else answer


def _request(given: Given, number: int) -> LoadRequest:
    if isinstance(given, LoadRequest):
        return given
    if isinstance(given, str | Path):
        path = str(given)
        return LoadRequest(
            path=path, provenance=Provenance(path, "cli", "temporary", "top-level"), explicit=True
        )
    label = f"<inline:{number}>"
    return LoadRequest(
        path=label, provenance=Provenance(label, "inline", "temporary", "top-level"), factory=given
    )
