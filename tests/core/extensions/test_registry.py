"""Who wins a name, and that everybody else is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookspecs import ToolDefinition, ToolResult
from pi_core.extensions.registry import Registry
from tests.core.extensions.support import inline, load

Write = Callable[[Any], Any]


async def registry(*factories: Write) -> Registry:
    requests = [inline(factory, number) for number, factory in enumerate(factories, 1)]
    loaded = await load(*requests)
    assert loaded.errors == ()
    return Registry(loaded.extensions)


def tool(name: str, label: str) -> ToolDefinition:
    async def execute(*args: Any) -> ToolResult:
        return ToolResult()

    return ToolDefinition(name=name, description="", parameters={}, execute=execute, label=label)


def tools(*pairs: tuple[str, str]) -> Write:
    def factory(pi: Any) -> None:
        for name, label in pairs:
            pi.register_tool(tool(name, label))

    return factory


def commands(*names: str) -> Write:
    def factory(pi: Any) -> None:
        for name in names:
            pi.register_command(name, lambda args, ctx: None, description=name)

    return factory


async def test_within_an_extension_the_later_tool_counts_in_the_earlier_place() -> None:
    """L04: the last definition of a name, at the first one's position."""
    found = (await registry(tools(("a", "1"), ("b", "2"), ("a", "3")))).tools()
    assert [("a", "3"), ("b", "2")] == [(owned.value.name, owned.value.label) for owned in found]


async def test_among_extensions_the_first_tool_wins() -> None:
    """L05: by rank; the other is hidden and named in a warning."""
    found = await registry(tools(("t", "first")), tools(("t", "second")))
    assert "first" == found.find_tool("t").value.label  # type: ignore[union-attr] # it is there
    (clash,) = found.clashes()
    assert ("tool", "t", "<inline:2>", "<inline:1>") == (
        clash.kind, clash.name, clash.loser.path, clash.winner and clash.winner.path,
    )  # fmt: skip
    assert ("warning", "tool-clash", "<inline:2>") == (
        clash.diagnostic().severity, clash.diagnostic().code, clash.diagnostic().path,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("names", "invocations"),
    [
        ([["review"], ["review", "x"], ["review"]], ["review:1", "review:2", "x", "review:3"]),
        ([["r:1"], ["r"], ["r"]], ["r:1", "r:2", "r:3"]),
        ([["r"], ["r"], ["r:1"], ["r:2"]], ["r:1", "r:2", "r:1:2", "r:2:2"]),
        ([["a"], ["b"]], ["a", "b"]),
    ],
)
async def test_commands_of_one_name_are_numbered(names: list[list[str]], invocations: list[str]) -> None:
    """L06, L07, L08: all are kept, numbered by rank, stepping over literal names."""
    found = await registry(*(commands(*group) for group in names))
    assert invocations == [command.invocation for command in found.commands()]


async def test_the_bare_name_goes_to_the_first() -> None:
    """L06, as designed: after a clash the bare name is the first by rank, each number its own."""
    found = await registry(commands("x"), commands("review"), commands("review"))
    owners = [found.find_command(name) for name in ("review", "review:1", "review:2")]
    assert ["<inline:2>", "<inline:2>", "<inline:3>"] == [owner and owner.extension.path for owner in owners]
    assert None is found.find_command("absent")


async def test_an_invocation_comes_before_a_bare_name() -> None:
    """A number that was given out is that command, also where another one is literally called so."""
    found = await registry(commands("r"), commands("r"), commands("r:1"))
    literal = found.find_command("r:1")
    assert literal is not None
    assert "<inline:1>" == literal.extension.path


async def test_a_renderer_goes_to_the_first_extension_and_its_last_word() -> None:
    """L11: the first extension by rank, and within it the last registration."""

    def twice(pi: Any) -> None:
        pi.register_message_renderer("t", lambda message, options, theme: "one")
        pi.register_message_renderer("t", lambda message, options, theme: "two")

    def other(pi: Any) -> None:
        pi.register_message_renderer("t", lambda message, options, theme: "three")
        pi.register_entry_renderer("t", lambda entry, options, theme: "entry")

    found = await registry(twice, other)
    renderer, entry = found.message_renderer("t"), found.entry_renderer("t")
    assert renderer is not None
    assert entry is not None
    assert ("two", "entry") == (renderer(None, None, None), entry(None, None, None))
    assert ["message-renderer"] == [clash.kind for clash in found.clashes()]
    assert None is found.message_renderer("absent")


async def test_flags_have_the_first_extensions_definition() -> None:
    """The listing and the types come from the first by rank; the other is named."""

    def flag(kind: str) -> Write:
        return lambda pi: pi.register_flag("f", type=kind)

    found = await registry(flag("string"), flag("boolean"))
    assert {"f": "string"} == found.flag_types()
    assert 'Flag "--f" conflicts with <inline:1>' in found.clashes()[0].diagnostic().message


async def test_a_tool_named_like_a_built_in_is_told() -> None:
    """It replaces the built-in one, and the start says so."""
    found = await registry(tools(("bash", "mine"), ("other", "")))
    (clash,) = found.clashes(builtin_tools=("bash", "read"))
    assert ("info", "builtin-tool-clash") == (clash.diagnostic().severity, clash.diagnostic().code)


async def test_a_command_named_like_a_built_in_is_told() -> None:
    """It stays callable where there are no built-in commands."""
    found = await registry(commands("model"))
    (clash,) = found.clashes(builtin_commands=("model",))
    assert ("warning", "builtin-command-clash") == (clash.diagnostic().severity, clash.diagnostic().code)


async def test_clashes_come_by_extension() -> None:
    """Findings are ordered by the rank of the extension that they are about."""
    both: Write = lambda pi: (tools(("t", ""))(pi), commands("c")(pi))  # noqa: E731 - two in one
    found = await registry(both, both, both)
    assert ["<inline:2>", "<inline:2>", "<inline:3>", "<inline:3>"] == [
        clash.loser.path for clash in found.clashes()
    ]


async def test_the_registry_is_live() -> None:
    """What a running extension registers is found at the next question."""
    kept: list[Any] = []
    found = await registry(kept.append)
    kept[0].register_command("late", lambda args, ctx: None)
    assert ["late"] == [command.invocation for command in found.commands()]
