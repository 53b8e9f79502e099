"""What of a project needs trust, and when its digest changes: L1-L3, design 3.5.

Touches: files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_pkg.locations import Locations
from pi_pkg.trust import walk as room
from pi_pkg.trust.gated import gated_paths
from pi_pkg.trust.snapshot import changes_since
from pi_pkg.trust.surface import surface_of


@pytest.fixture
def places(tmp_path: Path) -> Locations:
    places = Locations(tmp_path / "agent", tmp_path / "w" / "proj", tmp_path / "home")
    for folder in (places.agent_dir, places.project_dir, places.home):
        folder.mkdir(parents=True)
    return places


def put(places: Locations, path: str, text: str = "x") -> Path:
    target = places.project_dir / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return target


@pytest.mark.parametrize(
    "path",
    [
        ".pi/settings.toml", ".pi/extensions/a.py", ".pi/skills/s/SKILL.md", ".pi/prompts/p.md",
        ".pi/themes/t.json", ".pi/SYSTEM.md", ".pi/APPEND_SYSTEM.md", ".pi/pylock.toml", ".agents/skills/s",
    ],
)  # fmt: skip
def test_what_needs_trust(places: Locations, path: str) -> None:
    """Everything that is read as code or instructions does, by its existence."""
    put(places, path)
    assert gated_paths(places)
    assert surface_of(places).digest


@pytest.mark.parametrize(
    "path", [".pi/other", ".pi/npm/x", "AGENTS.md", ".agents/notes.md", "../.pi/settings.toml"]
)
def test_what_does_not(places: Locations, path: str) -> None:
    """L1, L2: a bare `.pi`, context files and the folders of a parent do not."""
    put(places, path)
    assert ((), None) == (surface_of(places).paths, surface_of(places).digest)


def test_skills_of_parents_need_trust(places: Locations) -> None:
    """L3: `.agents/skills` counts in every folder above, beyond the root of the repository."""
    put(places, ".git")
    put(places, "../.agents/skills/s/SKILL.md")
    assert [str(places.project_dir.parent / ".agents" / "skills")] == list(gated_paths(places))


def test_skills_of_the_user_do_not(tmp_path: Path) -> None:
    """The user's own `~/.agents/skills` is above projects in the home folder, and is the user's."""
    places = Locations(tmp_path / "agent", tmp_path / "proj", tmp_path)
    put(Locations(tmp_path, tmp_path, tmp_path), ".agents/skills/s")
    assert () == gated_paths(places)


SETTINGS = """\
packages = ["../../pk", "../../tools/ext.py"]
prompts = ["../../one.md", "!x"]
extensions = ["pypi:x.py"]
"""


def change_text(places: Locations) -> None:
    put(places, ".pi/extensions/a.py", "other")


def add_file(places: Locations) -> None:
    put(places, ".pi/extensions/sub/b.py")


def rename(places: Locations) -> None:
    put(places, ".pi/extensions/a.py").rename(places.project_config_dir / "extensions" / "z.py")


def delete(places: Locations) -> None:
    (places.project_config_dir / "extensions" / "a.py").unlink()


def change_local_package(places: Locations) -> None:
    put(places, "../pk/extensions/e.py", "other")


def change_listed_file(places: Locations) -> None:
    put(places, "../one.md", "other")


def change_link_target(places: Locations) -> None:
    put(places, "../linked/inner.py", "other")


def turn_link(places: Locations) -> None:
    link = places.project_config_dir / "extensions" / "link"
    link.unlink()
    link.symlink_to("../../../linked2")


def change_sibling(places: Locations) -> None:
    put(places, "../tools/used.py", "other")


def change_siblings_sibling(places: Locations) -> None:
    put(places, "../tools/deep/__init__.py", "other")


def change_path_like_a_source(places: Locations) -> None:
    put(places, ".pi/pypi:x.py", "other")


def hide_in_history(places: Locations) -> None:
    put(places, "../pk/.git/evil.py")


def hide_in_cache(places: Locations) -> None:
    put(places, ".pi/extensions/__pycache__/evil.py")


@pytest.mark.parametrize(
    "change",
    [
        change_text, add_file, rename, delete, change_local_package, change_listed_file,
        change_link_target, turn_link, change_sibling, change_siblings_sibling,
        change_path_like_a_source, hide_in_history, hide_in_cache,
    ],
)  # fmt: skip
def test_any_change_of_content_changes_the_digest(
    places: Locations, change: Callable[[Locations], None]
) -> None:
    """Files, names, the trees of declared local sources, what links lead to, and what is imported."""
    put(places, ".pi/extensions/a.py")
    put(places, "../pk/extensions/e.py")
    put(places, "../one.md")
    put(places, "../linked/inner.py")
    put(places, "../linked2/inner.py")
    put(places, "../tools/ext.py", "from . import used\nfrom .gone import x\nimport os\n")
    put(places, "../tools/used.py", "from .deep import y\nfrom . import used\n")
    put(places, "../tools/deep/__init__.py")
    put(places, ".pi/pypi:x.py")
    for number, name in enumerate(["link", "also"], 1):
        (places.project_config_dir / "extensions" / name).symlink_to(f"../../../linked{'2' * (number - 1)}")
    put(places, ".pi/settings.toml", SETTINGS)
    before = surface_of(places)
    change(places)
    assert before.digest != surface_of(places).digest


def test_nothing_else_changes_the_digest(places: Locations) -> None:
    """Other files, times, compiled code, the repository's own data and the project's place do not."""
    put(places, ".pi/extensions/a.py")
    before = surface_of(places).digest
    put(places, "src/main.py")
    put(places, ".pi/extensions/__pycache__/a.pyc")
    put(places, ".pi/extensions/.git/HEAD")
    put(places, ".pi/extensions/.git/objects/aa/bb")
    put(places, "tools/unused.py")
    os.utime(places.project_config_dir / "extensions" / "a.py", (1, 1))
    moved = places.project_dir.rename(places.project_dir.with_name("elsewhere"))
    assert before == surface_of(Locations(places.agent_dir, moved, places.home)).digest


def test_loops_broken_links_and_pipes_end(places: Locations) -> None:
    """Whatever stands there, the digest is computed without opening what is no file."""
    put(places, ".pi/extensions/a.py")
    folder = places.project_config_dir / "extensions"
    (folder / "loop").symlink_to(".")
    (folder / "broken").symlink_to("gone")
    os.mkfifo(folder / "pipe")
    assert surface_of(places).digest == surface_of(places).digest is not None


def test_broken_settings_are_covered_as_bytes(places: Locations) -> None:
    """A file that cannot be read declares nothing, and its change is a change."""
    put(places, ".pi/settings.toml", "a = = 1")
    before = surface_of(places).digest
    put(places, ".pi/settings.toml", "a = = 2")
    assert before != surface_of(places).digest


def test_too_much_content_has_no_digest(places: Locations, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the cap only the folder can be trusted."""
    monkeypatch.setattr(room, "MAX_FILES", 3)
    for name in "abcd":
        put(places, f".pi/extensions/{name}.py")
    found = surface_of(places)
    assert (True, None) == (bool(found.paths), found.digest)
    assert ("~ more than a digest covers",) == changes_since(places, found)
