"""Sessions and extensions inside another program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import pi_core
from hookspecs.definitions import ToolDefinition, ToolResult
from pi_core.api import ExtensionAPI
from pi_core.errors import ExtensionLoadError
from pi_core.history.sessions import memory_session


def loud(pi: ExtensionAPI) -> None:
    pi.on("session_start", lambda event, ctx: pi.append_entry("mode", ctx.mode))


def opening(folder: Path, **options: Any) -> Any:
    given = {"cwd": folder, "agent_dir": folder / "agent", "session_store": memory_session(str(folder))}
    return pi_core.create_session(**{**given, **options})


async def test_a_session_is_bound_and_disposed_of_by_a_block(tmp_path: Path) -> None:
    """Entering binds with defaults, leaving ends it; a factory is an extension like any other."""
    async with opening(tmp_path, extensions=[loud]) as session:
        await session.prompt("run: echo hello")
        kinds = [entry.type for entry in session.parts.store.get_entries()]
        assert "bash answered:\nhello" == session.messages[-1].content[0].text
    assert kinds.index("custom") < kinds.index("message")


async def test_an_awaited_session_is_not_bound(tmp_path: Path) -> None:
    """No event is sent before `bind`."""
    session = await opening(tmp_path, extensions=[loud])
    assert "custom" not in [entry.type for entry in session.parts.store.get_entries()]
    await session.dispose()


async def test_tools_of_the_embedder_and_a_list_of_allowed_ones(tmp_path: Path) -> None:
    """`tools` names the only ones that exist, own ones included."""

    async def execute(*_: Any) -> ToolResult:
        return ToolResult(content="mine")

    own = ToolDefinition(name="own", description="d", parameters={"type": "object"}, execute=execute)
    async with opening(tmp_path, custom_tools=[own], tools=["own", "read"]) as session:
        await session.prompt("own: x")
        assert (["read", "own"], "toolResult") == (
            session.parts.toolset.active_names, session.messages[-2].role,
        )  # fmt: skip


async def test_a_tool_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    """As on the command line: a misspelt name is told with the nearest one, before anything is asked."""
    async with opening(tmp_path, tools=["raed", "ls*", "zzz*"]) as session:
        told = [finding for finding in session.diagnostics if finding.code == "tool-unknown"]
        assert [("warning", "Did you mean read?")] == [(each.severity, each.hint) for each in told]
        assert "raed" in told[0].message


async def test_a_named_extension_must_load(tmp_path: Path) -> None:
    """A path that does not load raises; nothing is left behind."""
    with pytest.raises(ExtensionLoadError, match=r"gone\.py"):
        await opening(tmp_path, extensions=["./gone.py"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"thinking": "hard"}, "thinking 'hard' is not one of off, minimal, low, medium, high, xhigh, max"),
        ({"trust": "yes"}, "trust 'yes' is not one of stored, always, never"),
        ({"extensions": "ext.py"}, "extensions 'ext.py' is one text, and a list is needed"),
        ({"tools": "read"}, "tools 'read' is one text, and a list is needed"),
    ],
)
def test_a_value_that_is_none_is_refused_at_the_call(options: dict[str, Any], sentence: str) -> None:
    """A program that is not type-checked hears what it did wrong, and nothing begins."""
    with pytest.raises((ValueError, TypeError), match=f"^create_session: {sentence}$"):
        pi_core.create_session(**options)
    with pytest.raises((ValueError, TypeError), match=sentence):
        pi_core.create_runtime(**options)


async def test_the_project_is_not_trusted_by_default(tmp_path: Path) -> None:
    """`trust="never"` leaves the project's extensions out, "always" takes them in."""
    path = tmp_path / ".pi" / "extensions" / "own.py"
    path.parent.mkdir(parents=True)
    path.write_text("def extension(pi): pi.register_flag('own', type='boolean')", encoding="utf-8")
    found = []
    for trust in ("never", "always"):
        async with opening(tmp_path, trust=trust) as session:
            found.append(len(session.parts.runner.registry.flags()))
    assert [0, 1] == found


async def test_extensions_load_without_a_session(tmp_path: Path) -> None:
    """The face leads to it: what fails is a pair of path and sentence, and the others load."""
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text("def extension(pi): raise ValueError('no')", encoding="utf-8")
    good.write_text("def extension(pi): pass", encoding="utf-8")
    found: pi_core.Loaded = await pi_core.discover_and_load(tmp_path, tmp_path / "agent", [bad, good, loud])
    assert [str(good), "<inline:3>"] == [extension.path for extension in found.extensions]
    assert [(str(bad), "Failed to load extension: no")] == list(found.errors)


