"""The package brings one skill, two prompts and one theme, each well formed."""

from __future__ import annotations

import json
from importlib.resources import files

from pi_core.testing.plugin import PackageReader

ROOT = files("pi_sample_prompt_pack")


def test_the_skill_says_what_it_is_for() -> None:
    """A skill needs a name and a description in its front matter."""
    text = (ROOT / "skills" / "code-review" / "SKILL.md").read_text(encoding="utf-8")
    front = text.split("---\n")[1]
    assert "name: code-review\n" in front
    assert "description: " in front


def test_prompts_take_arguments() -> None:
    """Each prompt uses its first argument."""
    for name in ("explain", "changelog"):
        assert "1" in (ROOT / "prompts" / f"{name}.md").read_text(encoding="utf-8")


def test_the_theme_names_only_colours_it_has() -> None:
    """A colour is a hex value or the name of a variable."""
    theme = json.loads((ROOT / "themes" / "sepia.json").read_text(encoding="utf-8"))
    values = {*theme["colors"].values()}
    assert all(value.startswith("#") or value in theme["vars"] for value in values)


def test_the_wheel_brings_everything(pi_package: PackageReader) -> None:
    """A tree and the wheel that users get hold the same, and nothing is wrong with either."""
    tree, wheel = pi_package(), pi_package(wheel=True)
    assert (tree.skills, tree.prompts, tree.themes) == (wheel.skills, wheel.prompts, wheel.themes)
    assert (1, 2, 1) == (len(tree.skills), len(tree.prompts), len(tree.themes))
    assert wheel.diagnostics == ()
