"""Ignore files hide what git would hide, and say which line did it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_pkg.resources.ignore import IgnoreRules


def visible(root: Path) -> list[str]:
    """Files that a top-down walk under the rules reaches, sorted."""
    found: list[str] = []

    def walk(folder: Path, rules: IgnoreRules) -> None:
        entries = sorted(folder.iterdir())
        rules = rules.entering(str(folder), {entry.name for entry in entries})
        for entry in entries:
            if entry.name.startswith(".") or rules.hides(str(entry), is_dir=entry.is_dir()):
                continue
            if entry.is_dir():
                walk(entry, rules)
            else:
                found.append(entry.relative_to(root).as_posix())

    walk(root, IgnoreRules())
    return sorted(found)


def build(root: Path, tree: dict[str, str]) -> Path:
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


FILES = ("a.md", "deep", "rooted.md", "d/a.md", "d/rooted.md", "d/deep/x.md", "d/e/deep/x.md", "!b.md")


BELOW_D = ["d/a.md", "d/deep/x.md", "d/e/deep/x.md", "d/rooted.md"]
CASES = [
    (".gitignore", "rooted.md", ["d/rooted.md", "rooted.md"]),
    (".gitignore", "/rooted.md", ["rooted.md"]),
    ("d/.ignore", "deep", ["d/deep/x.md", "d/e/deep/x.md"]),
    ("d/.ignore", "/deep", ["d/deep/x.md"]),
    (".ignore", "d/a.md", ["d/a.md"]),
    (".fdignore", "\\!b.md", ["!b.md"]),
    (".fdignore", "*.md\n!d/a.md", ["!b.md", "a.md", "rooted.md", *BELOW_D[1:]]),
    (".gitignore", "deep/", ["d/deep/x.md", "d/e/deep/x.md"]),
    (".gitignore", "*\n!d", ["!b.md", "a.md", "deep", "rooted.md", *BELOW_D]),
    (".gitignore", "\ufeffa.md\r\n  \r\n# c\r\n", ["a.md", "d/a.md"]),
    (".gitignore", "A.MD", []),
    (".gitignore", "[\n!\n", []),
]


@pytest.mark.parametrize(("name", "text", "hidden"), CASES)
def test_git_rules(tmp_path: Path, name: str, text: str, hidden: list[str]) -> None:
    """A leading slash anchors, a plain name counts at every depth, `!` reopens, `\\!` is literal (F7–F11)."""
    root = build(tmp_path, dict.fromkeys(FILES, ""))
    (root / name).write_text(text, encoding="utf-8")
    assert sorted(set(FILES) - set(hidden)) == visible(root)


def test_later_files_and_deeper_folders_prevail(tmp_path: Path) -> None:
    """`.ignore` decides over `.gitignore` beside it, and a deeper file over both."""
    build(
        tmp_path, {"a": "", "b": "", "d/a": "", ".gitignore": "a\nb", ".ignore": "!b", "d/.gitignore": "!a"}
    )
    assert ["b", "d/a"] == visible(tmp_path)


def test_files_above_the_scan_do_not_count(tmp_path: Path) -> None:
    """An ignore file in the parent of the scanned folder has no effect (F8)."""
    build(tmp_path, {".gitignore": "*", "skills/a.md": ""})
    assert ["a.md"] == visible(tmp_path / "skills")


def test_the_line_that_hides_is_named(tmp_path: Path) -> None:
    """What is hidden says by which file and line."""
    build(tmp_path, {".gitignore": "# mine\nb\n*.md\n", "a.md": ""})
    line = IgnoreRules().entering(str(tmp_path), {".gitignore"}).hides(str(tmp_path / "a.md"), is_dir=False)
    assert line is not None
    assert (f"{tmp_path / '.gitignore'}:3", "*.md") == (line.place, line.text)


NAMES = st.sampled_from(["a", "b", "ab", "a.md"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PIECES = st.sampled_from(["a", "b", "*", "**", "?", "*.md", "[ab]", "a*", "[!a]", "\\a", "ab"])
LINES = st.builds(
    lambda mark, slash, pieces, end: mark + slash + "/".join(pieces) + end,
    st.sampled_from(["", "", "!"]), st.sampled_from(["", "/"]), st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=4).map("\n".join)
RULES = st.dictionaries(st.sampled_from(["", "a/", "b/a/"]), TEXTS, max_size=2)


@settings(max_examples=60, deadline=None)
@given(paths=st.sets(PATHS, min_size=1, max_size=6), rules=RULES)
def test_the_same_files_as_git(
    tmp_path_factory: pytest.TempPathFactory, paths: set[str], rules: dict[str, str]
) -> None:
    """For random trees and `.gitignore` files the visible files are those that git would add."""
    root = tmp_path_factory.mktemp("tree")
    files = {path for path in paths if not any(other.startswith(path + "/") for other in paths)}
    build(root, dict.fromkeys(files, ""))
    for folder, text in rules.items():
        if folder == "" or (root / folder).is_dir():
            (root / folder / ".gitignore").write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True).stdout
    names = [name for name in listed.split("\0") if name and not name.endswith("gitignore")]
    assert sorted(names) == visible(root)
