"""Names that are none, or that mean harm: refused or harmless, and shown without moving anybody's terminal.

Field reports SEC.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pkg.stress.stage import EXTENSION
from tests.support.agent_cli import AgentCli, agent_cli
from tests.support.wheels import build_wheel


@pytest.fixture
def pi(tmp_path: Path) -> AgentCli:
    return agent_cli(tmp_path)


def files_of(pi: AgentCli, folder: Path) -> set[str]:
    """Everything below a folder that is not in the agent's own."""
    own = pi.agent_dir.parent
    return {str(path) for path in folder.rglob("*") if own not in (path, *path.parents)}


BAD_NAMES = (
    "../../evil", "/tmp/pi-evil/x", "..", "", " ", "a/b", "x\\nRequires-Dist: evil", "x\\u0000y",
    "\\u001b[2Jx", "-x", "x-", "é", "a b", "x" * 300,
)  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_tree_that_is_no_distribution_by_its_name(pi: AgentCli, tmp_path: Path, name: str) -> None:
    """Its metadata would be written under that name: refused in one line, and nothing is written."""
    pi.write("t/pyproject.toml", f'[project]\nname = "{name}"\nversion = "1"\n')
    pi.write("t/extensions/e.py", EXTENSION)
    before = files_of(pi, tmp_path)
    done = pi.run("install", "./t")
    assert 1 == done.code
    assert "is no name of a distribution" in done.err
    assert done.err.rstrip("\n").isprintable()
    assert before == files_of(pi, tmp_path)
    assert not Path("/tmp/pi-evil").exists()


ODD = """
[project]
name = "odd"
version = "1.0\\nX: y"
requires-python = ">=3\\nRequires-Dist: evil"
[project.optional-dependencies]
"x]\\n" = ["evil"]
[project.scripts]
"a\\nb" = "odd:main"
[project.entry-points."pi.extensions"]
good = "odd:extension"
"with space" = "odd:extension"
"a=b" = "odd:extension"
"[pi]" = "odd:extension"
"new\\nline" = "odd:extension"
"../../up" = "odd:extension"
code = "odd:__import__('os').system('touch PWNED')"
path = "../../odd:extension"
empty = ""
colon = ":"
"" = "odd:extension"
"""


def test_a_tree_with_odd_words_everywhere(pi: AgentCli, tmp_path: Path) -> None:
    """What can stand in no metadata is left out, the good extension loads, and nothing is smuggled in."""
    pi.write("t/pyproject.toml", ODD)
    pi.write("t/odd.py", EXTENSION)
    assert 0 == pi.run("install", "./t").code
    (info,) = pi.agent_dir.glob("envs/*/lib/python*/site-packages/odd-*.dist-info")
    metadata = (info / "METADATA").read_text("utf-8")
    assert ("evil" in metadata, "X: y" in metadata) == (False, False)
    rows = (info / "entry_points.txt").read_text("utf-8").splitlines()
    assert ("good = odd:extension" in rows, "line" in str(rows), "[pi]" in rows) == (True, False, False)
    done = pi.run("list", "--json")
    (item,) = json.loads(done.out)["observed"]
    assert "odd.py" in str(item["resources"]["extensions"])
    assert 0 == pi.run("-p", "hi").code
    assert [] == list(tmp_path.rglob("PWNED*"))


@pytest.mark.parametrize(
    "rows",
    [
        {"with space": "odd:extension", "a.b-c": "odd:extension", "ü": "odd:extension"},
        {"x": "odd:extension [extra]", "y": " odd : extension "},
        {"x": "odd:__import__('os')", "y": "../odd:extension", "z": "odd:1", "w": ":", "v": "odd.absent:f"},
        {"x\x1b[2J": "odd:extension", "y": "odd:exten\x1bsion"},
    ],
    ids=["names", "spaces", "values", "escapes"],
)
def test_a_wheel_with_odd_entry_points(pi: AgentCli, tmp_path: Path, rows: dict[str, str]) -> None:
    """Whatever they say, installing, listing, starting and removing go on; nothing is run to read them."""
    build_wheel(tmp_path / "w", "odd", files={"odd.py": EXTENSION}, entry_points={"pi.extensions": rows})
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "w")}
    for words in (
        ["install", "pypi:odd"],
        ["list"],
        ["list", "--json"],
        ["-p", "hi"],
        ["remove", "pypi:odd"],
    ):
        done = pi.run(*words, env=env)
        assert (0, False) == (done.code, "Traceback" in done.err), (words, done)
        assert "\x1b" not in done.out + done.err


SOURCES = (
    "pypi:..", "pypi:../x", "pypi:/etc/passwd", "pypi:a\nb", "pypi:-e", "pypi:--index-url=http://h/",
    "pypi:a;b", "pypi:a @ file:///etc", "pypi:a[--x]", "pypi:a==1; import os", "./a\nb", "./\x1b[2J",
    "pypi:" + "a" * 5000, "env:..", "./absent", "npm:../x", "word:x", "",
)  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_that_is_none(pi: AgentCli, tmp_path: Path, source: str) -> None:
    """Refused in one line, exit 1, no program started, no file made."""
    before = files_of(pi, tmp_path)
    done = pi.run("install", source, env={"PIP_INDEX_URL": "http://127.0.0.1:9/simple"})
    assert 1 == done.code
    assert "Traceback" not in done.err
    assert done.err.splitlines()[0].isprintable()
    assert before == files_of(pi, tmp_path)
    assert not (pi.agent_dir / "settings.toml").exists()
