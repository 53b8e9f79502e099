"""The user interface of a session that a client shows: dialogs are questions to it, displays are notes.

A dialog ends by the client's answer, its time limit, its signal, an abort, or the end of the session. An
answer that comes late, twice or for nothing is passed over. One that was not offered is no answer.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from hookspecs.ui import Placement, Severity, UIUnavailable
from pi_core.extensions.headless import HeadlessUI

SHOWN: Final = frozenset(
    {
        "select", "confirm", "input", "editor", "notify", "set_status", "set_widget", "set_title",
        "set_editor_text", "paste_to_editor",
    }
)  # fmt: skip
"""What reaches the client. Everything that is made of components does not."""
_DIALOGS: Final = frozenset({"select", "confirm", "input", "editor"})
_PLACEMENTS: Final[Mapping[Placement, str]] = {"above": "aboveEditor", "below": "belowEditor"}

Write: TypeAlias = Callable[[Mapping[str, Any]], None]
NotOffered: TypeAlias = Callable[[str, str], None]
"""Is told of an answer that is none: the kind of dialog, and what is wrong."""
_Silence: TypeAlias = Literal["cancelled", "unavailable"]


class RpcUI(HeadlessUI):
    """Implements `UI`. `limit_s` ends dialogs that have no limit of their own; None waits for ever."""

    def __init__(self, write: Write, not_offered: NotOffered, limit_s: float | None = None) -> None:
        super().__init__("rpc")
        self._write = write
        self._not_offered = not_offered
        self._limit_s = limit_s
        self._asked: dict[str, _Dialog] = {}
        self._statuses: dict[str, None] = {}
        self._widgets: dict[str, None] = {}
        self._gone = False

    def can(self, method: str) -> bool:
        """Whether the client shows it, and is still there to answer."""
        return method in SHOWN and not (self._gone and method in _DIALOGS)

    # what the client says

    def answer(self, record: Mapping[str, Any]) -> None:
        """Take an answer in; one to a dialog that is not open any more is passed over."""
        dialog = self._asked.get(str(record.get("id")))
        if dialog is None:
            return
        wrong = dialog.take(record)
        if wrong is not None:
            self._not_offered(dialog.method, wrong)

    def cancel(self) -> None:
        """End every open dialog as if the person had."""
        self._end("cancelled")

    def leave(self) -> None:
        """The client is gone: nobody answers any more."""
        self._gone = True
        self._end("unavailable")

    def clear(self) -> None:
        """The extensions give way to others: end their dialogs and take away what they show."""
        self.cancel()
        if not self._gone:
            for key in tuple(self._statuses):
                self.set_status(key, None)
            for key in tuple(self._widgets):
                self.set_widget(key, None)

    def _end(self, silence: _Silence) -> None:
        for dialog in tuple(self._asked.values()):
            dialog.end(silence)

    # dialogs

    async def select(
        self,
        title: str,
        options: Sequence[str],
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """One of the options; None if nobody chose."""
        offered = [str(option) for option in options]
        dialog = _Dialog("select", {"title": title, "options": offered}, "value", offered)
        answer: str | None = await self._ask(dialog, timeout_s, signal, strict)
        return answer

    async def confirm(
        self,
        title: str,
        message: str = "",
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> bool:
        """True only if the client says so."""
        dialog = _Dialog("confirm", {"title": title, "message": message}, "confirmed")
        return bool(await self._ask(dialog, timeout_s, signal, strict))

    async def input(
        self,
        title: str,
        placeholder: str | None = None,
        *,
        timeout_s: float | None = None,
        signal: Any = None,
        strict: bool = False,
    ) -> str | None:
        """What was typed, which may be empty; None if nobody did."""
        dialog = _Dialog("input", {"title": title, "placeholder": placeholder}, "value")
        answer: str | None = await self._ask(dialog, timeout_s, signal, strict)
        return answer

    async def editor(self, title: str, prefill: str = "", *, strict: bool = False) -> str | None:
        """The text as it was left; None if it was dismissed."""
        dialog = _Dialog("editor", {"title": title, "prefill": prefill}, "value")
        answer: str | None = await self._ask(dialog, None, None, strict)
        return answer

    async def _ask(self, dialog: _Dialog, timeout_s: float | None, signal: Any, strict: bool) -> Any:
        """The answer, or None. Raises: UIUnavailable if `strict` and nobody could answer."""
        limit_s = self._limit_s if timeout_s is None else timeout_s
        if self._gone:
            dialog.end("unavailable")
        elif (signal is not None and signal.aborted) or (timeout_s is not None and timeout_s <= 0):
            dialog.end("cancelled")
        else:
            self._asked[dialog.id] = dialog
            self._write(dialog.request(limit_s))
        try:
            outcome = await dialog.outcome(limit_s, signal, by_host=timeout_s is None)
        finally:
            self._asked.pop(dialog.id, None)
        if outcome == "unavailable" and strict:
            raise UIUnavailable(dialog.method, self._mode)
        return dialog.answer

    # displays

    def notify(self, message: str, level: Severity = "info") -> None:
        """A message that needs no answer."""
        self._show("notify", message=str(message), notifyType=level)

    def set_status(self, key: str, text: str | None) -> None:
        """A line of the status bar; None takes it away."""
        _keep(self._statuses, key, text)
        self._show("setStatus", statusKey=key, statusText=text)

    def set_widget(self, key: str, content: Any, *, placement: Placement = "above") -> None:
        """Lines of text beside the editor; None takes them away. A component cannot be shown."""
        if callable(content):
            return
        lines = None if content is None else _lines(content)
        _keep(self._widgets, key, lines)
        where = None if lines is None else _PLACEMENTS.get(placement, placement)
        self._show("setWidget", widgetKey=key, widgetLines=lines, widgetPlacement=where)

    def set_title(self, title: str) -> None:
        """The title of the client's window."""
        self._show("setTitle", title=str(title))

    def set_editor_text(self, text: str) -> None:
        """What stands in the client's editor."""
        self._show("set_editor_text", text=str(text))

    def paste_to_editor(self, text: str) -> None:
        """The same: a client has no other way to put text into its editor."""
        self.set_editor_text(text)

    def set_theme(self, theme: Any) -> Any:
        """Says why nothing happened."""
        return {"success": False, "error": "Theme switching not supported in RPC mode"}

    def _show(self, method: str, **fields: Any) -> None:
        self._write(_request(_new_id(), method, fields))


