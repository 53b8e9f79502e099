"""Recorded handler programs: their little language, run as real handlers against the real dispatcher.

Pure.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from hookspecs import UNSET, ReplacePayload, event_class
from pi_core.dispatch import Handler, Plan, Report, dispatch, law_for

JSON = Any
Row = dict[str, Any]
Function = Callable[[Any, Any], Any]


class Operations:
    """Stands for an object with a callable `exec`."""

    def __init__(self, label: str) -> None:
        self.label = label

    def exec(self) -> str:
        return self.label


@dataclass
class Recorder:
    """What a run of a program left behind, in the order in which it happened."""

    calls: list[str] = field(default_factory=list)
    seen: list[list[Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)


class Door(Protocol):
    """Where handlers are registered and events are dispatched."""

    def add(self, extension: str, event: str, function: Function) -> Callable[[], None]:
        """Register a handler; returns what takes it off again."""
        ...

    async def emit(self, event: Any, report: Report) -> Any:
        """Tell everybody who listens now."""
        ...


class PlanDoor:
    """The dispatcher by itself: a list of handlers for each extension, a plan made for each event."""

    def __init__(self, extensions: list[str]) -> None:
        self.registered: dict[str, list[Handler]] = {name: [] for name in extensions}

    def add(self, extension: str, event: str, function: Function) -> Callable[[], None]:
        handler = Handler(function, extension, event)
        self.registered[extension].append(handler)

        def remove() -> None:
            if handler in self.registered[extension]:
                self.registered[extension].remove(handler)

        return remove

    async def emit(self, event: Any, report: Report) -> Any:
        name = event.event_name
        plan = Plan(tuple(h for kept in self.registered.values() for h in kept if h.event == name))
        return await dispatch(event, plan, None, law_for(name), report)


@dataclass
class Program:
    """The extensions of a row with their live registrations; one run per dispatch."""

    row: Row
    door: Door
    recorder: Recorder = field(default_factory=Recorder)
    removals: dict[str, Callable[[], None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for extension in self.row["extensions"]:
            for index, spec in enumerate(extension["handlers"]):
                self.register(extension["name"], f"{extension['name']}.{index}", spec)

    def register(self, extension: str, name: str, spec: dict[str, Any]) -> None:
        event: str = spec["event"] if "event" in spec else self.row["event"]
        self.removals[name] = self.door.add(extension, event, self.function(name, spec))

    def function(self, name: str, spec: dict[str, Any]) -> Callable[[Any, Any], Any]:
        if spec["async"]:

            async def asynchronous(event: Any, ctx: Any) -> Any:
                self.recorder.calls.append(name)
                return await Interpreter(self, name, event, ctx).run(spec["ops"])

            return asynchronous

        def synchronous(event: Any, ctx: Any) -> Any:
            self.recorder.calls.append(name)
            step = Interpreter(self, name, event, ctx).run(spec["ops"])
            try:
                step.send(None)
            except StopIteration as stop:
                return stop.value
            raise AssertionError("a plain handler cannot wait")

        return synchronous

    def subscribe(self, op: dict[str, Any]) -> None:
        if op["as"] not in self.removals:
            self.register(op["extension"], op["as"], op["handler"])

    def unsubscribe(self, target: str) -> None:
        if target in self.removals:
            self.removals[target]()


@dataclass
class Interpreter:
    """One call of one handler."""

    program: Program
    name: str
    event: Any
    ctx: Any

    async def run(self, ops: list[dict[str, Any]]) -> Any:
        answer = await self._block(ops)
        return None if answer is UNSET else answer

    async def _block(self, ops: list[dict[str, Any]]) -> Any:
        for op in ops:
            answer = await self._step(op)
            if answer is not UNSET:
                return answer
        return UNSET

    async def _step(self, op: dict[str, Any]) -> Any:
        match op["op"]:
            case "tick":
                await asyncio.sleep(0)
            case "when":
                if same(plain(self.read(op["path"])), op["equals"]):
                    return await self._block(op["then"])
            case "return":
                return self._answer(op["value"])
            case "return_nothing":
                return None
            case "raise":
                raise RuntimeError(op["message"])
            case "raise_value":
                value = op["value"]
                raise RuntimeError(value if isinstance(value, str) else str(value).lower())
            case _:
                self._act(op)
        return UNSET

    def _act(self, op: dict[str, Any]) -> None:
        match op["op"]:
            case "read":
                value = plain(self.read(op["path"]))
                self.program.recorder.seen.append([self.name, ".".join(map(str, op["path"])), value])
            case "read_ctx_prompt":
                self.program.recorder.seen.append([self.name, "ctx.system_prompt", self._prompt()])
            case "set" | "delete":
                self._set(op["path"], self.value(op["value"]) if op["op"] == "set" else UNSET)
            case "append" | "insert" | "pop" | "clear":
                self._edit(op)
            case "subscribe":
                self.program.subscribe(op)
            case "unsubscribe":
                self.program.unsubscribe(op["target"])
            case unknown:
                raise AssertionError(f"unknown op {unknown}")

    def _prompt(self) -> Any:
        """The system prompt as the context gives it; without a context the event has to do."""
        return self.event.system_prompt if self.ctx is None else self.ctx.get_system_prompt()

    def _answer(self, template: JSON) -> Any:
        """An explicit null is an answer to before_provider_request, and none elsewhere."""
        value = self.value(template)
        if value is None and self.program.row["family"] == "before_provider_request":
            return ReplacePayload(None)
        return value

    def read(self, path: list[Any]) -> Any:
        current = getattr(self.event, attribute(path[0]), None)
        for key in path[1:]:
            current = child(current, key)
        return current

    def _set(self, path: list[Any], value: Any) -> None:
        if len(path) == 1:
            setattr(self.event, attribute(path[0]), None if value is UNSET else value)
            return
        container, key = self.read(path[:-1]), path[-1]
        if isinstance(container, dict) and isinstance(key, str):
            if value is UNSET:
                container.pop(key, None)
            else:
                container[key] = value
        elif isinstance(container, list) and isinstance(key, int) and key < len(container):
            container[key] = value

    def _edit(self, op: dict[str, Any]) -> None:
        target = self.read(op["path"])
        if not isinstance(target, list):
            return
        match op["op"]:
            case "append":
                target.append(self.value(op["value"]))
            case "insert":
                target.insert(op["index"], self.value(op["value"]))
            case "pop":
                if target:
                    target.pop()
            case _:
                target.clear()

    def value(self, template: JSON) -> Any:
        """A fresh value from its template."""
        if isinstance(template, list):
            return [self.value(item) for item in template]
        if not isinstance(template, dict):
            return template
        if len(template) == 1:
            ((key, argument),) = template.items()
            if key.startswith("$"):
                return self._special(key, argument)
        return {key: self.value(item) for key, item in template.items()}

    def _special(self, key: str, argument: Any) -> Any:
        match key:
            case "$get":
                return self.read(argument)
            case "$copy":
                return copy.deepcopy(self.read(argument))
            case "$cat":
                parts = [self.value(part) for part in argument]
                return "".join(part for part in parts if isinstance(part, str))
            case "$join":
                lists = [self.value(part) for part in argument]
                return [item for part in lists if isinstance(part, list) for item in part]
            case "$slice":
                source = self.read(argument["path"])
                return source[argument["start"] : argument["end"]] if isinstance(source, list) else []
            case "$undefined":
                return None
            case "$operations":
                return Operations(argument)
            case _:
                raise AssertionError(f"unknown template {key}")


def attribute(name: Any) -> str:
    return "continue_" if name == "continue" else str(name)


def child(container: Any, key: Any) -> Any:
    if isinstance(container, dict):
        return container.get(key)
    if isinstance(container, list) and isinstance(key, int) and -len(container) <= key < len(container):
        return container[key]
    return None


def plain(value: Any) -> Any:
    """A deep copy of JSON data, with operations written as their marker."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return {"$operations": value.label} if isinstance(value, Operations) else value


def same(left: Any, right: Any) -> bool:
    """Deep JSON equality that tells True from 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def without_nulls(value: Any) -> Any:
    """The value with null-valued keys dropped at its top level: absent and null are one here."""
    return {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value


Render = Callable[[dict[str, Any]], str]


def build_event(row: Row, given: dict[str, Any], render: Render, preview: Callable[[Any], Any]) -> Any:
    """The event that the host would emit for the input of a row."""
    kind = event_class(row["event"])
    match row["family"]:
        case "before_agent_start":
            values = {name: value for name, value in given.items() if name != "options"}
            options = given["options"]
            return kind(**values, system_prompt=render(options), system_prompt_options=options, render=render)
        case "boundary":
            return kind(**given, preview=preview)
        case _:
            return kind(**given)
