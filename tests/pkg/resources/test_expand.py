"""Globs over a tree: our own walk finds what the library finds, sorted, without dotted segments."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_pkg.resources.expand import expand
from tests.pkg.resources.world import World

TREE = ("a.py", "b.py", "d/a.py", "d/e/a.py", "d/e/b.md", "node_modules/q/z.py", ".git/h.py", "d/.h.py")


@pytest.fixture
def tree(world: World) -> Path:
    world.files(*TREE)
    world.link("l", "d")
    return world.root


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", ["a.py", "b.py"]),
        ("./*.py", ["a.py", "b.py"]),
        ("**/a.py", ["a.py", "d/a.py", "d/e/a.py"]),
        ("d/*/", ["d/e"]),
        ("l/*.py", ["l/a.py"]),
        ("{a,b}*.py", ["a.py", "b.py"]),
        ("d/**/*.m[d]", ["d/e/b.md"]),
        (".git/*.py", []),
        ("../*", []),
        ("/etc/*", []),
        ("none/*", []),
    ],
)
def test_what_a_glob_names(tree: Path, pattern: str, expected: list[str]) -> None:
    """E9, E10: sorted by code point; `**` enters no linked folder; nothing outside and nothing hidden."""
    found = [Path(path).relative_to(tree).as_posix() for path in expand(pattern, str(tree))]
    agent = {"agent", "home", "proj"}
    assert expected == [path for path in found if path not in agent]


def test_an_absolute_glob_below_the_root(tree: Path) -> None:
    """A pattern may spell the root out."""
    assert [str(tree / "a.py"), str(tree / "b.py")] == expand(f"{tree}/*.py", str(tree))


def test_a_final_double_star_names_the_folder_too(tree: Path) -> None:
    """`d/**` is the folder itself and everything below it, also where braces are involved."""
    expected = [str(tree / name) for name in ("d", "d/a.py", "d/e", "d/e/a.py", "d/e/b.md")]
    assert expected == expand("d/**", str(tree)) == expand("{d,x}/**", str(tree))


SEGMENT = st.sampled_from(["*", "**", "a*", "*.py", "?", "d", "e", "a.py", "l"])


@settings(max_examples=150)
@given(segments=st.lists(SEGMENT, min_size=1, max_size=4).filter(lambda found: set(found) != {"**"}))
def test_our_walk_agrees_with_the_library(
    tmp_path_factory: pytest.TempPathFactory, segments: list[str]
) -> None:
    """A simple glob finds what the same glob finds through wcmatch, to which an extended group sends it."""
    root = tmp_path_factory.mktemp("tree")
    for name in TREE:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    (root / "l").symlink_to(root / "d")
    rich = [segment if segment == "**" else f"@({segment})" for segment in segments]
    assert expand("/".join(rich), str(root)) == expand("/".join(segments), str(root))
