"""Tools whose machine is another one: an `exec` of an extension stands in for everything.

The other machine is a folder that only a subprocess knows: it calls it `/there`, which is no folder here.

Touches: files, processes.
"""

from __future__ import annotations

import asyncio
import os
import signal as signals
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hookspecs.messages import ImageContent, text_of
from pi_core.abort import AbortController, AbortedError, AbortSignal
from pi_core.api import builtin_tools, operations_through
from pi_core.errors import ToolError
from pi_core.tools.look_error import LookError
from tests.support.pictures import picture

PNG = picture("PNG", 20, 20)


class Box:
    """A machine that is reached by commands alone: what `docker exec` or `ssh` would be."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commands: list[str] = []

    async def exec(
        self,
        command: str,
        cwd: str,
        *,
        on_data: Callable[[bytes], None],
        signal: AbortSignal,
        env: Mapping[str, str] | None,
    ) -> int:
        self.commands.append(command)
        program = await asyncio.create_subprocess_exec(
            "sh", "-c", command.replace("/there", str(self.root)),
            cwd=cwd.replace("/there", str(self.root)), stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        unlisten = signal.on_abort(lambda: os.killpg(program.pid, signals.SIGKILL))
        assert program.stdout is not None
        while piece := await program.stdout.read(1000):
            on_data(piece)
        unlisten()
        return await program.wait()


@pytest.fixture
def box(tmp_path: Path) -> Box:
    root = tmp_path / "box"
    root.mkdir()
    return Box(root)


async def call(box: Box, name: str, signal: AbortSignal | None = None, **params: Any) -> Any:
    operations = operations_through(box, folder="/there")
    return await builtin_tools("/there", operations=operations)[name].execute("1", params, signal, None, None)


async def text(box: Box, name: str, **params: Any) -> str:
    return text_of((await call(box, name, **params)).content)


def tree(root: Path) -> None:
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "a b.py").write_text("import os\nprint('ünï')\nimport sys\n")
    (root / "src" / "deep" / "c.py").write_text("x = 1\r\nimport re\r\n")
    (root / "README.md").write_text("# Title\nimport nothing\n")
    (root / ".hidden").write_text("import secretly\n")
    (root / "bin").write_bytes(b"import\0binary\n")


LOOKS: list[tuple[str, dict[str, Any]]] = [
    ("read", {"path": "src/a b.py"}),
    ("read", {"path": "src/a b.py", "offset": 2, "limit": 1}),
    ("ls", {}),
    ("ls", {"path": "src"}),
    ("ls", {"limit": 2}),
    ("find", {"pattern": "*.py"}),
    ("find", {"pattern": "src/**/*.py"}),
    ("find", {"pattern": "de*", "path": "src"}),
    ("find", {"pattern": "*", "limit": 2}),
    ("find", {"pattern": "nothing"}),
    ("grep", {"pattern": "import"}),
    ("grep", {"pattern": "IMPORT [os]", "ignoreCase": True, "glob": "*.py"}),
    ("grep", {"pattern": "import", "glob": "!*.py", "limit": 1}),
    ("grep", {"pattern": "print(", "literal": True, "context": 1}),
    ("grep", {"pattern": "Title", "path": "README.md"}),
    ("grep", {"pattern": "nothing here"}),
]


@pytest.mark.parametrize(("name", "params"), LOOKS, ids=str)
async def test_another_machine_answers_as_this_one(box: Box, name: str, params: dict[str, Any]) -> None:
    """What the tools find through a shell is, to the letter, what they find at hand."""
    tree(box.root)
    here = await builtin_tools(str(box.root))[name].execute("1", params, None, None, None)
    there = await call(box, name, **params)
    assert (text_of(here.content), here.details) == (text_of(there.content), there.details)


async def test_ignored_files_of_a_repository_are_left_out(box: Box) -> None:
    """Where the other machine has git and a repository, its ignore rules hold."""
    tree(box.root)
    (box.root / ".gitignore").write_text("deep/\n")
    assert 0 == await box.exec(
        "git init -q .", "/there", on_data=print, signal=AbortController().signal, env=None
    )
    assert "src/a b.py" == await text(box, "find", pattern="*.py")
    assert "deep" not in await text(box, "grep", pattern="import")


@pytest.mark.parametrize("data", [b"", b"a\0b\xff\r\n", b"x" * 150_000, "日本\n".encode() * 9000], ids=len)
async def test_contents_travel_unharmed(box: Box, data: bytes) -> None:
    """Bytes of any kind and size arrive as they were sent."""
    files = operations_through(box, folder="/there").files
    await files.write("/there/new/it's.bin", data)
    assert data == (box.root / "new" / "it's.bin").read_bytes() == await files.read("/there/new/it's.bin")
    assert ["it's.bin"] == os.listdir(box.root / "new")


async def test_files_are_written_and_edited_there(box: Box) -> None:
    """write and edit change the other machine's file, and keep its mode."""
    await call(box, "write", path="a/f.sh", content="one\ntwo\n")
    (box.root / "a" / "f.sh").chmod(0o750)
    await call(box, "edit", path="a/f.sh", edits=[{"oldText": "two", "newText": "three"}])
    assert "one\nthree\n" == (box.root / "a" / "f.sh").read_text()
    assert 0o750 == (box.root / "a" / "f.sh").stat().st_mode & 0o777


