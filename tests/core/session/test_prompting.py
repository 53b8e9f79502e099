"""What becomes of a prompt before a model sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_core.api import AgentStart, ExtensionAPI, Handled, Transform
from pi_core.session.events import ExtensionError
from pi_core.session.session import Session
from tests.support.session_bench import Factory, SessionBench


def commands(seen: list[Any]) -> Factory:
    """An extension with a command that notes its arguments, one that fails, and an ear for input."""

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("c")
        async def c(args: str, ctx: Any) -> None:
            seen.append(("c", args, ctx.is_idle()))

        @pi.command("boom")
        def boom(args: str, ctx: Any) -> None:
            raise ValueError("cmd boom")

        @pi.on("input")
        def heard(event: Any, ctx: Any) -> None:
            seen.append(("input", event.text, event.source, event.streaming_behavior))

    return extension


async def test_a_command_gets_its_arguments_as_typed(tmp_path: Path) -> None:
    """I09, 30: everything behind the first blank; no input event, no run, nothing in the stream."""
    seen: list[Any] = []
    bench = await SessionBench(tmp_path, ["never"], commands(seen)).run("/c  a b ")
    assert ([("c", " a b ", True)], []) == (seen, bench.records)


async def test_a_command_that_fails_is_told(tmp_path: Path) -> None:
    """I10, 31: the failure has the command's name, and the prompt counts as handled."""
    bench = await SessionBench(tmp_path, ["never"], commands([])).run("/boom")
    (error,) = [event for event in bench.events if isinstance(event, ExtensionError)]
    assert ("command:boom", "command", "cmd boom") == (error.extension_path, error.event, error.error)


async def test_an_unknown_command_is_a_prompt(tmp_path: Path) -> None:
    """I11, 32: input sees the whole text, and so does the model."""
    seen: list[Any] = []
    bench = await SessionBench(tmp_path, ["ok"], commands(seen)).run("/nocmd z")
    assert ([("input", "/nocmd z", "interactive", None)], ["/nocmd z"]) == (seen, bench.said("user"))


async def test_input_that_an_extension_handles_starts_nothing(tmp_path: Path) -> None:
    """I07, 33: no run, nothing settles, the stream is empty."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("input", lambda event, ctx: Handled())

    assert [] == (await SessionBench(tmp_path, ["never"], extension).run("x")).records


async def test_input_is_passed_on_as_it_was_changed(tmp_path: Path) -> None:
    """I02, 34: the second handler sees the first one's text, the model the second one's."""

    def extension(pi: ExtensionAPI) -> None:
        pi.on("input", lambda event, ctx: Transform(event.text + "1"))
        pi.on("input", lambda event, ctx: Transform(event.text + "2"))

    assert ["a12"] == (await SessionBench(tmp_path, ["ok"], extension).run("a")).said("user")


async def test_input_that_becomes_a_command_stays_text(tmp_path: Path) -> None:
    """I08: commands are looked for before extensions change the input."""
    seen: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("input", lambda event, ctx: Transform("/c"))

    bench = await SessionBench(tmp_path, ["ok"], commands(seen), extension).run("x")
    assert (["/c"], False) == (bench.said("user"), any(item[0] == "c" for item in seen))


@pytest.mark.parametrize(
    ("expand", "said", "ran"), [(False, ["/c x"], False), (True, [], True)], ids=["I12", "expanded"]
)
async def test_what_an_extension_sends_is_text(
    tmp_path: Path, expand: bool, said: list[str], ran: bool
) -> None:
    """I12: input fires with source extension, and no command is run unless the extension asks for it."""
    seen: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.command("send")
        def send(args: str, ctx: Any) -> None:
            pi.send_user_message("/c x", expand=expand)

    bench = await SessionBench(tmp_path, ["ok"], commands(seen), extension).run("/send")
    assert (said, ran) == (bench.said("user"), ("c", "x", True) in seen)
    assert ran or ("input", "/c x", "extension", None) in seen


async def test_a_message_without_a_place_in_the_queue_is_refused(tmp_path: Path) -> None:
    """I13, 40: while a run is on, deliver_as is needed; input still fires, the run is unaffected."""
    seen: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("turn_start", lambda event, ctx: pi.send_user_message("late"))

    bench = await SessionBench(tmp_path, ["ok"], commands(seen), extension).run("go")
    assert ["go"] == bench.said("user")
    ((event, text),) = bench.errors()
    assert ("send_user_message", True) == (event, text.startswith("Agent is already processing"))
    assert ("input", "late", "extension", None) in seen


async def test_what_is_queued_says_so(tmp_path: Path) -> None:
    """I14: streaming_behavior is absent when idle and names the queue while a run is on."""
    seen: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("turn_start")
        def once(event: Any, ctx: Any) -> None:
            if event.turn_index == 0:
                pi.send_user_message("s", deliver_as="steer")
                pi.send_user_message("f", deliver_as="follow_up")

    await SessionBench(tmp_path, ["1", "2", "3"], commands(seen), extension).run("go")
    assert [None, "steer", "followUp"] == [item[3] for item in seen]


async def test_what_extensions_add_to_a_run(tmp_path: Path) -> None:
    """35, A09: the message follows the prompt, the prompt text is the request's, order holds in the file."""
    requests: list[Any] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("before_agent_start")
        def add(event: Any, ctx: Any) -> AgentStart:
            assert ctx.get_system_prompt() == event.system_prompt
            message = {"customType": "note", "content": "added", "display": True}
            return AgentStart(message=message, system_prompt=event.system_prompt + "\nMORE")

        pi.on("before_provider_request", lambda event, ctx: requests.append(event.payload))

    bench = SessionBench(tmp_path, ["ok"], extension)
    await bench.run("go")
    roles = [line for line in bench.stream if line.startswith("message_end")]
    assert ["message_end user", "message_end custom", "message_end assistant stop"] == roles
    assert requests[0]["system"].endswith("\nMORE")
    kinds = [entry.type for entry in bench.store.get_entries()][2:]
    assert ["message", "custom_message", "message"] == kinds


