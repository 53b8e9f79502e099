"""What a reload reads again from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_pkg import SettingsError
from tests.support.runtime_bench import RuntimeBench, write
from tests.support.session_bench import call

SAYS = """
    def extension(pi):
        @pi.tool
        def word() -> str:
            return "{word}"
    """


def answers(bench: RuntimeBench) -> list[str]:
    """What the tools answered, in order."""
    messages: list[Any] = list(bench.runtime.session.messages)
    return [message.content[0].text for message in messages if message.role == "toolResult"]


async def test_what_changed_on_disk_counts(tmp_path: Path) -> None:
    """Files that were changed, added and deleted; a helper of the same size in the same second, too."""
    bench = RuntimeBench(tmp_path, script=[call("word"), "1", call("word"), "2"], discover=True)
    package = tmp_path / "agent" / "extensions" / "own"
    write(package / "helper.py", "WORD = 'old'\n")
    write(
        package / "__init__.py",
        """
        from .helper import WORD

        def extension(pi):
            @pi.tool
            def word() -> str:
                return WORD
        """,
    )
    gone = bench.user_extension("def extension(pi): pi.command('gone')(print)", "gone.py")
    async with bench:
        await bench.say("go")
        write(package / "helper.py", "WORD = 'new'\n")
        gone.unlink()
        bench.user_extension("def extension(pi): pi.command('added')(print)", "added.py")
        await bench.runtime.reload()
        await bench.say("go")
        commands = [each.invocation for each in bench.runtime.session.parts.runner.registry.commands()]
        assert (["old", "new"], ["added"]) == (answers(bench), commands)


async def test_an_extension_that_fails_is_left_out(tmp_path: Path) -> None:
    """ATOM 15: it is reported; the others of the new generation work, and repairing it brings it back."""
    bench = RuntimeBench(tmp_path, discover=True)
    broken = bench.user_extension("def extension(pi): pi.command('one')(print)", "one.py")
    bench.user_extension("def extension(pi): pi.command('two')(print)", "two.py")
    async with bench:
        text = broken.read_text(encoding="utf-8")
        write(broken, "def extension(pi: oops")
        seen = []
        for content in (None, text):
            if content is not None:
                write(broken, content)
            await bench.runtime.reload()
            commands = bench.runtime.session.parts.runner.registry.commands()
            errors = [item.path for item in bench.runtime.diagnostics if item.severity == "error"]
            seen.append(([each.invocation for each in commands], errors))
        assert [(["two"], [str(broken)]), (["one", "two"], [])] == seen
        assert ["extension-import-failed"] == [code for code in bench.found if code != "model-choice"]


async def test_unreadable_settings_stop_a_reload(tmp_path: Path) -> None:
    """The error names the place; nobody was told to end, and everything works as before."""
    bench = RuntimeBench(tmp_path, discover=True, script=[call("word"), "ok"])
    bench.user_extension(SAYS.format(word="kept"))
    async with bench:
        bench.take_notes()
        write(tmp_path / "agent" / "settings.toml", "= nothing\n")
        with pytest.raises(SettingsError, match=r"settings\.toml:1"):
            await bench.runtime.reload()
        assert [] == bench.take_notes()
        await bench.say("go")
        assert ["kept"] == answers(bench)


async def test_everything_else_is_read_again(tmp_path: Path) -> None:
    """LIFE 111: settings, skills, templates, instructions and the system prompt."""
    agent = tmp_path / "agent"
    async with RuntimeBench(tmp_path, discover=True) as bench:
        session = bench.runtime.session
        write(agent / "settings.toml", "[ui]\ntheme = 'dark'\n")
        write(agent / "skills" / "sums" / "SKILL.md", "---\nname: sums\ndescription: adds up\n---\n")
        write(agent / "prompts" / "hey.md", "hello $1")
        write(agent / "themes" / "calm.json", "{}")
        write(agent / "AGENTS.md", "be brief")
        write(agent / "APPEND_SYSTEM.md", "and kind")
        await bench.runtime.reload()
        found = [command.name for command in session.parts.system.commands()]
        assert (["hey", "skill:sums"], "dark") == (found, session.parts.settings.get("ui", "theme"))
        assert ["calm.json"] == [Path(theme.path).name for theme in session.parts.generation.themes]
        assert all(text in session.system_prompt for text in ("adds up", "be brief", "and kind"))


async def test_which_tools_are_active_afterwards(tmp_path: Path) -> None:
    """85: what was active stays, every tool of an extension is, and a built-in tool comes back."""
    bench = RuntimeBench(tmp_path, discover=True)
    path = bench.user_extension(
        """
        def extension(pi):
            @pi.tool
            def read(path: str) -> str: return "mine"
            @pi.tool
            def word() -> str: return "x"
        """
    )
    async with bench:
        toolset = bench.runtime.session.parts.toolset
        toolset.set_active(["read", "grep"])
        assert False is toolset.is_builtin("read")
        write(path, SAYS.format(word="x"))
        await bench.runtime.reload()
        toolset = bench.runtime.session.parts.toolset
        assert (["read", "grep", "word"], True) == (toolset.active_names, toolset.is_builtin("read"))


async def test_a_model_whose_provider_went_is_told(tmp_path: Path) -> None:
    """PROV 148: the session does not change to another model in silence."""
    bench = RuntimeBench(tmp_path, discover=True)
    path = bench.user_extension(
        """
        from pi_core.api import Model, ProviderConfig

        def extension(pi):
            config = ProviderConfig(api="scripted", base_url="x", api_key="k", models=[{"id": "m"}])
            pi.register_provider("p", config)

            @pi.command("use")
            async def use(args, ctx):
                assert await pi.set_model(Model(id="m", provider="p", api="scripted"))
        """
    )
    async with bench:
        await bench.say("/use")
        await bench.runtime.reload()
        assert "model-gone" not in bench.found
        path.unlink()
        await bench.runtime.reload()
        assert ("m", "model-gone") == (bench.runtime.session.parts.models.model.id, bench.found[-1])


async def test_a_project_that_changed_is_not_trusted_any_more(tmp_path: Path) -> None:
    """TRUST: content that nobody vouched for does not come in by a reload."""
    from pi_pkg import StoredDecision, TrustStore, surface
    from pi_pkg.locations import Locations

    path = write(tmp_path / ".pi" / "extensions" / "own.py", "def extension(pi): pi.command('own')(print)")
    locations = Locations(tmp_path / "agent", tmp_path, tmp_path / "home")
    digest = surface(locations).digest
    TrustStore(locations.trust_store).record([(str(tmp_path.resolve()), StoredDecision(True, digest))])
    async with RuntimeBench(tmp_path, discover=True, trust="stored") as bench:
        registry = bench.runtime.session.parts.runner.registry
        assert ["own"] == [each.invocation for each in registry.commands()]
        write(path, "def extension(pi): pi.command('evil')(print)")
        await bench.runtime.reload()
        assert () == bench.runtime.session.parts.runner.registry.commands()
        assert "project-changed" in bench.found


async def test_a_guard_that_breaks_says_no_from_the_reload_on(tmp_path: Path) -> None:
    """QUIET 86: a guard that cannot load any more is replaced by its stand-in, and every tool is refused."""
    gate = write(tmp_path / "guard" / "gate.py", "def extension(pi): pass\n")
    write(gate.parent / "pyproject.toml", '[tool.pi]\nextensions = ["gate.py"]\nguard = true\n')
    write(tmp_path / "agent" / "settings.toml", f'packages = ["{gate.parent}"]\n')
    script = [call("bash", command="echo one"), "1", call("bash", command="echo two"), "2"]
    async with RuntimeBench(tmp_path, discover=True, script=script) as bench:
        await bench.say("go")
        write(gate, "def extension(pi): raise RuntimeError('broken gate')\n")
        await bench.runtime.reload()
        await bench.say("go")
        assert ("one", True) == (answers(bench)[0].strip(), "broken gate" in answers(bench)[1])
        assert "guard-missing" in bench.found