async def test_edits_of_one_file_take_turns_there_too(box: Box) -> None:
    """86: two edits at once of one file, far away, are both applied."""
    (box.root / "f").write_text("a b")
    both = [{"oldText": "a", "newText": "1"}], [{"oldText": "b", "newText": "2"}]
    await asyncio.gather(*(call(box, "edit", path="f", edits=edits) for edits in both))
    assert "1 2" == (box.root / "f").read_text()


async def test_an_image_comes_from_there(box: Box) -> None:
    """An image is one wherever it lies."""
    (box.root / "x.png").write_bytes(PNG)
    assert any(isinstance(part, ImageContent) for part in (await call(box, "read", path="x.png")).content)


@pytest.mark.parametrize(
    ("name", "params", "problem"),
    [
        ("read", {"path": "gone"}, "There is no file gone"),
        ("read", {"path": "src"}, "src is a folder"),
        ("write", {"path": "src", "content": "x"}, "Cannot write src: Is a directory"),
        ("ls", {"path": "gone"}, "There is nothing at gone"),
        ("ls", {"path": "README.md"}, "README.md is not a folder"),
        ("grep", {"pattern": "("}, "cannot be looked for"),
        ("find", {"pattern": "*", "path": "gone"}, "There is nothing at gone"),
    ],
    ids=str,
)
async def test_refusals_are_sentences(box: Box, name: str, params: dict[str, Any], problem: str) -> None:
    """What the other machine refuses is said as this one would say it."""
    tree(box.root)
    with pytest.raises(ToolError, match=problem):
        await call(box, name, **params)


async def test_a_machine_that_does_not_answer(tmp_path: Path) -> None:
    """A command that cannot run there is a refusal, not an empty result."""
    broken = Box(tmp_path / "gone")
    with pytest.raises(FileNotFoundError):
        await broken.exec("true", "/there", on_data=print, signal=AbortController().signal, env=None)
    with pytest.raises(LookError, match="Cannot look at"):
        await call(broken, "ls")


async def test_bash_runs_there(box: Box) -> None:
    """The shell of the extension runs the command: output, code, and characters cut between two pieces."""
    assert "ü" * 1500 + "\n\n\nCommand exited with code 3" == await text(
        box, "bash", command="i=0; while [ $i -lt 1500 ]; do printf 'ü'; i=$((i+1)); done; echo; exit 3"
    )


async def test_a_time_limit_holds_there(box: Box) -> None:
    """The time limit is kept here, by aborting what runs there."""
    result = await call(box, "bash", command="echo begun; sleep 60", timeout=0.3)
    assert "begun\n\n\nCommand timed out after 0.3 seconds" == text_of(result.content)


async def test_an_abort_ends_what_runs_there(box: Box) -> None:
    """The signal reaches the other machine, in commands and in searches."""
    controller = AbortController()
    asyncio.get_running_loop().call_later(0.2, controller.abort)
    result = await call(box, "bash", controller.signal, command="sleep 60")
    assert ("Command aborted", True) == (text_of(result.content), result.is_error)
    with pytest.raises(AbortedError):
        await call(box, "find", controller.signal, pattern="*")


async def test_the_documented_extension_works(box: Box, tmp_path: Path) -> None:
    """What docs/extensions.md shows takes over all seven tools, and they work."""
    text = (Path(__file__).parents[3] / "docs" / "extensions.md").read_text(encoding="utf-8")
    source = next(part for part in text.split("```python\n") if "operations_through" in part).partition(
        "```"
    )[0]
    shown: dict[str, Any] = {}
    exec(source, shown)
    shown.update(BOX=["sh", "-c"], FOLDER=str(box.root))
    (box.root / "f").write_text("found")
    tools: dict[str, Any] = {}
    pi = SimpleNamespace(register_tool=lambda tool: tools.setdefault(tool.name, tool), on=lambda *_: None)
    shown["extension"](pi)
    assert ["bash", "edit", "find", "grep", "ls", "read", "write"] == sorted(tools)
    for name, params in (("read", {"path": "f"}), ("bash", {"command": "cat f"})):
        result = await tools[name].execute("1", params, None, None, None)
        assert "found" == text_of(result.content)
