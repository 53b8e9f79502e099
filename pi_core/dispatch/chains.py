"""The laws in which each handler sees what the one before made of it.

Every handler gets an event of its own around the threaded value, so that assigning a
field of the event changes nothing; only an answer does, and edits in place of a list or
object that the event holds.

Pure.
"""

from __future__ import annotations

from operator import is_not
from typing import Any

from hookspecs.values import dataclass
from pi_core.dispatch.algebra import BaseFold, BaseLaw, Fold
from pi_core.dispatch.copying import copy_messages
from pi_core.dispatch.fields import another, get
from pi_core.dispatch.outcomes import InputOutcome, ToolResultPatch
from pi_core.dispatch.plan import Handler, Report, Wrapper
from pi_core.dispatch.system_messages import is_system, merged_head, system_messages


@dataclass(frozen=True, slots=True)
class InputChain(BaseLaw):
    """Text and images are passed on; a handler that handled the input ends the dispatch."""

    def begin(self, event: Any, report: Report) -> Fold:
        return InputFold(self, event, report)

    def nobody(self, event: Any) -> InputOutcome:
        return InputOutcome("continue", event.text, event.images)

    def is_result(self, value: Any) -> bool:
        return isinstance(value, InputOutcome)


class InputFold(BaseFold):
    """The result is "transform" only if the text, or the identity of the images, changed."""

    __slots__ = ("extra", "images", "text")

    fresh = True

    def __init__(self, law: InputChain, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.text: str = event.text
        self.images: Any = event.images
        self.extra: dict[str, Any] | None = None

    def hand(self) -> Any:
        return another(self.event, {"text": self.text, "images": self.images})

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler)
        if not found:
            return False
        action = found.get("action")
        if action == "handled":
            self.extra = {name: value for name, value in found.items() if name != "action"}
            return True
        if action == "transform":
            self._transform(found, handler)
        elif action != "continue":
            self.wrong(handler, f"input has no action {action!r}; there are transform, handled and continue")
        return False

    def _transform(self, found: dict[str, Any], handler: Handler | Wrapper) -> None:
        text = found.get("text")
        if not isinstance(text, str):
            self.wrong(handler, "a transform of the input needs its text")
            return
        self.text = text
        if found.get("images") is not None:
            self.images = found["images"]

    def end(self) -> InputOutcome:
        if self.extra is not None:
            return InputOutcome("handled", self.text, self.images, self.extra)
        same = self.text == self.event.text and self.images is self.event.images
        return InputOutcome("continue" if same else "transform", self.text, self.images)


@dataclass(frozen=True, slots=True)
class MessagesChain(BaseLaw):
    """Messages are copied once, for the first listener, and passed on; edits in place count.

    With `hide_system`, system messages are kept aside and come back as one, at the head.
    The result is a list of messages.
    """

    hide_system: bool = True

    def begin(self, event: Any, report: Report) -> Fold:
        return (MessagesFold if self.hide_system else WholeTranscriptFold)(self, event, report)

    def nobody(self, event: Any) -> Any:
        return event.messages

    def is_result(self, value: Any) -> bool:
        return isinstance(value, list)


class MessagesFold(BaseFold):
    """`transcript` is what counts; handlers see `handed`, a list of its messages but for system ones.

    A handler that raises, or answers with something else than a list, loses its edits of the
    list, not those inside messages. While nobody changes the list, system messages keep their
    places; after a change they stand at the head, merged with those that the handler added.

    As most handlers leave list and event as they were, the next one gets the very same ones: what
    the one before left is looked at first, by its equality with `visible`, the list as it was.
    """

    __slots__ = ("handed", "pocket", "shared", "size", "systems", "transcript", "visible")

    fresh = True

    def __init__(self, law: MessagesChain, event: Any, report: Report) -> None:
        self.law, self.event, self.report = law, event, report  # a call of `super` would be felt here
        self.transcript: list[Any] = copy_messages(event.messages)
        self.systems: list[Any] = []
        self.visible: list[Any] = self.transcript
        self.handed: list[Any] | None = None
        self.shared: Any = None
        self.pocket: dict[str, Any] = {}
        self.size = 0

    def hand(self) -> Any:
        handed, pocket = self.handed, self.pocket
        try:
            if handed == self.visible and pocket["messages"] is handed and len(pocket) == self.size:
                return self.shared
        except Exception:  # noqa: BLE001 - an author's object may do anything when it is compared
            pass
        if handed is not None:
            self._take(handed)
        self._lay_out()
        return self.shared

    def view(self) -> Any:
        event = self.hand()
        self.handed = None  # what wrappers do to their list is their own affair
        return event

    def _lay_out(self) -> None:
        """Make a list and an event for the next handlers."""
        self.systems = system_messages(self.transcript)
        if self.systems:
            self.visible = [message for message in self.transcript if not is_system(message)]
        else:
            self.visible = self.transcript
        self.handed = self.visible.copy()
        self.shared = another(self.event, {"messages": self.handed})
        self.pocket = self.shared.__dict__
        self.size = len(self.pocket)

    def _take(self, messages: list[Any]) -> None:
        """Let a list of a handler count."""
        if not self.systems:
            self.transcript = messages
        elif len(messages) != len(self.visible) or any(map(is_not, messages, self.visible)):
            added = [message for message in messages if is_system(message)]
            rest = [message for message in messages if not is_system(message)] if added else messages
            self.transcript = [merged_head([*self.systems, *added]), *rest]

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        edited = self.visible if self.handed is None else self.handed
        messages = self.answered(answer, handler, edited)
        self.handed = None
        self._take(messages)
        return False

    def failed(self, handler: Handler) -> None:
        self.handed = None

    def answered(self, answer: Any, handler: Handler | Wrapper, edited: list[Any]) -> list[Any]:
        """The list that a handler answered with, or else the one that it was handed and may have edited."""
        found = self.read(answer, handler)
        messages = found.get("messages") if found else None
        if messages is None:
            return edited
        if not isinstance(messages, (list, tuple)):
            self.wrong(handler, f"messages must be a list and is a {type(messages).__name__}")
            return self.visible
        return messages if isinstance(messages, list) else list(messages)

    def end(self) -> list[Any]:
        if self.handed is not None:
            self._take(self.handed)
            self.handed = None
        return self.transcript


