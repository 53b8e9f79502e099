"""A preset is put in force as a whole, kept in the session, and put away again."""

from __future__ import annotations

from typing import Any

import pytest
from pi_sample_preset import extension
from pi_sample_preset.presets import Preset, presets_of

from pi_core.api import BeforeAgentStart, SessionStart
from pi_core.testing import RecordingUI
from pi_core.testing.plugin import HarnessMaker

SETTINGS = {"preset": {"review": {"tools": ["look"], "thinking": "high", "instructions": "You review."}}}
START = SessionStart(reason="startup")
RUN = BeforeAgentStart(prompt="x", system_prompt="You are pi.", system_prompt_options={})


def tools(pi: Any) -> None:
    """Two tools to choose from."""
    for name in ("look", "change"):
        pi.tool(name=name, description="A tool.")(lambda: "")


def test_settings_become_presets() -> None:
    """What has another type is left out."""
    table = {"a": {"thinking": "much", "tools": "all"}, "b": 1, "c": {"model": "p/m"}}
    assert presets_of(table) == {"a": Preset(), "c": Preset(model="p/m")}


def test_everything_is_switched_together(pi_harness: HarnessMaker) -> None:
    """Tools, thinking level and instructions; `off` brings the tools back."""
    pi = pi_harness(extension, tools, settings=SETTINGS)
    pi.run_command("preset", "review")
    assert pi.host.get_active_tools() == ["look"]
    assert pi.host.thinking_level == "high"
    assert pi.emit(RUN).system_prompt == "You are pi.\n\nYou review."
    pi.run_command("preset", "off")
    assert pi.host.get_active_tools() == ["look", "change"]
    assert pi.emit(RUN).system_prompt == "You are pi."


def test_the_flag_begins_with_one(pi_harness: HarnessMaker) -> None:
    """And the session remembers it."""
    pi = pi_harness(extension, tools, settings=SETTINGS, flags={"preset": "review"})
    pi.emit(START)
    assert pi.host.session.entries[-1].data == {"name": "review"}


def test_a_resumed_session_goes_on_with_its_preset(pi_harness: HarnessMaker) -> None:
    """The last choice of the branch counts."""
    pi = pi_harness(extension, tools, settings=SETTINGS)
    pi.host.append_entry("preset", {"name": "review"})
    pi.emit(SessionStart(reason="resume"))
    assert pi.host.get_active_tools() == ["look"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [(SETTINGS, "there are review"), ({}, "the settings have no table [preset.NAME]")],
)
def test_an_unknown_preset_is_named(pi_harness: HarnessMaker, settings: dict[str, Any], told: str) -> None:
    """With those that there are."""
    ui = RecordingUI()
    pi_harness(extension, ui=ui, settings=settings).run_command("preset", "speed")
    assert ui.notices == [f"There is no preset 'speed'; {told}."]
