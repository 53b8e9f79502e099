"""Which tools there are, and which are active."""

from __future__ import annotations

from typing import Any

import pytest

from hookspecs.definitions import ToolDefinition
from pi_core.session.toolset import ToolFilter, Toolset


async def nothing(*_: Any) -> Any:
    """A tool that does nothing."""


def tool(name: str, description: str = "builtin") -> ToolDefinition:
    return ToolDefinition(name=name, description=description, parameters={"type": "object"}, execute=nothing)


BUILTIN = {name: tool(name) for name in ("read", "bash", "edit", "write", "grep")}


def toolset(extension: list[ToolDefinition], only: ToolFilter | None = None, custom: Any = ()) -> Toolset:
    return Toolset(BUILTIN, lambda: extension, custom, only)


def test_a_tool_registered_later_is_active_at_once() -> None:
    """G01: the four default tools and t1 are active, then t2 too."""
    registered = [tool("t1")]
    tools = toolset(registered)
    assert ["read", "bash", "edit", "write", "t1"] == tools.active_names
    registered.append(tool("t2"))
    tools.refresh()
    assert ["read", "bash", "edit", "write", "t1", "t2"] == tools.active_names


def test_a_choice_takes_known_names_once() -> None:
    """G02: unknown names are dropped, repeated ones are taken once, order is kept."""
    tools = toolset([tool("t2")])
    tools.set_active(["read", "t2", "ghost", "t2"])
    assert ["read", "t2"] == tools.active_names


def test_a_tool_registered_again_keeps_its_state() -> None:
    """G03: an inactive tool stays inactive when its definition is replaced."""
    registered = [tool("t1", "old")]
    tools = toolset(registered)
    tools.set_active(["read"])
    registered[0] = tool("t1", "new")
    tools.refresh()
    assert (["read"], "new") == (tools.active_names, tools.get("t1").description)  # type: ignore[union-attr]  # known


def test_an_optional_builtin_that_is_replaced_stays_inactive() -> None:
    """G04: grep of an extension is there, and as inactive as the host's own was."""
    registered: list[ToolDefinition] = []
    tools = toolset(registered)
    registered.append(tool("grep", "extension"))
    tools.refresh()
    assert ("grep" in tools.active_names, tools.is_builtin("grep")) == (False, False)


def test_a_list_of_allowed_tools_hides_later_ones() -> None:
    """G05: a tool outside the list does not exist, whenever it is registered."""
    registered = [tool("t1")]
    tools = toolset(registered, ToolFilter(allowed=("read", "t1")))
    registered.append(tool("t3"))
    tools.refresh()
    assert ["read", "t1"] == [found.name for found in tools.all()]


def test_excluded_tools_do_not_exist() -> None:
    """G06: what is excluded is neither listed nor active."""
    tools = toolset([tool("t1")], ToolFilter(excluded=("bash", "t1")))
    assert not {"bash", "t1"} & ({found.name for found in tools.all()} | set(tools.active_names))


def test_who_replaces_whom() -> None:
    """G07: an embedder's tool stands before an extension's, an extension's before the host's."""
    tools = toolset([tool("t1", "extension"), tool("read", "extension")], custom=[tool("t1", "custom")])
    assert ["extension", "custom"] == [tools.get(name).description for name in ("read", "t1")]  # type: ignore[union-attr]  # known


@pytest.mark.parametrize(
    ("only", "active"),
    [
        (ToolFilter(allowed=()), []),
        (ToolFilter(allowed=("grep",)), ["grep"]),
        (ToolFilter(allowed=("t*",)), ["t1"]),
        (ToolFilter(allowed=("+grep", "-bash")), ["read", "edit", "write", "grep", "t1"]),
        (ToolFilter(builtin=False), ["t1"]),
        (ToolFilter(excluded=("*",)), []),
    ],
    ids=["none", "optional", "pattern", "edits", "no builtin", "exclude all"],
)
def test_what_the_filter_leaves_active(only: ToolFilter, active: list[str]) -> None:
    """A list allows and activates; signs edit the default; an empty list is no tool at all."""
    assert active == toolset([tool("t1")], only).active_names


@pytest.mark.parametrize(
    ("defaults", "active"),
    [
        ([], ["read", "bash", "edit", "write", "t1"]),
        (["read", "grep"], ["read", "grep", "t1"]),
        (["+grep", "-write"], ["read", "bash", "edit", "grep", "t1"]),
        (["read", "+b*", "-t1"], ["read", "bash"]),
        (["*", "-*", "+read"], ["read"]),
        (["nothing"], ["t1"]),
    ],
)
def test_the_setting_says_what_is_active_by_default(defaults: list[str], active: list[str]) -> None:
    """`default-tools`: plain items choose among the host's tools, `+` and `-` change it for everybody's."""
    tools = Toolset(BUILTIN, lambda: [tool("t1")], defaults=defaults)
    assert sorted(active) == sorted(tools.active_names)


def test_the_command_line_edits_what_the_setting_says() -> None:
    """`-t +grep` stands on the setting, `-t grep` in its place; what is off can still be activated."""
    edited = Toolset(BUILTIN, list, only=ToolFilter(allowed=("+grep",)), defaults=["read"])
    chosen = Toolset(BUILTIN, list, only=ToolFilter(allowed=("grep",)), defaults=["read"])
    assert (["read", "grep"], ["grep"]) == (edited.active_names, chosen.active_names)
    edited.set_active(["write"])
    assert ["write"] == edited.active_names
