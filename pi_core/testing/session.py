"""A whole session with a model that plays a script: prompts in, events and results out.

    async with ScriptedSession(extension, script=[{"tool": "bash", "arguments": {"command": "ls"}}, "done"],
                               folder=tmp_path) as pi:
        await pi.prompt("list the files")
        assert pi.texts == ["done"]

Nothing of the person's is read: it works in folders of its own.

Touches: files, processes of the tools that the script calls, the event loop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, TypeAlias

from hookspecs.messages import AssistantMessage, ToolResultMessage, text_of
from pi_core.bootstrap import SCRIPT_VARIABLE, process_environ
from pi_core.embedding import create_session
from pi_core.history.sessions import memory_session
from pi_core.providers.script import Script
from pi_core.session.session import Session
from pi_core.testing.ui import RecordingUI
from pi_pkg import Diagnostic

Turns: TypeAlias = Sequence[str | Mapping[str, Any]]
"""A script as a file would hold it; see the documentation of the scripted model."""

_KEPT: Final = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL")
"""What programs need of the environment; keys of providers are not among it."""


class ScriptedSession:
    """A session of given extensions, opened and bound on entry and disposed of on exit.

    Without a `script` the model follows its rules: `run: COMMAND` calls bash, `TOOL: TEXT` a tool.
    `folder` gets a `project` to work in, made if it is not there. `ui` None runs as without a person.
    """

    session: Session

    def __init__(
        self,
        *extensions: str | Path | Callable[..., Any],
        folder: str | Path,
        script: Turns | None = None,
        ui: RecordingUI | None = None,
        tools: Sequence[str] | None = None,
    ) -> None:
        self._extensions = extensions
        self._folder = Path(folder)
        self._script = script
        self._ui = ui
        self._tools = tools
        self._listening: AbstractContextManager[None] | None = None
        self.events: list[Any] = []
        """Everything that the session told, in order; each has a `type`."""

    @property
    def project(self) -> Path:
        """The working folder."""
        return self._folder / "project"

    async def __aenter__(self) -> ScriptedSession:
        self.project.mkdir(parents=True, exist_ok=True)
        environ = {name: value for name, value in process_environ().items() if name in _KEPT}
        environ["HOME"] = str(self._folder)
        if self._script is not None:
            Script.of(self._script)  # a mistake in it is told here, not by the model
            file = self._folder / "script.json"
            file.write_text(json.dumps(list(self._script)), encoding="utf-8")
            environ[SCRIPT_VARIABLE] = str(file)
        self.session = await create_session(
            cwd=self.project,
            agent_dir=self._folder / "agent",
            environ=environ,
            extensions=self._extensions,
            discover=False,
            tools=self._tools,
            session_store=memory_session(str(self.project)),
        )
        self._listening = self.session.subscribe(self.events.append)
        self._listening.__enter__()
        await self.session.bind(mode="print" if self._ui is None else "tui", ui=self._ui)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.session.dispose()
        if self._listening is not None:
            self._listening.__exit__(None, None, None)

    async def prompt(self, text: str) -> None:
        """Say something, and wait until nothing goes on any more."""
        await self.session.prompt(text)
        await self.session.wait_for_idle()

    def kinds(self) -> list[str]:
        """The types of the events, in order."""
        return [event.type for event in self.events]

    @property
    def texts(self) -> list[str]:
        """What the model said in words, answer by answer; one without words is left out."""
        said = [text_of(item.content) for item in self.session.messages if isinstance(item, AssistantMessage)]
        return [text for text in said if text]

    @property
    def results(self) -> list[ToolResultMessage]:
        """The results of tools, in order; a refused call has one too."""
        return [item for item in self.session.messages if isinstance(item, ToolResultMessage)]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a person would be shown, but for the note that the model is a scripted one."""
        return [finding for finding in self.session.diagnostics if finding.code != "model-choice"]