def test_the_face_names_what_it_has() -> None:
    """Every name of `__all__` can be had; others raise AttributeError."""
    assert sorted(pi_core.__all__) == [name for name in dir(pi_core) if getattr(pi_core, name) is not None]
    with pytest.raises(AttributeError):
        _ = pi_core.nothing


async def test_events_can_be_iterated_over(tmp_path: Path) -> None:
    """Everything from the call on, in order, to the end of the session; what was not fetched waits."""
    async with opening(tmp_path) as session:
        events = session.events()
        await session.prompt("hello")
    kinds = [event.type async for event in events]
    assert ("agent_start", "agent_settled") == (kinds[0], kinds[-1])


async def test_a_reader_that_leaves_is_told_no_more(tmp_path: Path) -> None:
    """Leaving the block forgets what waits."""
    async with opening(tmp_path) as session:
        async with session.events() as events:
            await session.prompt("hello")
        await session.prompt("again")
        assert [] == [event async for event in events]


@pytest.mark.parametrize(
    "kind", ["agent_start", "message_update", "message_end", "turn_end", "agent_settled"]
)
async def test_a_listener_that_fails_changes_nothing(tmp_path: Path, kind: str) -> None:
    """The run goes on, the others hear everything, and what failed is a finding, once."""
    heard: list[str] = []

    def broken(event: Any) -> None:
        if event.type in (kind, "extension_error"):
            raise RuntimeError("no more ink")

    async with pi_core.create_runtime(cwd=tmp_path, agent_dir=tmp_path / "agent") as runtime:
        session = runtime.session
        hearing = session.subscribe(lambda event: heard.append(event.type))
        with runtime.subscribe(broken), session.subscribe(broken), hearing:
            await session.prompt("run: true")
        assert ["user", "assistant", "toolResult", "assistant"] == [said.role for said in session.messages]
        assert "agent_settled" in heard
        told = [finding.message for finding in session.diagnostics if "no more ink" in finding.message]
        assert [kind, "extension_error"] == [re.findall(r"failed at (\w+)", each)[0] for each in told]


async def test_events_of_a_runtime_go_on_over_its_sessions(tmp_path: Path) -> None:
    """One stream over all replacements, to the end of the runtime."""
    store = memory_session(str(tmp_path))
    async with pi_core.create_runtime(
        cwd=tmp_path, agent_dir=tmp_path / "agent", session_store=store
    ) as runtime:
        events = runtime.events()
        await runtime.session.prompt("one")
        await runtime.new_session()
        await runtime.session.prompt("two")
    assert 2 == [event.type async for event in events].count("agent_settled")


async def test_settings_of_a_program_stand_in_for_the_files(tmp_path: Path) -> None:
    """The files are neither read nor written."""
    file = tmp_path / "agent" / "settings.toml"
    file.parent.mkdir()
    file.write_text('steering-mode = "all"\n', encoding="utf-8")
    async with opening(tmp_path, settings={"follow-up-mode": "all"}) as session:
        assert {"follow-up-mode": "all"} == dict(session.parts.settings.effective)
        session.set_steering_mode("all")
    assert 'steering-mode = "all"\n' == file.read_text(encoding="utf-8")


async def test_a_conversation_is_gone_on_with_by_the_name_of_its_file(tmp_path: Path) -> None:
    """What a session says of its file, a text, is what opens it; folders are texts or paths."""
    kept = {"session_store": None}
    async with opening(tmp_path, **kept) as session:
        await session.prompt("run: true")
        file, count = session.parts.store.session_file, len(session.messages)
    for store in (pi_core.open_session(file), pi_core.open_session(Path(file))):
        async with opening(tmp_path, session_store=store) as session:
            assert count == len(session.messages)
    assert str(tmp_path) == pi_core.memory_session(tmp_path).cwd


async def test_a_program_may_load_in_its_own_way(tmp_path: Path) -> None:
    """Its loader is called like the usual one, for every load."""
    asked = []

    class Mine(pi_core.ResourceLoader):
        async def load(self) -> pi_core.Resources:
            asked.append("load")
            return await super().load()

    async with opening(tmp_path, resource_loader=Mine) as session:
        await session.reload()
    assert ["load", "load"] == asked
