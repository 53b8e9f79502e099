"""The reference of the hooks, from the specifications, the laws and the classes of events and answers.

Pure.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from importlib import import_module
from typing import Any, Final

from hookspecs.events import EVENTS, event_class
from hookspecs.laws import LAWS, EventLaw
from hookspecs.specs import PiSpecs
from tests.docs.tables import NOTE, code, table

_HEAD: Final = """\
# Hooks

Every event that an extension may hear: `pi.on("NAME")` in a factory, or `@hookimpl def pi_NAME(event, ctx)`.
The laws and the policies for failures are explained in [Events](../events.md), with an example of each kind.

"""
_COPIES: Final = {
    "shared": "the caller's own event, the same for all",
    "shallow": "one shallow copy for all",
    "fresh": "an event for each handler, around the value of the one before",
    "messages": "an event for each handler; messages are copied once, for the first one",
    "options": "an event for each handler; options are copied once a run",
}


def hooks_page() -> str:
    """The whole page."""
    rows = [_row(LAWS[name]) for name in EVENTS]
    overview = table(("event", "law", "may answer", "on failure", "since"), rows)
    return "\n".join([_HEAD + overview, *(_section(LAWS[name]) for name in EVENTS)]) + NOTE


def _row(law: EventLaw) -> tuple[str, ...]:
    answers = ", ".join(map(code, law.answer)) or "nothing"
    return f"[`{law.event}`](#{law.event})", law.law, answers, law.on_failure, law.since


def _section(law: EventLaw) -> str:
    """One event: what its specification says, its fields, its answers with theirs."""
    cls = event_class(law.event)
    said = spoken(law.event)
    parts = [
        f"## {law.event}\n",
        f"{code(cls.__name__)}: {one_line(inspect.getdoc(cls) or '')}\n",
        *(f"- **{name}** {text}" for name, text in said.items()),
        f"- **Sees it as** {_COPIES[law.copy]}\n",
        _fields(cls) or "It has no fields.\n",
    ]
    module = import_module(EVENTS[law.event][0])
    for answer in law.answer:
        found = getattr(module, answer)
        parts += [f"{code(answer)}: {one_line(inspect.getdoc(found) or '')}\n", _fields(found)]
    return "\n".join(part for part in parts if part)


def spoken(event: str) -> dict[str, str]:
    """The parts of a specification's docstring, by name, in order."""
    text = one_line(inspect.getdoc(getattr(PiSpecs, f"pi_{event}")) or "")
    names = ("Fires", "Sees", "May answer", "Law", "On failure", "Since")
    found = re.split(rf"(?:^|(?<= ))({'|'.join(names)}): ", text)
    return {name: part.strip() for name, part in zip(found[1::2], found[2::2], strict=True)}


def _fields(cls: type[Any]) -> str:
    """A table of the fields that authors see."""
    seen = [spec for spec in dataclasses.fields(cls) if spec.metadata.get("wire", True)]
    rows = [(code(spec.name), code(one_line(str(spec.type))), _default(spec)) for spec in seen]
    return table(("field", "type", "without it"), rows)


def _default(spec: dataclasses.Field[Any]) -> str:
    if spec.default is not dataclasses.MISSING:
        return code(repr(spec.default))
    if spec.default_factory is not dataclasses.MISSING:
        return code(repr(spec.default_factory()))
    return "always there"


def one_line(text: str) -> str:
    """Without line breaks."""
    return " ".join(text.split())