async def test_a_changed_prompt_holds_for_its_activity(tmp_path: Path) -> None:
    """A07: the first run has the extension's prompt, the next one the session's own again."""
    prompts: list[str] = []
    answers: list[Any] = [AgentStart(system_prompt="OV"), None]

    def extension(pi: ExtensionAPI) -> None:
        pi.on("before_agent_start", lambda event, ctx: answers.pop(0))
        pi.on("before_provider_request", lambda event, ctx: prompts.append(event.payload["system"]))

    await SessionBench(tmp_path, ["1", "2"], extension).run("a", "b")
    assert (True, False) == (prompts[0] == "OV", prompts[1] == "OV")


async def test_a_template_and_a_skill_are_filled_in(tmp_path: Path) -> None:
    """59, 80: what an extension brings at resources_discover is there for the very first prompt."""
    (tmp_path / "hey.md").write_text("hello $1", encoding="utf-8")
    (tmp_path / "sk").mkdir()
    (tmp_path / "sk" / "SKILL.md").write_text("---\ndescription: does\n---\nbody", encoding="utf-8")
    systems: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.on("resources_discover", lambda event, ctx: {"promptPaths": ["hey.md"], "skillPaths": ["sk"]})
        pi.on("before_provider_request", lambda event, ctx: systems.append(event.payload["system"]))

    bench = await SessionBench(tmp_path, ["1", "2"], extension).run("/hey bob", "/skill:sk now")
    first, second = bench.said("user")
    assert ("hello bob", True, True) == (first, "body" in second, second.endswith("\n\nnow"))
    assert "<name>sk</name>" in systems[0]


async def test_a_skill_that_is_gone_is_told(tmp_path: Path) -> None:
    """The text stays as typed, and the failure is reported as skill_expansion."""
    (tmp_path / "sk").mkdir()
    skill = tmp_path / "sk" / "SKILL.md"
    skill.write_text("---\ndescription: does\n---\nbody", encoding="utf-8")

    def extension(pi: ExtensionAPI) -> None:
        pi.on("resources_discover", lambda event, ctx: {"skillPaths": ["sk"]})
        pi.on("session_shutdown", lambda event, ctx: None)
        pi.on("input", lambda event, ctx: skill.unlink())

    bench = await SessionBench(tmp_path, ["ok"], extension).run("/skill:sk now")
    assert (["/skill:sk now"], ["skill_expansion"]) == (
        bench.said("user"), [event for event, _ in bench.errors()],
    )  # fmt: skip


async def test_commands_are_listed_with_templates_and_skills(tmp_path: Path) -> None:
    """get_commands: extension commands by what is typed, then templates, then skills."""
    (tmp_path / "hey.md").write_text("hello", encoding="utf-8")
    names: list[str] = []

    def extension(pi: ExtensionAPI) -> None:
        pi.command("c")(lambda args, ctx: names.extend(info.name for info in pi.get_commands()))
        pi.on("resources_discover", lambda event, ctx: {"promptPaths": ["hey.md"]})

    async def ask(session: Session) -> None:
        await session.prompt("/c")

    await SessionBench(tmp_path, [], extension).run(then=ask)
    assert ["c", "hey"] == names
