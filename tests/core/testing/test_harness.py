"""The harness that authors test with, and the samples tested with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookspecs import CustomMessage, ToolCall, TurnStart
from pi_core.api import Block, CommandContext, ExtensionAPI, ExtensionContext
from pi_core.testing import Call, Harness, RecordingUI, Script
from pi_core.testing.host import MemorySession

SAMPLES = Path(__file__).resolve().parents[3] / "sample-packages"


def gate(pi: ExtensionAPI) -> None:
    """An extension that asks before every tool."""

    @pi.on("tool_call")
    async def ask(event: ToolCall, ctx: ExtensionContext) -> Block | None:
        allowed = await ctx.ui.confirm("Run?", event.tool_name)
        return None if allowed else Block("refused")

    @pi.tool
    def double(n: int) -> str:
        """Double a number."""
        return str(2 * n)

    @pi.command("greet")
    async def greet(args: str, ctx: CommandContext) -> str:
        ctx.ui.notify(f"hello {args}")
        pi.send_message(CustomMessage(custom_type="greeting"))
        return "done"


def call() -> ToolCall:
    return ToolCall(tool_name="bash", tool_call_id="1", input={"command": "ls"})


@pytest.mark.parametrize(("answers", "refused"), [([True], False), ([False], True), ([], True)])
async def test_a_person_answers(answers: list[bool], refused: bool) -> None:
    """Prepared answers are given in order; with none left the dialog is cancelled."""
    ui = RecordingUI(confirm=answers)
    async with Harness(gate, ui=ui, strict=True) as pi:
        assert refused is bool(await pi.emit(call()))
    assert [Call("confirm", ("Run?", "bash"))] == ui.calls


async def test_without_a_person_the_gate_refuses() -> None:
    """No UI is a headless run: dialogs say no."""
    async with Harness(gate) as pi:
        assert "refused" == (await pi.emit(call())).reason


async def test_an_answer_may_depend_on_the_question() -> None:
    """A function is asked with the title."""
    ui = RecordingUI(select=[lambda title: title.upper()])
    assert "WHICH" == await ui.select("which", ["a"])
    assert ["which"] == ui.asked


async def test_tools_and_commands_can_be_called() -> None:
    """Tools give their result, commands what their handler returns; the host remembers the rest."""
    ui = RecordingUI()
    async with Harness(gate, ui=ui, strict=True) as pi:
        assert (["double"], ["greet"]) == (pi.tools, pi.commands)
        assert "8" == (await pi.call_tool("double", n="4")).content
        assert (await pi.call_tool("double", n="x")).is_error
        assert "done" == await pi.run_command("greet", "you")
        assert (["hello you"], ["greeting"]) == (ui.notices, [sent.custom_type for sent in pi.host.sent])


async def test_what_is_not_registered_is_named() -> None:
    """Asking for an absent tool or command says what there is."""
    async with Harness(gate) as pi:
        with pytest.raises(LookupError, match="double"):
            await pi.call_tool("triple")
        with pytest.raises(LookupError, match="greet"):
            await pi.run_command("bye")


async def test_slots_of_the_screen_are_kept() -> None:
    """Statuses, widgets, title and editor show what stands there now."""
    ui = RecordingUI()
    ui.set_status("a", "1")
    ui.set_status("b", "2")
    ui.set_status("a", None)
    ui.set_widget("w", ["line"])
    ui.set_title("t")
    ui.set_editor_text("he")
    ui.paste_to_editor("llo")
    assert ({"b": "2"}, {"w": ["line"]}, "t", "hello") == (ui.statuses, ui.widgets, ui.title, ui.editor_text)


async def test_a_strict_harness_does_not_pass_over_failures() -> None:
    """A handler that failed fails the test on exit, unless the test looked and chose otherwise."""

    def broken(pi: ExtensionAPI) -> None:
        pi.on("turn_start", lambda event, ctx: event.turn_index / 0)

    with pytest.raises(AssertionError, match="division by zero"):
        async with Harness(broken, strict=True) as pi:
            await pi.emit(TurnStart(turn_index=0, timestamp=0))


async def test_flags_and_settings_can_be_given() -> None:
    """Values of the command line are there before the factory runs."""
    seen: list[Any] = []

    def factory(pi: ExtensionAPI) -> None:
        pi.register_flag("plan", type="boolean", default=False)
        seen.append(pi.get_flag("plan"))

    async with Harness(factory, flags={"plan": True}):
        assert [True] == seen


async def test_entries_can_be_looked_up() -> None:
    """The session in memory is a chain that extensions may read and append to."""
    kept: list[ExtensionAPI] = []
    async with Harness(kept.append) as pi:
        pi.host.session.add_message("first")
        entry = kept[0].append_entry("mark", {"n": 1})
        session = pi.runner.context().session
        assert ("custom", {"n": 1}) == (session.get_entry(entry).type, session.get_entry(entry).data)
        assert entry == session.get_leaf_id()
        assert ["message", "custom"] == [item.type for item in session.get_branch()]
        assert "custom" == session.get_tree()[0].children[0].entry.type


def test_a_script_is_a_list_of_turns() -> None:
    """The scripted model's script is part of the same face."""
    assert 2 == len(Script.of(["hello", {"tool": "read", "arguments": {"path": "x"}}]).turns)


@pytest.mark.parametrize(
    ("sample", "module", "registers"),
    [
        ("permission-gate", "pi_sample_permission_gate", {"tool_call"}),
        ("hookimpl-plugin", "pi_sample_hookimpl_plugin.timing", {"tool_call", "agent_settled"}),
        ("todo", "pi_sample_todo.extension", {"session_start", "session_tree"}),
    ],
)
async def test_the_samples_load(sample: str, module: str, registers: set[str]) -> None:
    """Every sample with code loads by its import name through one of the two doors."""
    from pi_core.extensions.loader import LoadRequest
    from pi_pkg import Provenance

    root = SAMPLES / sample / "src"
    request = LoadRequest(
        path=sample,
        provenance=Provenance(sample, sample, "user", "package"),
        module=module,
        import_root=str(root),
    )
    async with Harness(request, strict=True) as pi:
        assert registers <= {handler.event for handler in pi.extension.handlers}


async def test_a_command_goes_on_in_the_session_that_follows() -> None:
    """`setup` is given the history, `with_session` a context that can be waited for."""

    async def fill(session: MemorySession) -> None:
        session.add_message("carried over")

    def factory(api: ExtensionAPI) -> None:
        @api.command("go")
        async def go(args: str, ctx: CommandContext) -> None:
            await ctx.new_session(setup=fill, with_session=lambda new: new.send_user_message(args))

    async with Harness(factory, strict=True) as pi:
        await pi.run_command("go", "hello")
        assert ["carried over"] == [entry.message for entry in pi.host.session.entries]
        assert ["hello"] == pi.host.prompts
