"""Which tools a session has, and which of them the model is offered.

Three sources rank by name: the host's own tools give way to those of extensions, and these to the
tools that an embedder hands in. A tool that appears for the first time is active at once, unless it
is one of the host's optional ones; a tool that replaces one of the same name keeps that one's state.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from hookspecs.definitions import ToolDefinition
from hookspecs.values import dataclass
from pi_pkg import Diagnostic

DEFAULT_ACTIVE: Final = ("read", "bash", "edit", "write")
"""The host's tools that are active without being asked for."""


ToolKind: TypeAlias = Literal["builtin", "extension", "sdk"]
"""Brought by the host, by an extension, or by the program that embeds the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFilter:
    """What the person or the embedder allows. Patterns match whole names, `*` any run of characters.

    `allowed` None allows all; a list also activates what it names. If every item of it starts with
    `+` or `-`, it edits the default selection and allows all.
    """

    allowed: tuple[str, ...] | None = None
    excluded: tuple[str, ...] = ()
    builtin: bool = True

    @property
    def edits(self) -> bool:
        """Whether `allowed` edits the default selection."""
        return bool(self.allowed) and all(item[:1] in "+-" for item in self.allowed or ())

    def admits(self, name: str) -> bool:
        """Whether a tool of this name may exist at all."""
        if any(fnmatchcase(name, pattern) for pattern in self.excluded):
            return False
        return self.allowed is None or self.edits or self.names(name)

    def names(self, name: str) -> bool:
        """Whether the list names this tool."""
        return any(fnmatchcase(name, pattern) for pattern in self.allowed or ())

    def selects(self, name: str, by_default: bool) -> bool:
        """Whether an admitted tool is active at first."""
        if self.allowed is None:
            return by_default
        if not self.edits:
            return True
        for item in self.allowed:
            if fnmatchcase(name, item[1:]):
                by_default = item.startswith("+")
        return by_default


def active_by_default(items: Sequence[str], name: str, *, builtin: bool) -> bool:
    """Whether a tool is active without being asked for, by the setting `default-tools`.

    Plain items name the host's tools that are; the tools of others are anyway. Then `+name` and `-name`
    add and take away, whosever they are, the last that fits counts. All may be patterns.
    """
    plain = [item for item in items if item[:1] not in ("+", "-")]
    active = not builtin or any(fnmatchcase(name, item) for item in plain or DEFAULT_ACTIVE)
    for item in items:
        if item[:1] in ("+", "-") and fnmatchcase(name, item[1:]):
            active = item[0] == "+"
    return active


class Toolset:
    """The tools of one session. `extension_tools` is asked again at every refresh.

    `defaults` is the setting `default-tools`.
    """

    def __init__(
        self,
        builtin: Mapping[str, ToolDefinition],
        extension_tools: Callable[[], Iterable[ToolDefinition]],
        custom: Sequence[ToolDefinition] = (),
        only: ToolFilter | None = None,
        defaults: Sequence[str] = (),
    ) -> None:
        self._builtin = builtin
        self._extension_tools = extension_tools
        self._custom = {tool.name: tool for tool in custom}
        self._filter = only or ToolFilter()
        self._defaults = tuple(defaults)
        self._all: dict[str, ToolDefinition] = {}
        self._active: list[str] = []
        self.refresh()

    def refresh(self) -> None:
        """Look at the registrations again; see the module's rule for what becomes active."""
        extension_tools = {tool.name: tool for tool in self._extension_tools()}
        builtin = self._builtin if self._filter.builtin else {}
        found = {**builtin, **extension_tools, **self._custom}
        found = {name: tool for name, tool in found.items() if self._filter.admits(name)}
        new = [name for name in found if name not in self._all]
        self._active = [name for name in self._active if name in found]
        for name in new:
            by_default = active_by_default(self._defaults, name, builtin=name in builtin)
            if self._filter.selects(name, by_default=by_default):
                self._active.append(name)
        self._all = found

    def all(self) -> tuple[ToolDefinition, ...]:
        """Every tool, the host's first, each name once."""
        return tuple(self._all.values())

    def get(self, name: str) -> ToolDefinition | None:
        """The tool of this name, active or not."""
        return self._all.get(name)

    def known_names(self) -> list[str]:
        """Names of all tools that anybody brought, admitted or not."""
        extension_tools = [tool.name for tool in self._extension_tools()]
        return list(dict.fromkeys([*self._builtin, *extension_tools, *self._custom]))

    def findings(self) -> list[Diagnostic]:
        """A finding for each name in the filter that no tool has; a pattern may fit nothing."""
        known = self.known_names()
        asked = [item.lstrip("+-") for item in self._filter.allowed or ()]
        return [
            _unknown(name, known)
            for name in dict.fromkeys([*asked, *self._filter.excluded])
            if name not in known and not any(mark in name for mark in "*?[")
        ]

    def kind_of(self, name: str) -> ToolKind:
        """Who brought the tool of this name."""
        tool = self._all.get(name)
        if tool is not None and tool is self._custom.get(name):
            return "sdk"
        return "builtin" if tool is not None and tool is self._builtin.get(name) else "extension"

    def is_builtin(self, name: str) -> bool:
        """Whether the tool of this name is the host's own, not a replacement."""
        return self._all.get(name) is self._builtin.get(name) is not None

    @property
    def active_names(self) -> list[str]:
        """Names of the active tools, in order, each once. The list is the caller's."""
        return list(self._active)

    def active(self) -> list[ToolDefinition]:
        """The active tools, in order."""
        return [self._all[name] for name in self._active]

    def take_over(self, names: Iterable[str]) -> None:
        """Go on where another set of tools was: what was active is, and so is every tool of an extension."""
        self.set_active([*names, *(tool.name for tool in self._extension_tools())])

    def set_active(self, names: Iterable[str]) -> None:
        """Choose anew: order kept, unknown names dropped, repeated ones taken once."""
        self._active = list(dict.fromkeys(name for name in names if name in self._all))


def _unknown(name: str, known: Sequence[str]) -> Diagnostic:
    """An extension may still bring the tool later, so this speaks of the start alone."""
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known) or 'no tools'}."
    return Diagnostic(
        "warning", "tool-unknown", "session", f"at the start there is no tool {name}", hint=hint
    )
