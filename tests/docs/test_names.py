"""No page names a command, a flag, a setting or an event that does not exist."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from hookspecs.context import CommandContext, ToolContext
from hookspecs.events import EVENTS
from hookspecs.ui import UI
from pi_core.modes.tui.keys import actions
from pi_pkg.settings.keys import KEYS
from tests.docs import named
from tests.docs.cli_reference import spellings, words

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "CONTRIBUTING.md",
]
FOREIGN_FLAGS = {
    "docs/rpc.md": {"--plan"},  # of an extension that is the example
    "docs/comparison.md": {"--plugins-dir"},  # of datasette
}
"""Flags of other programs and of examples, page by page."""
PROSE = {"is"}
"""From messages: `pi is shutting down`."""
METHODS = {f"ui.{name}" for base in UI.__mro__ for name in vars(base)}
"""What handlers call, which looks like a key."""
MANIFEST = {"requires-host", "tested-host", "guard", "changelog"}
TABLES = {key.path[: place.start()] for key in KEYS for place in re.finditer(r"\.", key.path)} | {"keys"}
FOREIGN_TABLES = {"tool.pi", "project", "project.dependencies"}


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def own_flags(text: str) -> set[str]:
    """Flags that a page itself registers."""
    return {f"--{name}" for name in re.findall(r"""register_flag\(\s*["']([\w-]+)["']""", text)}


@pytest.fixture(params=PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_every_command_exists(path: Path) -> None:
    """A word behind `pi` is one that the command line knows."""
    assert not named.commands(text_of(path)) - words() - PROSE


def test_every_flag_exists(path: Path) -> None:
    """A flag is one of the agent, of a command, or of the extension that the page shows."""
    known = spellings() | own_flags(text_of(path)) | FOREIGN_FLAGS.get(str(path.relative_to(ROOT)), set())
    assert not named.flags(text_of(path)) - known


def test_every_setting_exists(path: Path) -> None:
    """A key in a block of TOML is one of the settings, of a manifest or of the keyboard; so is a table."""
    known = {key.path for key in KEYS} | {action.id for action in actions()} | {"packages"} | MANIFEST
    assert not named.settings(text_of(path)) - known
    assert not named.dotted(text_of(path), TABLES) - known - METHODS
    assert not named.tables(text_of(path)) - TABLES - FOREIGN_TABLES


def test_every_event_exists(path: Path) -> None:
    """What is listened to, in code or in a sentence, is an event, of pi or of the host shown there."""
    own = re.findall(r"@hookspec\S*\s+def pi_(\w+)", text_of(path))
    said = named.events(text_of(path)) | named.heard(text_of(path))
    assert not said - set(EVENTS) - set(own)


def test_every_import_exists(path: Path) -> None:
    """Blocks of Python are Python, and what they import from us is there."""
    for module, name in named.imports(text_of(path)):
        found = import_module(module)
        assert not name or hasattr(found, name), f"{module} has no {name}"


def test_every_member_exists(path: Path) -> None:
    """What examples take from a context, and from its UI, is there for some handler."""
    contexts = {
        name for kind in (CommandContext, ToolContext) for base in kind.__mro__ for name in vars(base)
    }
    assert not named.members(text_of(path), "ctx") - contexts
    assert not {f"ui.{name}" for name in named.members(text_of(path), "ctx.ui")} - METHODS


def test_imports_and_members_are_found() -> None:
    """The tests above see what stands in a block of Python."""
    text = "```python\nimport json, pi_pkg\nfrom pi_core.api import Nothing\nctx.ui.shout(ctx.age)\n```\n"
    assert {("pi_pkg", ""), ("pi_core.api", "Nothing")} == named.imports(text)
    assert ({"ui", "age"}, {"shout"}) == (named.members(text, "ctx"), named.members(text, "ctx.ui"))


@pytest.mark.parametrize(
    ("text", "command", "flag", "setting", "event"),
    [
        ("`pi instal x`", "instal", "", "", ""),
        ("```console\n$ PIP_NO_INDEX=1 pi fly --hgih\n```", "fly", "--hgih", "", ""),
        ("`--hgih`", "", "--hgih", "", ""),
        ("```toml\n[budgets]\nhandlr-s = 1\n```", "", "", "budgets.handlr-s", ""),
        ('```python\npi.on("tool_cal", f)\n```', "", "", "", "tool_cal"),
        ("```python\ndef pi_tool_cal(event, ctx): ...\n```", "", "", "", "tool_cal"),
        ("what `pip install` does; `pi -p \"install\"`", "", "", "", ""),
    ],
)  # fmt: skip
def test_names_are_found(text: str, command: str, flag: str, setting: str, event: str) -> None:
    """The tests above see what stands on a page."""
    found = (named.commands(text), named.flags(text), named.settings(text), named.events(text))
    assert tuple({name} - {""} for name in (command, flag, setting, event)) == found
