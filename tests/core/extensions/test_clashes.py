"""A person settles names: prefers, renames, switches off, and gives keys by the name of an action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookspecs import ToolDefinition, ToolResult
from pi_core.extensions.clashes import read_rules
from pi_core.extensions.loader import LoadRequest
from pi_core.extensions.registry import Registry
from pi_core.testing import Harness
from pi_pkg import Provenance
from tests.core.extensions.support import load

Write = Callable[[Any], None]


def tool(name: str) -> Write:
    """Registers a tool that answers with the extension it is of."""

    def register(pi: Any) -> None:
        async def execute(call_id: str, params: Any, signal: Any, on_update: Any, ctx: Any) -> ToolResult:
            return ToolResult(content=pi.label)

        parameters = {"type": "object", "properties": {}}
        definition = ToolDefinition(name=name, description="", parameters=parameters, execute=execute)
        pi.register_tool(definition)

    return register


def command(name: str) -> Write:
    return lambda pi: pi.register_command(name, lambda args, ctx: None)


def flag(name: str, default: str) -> Write:
    return lambda pi: pi.register_flag(name, type="string", default=default)


def shortcut(key: str, action_id: str | None = None) -> Write:
    return lambda pi: pi.register_shortcut(key, lambda ctx: None, action_id=action_id)


def package(name: str, *registrations: Write) -> LoadRequest:
    """An extension of the package `pypi:NAME`."""

    def factory(pi: Any) -> None:
        for register in registrations:
            register(pi)

    path = f"/site/{name}.py"
    return LoadRequest(
        path=path, provenance=Provenance(path, f"pypi:{name}", "user", "package"), factory=factory
    )


async def registry(*requests: LoadRequest, keys: Any = None, **clashes: Any) -> Registry:
    """The registry of packages under the rules of the settings, all of which can be meant."""
    rules, findings = read_rules(clashes, keys)
    assert () == findings
    loaded = await load(*requests, rules=rules)
    assert () == loaded.errors
    return Registry(loaded.extensions)


def owners(found: Registry) -> dict[str, str]:
    """Tool → the package that it is of."""
    return {owned.value.name: owned.extension.owners()[0] for owned in found.tools()}


BOTH = (package("pkg-a", tool("search")), package("pkg-b", tool("search")))


async def test_without_rules_the_first_wins_and_both_are_told() -> None:
    """NAME 96: nothing stops; the finding says how to settle it."""
    found = await registry(*BOTH)
    assert {"search": "pkg-a"} == owners(found)
    (told,) = found.findings()
    assert 'prefer."tool:search" = "pkg-b"' in (told.hint or "")


async def test_a_preferred_owner_wins() -> None:
    """The rank counts only where nobody decided, and a decided clash is no news."""
    found = await registry(*BOTH, prefer={"tool:search": "pkg-b"})
    assert {"search": "pkg-b"} == owners(found)
    assert () == found.findings()
    (clash,) = found.clashes(decided=True)
    assert ('prefer."tool:search" = "pkg-b"', "/site/pkg-a.py") == (clash.rule, clash.loser.path)


async def test_a_preferred_owner_that_is_not_there_changes_nothing() -> None:
    """The rule waits; the clash is told as ever."""
    found = await registry(*BOTH, prefer={"tool:search": "pkg-c"})
    assert {"search": "pkg-a"} == owners(found)
    assert ["tool-clash"] == [told.code for told in found.findings()]


async def test_an_alias_keeps_both() -> None:
    """NAME 95, 97: two callable tools, each found by its public name, and nothing to tell."""
    found = await registry(*BOTH, alias={"pkg-b/tool:search": "search_b"})
    assert {"search": "pkg-a", "search_b": "pkg-b"} == owners(found)
    assert () == found.findings()


async def test_a_renamed_tool_is_one_object() -> None:
    """Whoever asks twice gets the same definition, until the extension registers another."""
    kept: list[Any] = []
    found = await registry(package("pkg-b", tool("search"), kept.append), alias={"pkg-b/tool:search": "b"})
    first, again = found.find_tool("b"), found.find_tool("b")
    assert first is not None
    assert again is not None
    assert first.value is again.value
    tool("search")(kept[0])
    later = found.find_tool("b")
    assert later is not None
    assert first.value is not later.value


async def test_an_extension_finds_its_own_tool_by_its_own_name() -> None:
    """NAME 95: what the author wrote still resolves after a person renamed it."""
    found = await registry(*BOTH, alias={"pkg-b/tool:search": "search_b"})
    other, own = (found.find_tool("search", asked_by=extension) for extension in (None, found.extensions[1]))
    assert other is not None
    assert own is not None
    assert ("search", "search_b") == (other.value.name, own.value.name)


async def test_a_running_tool_means_its_own_extensions_tools() -> None:
    """What a renamed tool calls by the author's name is the author's, and others mean what is known so."""
    requests = (package("pkg-a", tool("search"), tool("go")), package("pkg-b", tool("search"), tool("run")))
    found = await registry(*requests, alias={"pkg-b/tool:search": "search_b"})
    asked = [found.meant_by(caller, "search") for caller in ("run", "search_b", "go", "absent")]
    assert ["search_b", "search_b", "search", "search"] == asked
    assert "read" == found.meant_by("run", "read")


async def test_a_losing_tool_is_not_found_by_its_author_either() -> None:
    """Hidden is hidden: without an alias the name is the winner's for everybody."""
    found = await registry(*BOTH)
    owned = found.find_tool("search", asked_by=found.extensions[1])
    assert owned is not None
    assert "/site/pkg-a.py" == owned.extension.path


