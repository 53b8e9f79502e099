"""A whole session in this process: a script answers, extensions are at hand, everything is written down.

Touches: files.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hookspecs.definitions import ToolDefinition
from hookspecs.laws import LAWS
from hookspecs.wire import to_wire
from pi_core.api import ExtensionAPI
from pi_core.embedding import create_session
from pi_core.history.sessions import memory_session
from pi_core.history.store import SessionStore
from pi_core.modes.base import json_line
from pi_core.session.events import DiagnosticFound, ExtensionError, SessionEvent
from pi_core.session.session import Session
from pi_core.session.wire_events import wire_event
from tests.support.golden import extension_trace, stream_trace

Factory = Callable[[ExtensionAPI], Any]
NOT_RECORDED = {
    "agent_before_settle", "context_with_system", "project_trust", "provider_stream_event",
    "session_compact_failed", "ui_prompt_end", "ui_prompt_start",
}  # fmt: skip
"""Events that the recorded traces do not have."""


class SessionBench:
    """One session below `folder`. `records` is the json stream, `heard` what a first listener was told."""

    def __init__(
        self,
        folder: Path,
        script: Sequence[Any] = (),
        *extensions: Factory,
        store: SessionStore | None = None,
        custom_tools: Sequence[ToolDefinition] = (),
        tools: Sequence[str] | None = None,
        settings: str = "",
    ) -> None:
        self.folder = folder
        self.events: list[SessionEvent] = []
        self.records: list[dict[str, Any]] = []
        self.heard: list[dict[str, Any]] = []
        self._told = asyncio.Event()
        self.store = store or memory_session(str(folder))
        path = folder / "script.json"
        path.write_text(json.dumps(list(script)), encoding="utf-8")
        (folder / "agent").mkdir(exist_ok=True)
        (folder / "agent" / "settings.toml").write_text(settings, encoding="utf-8")
        self.opening = create_session(
            cwd=folder,
            agent_dir=folder / "agent",
            environ={"PATH": "/usr/local/bin:/usr/bin:/bin", **({"PI_SCRIPT": str(path)} if script else {})},
            extensions=[self._witness, *extensions],
            session_store=self.store,
            custom_tools=custom_tools,
            tools=tools,
        )

    def _witness(self, pi: ExtensionAPI) -> None:
        for event in LAWS.keys() - NOT_RECORDED:
            pi.on(event, self._hear, optional=True, first=True)

    def _listen(self, event: SessionEvent) -> None:
        self.events.append(event)
        self._told.set()
        if not isinstance(event, DiagnosticFound):
            self.records.append(json.loads(json_line(wire_event(event))))

    def _hear(self, event: Any, ctx: Any) -> None:
        self.heard.append(to_wire(event))

    async def run(self, *prompts: str, then: Callable[[Session], Any] | None = None) -> SessionBench:
        """Bind, say the prompts one after another, wait, and dispose. `then` may ask the idle session."""
        session = await self.opening
        with session.subscribe(self._listen):
            await session.bind(mode="json")
            for prompt in prompts:
                await session.prompt(prompt)
            await session.wait_for_idle()
            if then is not None:
                await then(session)
            await session.dispose()
        return self

    async def until(self, line: str) -> None:
        """Wait until the stream ends with this line."""
        while self.stream[-1:] != [line]:
            self._told.clear()
            await self._told.wait()

    @property
    def stream(self) -> list[str]:
        """The stream in the recorded form; other records than the recorded ones are left out."""
        return stream_trace(self.records)

    @property
    def seen(self) -> list[str]:
        """What extensions heard, in the recorded form."""
        return extension_trace(self.heard)

    def errors(self) -> list[tuple[str, str]]:
        """What failed: the event and the sentence."""
        return [(event.event, event.error) for event in self.events if isinstance(event, ExtensionError)]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["type"] == kind]

    def said(self, role: str) -> list[str]:
        """The texts of the messages of a role, in the order of the stream."""
        messages = [record["message"] for record in self.of_type("message_end")]
        return [text_of(message["content"]) for message in messages if message["role"] == role]


def text_of(content: Any) -> str:
    """The text of a content on the wire."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A turn of a script that calls one tool."""
    return {"tool": tool, "arguments": arguments}


def calls(*turns: dict[str, Any]) -> dict[str, Any]:
    """A turn that calls several tools."""
    return {"blocks": list(turns)}
