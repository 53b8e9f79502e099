"""A session that may be replaced and reloaded, in this process: a script answers, everything is noted.

Touches: files.
"""

from __future__ import annotations

import asyncio
import json
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from hookspecs.wire import to_wire
from pi_core.api import ExtensionAPI
from pi_core.embedding import create_runtime
from pi_core.history.sessions import create_session as new_store
from pi_core.history.sessions import memory_session
from pi_core.history.store import SessionStore
from pi_core.session.events import DiagnosticFound, ExtensionError, SessionEvent
from pi_core.session.runtime import SessionRuntime

Factory = Callable[[ExtensionAPI], Any]
LIFE = (
    "session_start", "session_shutdown", "session_before_switch", "session_before_fork", "resources_discover",
)  # fmt: skip


class RuntimeBench:
    """`async with RuntimeBench(tmp_path, factories…) as bench`: a bound runtime in `folder`, then its end.

    `notes` is what a witness saw of the life of sessions, and what extensions add to it. `found` are the
    findings that were told. With `discover`, extensions of the user's folder load.
    """

    runtime: SessionRuntime

    def __init__(
        self,
        folder: Path,
        *extensions: Factory | str,
        script: Sequence[Any] = (),
        stored: bool = True,
        store: SessionStore | None = None,
        discover: bool = False,
        bind: bool = True,
        trust: Any = "never",
    ) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.events: list[SessionEvent] = []
        self._bind = bind
        self._changed = asyncio.Event()
        if store is None:
            store = new_store(folder / "talks", str(folder)) if stored else memory_session(str(folder))
        path = folder / "script.json"
        path.write_text(json.dumps(list(script)), encoding="utf-8")
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", **({"PI_SCRIPT": str(path)} if script else {})}
        self._opening = create_runtime(
            cwd=folder, agent_dir=folder / "agent", environ=environ, extensions=[self._witness, *extensions],
            session_store=store, discover=discover, trust=trust,
        )  # fmt: skip

    async def __aenter__(self) -> RuntimeBench:
        self.runtime = await self._opening
        self._listening = self.runtime.subscribe(self._hear)
        self._listening.__enter__()
        if self._bind:
            await self.runtime.bind(mode="json")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.runtime.dispose()
        self._listening.__exit__(None, None, None)

    def _witness(self, pi: ExtensionAPI) -> None:
        self.notes.append("FACTORY")
        for event in LIFE:
            pi.on(event, self._note, optional=True, first=True)

    def _note(self, event: Any, ctx: Any) -> None:
        wire = {name: value for name, value in to_wire(event).items() if name not in ("type", "cwd")}
        self.notes.append(" ".join([event.event_name, *map(str, wire.values())]))
        self._changed.set()

    def _hear(self, event: SessionEvent) -> None:
        self.events.append(event)
        self._changed.set()

    async def until(self, beginning: str) -> None:
        """Wait until a note, or the type of an event, begins so."""
        while not any(text.startswith(beginning) for text in [*self.notes, *(e.type for e in self.events)]):
            self._changed.clear()
            await self._changed.wait()

    def take_notes(self) -> list[str]:
        """What was noted since the last time."""
        taken, self.notes[:] = list(self.notes), []
        return taken

    async def say(self, text: str) -> None:
        """Say something to the present session, and wait until nothing goes on."""
        await self.runtime.session.prompt(text)
        await self.runtime.wait_for_idle()

    def user_extension(self, text: str, name: str = "ext.py") -> Path:
        """A file in the user's folder of extensions."""
        return write(self.folder / "agent" / "extensions" / name, text)

    @property
    def errors(self) -> list[tuple[str, str]]:
        """What failed: the event and the sentence."""
        return [(event.event, event.error) for event in self.events if isinstance(event, ExtensionError)]

    @property
    def found(self) -> list[str]:
        """Codes of the findings that were told."""
        return [event.diagnostic.code for event in self.events if isinstance(event, DiagnosticFound)]

    @property
    def file(self) -> Path:
        """The file of the present session."""
        return Path(self.runtime.session.parts.store.session_file or "")


def write(path: Path, text: str) -> Path:
    """A file without common indentation, its folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path