async def test_activating_by_the_own_name_activates_the_renamed_tool() -> None:
    """`set_active_tools` of the extension speaks of its own tool."""
    kept: list[Any] = []
    settings = {"clashes": {"alias": {"pkg-b/tool:search": "search_b"}}}
    requests = (BOTH[0], package("pkg-b", tool("search"), kept.append))
    async with Harness(*requests, settings=settings) as pi:
        kept[0].set_active_tools(["search"])
        assert ["search_b"] == pi.host.get_active_tools()


async def test_a_hidden_registration_is_nowhere() -> None:
    """Switched off, it neither wins nor clashes."""
    first = package("pkg-a", tool("search"), command("x"))
    found = await registry(first, BOTH[1], hide=["pkg-a/tool:search", "pkg-a/command:x"])
    assert {"search": "pkg-b"} == owners(found)
    assert (None, ()) == (found.find_command("x"), found.findings())


async def test_the_built_in_tool_can_be_kept() -> None:
    """Preferred to be pi's, a name is pi's, and no extension's tool of that name exists."""
    found = await registry(package("pkg-a", tool("bash")), prefer={"tool:bash": "pi"})
    assert ((), ()) == (found.tools(), found.findings(builtin_tools=["bash"]))


async def test_a_replaced_built_in_tool_is_told_unless_it_was_decided() -> None:
    """NAME 93, as designed: the start says so once, and says how to keep the built-in one."""
    request = package("pkg-a", tool("bash"))
    (told,) = (await registry(request)).findings(builtin_tools=["bash"])
    assert ("info", "builtin-tool-clash") == (told.severity, told.code)
    assert 'prefer."tool:bash" = "pi"' in (told.hint or "")
    decided = await registry(request, prefer={"tool:bash": "pkg-a"})
    assert () == decided.findings(builtin_tools=["bash"])


async def test_commands_have_names_that_do_not_depend_on_the_order() -> None:
    """NAME 99: `/owner:name` is always the one of that owner; the bare name goes to the winner."""
    requests = [package(name, command("review")) for name in ("pkg-a", "pkg-b")]
    for order in (requests, requests[::-1]):
        found = await registry(*order)
        qualified = [found.find_command(f"{name}:review") for name in ("pkg-a", "pkg-b")]
        assert ["/site/pkg-a.py", "/site/pkg-b.py"] == [item and item.extension.path for item in qualified]
        bare = found.find_command("review")
        assert bare is not None
        assert order[0].path == bare.extension.path


async def test_a_preferred_command_has_the_bare_name() -> None:
    """The numbers stay as they are."""
    requests = [package(name, command("review")) for name in ("pkg-a", "pkg-b")]
    found = await registry(*requests, prefer={"command:review": "pkg-b"})
    paths = [found.find_command(name) for name in ("review", "review:1", "review:2")]
    assert ["/site/pkg-b.py", "/site/pkg-a.py", "/site/pkg-b.py"] == [
        item and item.extension.path for item in paths
    ]
    assert () == found.findings()


async def test_a_renamed_command_is_typed_so() -> None:
    """It leaves the crowd, and nobody is numbered any more."""
    requests = [package(name, command("review")) for name in ("pkg-a", "pkg-b")]
    found = await registry(*requests, alias={"pkg-b/command:review": "check"})
    assert ["review", "check"] == [item.invocation for item in found.commands()]


