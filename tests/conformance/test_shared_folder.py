"""The user's folder may be shared with the TypeScript pi: what is its own is never written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.package_cli import PackageCli

THEIRS = {
    "settings.json": '{"packages": ["npm:theirs"]}',
    "trust.json": '{"/somewhere": true}',
    "keybindings.json": "{}",
    "npm/node_modules/theirs/index.js": "export default 1",
    "git/github.com/o/r/index.ts": "export default 1",
    "tmp/x": "x",
}


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for name in ("settings.json", "trust.json", "keybindings.json", "npm", "git", "tmp")
        for path in ([folder / name] if (folder / name).is_file() else (folder / name).rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def shared(tmp_path: Path) -> PackageCli:
    """A person who uses both, with a package at hand."""
    for name, text in THEIRS.items():
        (tmp_path / "agent" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "agent" / name).write_text(text, encoding="utf-8")
    (tmp_path / "proj").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text("def extension(pi): ...", encoding="utf-8")
    return PackageCli(tmp_path)


def test_what_is_another_programs_stays_as_it_is(shared: PackageCli) -> None:
    """Whatever command runs, in either scope; ours are settings.toml, trust.toml and checkouts."""
    for words in (
        ("install", "../own"), ("install", "-l", "-a", "../own"), ("list",), ("trust", "allow"),
        ("update",), ("sync",), ("config", "--disable", "../own"), ("remove", "../own"),
    ):  # fmt: skip
        shared.run(*words)
    agent = shared.locations.agent_dir
    assert THEIRS == contents(agent)
    assert {"settings.toml", "trust.toml"} <= {path.name for path in agent.iterdir()}