class WholeTranscriptFold(MessagesFold):
    """System messages stay in sight; dropping the leading one is reported and obeyed.

    Every handler edits the one list, so what it did before it raised stays done.
    """

    __slots__ = ("led",)

    silence = True

    def hand(self) -> Any:
        self.visible = self.transcript
        self.led = _leads(self.transcript)
        return another(self.event, {"messages": self.transcript})

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        self.transcript = self.answered(answer, handler, self.transcript)
        if self.led and not _leads(self.transcript):
            what = "the leading system message was removed; the request goes without"
            self.note(handler, "system-head-removed", what)
        return False


def _leads(messages: list[Any]) -> bool:
    return bool(messages) and is_system(messages[0])


@dataclass(frozen=True, slots=True)
class PayloadChain(BaseLaw):
    """Any value but None replaces the payload; ReplacePayload says None as well."""

    def begin(self, event: Any, report: Report) -> Fold:
        return PayloadFold(self, event, report)

    def nobody(self, event: Any) -> Any:
        return event.payload

    def is_result(self, value: Any) -> bool:
        return not isinstance(value, self.shape.classes)


class PayloadFold(BaseFold):
    """Holds the payload, which handlers may also edit in place."""

    __slots__ = ("payload",)

    fresh = True

    def __init__(self, law: PayloadChain, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.payload = event.payload

    def hand(self) -> Any:
        return another(self.event, {"payload": self.payload})

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        if isinstance(answer, self.law.shape.classes):
            self.payload = getattr(answer, "payload")  # noqa: B009 - the class is data here
        elif answer is not None:
            self.payload = answer
        return False

    def end(self) -> Any:
        return self.payload


@dataclass(frozen=True, slots=True)
class ResultChain(BaseLaw):
    """Each set field of an answer overwrites the running result; None is a value.

    All handlers share one shallow copy of the event. The result is a ToolResultPatch with
    the whole running result, or None if nobody patched it.
    """

    def begin(self, event: Any, report: Report) -> Fold:
        return ResultFold(self, event, report)

    def is_result(self, value: Any) -> bool:
        return value is None or isinstance(value, ToolResultPatch)


class ResultFold(BaseFold):
    """What handlers assign to the shared copy counts only once somebody answers with a patch."""

    __slots__ = ("patched",)

    fresh = True

    def __init__(self, law: ResultChain, event: Any, report: Report) -> None:
        super().__init__(law, another(event, {}), report)
        self.patched = False

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler) or {}
        patch = {name: value for name, value in found.items() if name in self.law.shape.known}
        if "content" in patch and "structured_content" not in patch:
            patch["structured_content"] = None
        if patch:
            self.patched = True
            self.event.__dict__.update(patch)
        return False

    def end(self) -> ToolResultPatch | None:
        if not self.patched:
            return None
        event = self.event
        return ToolResultPatch(
            event.content, event.details, event.structured_content, event.is_error, event.usage
        )


@dataclass(frozen=True, slots=True)
class MessageChain(BaseLaw):
    """A message may be replaced by one of the same role. The result is the message, or None."""

    def begin(self, event: Any, report: Report) -> Fold:
        return MessageFold(self, event, report)

    def adopt(self, value: Any, event: Any, wrapper: Wrapper, report: Report) -> Any:
        """A wrapper may also give the message itself; its role is checked like any other."""
        answer = {"message": value} if get(value, "role") is not None else value
        return BaseLaw.adopt(self, answer, event, wrapper, report)


class MessageFold(BaseFold):
    """The role is read anew for each answer, since a handler may have edited it in place."""

    __slots__ = ("message", "replaced")

    fresh = True

    def __init__(self, law: MessageChain, event: Any, report: Report) -> None:
        super().__init__(law, event, report)
        self.message = event.message
        self.replaced = False

    def hand(self) -> Any:
        return another(self.event, {"message": self.message})

    def hear(self, answer: Any, handler: Handler | Wrapper) -> bool:
        found = self.read(answer, handler)
        message = found.get("message") if found else None
        if message is None:
            return False
        if get(message, "role") != get(self.message, "role"):
            what = "message_end handlers must return a message with the same role"
            self.note(handler, "role-changed", what)
        else:
            self.message = message
            self.replaced = True
        return False

    def end(self) -> Any:
        return self.message if self.replaced else None