async def test_a_renamed_flag_has_a_value_of_its_own() -> None:
    """The command line knows the new name, the author the old one, and defaults do not mix."""
    kept: dict[str, Any] = {}
    requests = [
        package(name, flag("level", name), lambda pi, name=name: kept.update({name: pi}))  # type: ignore[misc]
        for name in ("pkg-b", "pkg-a")
    ]
    settings = {"clashes": {"alias": {"pkg-b/flag:level": "b-level"}}}
    async with Harness(*requests, settings=settings) as pi:
        assert {"level": "string", "b-level": "string"} == pi.runner.registry.flag_types()
        assert ["pkg-b", "pkg-a"] == [kept[name].get_flag("level") for name in kept]
        pi.runtime.flag_values["b-level"] = "given"
        assert ["given", "pkg-a"] == [kept[name].get_flag("level") for name in kept]


async def test_a_hidden_flag_keeps_its_default_to_itself() -> None:
    """Its owner reads the default; the command line does not know it."""
    kept: list[Any] = []
    settings = {"clashes": {"hide": ["pkg-a/flag:level"]}}
    async with Harness(package("pkg-a", flag("level", "own"), kept.append), settings=settings) as pi:
        assert ({}, {}) == (pi.runner.registry.flag_types(), pi.runtime.flag_values)
        assert "own" == kept[0].get_flag("level")


async def test_a_preferred_renderer_renders() -> None:
    """Renderers follow the same rules."""

    def renders(text: str) -> Write:
        return lambda pi: pi.register_message_renderer("card", lambda message, options, theme: text)

    found = await registry(
        package("pkg-a", renders("a")),
        package("pkg-b", renders("b")),
        prefer={"message-renderer:card": "pkg-b"},
    )
    render = found.message_renderer("card")
    assert render is not None
    assert ("b", ()) == (render(None, None, None), found.findings())


@pytest.mark.parametrize("owner", ["pkg-b", "pypi:pkg-b", "/site/pkg-b.py"])
async def test_an_owner_is_called_by_any_of_its_names(owner: str) -> None:
    """QUIET 81: by its package, by the source of it, by the path of the extension."""
    found = await registry(*BOTH, prefer={"tool:search": owner})
    assert {"search": "pkg-b"} == owners(found)


@pytest.mark.parametrize(
    ("clashes", "rule"),
    [
        ({"prefer": {"search": "pkg-a"}}, 'prefer."search"'),
        ({"prefer": {"tools:search": "pkg-a"}}, 'prefer."tools:search"'),
        ({"alias": {"tool:search": "s"}}, 'alias."tool:search"'),
        ({"alias": {"a/tool:search": "two words"}}, '"two words"'),
        ({"alias": {"a/command:x": "/y"}}, '"/y"'),
        ({"alias": {"a/flag:x": "--y"}}, '"--y"'),
        ({"alias": {"a/message-renderer:x": "y"}}, 'alias."a/message-renderer:x"'),
        ({"hide": ["command:x"]}, 'hide "command:x"'),
        ({"hide": ["a/x"]}, 'hide "a/x"'),
    ],
)
def test_a_rule_that_cannot_be_meant_is_left_out(clashes: Any, rule: str) -> None:
    """It is reported with the spelling that is understood."""
    rules, (finding,) = read_rules(clashes)
    assert not rules
    assert ("warning", "clash-rule-invalid") == (finding.severity, finding.code)
    assert rule in finding.message
    assert finding.hint


@pytest.mark.parametrize("odd", [None, 7, "x", [], {"prefer": 1, "alias": [], "hide": 3}])
def test_tables_of_another_form_are_no_rules(odd: Any) -> None:
    """The settings report them; here they decide nothing."""
    rules, findings = read_rules(odd, odd if isinstance(odd, list) else None)
    assert (False, ()) == (bool(rules), findings)


async def test_a_rule_without_effect_is_told() -> None:
    """A misspelt name of an owner that is there; rules about absent owners wait in silence."""
    found = await registry(
        *BOTH, hide=["pkg-b/tool:serach", "pkg-z/tool:x"], keys={"pkg-a/nothing": "f2", "pkg-z/x": "f3"},
        prefer={"tool:search": "pkg-a"},
    )  # fmt: skip
    told = found.findings()
    assert ["clash-rule-unused", "clash-rule-unused"] == [finding.code for finding in told]
    assert ("serach" in told[0].message, "pkg-a/nothing" in told[1].message) == (True, True)