class _Dialog:
    """One question. `key` is the field of its answer; with `offered`, only these values are one."""

    def __init__(
        self, method: str, fields: Mapping[str, Any], key: str, offered: Sequence[str] | None = None
    ) -> None:
        self.id = _new_id()
        self.method = method
        self.answer: Any = None
        self._fields = fields
        self._key = key
        self._offered = offered
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[_Silence | Literal["answered"]] = self._loop.create_future()

    def request(self, timeout_s: float | None) -> dict[str, Any]:
        """The record that asks. Its time limit is in milliseconds."""
        timeout = None if timeout_s is None else max(1, round(timeout_s * 1000))
        return _request(self.id, self.method, {**self._fields, "timeout": timeout})

    def take(self, record: Mapping[str, Any]) -> str | None:
        """Take the client's answer. Returns what is wrong if it is none; the dialog has ended anyway."""
        if self._ended.done():
            return None
        if record.get("cancelled"):
            self.end("cancelled")
            return None
        value = record.get(self._key)
        wanted: type = bool if self._key == "confirmed" else str
        if not isinstance(value, wanted):
            self.end("unavailable")
            return f'the answer has no "{self._key}" that is a {"boolean" if wanted is bool else "string"}'
        if self._offered is not None and value not in self._offered:
            self.end("unavailable")
            return f"the answer {value!r} was not among the options"
        self.answer = value
        self._ended.set_result("answered")
        return None

    def end(self, silence: _Silence) -> None:
        """End it without an answer."""
        if not self._ended.done():
            self._ended.set_result(silence)

    async def outcome(self, limit_s: float | None, signal: Any, *, by_host: bool) -> str:
        """How it ended. A limit that the host set stands for a client that does not answer."""
        silence: _Silence = "unavailable" if by_host else "cancelled"
        timer = None if limit_s is None else self._loop.call_later(limit_s, self.end, silence)
        off = None if signal is None else signal.on_abort(self._end_from_anywhere)
        try:
            return await self._ended
        finally:
            if timer is not None:
                timer.cancel()
            if off is not None:
                off()

    def _end_from_anywhere(self) -> None:
        self._loop.call_soon_threadsafe(self.end, "cancelled")


def _new_id() -> str:
    from uuid import uuid4  # start-up time: no answer waits for it

    return str(uuid4())


def _request(own_id: str, method: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A record for the client; fields that are None are left out."""
    given = {name: value for name, value in fields.items() if value is not None}
    return {"type": "extension_ui_request", "id": own_id, "method": method, **given}


def _lines(content: Any) -> list[str]:
    return content.split("\n") if isinstance(content, str) else [str(line) for line in content]


def _keep(shown: dict[str, None], key: str, value: Any) -> None:
    """Remember what is shown, to be taken away with the extensions."""
    if value is None:
        shown.pop(key, None)
    else:
        shown[key] = None
