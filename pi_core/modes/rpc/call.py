"""A command in progress: what was given, whom it concerns, and the one answer that it gets.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from hookspecs.values import dataclass
from pi_core.errors import AgentError
from pi_core.modes.base import json_line
from pi_core.modes.rpc.records import Records
from pi_core.modes.rpc.ui import RpcUI
from pi_core.session.runtime import SessionRuntime
from pi_core.session.session import Session

Kind: TypeAlias = Literal["string", "boolean", "array"]

_TYPES: Final[Mapping[Kind, type]] = {"string": str, "boolean": bool, "array": list}


class RefusedError(AgentError):
    """A command that cannot be done, in a sentence for the client."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a command. With `choices`, only these values are accepted."""

    name: str
    kind: Kind = "string"
    required: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Data:
    """An answer whose JSON text stands already, for what is nested too deeply to be written at once."""

    text: str


class Call:
    """One command of the client. `given` holds its fields, checked; fields that it does not know stay."""

    def __init__(
        self, runtime: SessionRuntime, records: Records, ui: RpcUI, given: Mapping[str, Any]
    ) -> None:
        self.runtime = runtime
        self.records = records
        self.ui = ui
        self.given = given
        self.answered = asyncio.Event()

    @property
    def session(self) -> Session:
        """The session of this moment: it may be another one later."""
        return self.runtime.session

    @property
    def envelope(self) -> dict[str, Any]:
        """What ties a record to this command: its id, as it was given, if there was one."""
        return {"id": self.given["id"]} if "id" in self.given else {}

    def succeed(self, data: Any = None) -> None:
        """Answer that it is done; of several answers the first counts."""
        if self.answered.is_set():
            return
        self.answered.set()
        head = response(self.envelope, self.given["type"], success=True)
        if isinstance(data, Data):
            self.records.write_line(f'{json_line(head)[:-2]},"data":{data.text}}}\n')
        else:
            self.records.write(head if data is None else {**head, "data": data})

    def fail(self, error: str) -> None:
        """Answer that it is not done."""
        if not self.answered.is_set():
            self.answered.set()
            self.records.write(response(self.envelope, self.given["type"], success=False, error=error))


Handler: TypeAlias = Callable[[Call], Awaitable[Any]]
"""Does what a command asks for and returns the data of the answer; None: the answer has no data."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command that the client may send."""

    name: str
    run: Handler
    fields: tuple[Field, ...] = ()

    def mistake(self, given: Mapping[str, Any]) -> str | None:
        """What is wrong with the fields, if anything. A field that is null counts as left out."""
        for field in self.fields:
            value = given.get(field.name)
            if value is None:
                if field.required:
                    return f'{self.name} needs "{field.name}"'
            elif not isinstance(value, _TYPES[field.kind]):
                return f'"{field.name}" of {self.name} must be {_an(field.kind)}'
            elif field.choices and value not in field.choices:
                return f'"{field.name}" of {self.name} must be one of {", ".join(field.choices)}'
        return None


def response(
    envelope: Mapping[str, Any], command: str, *, success: bool, error: str | None = None
) -> dict[str, Any]:
    """The record that answers a command."""
    record = {**envelope, "type": "response", "command": command, "success": success}
    return record if error is None else {**record, "error": error}


def _an(kind: Kind) -> str:
    return f"an {kind}" if kind == "array" else f"a {kind}"
